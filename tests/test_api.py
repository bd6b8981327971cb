"""What is true of the HTTP API: its answers, its events, its refusals."""

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.server import create_app
from assistant.settings import Settings

MEMORY = "How much memory does the MI355X have, and what does a B200 cost per hour?"


@pytest.fixture(scope="module")
def client(settings: Settings, assistant: Assistant) -> Iterator[TestClient]:
    app = create_app(settings, Opening(settings, lambda _: assistant))
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


def events_of(body: str) -> list[tuple[str, dict[str, object]]]:
    """Name and data of each event of a stream."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in body.strip().split("\n\n")]
    return [(block["event"], json.loads(block["data"])) for block in blocks if "event" in block]


def test_ask_gives_the_answer_that_the_command_line_gives(client: TestClient, assistant: Assistant) -> None:
    given = client.post("/api/ask", json={"question": MEMORY}).json()
    answer = assistant.answer(Question(text=MEMORY)).model_dump(mode="json")
    assert {**given, "timings_ms": {}} == {**answer, "timings_ms": {}}


def test_ask_tells_an_answer_as_it_is_made(client: TestClient, assistant: Assistant) -> None:
    sent = client.post("/api/ask", json={"question": MEMORY}, headers={"accept": "text/event-stream"})
    assert sent.headers["content-type"].startswith("text/event-stream")
    events = events_of(sent.text)
    assert [data["step"] for name, data in events if name == "status"][:2] == ["opening", "understanding"]
    text = ""
    for name, data in events:
        if name == "sentence":
            text = text[: int(str(data["offset"]))] + str(data["text"])
    name, answer = events[-1]
    assert name == "answer" and answer["text"] == text
    assert [data for name, data in events if name == "citation"] == answer["citations"]
    assert sum(name == "sentence" for name, _ in events) > 5


def test_a_later_question_is_read_after_the_earlier_ones(client: TestClient) -> None:
    asked = {"question": "And the H200?", "history": ["How much memory does the MI355X have?"]}
    assert "141 GB" in client.post("/api/ask", json=asked).json()["text"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"question": 1}', "question: Input should be a valid string"),
        (b'{"question": "x", "colour": "red"}', "colour: Extra inputs are not permitted"),
        (b'{"question": "x", "language": "fr"}', "language: Input should be 'nl', 'da', 'zh' or 'en'"),
        (b'{"question": "' + b"x" * 4001 + b'"}', "question: String should have at most 4000 characters"),
        (b'{"question": ', ""),
        (b'{"question": "\xff"}', ""),
        (b"[" * 100_000 + b"]" * 100_000, ""),
        (b"", "Field required"),
    ],
    ids=["type", "unknown", "language", "long", "cut", "bytes", "deep", "empty"],
)
def test_a_bad_request_is_refused_with_a_reason(client: TestClient, body: bytes, reason: str) -> None:
    sent = client.post("/api/ask", content=body, headers={"content-type": "application/json"})
    assert sent.status_code == 400
    assert sent.headers["content-type"] == "application/problem+json"
    problem = sent.json()
    assert problem["status"] == 400 and problem["title"] == "Bad Request"
    assert reason in problem["detail"] and len(problem["detail"]) > 10


def test_what_the_api_does_not_have_is_refused_in_its_own_form(client: TestClient) -> None:
    wrong_method, wrong_path = client.get("/api/ask"), client.get("/api/no-such-thing")
    assert (wrong_method.status_code, wrong_method.headers["allow"]) == (405, "POST")
    assert wrong_path.status_code == 404
    for sent in (wrong_method, wrong_path):
        assert sent.headers["content-type"] == "application/problem+json"


def test_only_listed_pages_may_frame_the_chat_or_call_the_api(settings: Settings, assistant: Assistant) -> None:
    wiki = "https://wiki.example.org"
    listed = settings.model_copy(update={"frame_ancestors": (wiki,), "cors_origins": (wiki,)})
    app = create_app(listed, Opening(settings, lambda _: assistant))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for path in ("/", "/api/ask"):
            policy = client.get(path).headers["content-security-policy"]
            assert f"frame-ancestors 'self' {wiki}" in policy
        asking = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        allowed = client.options("/api/ask", headers={"origin": wiki, **asking})
        assert allowed.headers["access-control-allow-origin"] == wiki
        refused = client.options("/api/ask", headers={"origin": "https://evil.invalid", **asking})
        assert "access-control-allow-origin" not in refused.headers


@pytest.mark.parametrize("listed", ["*", "wiki.example.org", "https://wiki.example.org/page", "javascript:x"])
def test_a_list_of_origins_takes_nothing_but_origins(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_CORS_ORIGINS", listed)
    with pytest.raises(ValueError, match="cors_origins"):
        Settings()


def test_origins_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_FRAME_ANCESTORS", "https://wiki.example.org, https://*.docs.example.org:8443")
    assert Settings().frame_ancestors == ("https://wiki.example.org", "https://*.docs.example.org:8443")
