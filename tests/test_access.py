"""Who may ask: tokens, proxies, origins and limits; and what the log tells of it."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from assistant.answering.assistant import Assistant
from assistant.interfaces.access.tokens import TokenRefused, TokenStore
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.command_line import gpu_assistant
from assistant.interfaces.log import JsonLines
from assistant.interfaces.server import create_app
from assistant.settings import Settings

ASKED = {"question": "How much memory does the MI355X have?"}
PROXY = "10.1.2.3"
STRANGER = "203.0.113.9"


@contextmanager
def opened(assistant: Assistant, folder: Path, peer: str = STRANGER, **changed: Any) -> Iterator[TestClient]:
    """A client at an address, of a server with these settings."""
    settings = Settings().model_copy(update={"data": folder, "public_hosts": ("*.example.org",), **changed})
    app = create_app(settings, Opening(settings, lambda _: assistant))
    with TestClient(app, base_url="http://gpu.example.org", client=(peer, 50_000), follow_redirects=False) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    return TokenStore(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def local(assistant: Assistant, store: TokenStore) -> Iterator[TestClient]:
    """A client of a server that is open, under its own names."""
    changed = {"access": "open", "host": "10.4.4.4", "public_hosts": ("*.example.org", "gpu.lan")}
    with opened(assistant, store._path.parent, "127.0.0.1", **changed) as client:
        yield client


@pytest.fixture(scope="module")
def guarded(assistant: Assistant, store: TokenStore) -> Iterator[TestClient]:
    with opened(assistant, store._path.parent, access="token", rate_per_address=0) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "proxies", "header", "mode"),
    [("127.0.0.1", (), None, "open"), ("::1", (), None, "open"), ("localhost", (), None, "open"),
     ("0.0.0.0", (), None, "token"), ("127.0.0.1", ("127.0.0.1",), None, "token"),
     ("127.0.0.1", ("127.0.0.1",), "x-forwarded-user", "proxy")],
)  # fmt: skip
def test_access_is_open_on_this_machine_alone(
    host: str, proxies: tuple[str, ...], header: str | None, mode: str
) -> None:
    changed = {"host": host, "trusted_proxies": proxies, "identity_header": header}
    assert Settings().model_copy(update=changed).access_mode == mode


def test_a_token_opens_what_its_scope_says(guarded: TestClient, store: TokenStore) -> None:
    _, asking = store.new("wiki", frozenset({"ask"}), 30)
    _, counting = store.new("prometheus", frozenset({"metrics"}), None)
    assert guarded.post("/api/ask", json=ASKED, headers=bearer(asking)).status_code == 200
    assert guarded.get("/metrics", headers=bearer(counting)).status_code == 200
    for method, path, token in [("POST", "/api/ask", counting), ("GET", "/metrics", asking),
                                ("POST", "/api/feedback", asking), ("GET", "/config", counting)]:  # fmt: skip
        sent = guarded.request(method, path, headers=bearer(token), json=ASKED)
        assert (sent.status_code, sent.headers["content-type"]) == (403, "application/problem+json"), path


@pytest.mark.parametrize("path", ["/api/ask", "/api/search", "/v1/chat/completions", "/mcp", "/gradio_api/queue/join"])
def test_without_a_token_nothing_is_answered(guarded: TestClient, path: str) -> None:
    sent = guarded.post(path, json=ASKED)
    assert sent.status_code == 401 and sent.headers["www-authenticate"].startswith("Bearer")
    assert "token" in sent.text


def test_health_needs_no_token(guarded: TestClient) -> None:
    assert guarded.get("/healthz").status_code == guarded.get("/readyz").status_code == 200


def test_forged_expired_and_revoked_tokens_open_nothing(guarded: TestClient, store: TokenStore) -> None:
    token, text = store.new("ends", frozenset({"ask"}), 1)
    forged = f"gpa_{token.id}_{'A' * 43}"
    _, expired = store.new("expired", frozenset({"ask"}), -1)
    gone, revoked = store.new("revoked", frozenset({"ask"}), None)
    store.revoke(gone.id)
    unknown = f"gpa_{'0' * 8}_{text[-43:]}"
    for wrong, reason in [(forged, "not known"), (unknown, "not known"), (expired, "expired"), (revoked, "revoked"),
                          ("x", "no token"), ("gpa_' OR 1=1 --", "no token"), ("gpa_" + "a" * 5000, "no token"),
                          ]:  # fmt: skip
        sent = guarded.post("/api/ask", json=ASKED, headers=bearer(wrong))
        assert sent.status_code == 401 and reason in sent.json()["detail"], wrong
    assert guarded.post("/api/ask", json=ASKED, headers={"authorization": f"Basic {text}"}).status_code == 401


def test_a_token_is_kept_as_a_hash_that_only_its_owner_can_read(store: TokenStore) -> None:
    _, text = store.new("secret", frozenset({"ask"}), None)
    assert text.rpartition("_")[2].encode() not in store._path.read_bytes()
    assert store._path.stat().st_mode & 0o077 == 0


def test_tokens_are_made_listed_and_revoked_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA", str(tmp_path))
    run = CliRunner().invoke
    made = run(gpu_assistant, ["tokens", "new", "wiki", "--scope", "ask", "--scope", "feedback"])
    token = TokenStore(tmp_path).check(made.stdout.strip())
    assert token.scopes == {"ask", "feedback"} and token.id in made.stderr
    listed = run(gpu_assistant, ["tokens", "list"]).stdout
    assert token.id in listed and "valid" in listed and made.stdout.strip() not in listed
    assert run(gpu_assistant, ["tokens", "revoke", token.id]).exit_code == 0
    assert "revoked" in run(gpu_assistant, ["tokens", "list"]).stdout
    with pytest.raises(TokenRefused, match="revoked"):
        TokenStore(tmp_path).check(made.stdout.strip())
    assert "There is no token" in str(run(gpu_assistant, ["tokens", "revoke", "nobody"]).exception)


def test_a_person_logs_in_once_and_no_script_can_read_what_stands_for_it(
    guarded: TestClient, store: TokenStore
) -> None:
    token, text = store.new("person", frozenset({"ask"}), 7)
    guarded.cookies.clear()
    led = guarded.get("/?view=1", headers={"accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (303, "/login?next=%2F%3Fview%3D1")
    form = guarded.get(led.headers["location"], headers={"accept-language": "nl"}).text
    assert 'value="/?view=1"' in form and "Inloggen" in form and "<script" not in form
    assert guarded.post("/login", data={"token": "gpa_nonsense"}).status_code == 401
    entered = guarded.post("/login", data={"token": text, "next": "/?view=1"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/?view=1")
    assert "httponly" in entered.headers["set-cookie"].lower()
    assert guarded.get("/config").status_code == 200
    assert guarded.post("/api/ask", json=ASKED).status_code == 200
    store.revoke(token.id)
    assert guarded.get("/config").status_code == 401
    guarded.cookies.clear()


@pytest.mark.parametrize(
    "target", ["https://evil.invalid/", "//evil.invalid", "/\\evil.invalid", "/\tx", "javascript:x"]
)
def test_logging_in_leads_nowhere_else(guarded: TestClient, store: TokenStore, target: str) -> None:
    _, text = store.new("person", frozenset({"ask"}), 7)
    assert guarded.post("/login", data={"token": text, "next": target}).headers["location"] == "/"
    guarded.cookies.clear()


def test_in_a_frame_of_another_site_the_login_holds_over_https(assistant: Assistant, tmp_path: Path) -> None:
    _, text = TokenStore(tmp_path).new("person", frozenset({"ask"}), 7)
    wiki = {"frame_ancestors": ("https://wiki.example.org",), "trusted_proxies": (PROXY,)}
    with opened(assistant, tmp_path, PROXY, access="token", **wiki) as client:
        secure = client.post("/login", data={"token": text}, headers={"x-forwarded-proto": "https"})
        plain = client.post("/login", data={"token": text})
    flags = secure.headers["set-cookie"].lower()
    assert all(flag in flags for flag in ("secure", "samesite=none", "partitioned", "httponly"))
    assert "samesite=lax" in plain.headers["set-cookie"].lower()


def test_a_trusted_proxy_says_who_asks_and_nobody_else_does(assistant: Assistant, tmp_path: Path) -> None:
    setting = {"access": "proxy", "trusted_proxies": ("10.0.0.0/8",), "identity_header": "X-Forwarded-User"}
    named = {"x-forwarded-user": "kim@example.org"}
    with opened(assistant, tmp_path, PROXY, **setting) as behind, opened(assistant, tmp_path, **setting) as outside:
        assert behind.post("/api/ask", json=ASKED, headers=named).status_code == 200
        assert behind.post("/api/ask", json=ASKED).status_code == 401
        assert outside.post("/api/ask", json=ASKED, headers=named).status_code == 401
        spoofed = {**named, "x-forwarded-for": PROXY, "forwarded": f"for={PROXY}", "x-real-ip": PROXY}
        assert outside.post("/api/ask", json=ASKED, headers=spoofed).status_code == 401


def test_forwarded_headers_count_from_a_trusted_proxy_only(assistant: Assistant, tmp_path: Path) -> None:
    said = {"x-forwarded-host": "evil.invalid", "x-forwarded-proto": "https", "x-gradio-server": "http://evil.invalid"}
    setting = {"access": "open", "trusted_proxies": (PROXY,)}
    with opened(assistant, tmp_path, **setting) as outside:
        for path in ("/", "/config"):
            assert "evil.invalid" not in outside.get(path, headers=said).text
    with opened(assistant, tmp_path, PROXY, **setting) as behind:
        public = {"x-forwarded-host": "wiki.example.org", "x-forwarded-proto": "https"}
        assert behind.get("/config", headers=public).json()["root"] == "https://wiki.example.org"
        assert behind.get("/config", headers={"x-forwarded-host": "evil.invalid"}).status_code == 421


PATHS = ("/", "/config", "/embed", "/widget.js", "/healthz", "/login", "/metrics", "/mcp", "/page/x", "/api/sources",
         "/api/openapi.json", "/v1/models", "/gradio_api/info", "/gradio_api/queue/data?session_hash=x")  # fmt: skip


@pytest.mark.parametrize("host", ["evil.invalid", "evil.invalid:7860", "127.0.0.1.evil.invalid", "10.9.9.9",
                                  "example.org.evil.invalid", "evilexample.org", "0x7f000001", "2130"])  # fmt: skip
def test_a_name_that_was_made_to_lead_here_gets_nothing(local: TestClient, host: str) -> None:
    own = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
    for path in PATHS:
        sent = local.get(path, headers=own)
        kind = "application/json" if path.startswith("/v1") else "application/problem+json"
        assert (sent.status_code, sent.headers["content-type"]) == (421, kind), path
        assert "ASSISTANT_PUBLIC_HOSTS" in sent.text and "default-src" in sent.headers["content-security-policy"]
    for path in ("/api/ask", "/v1/chat/completions", "/mcp", "/gradio_api/queue/join", "/login"):
        assert local.post(path, json=ASKED, headers=own).status_code == 421, path


@pytest.mark.parametrize("host", ["", "a b", "x@127.0.0.1", "127.0.0.1:x", "[::1", "127.0.0.1/x", "a" * 300])
def test_a_host_that_is_none_is_refused(local: TestClient, host: str) -> None:
    sent = local.get("/config", headers=[("host", host)])
    assert sent.status_code == 400 and "host" in sent.json()["detail"].lower()
    twice = local.get("/config", headers=[("host", "127.0.0.1"), ("host", "evil.invalid")])
    assert twice.status_code == 400 and "several" in twice.json()["detail"]


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:7860", "localhost.", "127.0.0.1:7860", "127.8.8.8", "[::1]:7860", "gpu.example.org:8443",
     "10.4.4.4:7860", "gpu.lan"],
)  # fmt: skip
def test_its_own_names_and_addresses_are_answered(local: TestClient, host: str) -> None:
    assert local.get("/config", headers={"host": host}).json()["root"].lower() == f"http://{host}".lower()


def test_the_addresses_of_citations_are_on_a_name_of_this_server(local: TestClient) -> None:
    chat = {"messages": [{"role": "user", "content": ASKED["question"]}]}
    said = {"x-forwarded-host": "evil.invalid", "forwarded": "host=evil.invalid"}
    given = local.post("/v1/chat/completions", json=chat, headers=said).json()
    notes = given["choices"][0]["message"]["annotations"]
    assert notes and all(note["url_citation"]["url"].startswith("http://gpu.example.org/") for note in notes)


@pytest.mark.parametrize("listed", ["*", "https://gpu.example.org", "gpu.example.org:80", "a b/c", "*.*.org"])
def test_the_public_names_are_names(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_PUBLIC_HOSTS", listed)
    with pytest.raises(ValueError, match="public_hosts"):
        Settings()


def test_the_page_lives_under_the_path_that_a_proxy_serves_it_at(assistant: Assistant, tmp_path: Path) -> None:
    with opened(assistant, tmp_path, access="open", root_path="/gpu") as client:
        moved = client.get("/gpu")
        assert (moved.status_code, moved.headers["location"]) == (307, "/gpu/")
        for path in ("/gpu/", "/"):
            html = client.get(path).text
            assert 'src="/gpu/page/' in html and 'href="/gpu/page/' in html
        assert client.get("/gpu/config").json()["root"] == "http://gpu.example.org/gpu"
        assert client.get("/gpu/api/nothing").headers["content-type"] == "application/problem+json"
        assert client.post("/gpu/api/ask", json=ASKED).status_code == client.post("/api/ask", json=ASKED).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"origin": "https://evil.invalid"}, 403), ({"origin": "null"}, 403), ({"sec-fetch-site": "cross-site"}, 403),
     ({"origin": "http://gpu.example.org", "sec-fetch-site": "same-site"}, 403),
     ({"origin": "http://gpu.example.org"}, 200), ({"origin": "https://wiki.example.org"}, 200), ({}, 200),
     ({"origin": "http://other.invalid", "sec-fetch-site": "same-origin"}, 200)],
)  # fmt: skip
def test_pages_of_foreign_origins_may_not_ask(
    assistant: Assistant, tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    with opened(assistant, tmp_path, access="open", cors_origins=("https://wiki.example.org",)) as client:
        sent = client.post("/api/ask", json=ASKED, headers=headers)
    assert sent.status_code == status
    if status == 403:
        assert "origin" in sent.json()["detail"]


def test_a_caller_who_asks_too_often_is_told_when_to_come_back(assistant: Assistant, tmp_path: Path) -> None:
    store = TokenStore(tmp_path)
    tokens = [store.new(name, frozenset({"ask"}), None)[1] for name in ("one", "two")]
    with opened(assistant, tmp_path, access="token", rate_per_caller=3) as client:
        statuses = [client.get("/api/sources", headers=bearer(tokens[0])).status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        refused = client.get("/api/sources", headers=bearer(tokens[0]))
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert client.get("/api/sources", headers=bearer(tokens[1])).status_code == 200


def test_the_log_says_whose_call_was_one_too_many(
    assistant: Assistant, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept, text = TokenStore(tmp_path).new("one", frozenset({"ask"}), None)
    with (
        caplog.at_level(logging.INFO, "assistant"),
        opened(assistant, tmp_path, access="token", rate_per_caller=1) as client,
    ):
        client.get("/api/sources", headers=bearer(text)), client.get("/api/sources", headers=bearer(text))
        client.post("/api/feedback", headers=bearer(text), json={})
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    calls = [(line["status"], line["caller"]) for line in lines if line["event"] == "call"]
    assert calls == [(status, f"token:{kept.id}") for status in (200, 429, 403)]


def test_an_address_that_asks_or_guesses_too_often_is_refused(assistant: Assistant, tmp_path: Path) -> None:
    with opened(assistant, tmp_path, access="open", rate_per_address=2) as client:
        assert [client.get("/api/sources").status_code for _ in range(3)] == [200, 200, 429]
    with opened(assistant, tmp_path, access="token", rate_per_address=2) as client:
        guesses = [client.get("/api/sources", headers=bearer(f"gpa_{n:08x}_{'a' * 43}")).status_code for n in range(3)]
        assert guesses == [401, 401, 429]
    with opened(assistant, tmp_path, "2001:db8::1", access="open", rate_per_address=2) as client:
        client.get("/api/sources"), client.get("/api/sources")
        with opened(assistant, tmp_path, "127.0.0.1", access="open", rate_per_address=2) as local:
            assert {local.get("/api/sources").status_code for _ in range(4)} == {200}


def test_each_call_leaves_a_line_without_the_question(
    guarded: TestClient, store: TokenStore, caplog: pytest.LogCaptureFixture
) -> None:
    token, text = store.new("audited", frozenset({"ask"}), None)
    with caplog.at_level(logging.INFO, "assistant"):
        sent = guarded.post("/api/ask", json=ASKED, headers=bearer(text))
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    (call,) = [line for line in lines if line["event"] == "call"]
    assert call["caller"] == f"token:{token.id}" and call["address"] == STRANGER and call["status"] == 200
    assert call["request"] == sent.headers["x-request-id"]
    (answer,) = [line for line in lines if line["event"] == "answer"]
    assert answer["answer"] == sent.json()["id"] and answer["status"] == "answered"
    assert "MI355X" not in json.dumps(lines) and text not in json.dumps(lines)


def test_questions_are_logged_where_that_is_wanted(
    assistant: Assistant, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.INFO, "assistant"),
        opened(assistant, tmp_path, access="open", log_questions=True) as client,
    ):
        client.post("/api/ask", json=ASKED)
    assert ASKED["question"] in "".join(JsonLines().format(record) for record in caplog.records)


def test_the_counters_tell_of_answers_and_refusals_and_of_no_caller(guarded: TestClient, store: TokenStore) -> None:
    _, text = store.new("counted", frozenset({"ask", "metrics"}), None)
    guarded.post("/api/ask", json=ASKED, headers=bearer(text))
    guarded.post("/api/ask", json=ASKED)
    page = guarded.get("/metrics", headers=bearer(text)).text
    assert 'gpu_assistant_answers_total{language="en",status="answered",written_by="composed"}' in page
    assert 'gpu_assistant_requests_total{method="POST",route="/api/ask",status="200"}' in page
    assert 'gpu_assistant_refusals_total{reason="no_token"}' in page
    assert "gpu_assistant_answers_under_way 0.0" in page
    assert text not in page and STRANGER not in page and "MI355X" not in page
