"""The assistant as a model: what the official OpenAI client gets of it."""

from collections.abc import Iterator

import openai
import pytest
from openai import OpenAI
from web import served

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.interfaces.footnotes import footnotes
from assistant.settings import Settings

MEMORY = "How much memory does the MI355X have?"


@pytest.fixture(scope="module")
def client(settings: Settings, assistant: Assistant) -> Iterator[OpenAI]:
    with (
        served(settings, assistant) as address,
        OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as opened,
    ):
        yield opened


def test_the_assistant_is_the_model_that_is_listed(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["gpu-assistant"]
    assert client.models.retrieve("gpu-assistant").owned_by == "gpu-assistant"


def test_a_completion_is_the_answer_with_footnotes_and_annotations(client: OpenAI, assistant: Assistant) -> None:
    answer = assistant.answer(Question(text=MEMORY))
    given = client.chat.completions.create(model="gpu-assistant", messages=[{"role": "user", "content": MEMORY}])
    message = given.choices[0].message
    assert message.content == answer.text + footnotes(answer)
    assert "[1] " in footnotes(answer) and "288 GB" in footnotes(answer)
    assert given.choices[0].finish_reason == "stop"
    assert message.annotations and len(message.annotations) == 2
    for note in message.annotations:
        placed = note.url_citation
        assert message.content[placed.start_index : placed.end_index] in ("[1]", "[2]")
        assert "/api/sources/" in placed.url


def test_the_address_of_an_annotation_opens_the_passage(client: OpenAI) -> None:
    import httpx

    given = client.chat.completions.create(model="gpu-assistant", messages=[{"role": "user", "content": MEMORY}])
    notes = given.choices[0].message.annotations or []
    for note in notes:
        assert "288 GB" in httpx.get(note.url_citation.url).json()["quote"]
        page = httpx.get(note.url_citation.url, headers={"accept": "text/html"}).text
        assert "<mark>" in page and "<script" not in page


def test_a_stream_adds_up_to_the_completion(client: OpenAI) -> None:
    messages = [{"role": "user", "content": MEMORY}]
    whole = client.chat.completions.create(model="gpu-assistant", messages=messages)  # type: ignore[arg-type]
    text, ended, annotations, counted = "", [], [], 0
    for chunk in client.chat.completions.create(
        model="gpu-assistant", messages=messages, stream=True, stream_options={"include_usage": True}  # type: ignore[arg-type]
    ):  # fmt: skip
        for choice in chunk.choices:
            text += choice.delta.content or ""
            annotations += getattr(choice.delta, "annotations", None) or []
            ended.append(choice.finish_reason)
        counted += chunk.usage is not None
    assert text == whole.choices[0].message.content
    assert ended[-1] == "stop" and set(ended[:-1]) == {None}
    assert len(annotations) == len(whole.choices[0].message.annotations or []) > 0
    assert counted == 1


def test_earlier_questions_of_the_chat_count_and_parts_of_messages_are_read(client: OpenAI) -> None:
    given = client.chat.completions.create(
        model="gpu-assistant",
        messages=[
            {"role": "system", "content": "Answer like a pirate."},
            {"role": "user", "content": MEMORY},
            {"role": "assistant", "content": "288 GB"},
            {"role": "user", "content": [{"type": "text", "text": "And the H200?"}]},
        ],
        temperature=0.7,
        max_tokens=50,
    )
    assert "141 GB" in (given.choices[0].message.content or "")


@pytest.mark.parametrize(
    ("question", "heading"),
    [("What do 8 H100 SXM cost for 100 hours?", "What would change this answer:\n- "),
     ("Hvad koster 8 H100 SXM i 100 timer?", "Det ville ændre svaret:\n- ")],
)  # fmt: skip
def test_a_cost_says_what_would_change_it(client: OpenAI, question: str, heading: str) -> None:
    given = client.chat.completions.create(model="gpu-assistant", messages=[{"role": "user", "content": question}])
    content = given.choices[0].message.content or ""
    assert content.count(heading) == 1 and content.index(heading) < content.index("\n[1] ")


def test_what_cannot_be_done_is_an_error_that_the_client_knows(client: OpenAI) -> None:
    ask = client.chat.completions.create
    with pytest.raises(openai.NotFoundError, match="gpt-9"):
        ask(model="gpt-9", messages=[{"role": "user", "content": MEMORY}])
    with pytest.raises(openai.UnprocessableEntityError, match="nothing is asked"):
        ask(model="gpu-assistant", messages=[{"role": "system", "content": MEMORY}])
    with pytest.raises(openai.BadRequestError, match="n: "):
        ask(model="gpu-assistant", messages=[{"role": "user", "content": MEMORY}], n=2)
    with pytest.raises(openai.BadRequestError, match="messages"):
        picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        ask(model="gpu-assistant", messages=[{"role": "user", "content": [picture]}])  # type: ignore[list-item]
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="gpu-assistant", input="x")
