"""What is true of the HTTP API: its answers, its events, its refusals."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from starlette.testclient import TestClient

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.chat.text import page_wording
from assistant.interfaces.command_line import gpu_assistant
from assistant.interfaces.server import create_app
from assistant.language.tongue import LANGUAGES, Language
from assistant.settings import Settings
from evals.cases import Case

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
    # Asked by no other test: an answer that is kept has no steps.
    question = "How much memory does the MI325X have, and what does a B200 cost for one hour?"
    sent = client.post("/api/ask", json={"question": question}, headers={"accept": "text/event-stream"})
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
        (b'{"question": 1}', "question: must be text."),
        (b'{"question": "x", "colour": "red"}', "colour: is no field here."),
        (b'{"question": "x", "language": "fr"}', "language: must be 'nl', 'da', 'zh' or 'en'."),
        (b'{"question": "' + b"x" * 4001 + b'"}', "question: must have at most 4000 characters."),
        (b'{"question": ', "The body is no JSON: Expecting value at character 13."),
        (b'{"question": "\xff"}', "The body is no UTF-8: byte 0xff at position 14."),
        (b"[" * 100_000 + b"]" * 100_000, "The body is nested too deeply."),
        (b'{"question": ' + b"1" * 5_000 + b"}", "too many digits"),
        (b'"x"', "The body must be an object."),
        (b"", "The body is missing."),
    ],
    ids=["type", "unknown", "language", "long", "cut", "bytes", "deep", "digits", "text", "empty"],
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
        assert allowed.status_code == 200 and allowed.content == b""
        asked = client.post("/api/ask", json={"question": "x"}, headers={"origin": wiki})
        assert asked.headers["access-control-allow-origin"] == wiki
        assert asked.headers["access-control-allow-credentials"] == "true"
        foreign = {"origin": "https://evil.invalid"}
        wrong_method = {"origin": wiki, "access-control-request-method": "PUT"}
        for sent, status in (
            (client.options("/api/ask", headers={**foreign, **asking}), 403),
            (client.post("/api/ask", json={"question": "x"}, headers=foreign), 403),
            (client.get("/api/models", headers=foreign), 200),
            (client.options("/api/ask", headers=wrong_method), 400),
        ):
            assert sent.status_code == status and "origin" in sent.headers["vary"].lower()
            assert not [name for name in sent.headers if name.startswith("access-control-")]
            if status != 200:
                assert sent.headers["content-type"] == "application/problem+json" and sent.json()["detail"]


def test_the_page_framework_describes_nothing_of_its_inside(client: TestClient) -> None:
    for path in ("/openapi.json", "/openapi.json/", "/docs", "/redoc", "/monitoring", "/gradio_api/openapi.json"):
        assert client.get(path).status_code == 404
    assert client.get("/gradio_api/info").json() == {"named_endpoints": {}, "unnamed_endpoints": {}}


@pytest.mark.parametrize("listed", ["*", "wiki.example.org", "https://wiki.example.org/page", "javascript:x"])
def test_a_list_of_origins_takes_nothing_but_origins(listed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_CORS_ORIGINS", listed)
    with pytest.raises(ValueError, match="cors_origins"):
        Settings()


def test_origins_are_listed_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_FRAME_ANCESTORS", "https://wiki.example.org, https://*.docs.example.org:8443")
    assert Settings().frame_ancestors == ("https://wiki.example.org", "https://*.docs.example.org:8443")


# The other nouns


def test_search_finds_passages_in_every_language(client: TestClient) -> None:
    found = client.post("/api/search", json={"question": "vloeistofkoeling in een rack", "top_k": 5}).json()["results"]
    assert len(found) == 5
    assert set(found[0]) == {"source_id", "language", "section", "text", "score"}
    assert len({hit["language"] for hit in found}) > 1


@pytest.mark.parametrize("question", ["", "  ", "?!", "\u200b", "😀"])
def test_a_search_for_nothing_finds_nothing(client: TestClient, question: str) -> None:
    sent = client.post("/api/search", json={"question": question})
    assert (sent.status_code, sent.json()) == (200, {"results": []})


@pytest.mark.parametrize(
    ("method", "path", "reason"),
    [("GET", "/api/sources?colour=red", "colour: is no parameter here. There are: language, kind,"),
     ("GET", "/api/sources?language=da&language=nl", "language: is given 2 times."),
     ("GET", "/api/sources/en-x?start=1&where=2", "where: is no parameter here. There are: start, end."),
     ("POST", "/api/ask?question=x", "question: is no parameter here. This call takes none."),
     ("POST", "/api/memo?x=1", "x: is no parameter here."), ("GET", "/api/gpus?name=", "name: must have at least 1"),
     ("GET", "/api/sources?language=fr", "language: must be 'nl', 'da', 'zh' or 'en'."),
     ("GET", "/api/sources/en-x?start=-1", "start: must be at least 0.")],
)  # fmt: skip
def test_parameters_are_those_described(client: TestClient, method: str, path: str, reason: str) -> None:
    sent = client.request(method, path, json={"question": "x"} if method == "POST" else None)
    assert (sent.status_code, sent.headers["content-type"]) == (400, "application/problem+json")
    assert sent.json()["detail"].startswith(reason)


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/api/cost", {"calculation": "lease"}, "calculation: must be one of 'rent', 'train'"),
        ("/api/cost", {"calculation": "rent", "inputs": {"hours": 0}}, "inputs.hours: must be above 0."),
        ("/api/cost", {"calculation": "migrate", "inputs": {"weeks": {"low": 3, "high": 1}}}, "inputs.weeks: low is"),
        ("/api/cost", {"calculation": "rent", "inputs": {}}, "gpu: name a card, or give a price."),
        ("/api/fit", {"model": "Llama 3.3 70B", "gpu": "H100 SXM", "gpus": 8, "tp": 3}, "tp: 3 does not divide"),
        ("/api/fit", {"model": "no such thing", "gpu": "H100 SXM"}, "model: 'no such thing' is not a known model."),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
         "messages.0.content.0: of type 'image_url'; only text can be read."),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": 1}]},
         "messages.0.content: must be text or a list."),
        ("/v1/chat/completions", {"messages": []}, "messages: must have at least 1 item."),
    ],
)  # fmt: skip
def test_a_reason_names_the_field_in_plain_words(
    client: TestClient, path: str, body: dict[str, object], reason: str
) -> None:
    sent = client.post(path, json=body)
    assert sent.status_code in (400, 422)
    told = sent.json()
    detail = told["error"]["message"] if path.startswith("/v1") else told["detail"]
    assert detail.startswith(reason), detail
    assert "--" not in detail and "[" not in detail and "Input should" not in detail


def test_a_body_that_is_not_called_json_is_told_so(client: TestClient) -> None:
    sent = client.post("/api/ask", content=b'{"question": "x"}', headers={"content-type": "text/plain"})
    assert sent.status_code == 400 and "content-type: application/json" in sent.json()["detail"]


def test_fit_tells_the_verdict_in_the_language_asked(client: TestClient) -> None:
    given = client.post(
        "/api/fit", json={"model": "Llama 3.3 70B", "gpu": "H100 SXM", "gpus": 8, "language": "da"}
    ).json()
    assert given["result"]["verdict"] == "fits" and given["text"].startswith("Ja,")
    assert given["result"]["formulas"] and given["result"]["assumptions"][0]["text"]


def test_no_file_of_the_server_is_taken_for_a_model(client: TestClient, settings: Settings) -> None:
    for path in (str(settings.corpus / "specs" / "models.yaml"), "../config.json", "/etc/passwd"):
        sent = client.post("/api/fit", json={"model": path, "gpu": "H100 SXM"})
        assert sent.status_code == 422 and "not a known model" in sent.json()["detail"]


COSTS = {
    "rent": {"gpu": "H100 SXM", "gpus": 8, "hours": 100},
    "train": {"gpu": "H100 SXM", "gpus": 64, "parameters": 7e9, "tokens": 1e12},
    "tokens": {"gpu": "H100 SXM", "throughput": 2500},
    "compare": {"options": [{"label": "a", "price": 2.5, "hours": 60}, {"label": "b", "price": 3.5, "hours": 40}]},
    "buy-or-rent": {"gpu": "H100 SXM", "gpus": 8, "purchase_price": 280000, "electricity_price": 0.2},
    "energy": {"gpu": "B200", "electricity_price": 0.25, "currency": "EUR"},
    "migrate": {"weeks": {"low": 6, "high": 10}, "people": 2, "weekly_rate": 4000, "savings_per_month": 5000},
}


@pytest.mark.parametrize("calculation", COSTS)
def test_every_cost_is_computed_with_its_formula(client: TestClient, calculation: str) -> None:
    asked = {"calculation": calculation, "inputs": COSTS[calculation], "language": "nl"}
    sent = client.post("/api/cost", json=asked)
    assert sent.status_code == 200, sent.text
    given = sent.json()
    assert given["text"] and given["inputs"] and given["result"]["formulas"]


def test_a_price_written_as_text_is_refused(client: TestClient) -> None:
    sent = client.post("/api/cost", json={"calculation": "rent", "inputs": {"price": "2,50"}})
    assert sent.status_code == 400 and "must be a number, not text" in sent.json()["detail"]


@pytest.mark.parametrize(
    ("calculation", "inputs", "status"),
    [
        # Of the described form, and still not to be computed with.
        ("rent", {"price": {"low": 5, "high": 1}}, 422),
        ("rent", {"price": {"low": -5, "high": 1}}, 422),
        ("rent", {"gpu": "H100", "hours": 0.123456789012345678901234}, 200),
        ("train", {"gpu": "H100", "mfu": {"low": 0.5, "high": 0.4}, "price": {"low": 3, "high": 2}}, 422),
        ("compare", {"options": [{"label": "a", "price": {"low": 2, "high": 1}, "hours": 1}] * 2}, 422),
        ("migrate", {**COSTS["migrate"], "weeks": {"low": 10, "high": 6}}, 422),
        ("buy-or-rent", {**COSTS["buy-or-rent"], "utilisations": [0.9, 0.1]}, 422),
        # Not of the described form, be it beside something that is.
        ("rent", {"price": {"low": 5}}, 400),
        ("rent", {"price": {"low": 5, "high": 1, "more": 1}}, 400),
        ("rent", {"price": {"low": 5, "high": 1}, "hours": "1"}, 400),
        ("rent", {"price": {"low": 5, "high": 1}, "gpus": 0}, 400),
        ("rent", {"price": {"low": "5", "high": 1}}, 400),
        ("rent", {"price": 2_000_000}, 400),
        ("rent", {"price": []}, 400),
    ],
)
def test_400_is_what_breaks_the_description_and_422_what_keeps_to_it(
    client: TestClient, calculation: str, inputs: dict[str, object], status: int
) -> None:
    sent = client.post("/api/cost", json={"calculation": calculation, "inputs": inputs})
    assert sent.status_code == status, sent.text


def test_cards_and_models_are_listed_and_found_by_any_usual_name(client: TestClient) -> None:
    cards = client.get("/api/gpus").json()
    assert len(cards) > 20
    (card,) = client.get("/api/gpus", params={"name": "h100-sxm5"}).json()
    assert card["id"] == "nvidia-h100-sxm" and all(value["sources"] for value in card["values"])
    (model,) = client.get("/api/models", params={"name": "Llama 3.3 70B"}).json()
    assert model["active_parameters"] > 70e9 and model["sources"]
    unknown = client.get("/api/gpus", params={"name": "H900"})
    assert unknown.status_code == 422 and "Nearest: NVIDIA H" in unknown.json()["detail"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_offered_as_an_example_find_sources(client: TestClient, language: Language) -> None:
    hint = page_wording().say("library_hint", language)
    words = re.sub(r"^(Bijvoorbeeld|For eksempel|例如：|For example) ?", "", hint)
    assert client.get("/api/sources", params={"words": words}).json(), words


@pytest.mark.parametrize("words", ["bandwidth", "bandbreedte", "båndbredde", "带宽", "kwantisatie"])
def test_words_of_one_language_find_sources_in_others(client: TestClient, words: str) -> None:
    found = client.get("/api/sources", params={"words": words}).json()
    assert len({source["language"] for source in found}) >= 3


def test_sources_are_listed_by_language_kind_publisher_and_words(client: TestClient) -> None:
    every = client.get("/api/sources").json()
    danish = client.get("/api/sources", params={"language": "da"}).json()
    assert {source["language"] for source in danish} == {"da"} and 0 < len(danish) < len(every)
    assert client.get("/api/sources", params={"since": 2199}).json() == []


def test_words_narrow_the_sources_to_those_that_speak_of_them(client: TestClient, assistant: Assistant) -> None:
    every = client.get("/api/sources").json()
    found = client.get("/api/sources", params={"words": "NVLink"}).json()
    assert 0 < len(found) < len(every) // 2 and len({source["language"] for source in found}) > 1
    assert "nvlink" in assistant.corpus.articles[found[0]["id"]].body.lower()
    danish = client.get("/api/sources", params={"words": "NVLink", "language": "da"}).json()
    assert danish == [source for source in found if source["language"] == "da"]
    assert client.get("/api/sources", params={"words": "Zubrowka marmalade"}).json() == []


def test_every_citation_of_an_article_opens_on_the_words_quoted(client: TestClient) -> None:
    citations = client.post("/api/ask", json={"question": MEMORY}).json()["citations"]
    articles = [citation for citation in citations if citation["kind"] == "article"]
    assert articles
    for citation in articles:
        place = {"start": citation["start"], "end": citation["end"]}
        passage = client.get(f"/api/sources/{citation['source_id']}", params=place).json()
        assert passage["quote"] == citation["quote"] and passage["section"] == citation["section"]


@pytest.mark.parametrize("id_", ["..%2f..%2fetc%2fpasswd", "%2e%2e", "en-no-such-article", "a" * 200, "nl%00", "%ff"])
def test_no_id_of_a_source_leads_elsewhere(client: TestClient, id_: str) -> None:
    sent = client.get(f"/api/sources/{id_}")
    assert sent.status_code in (400, 404)
    assert sent.headers["content-type"] == "application/problem+json"
    assert "root:" not in sent.text


def test_questions_to_go_on_with_are_answered(client: TestClient) -> None:
    offered = client.post("/api/follow-ups", json={"question": MEMORY}).json()["questions"]
    assert len(offered) > 1
    for question in offered:
        assert client.post("/api/ask", json={"question": question}).json()["status"] == "answered"
    assert "How much power does the NVIDIA B200 draw?" in offered
    again = {"question": MEMORY, "history": ["What power does a B200 draw?"]}
    later = client.post("/api/follow-ups", json=again).json()["questions"]
    assert later and "How much power does the NVIDIA B200 draw?" not in later
    assert client.post("/api/follow-ups", json={"question": "🙂"}).json() == {"questions": []}


def test_feedback_is_kept_and_exported(
    settings: Settings, assistant: Assistant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA", str(tmp_path))
    given = {
        "answer_id": "abc", "question": MEMORY, "language": "en", "verdict": "down", "reason": "wrong_figure",
        "comment": "It has 4 GB more.",
    }  # fmt: skip
    app = create_app(Settings(), Opening(settings, lambda _: assistant))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.post("/api/feedback", json=given).status_code == 201
        assert client.post("/api/feedback", json={**given, "verdict": "up"}).json() == {"id": 2}
        assert client.post("/api/feedback", json={**given, "reason": "ugly"}).status_code == 400
        mine = {**given, "verdict": "up", "key": "0123456789abcdef"}
        assert client.post("/api/feedback", json=mine).json() == {"id": 3}
        assert client.post("/api/feedback", json={**mine, "comment": "changed"}).json() == {"id": 3}
        assert client.delete("/api/feedback/0123456789abcdef").status_code == 204
        assert client.delete("/api/feedback/0123456789abcdef").status_code == 204
        assert client.delete("/api/feedback/x").status_code == 400
    assert "key" not in CliRunner().invoke(gpu_assistant, ["feedback", "export"]).stdout
    exported = CliRunner().invoke(gpu_assistant, ["feedback", "export", "--verdict", "down"]).stdout
    (record,) = map(json.loads, exported.splitlines())
    assert {key: record[key] for key in given} == given
    drafts = CliRunner().invoke(gpu_assistant, ["feedback", "export", "--cases"]).stdout
    cases = [Case.model_validate({**case, "expects": ["a-fact"]}) for case in yaml.safe_load(drafts)["cases"]]
    assert [case.question for case in cases] == [MEMORY, MEMORY] and "# down wrong_figure It has 4 GB more." in drafts
    assert (tmp_path / "feedback.sqlite3").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/search", {"question": "H100", "top_k": True}),
        ("/api/fit", {"parameters": True, "gpu": "H100 SXM"}),
        ("/api/cost", {"calculation": "rent", "inputs": {"price": 2, "gpus": True}}),
        ("/api/cost", {"calculation": "rent", "inputs": {"price": True}}),
    ],
)
def test_true_is_no_number(client: TestClient, path: str, asked: dict[str, object]) -> None:
    sent = client.post(path, json=asked)
    assert sent.status_code in (400, 422) and "not true or false" in sent.json()["detail"]
