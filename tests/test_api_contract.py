"""The HTTP API does what its description says: schemathesis with all its checks, on valid and on invalid input."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.core.failures import FailureGroup
from starlette.testclient import TestClient
from web import served

from assistant.answering.assistant import Assistant
from assistant.interfaces.access.tokens import SCOPES, TokenStore
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.server import create_app
from assistant.settings import ROOT, Settings

COMMAND = Path(sys.executable).with_name("schemathesis")
EXAMPLES = 3
"""Made up for each operation, beside what the description's bounds give; the same in every run."""
LIMIT_S = 600
"""Only so that nothing hangs: on an idle machine it takes well under a minute."""


def test_every_operation_keeps_to_its_description(settings: Settings, assistant: Assistant, tmp_path: Path) -> None:
    changed = settings.model_copy(update={"data": tmp_path, "access": "open"})
    with served(changed, assistant) as address:
        done = subprocess.run(
            [str(COMMAND), "--config-file", str(ROOT / "tests" / "schemathesis.toml"), "run",
             f"{address}/api/openapi.json", "--checks", "all", "--phases", "examples,coverage,fuzzing,stateful",
             "--max-examples", str(EXAMPLES), "--seed", "1", "--continue-on-failure", "--no-color"],
            cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    made = re.search(r"(\d+) generated", done.stdout)
    assert made is not None and int(made[1]) > 500


@pytest.mark.parametrize(
    ("path", "body", "headers", "said", "broken"),
    [
        ("/api/ask", {"question": "What is NVLink?"}, {"Accept": "text/event-stream"}, b'"offset":', b'"offsat":'),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "What is NVLink?"}], "stream": True},
         {}, b"[DONE]", b"[DUNE]"),
    ],
)  # fmt: skip
def test_each_event_of_a_stream_is_as_described(
    settings: Settings, assistant: Assistant, tmp_path: Path, path: str, body: Any, headers: dict[str, str],
    said: bytes, broken: bytes,
) -> None:  # fmt: skip
    changed = settings.model_copy(update={"data": tmp_path, "access": "open"})
    app = create_app(changed, Opening(settings, lambda _: assistant))
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"host": "127.0.0.1"})
    case = schema[path]["POST"].Case(body=body, media_type="application/json", headers={"host": "127.0.0.1"})
    case.call_and_validate(headers=headers)
    other = case.call(headers=headers)
    assert said in other.content
    other.content = other.content.replace(said, broken)
    with pytest.raises(FailureGroup):
        case.validate_response(other)


def test_every_operation_asks_for_a_token_where_the_server_does(
    settings: Settings, assistant: Assistant, tmp_path: Path
) -> None:
    _, token = TokenStore(tmp_path).new("all", frozenset(SCOPES), None)
    app = create_app(
        settings.model_copy(update={"data": tmp_path, "access": "token"}), Opening(settings, lambda _: assistant)
    )
    with TestClient(app, base_url="http://127.0.0.1") as client:
        paths = client.get("/api/openapi.json", headers={"authorization": f"Bearer {token}"}).json()["paths"]
        assert len(paths) > 10
        for path, operations in paths.items():
            for method, operation in operations.items():
                sent = client.request(method, path.replace("{", "").replace("}", ""), json={})
                public = operation.get("security") == []
                assert (sent.status_code == 401) is not public, path
                assert public or "401" in operation["responses"], path
