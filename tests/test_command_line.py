"""What the command line says when something is wrong: one line on standard error, an exit status, no traceback."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from assistant.interfaces.command_line import gpu_assistant, main
from assistant.interfaces.help_page import help_page, help_texts
from assistant.knowledge.corpus import Corpus
from assistant.printable import is_plain
from assistant.retrieval.location import CURRENT, VECTORS, current_build
from assistant.retrieval.manifest import MANIFEST_NAME
from assistant.settings import ROOT, Settings

DONE, FOUND, WRONG, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass
class Outcome:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str

    def fails_with(self, status: int, *words: str) -> None:
        """It ended with `status`, printed nothing, and said why in one line that holds `words`."""
        assert self.status == status, (self.status, self.err)
        assert self.out == ""
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("gpu-assistant: ")
        assert "Traceback" not in self.err
        for word in words:
            assert word in lines[0]


Run = Callable[..., Outcome]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process."""

    def call(*arguments: str | Path) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        printed = capfd.readouterr()
        return Outcome(int(stop.value.code or 0), printed.out, printed.err)

    return call


def process(*arguments: str, code: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    """A process of its own: the command with these arguments, or `code`."""
    call = ["-c", code] if code else ["-c", "from assistant.interfaces.command_line import main; main()", *arguments]
    return subprocess.run(
        [sys.executable, *call],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def index(settings: Settings) -> Path:
    return settings.index


@pytest.fixture
def damaged(index: Path, tmp_path: Path) -> Path:
    """A copy of the index in use, to be damaged."""
    copy = tmp_path / "index"
    build = current_build(index)
    shutil.copytree(build, copy / build.relative_to(index))
    shutil.copy(index / CURRENT, copy / CURRENT)
    return copy


@pytest.fixture(scope="module")
def small_corpus(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the knowledge base, to be broken."""
    return Path(shutil.copytree(settings.corpus, tmp_path_factory.mktemp("knowledge") / "corpus"))


def as_lines(path: Path, *questions: str | dict[str, Any]) -> Path:
    rows = [
        question if isinstance(question, dict) else {"id": f"q{number}", "question": question}
        for number, question in enumerate(questions)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# Help


def commands() -> Iterator[list[str]]:
    yield from (path.split()[1:] for _, path, _ in help_texts(gpu_assistant, "gpu-assistant"))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_explains_itself(run: Run, path: list[str]) -> None:
    for option in ("--help", "-h"):
        outcome = run(*path, option)
        assert outcome.status == DONE and outcome.err == ""
        assert outcome.out.startswith(" ".join(["Usage: gpu-assistant", *path]))


def test_every_command_and_option_has_a_sentence_of_help() -> None:
    def walk(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
        yield context.command_path, command
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from walk(below, click.Context(below, context, name))

    for path, command in walk(gpu_assistant, click.Context(gpu_assistant, info_name="gpu-assistant")):
        assert command.help, path


def test_the_page_of_commands_is_what_they_say() -> None:
    written = (ROOT / "docs" / "help.md").read_text(encoding="utf-8")
    assert written == help_page(), "run: make help-page"


@pytest.mark.parametrize("path", ["gpus", "models", "prices", "sources list"])
def test_lists_are_printed_as_text_and_as_json(run: Run, path: str) -> None:
    listed = run(*path.split())
    assert (listed.status, listed.err) == (DONE, "")
    assert listed.out.count("\n") > 5
    assert json.loads(run(*path.split(), "--json").out)


# Usage


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["wat-kost-een-h100"], ["No such command", "--help"]),
        (["ask", "--colour", "red", "x"], ["--colour", "gpu-assistant ask --help"]),
        (["ask"], ["one question", "--questions"]),
        (["ask", "one", "two"], ["two"]),
        (["ask", "x", "--lang", "fr"], ["--lang", "nl"]),
        (["search"], ["one question", "--questions"]),
        (["search", "x", "--top-k", "0"], ["--top-k"]),
        (["search", "x", "--top-k", "many"], ["--top-k"]),
        (["fit", "--model", "Llama 3.3 70B"], ["--gpu"]),
        (["fit", "--model", "Llama 3.3 70B", "--gpu", "H900"], ["H900"]),
        (["fit", "--model", "Lama 9 70B", "--gpu", "H100 SXM"], ["Lama 9 70B"]),
        (["fit", "--model", "Llama 3.3 70B", "--gpu", "H100 SXM", "--gpus", "-2"], ["gpus"]),
        (["gpus", "RTX 4095"], ["RTX 4095"]),
        (["models", "GPT-9"], ["GPT-9"]),
        (["cost", "rent", "--gpu", "H100 SXM", "--gpus", "8", "--hours", "-1"], ["hours"]),
        (["sources"], ["gpu-assistant sources --help"]),
        (["sources", "add"], ["FILES"]),
        (["serve", "--port", "70000"], ["--port"]),
        (["index", "--fast"], ["--fast"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_wrong_usage_is_one_line_that_names_it(run: Run, arguments: list[str], words: list[str]) -> None:
    run(*arguments).fails_with(WRONG, *words)


def test_a_question_and_a_file_of_questions_are_not_both_taken(run: Run, tmp_path: Path) -> None:
    run("ask", "x", "--questions", as_lines(tmp_path / "q.jsonl", "x")).fails_with(WRONG, "--questions")


def test_a_setting_that_cannot_be_is_named() -> None:
    ended = process("gpus", ASSISTANT_PORT="front door")
    assert ended.returncode == WRONG and ended.stdout == ""
    assert ended.stderr.startswith("gpu-assistant: settings: ") and ended.stderr.count("\n") == 1
    assert "port" in ended.stderr.lower()


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = (
        f"{sys.executable} -c 'from assistant.interfaces.command_line import main; main()' gpus --json | head -c 9"
    )
    ended = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""


# Files of questions


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not JSON at all\n", ["line 1", '{"id"']),
        (b'{"id": "a", "question": "x"}\n{"id": "b"}\n', ["line 2"]),
        (b'["id", "question"]\n', ["line 1"]),
        (b'{"id": "a", "question": "x", "history": 7}\n', ["line 1"]),
        (b'{"id": "a", "question": "' + "Wat kost één B200?".encode("latin-1") + b'"}\n', ["UTF-8"]),
        (b"[" * 100_000 + b"\n", ["line 1"]),
    ],
    ids=["prose", "no question", "an array", "history is a number", "latin-1", "deep nesting"],
)
def test_a_bad_file_of_questions_is_named_with_its_line(
    run: Run, tmp_path: Path, content: bytes, words: list[str]
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(content)
    for command in ("ask", "search"):
        run(command, "--questions", path).fails_with(WRONG, str(path), *words)


def test_a_file_of_questions_that_is_too_large_is_not_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    with path.open("wb") as file:
        file.truncate(60_000_000)
    run("ask", "--questions", path).fails_with(WRONG, "50 MB")


def test_a_missing_file_of_questions_is_named(run: Run, tmp_path: Path) -> None:
    run("ask", "--questions", tmp_path / "none.jsonl").fails_with(COULD_NOT_RUN, "none.jsonl", "No such file")


def test_json_of_an_answer_reads_back_the_same_and_shows_every_sign(run: Run) -> None:
    question = "How much memory does the MI355X have?\u2028 \u202eAnd the H100?\x7f"
    told = run("ask", "--json", "--no-llm", question).out.removesuffix("\n")
    assert is_plain(told) and json.loads(told)["question"] == question


def test_an_empty_file_of_questions_has_no_answers(run: Run, tmp_path: Path) -> None:
    outcome = run("ask", "--json", "--questions", as_lines(tmp_path / "questions.jsonl"))
    assert (outcome.status, outcome.out, outcome.err) == (DONE, "", "")


STRANGE = {
    "empty": "",
    "spaces": " \t\n ",
    "20,000 characters": "Hoeveel geheugen " * 1177,
    "one long word": "x" * 20_000,
    "emoji": "🤖🔥🚀",
    "NUL": "\0\0\0",
    "right to left": "ما هي عاصمة فرنسا؟",
    "direction marks": "\u202eyadot rehtaew eht si tahW\u202c",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "Markdown": "# [x](javascript:alert(1)) ![y](http://203.0.113.1/z.png)\n\n| a |\n|---|",
    "half a surrogate": "\ud83d?",
    "a format": "{0} %s ${HOME} {{x}}",
    "a card that isn't": "How much memory does the H900 have?",
    "another card that isn't": "Hvad koster et RTX 4095?",
}


@pytest.fixture(scope="module")
def strange_answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    path = as_lines(
        tmp_path_factory.mktemp("strange") / "questions.jsonl",
        *({"id": name, "question": question} for name, question in STRANGE.items()),
        {"id": "after all that", "question": "How much memory does the MI355X have?"},
    )
    ended = process("ask", "--json", "--no-llm", "--questions", str(path))
    assert ended.returncode == DONE, ended.stderr
    assert ended.stderr == ""
    return {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_question_is_answered_honestly(strange_answers: dict[str, dict[str, Any]], name: str) -> None:
    answer = strange_answers[name]
    assert answer["status"] in ("not_in_sources", "out_of_scope", "needs_input") or name == "20,000 characters"
    assert answer["text"].strip()
    for forbidden in ("<script", "<img", "javascript:", "203.0.113.1", "\0"):
        assert forbidden not in answer["text"]


def test_strange_questions_spoil_nothing_for_the_next(strange_answers: dict[str, dict[str, Any]]) -> None:
    assert list(strange_answers) == [*STRANGE, "after all that"]
    assert strange_answers["after all that"]["status"] == "answered"
    assert "288 GB" in strange_answers["after all that"]["text"]


@pytest.mark.parametrize("name", ["H900", "RTX 4095"])
def test_an_unknown_card_is_never_replaced_by_a_known_one(
    strange_answers: dict[str, dict[str, Any]], name: str
) -> None:
    answer = next(answer for answer in strange_answers.values() if name in answer["question"])
    assert name in answer["text"]
    assert not answer["citations"]
    assert answer["missing"]["what"]


def test_each_answer_of_a_file_is_headed_by_its_id_and_question(run: Run, tmp_path: Path) -> None:
    asked = as_lines(tmp_path / "q.jsonl", "How much memory does the MI355X have?", "What is NVLink?")
    lines = run("ask", "--questions", asked).out.splitlines()
    heads = [line for line in lines if line.endswith(("MI355X have?", "What is NVLink?"))]
    assert len(heads) == 2
    assert [head.split(": ", 1)[1] for head in heads] == ["How much memory does the MI355X have?", "What is NVLink?"]


# The index


@pytest.mark.parametrize("command", ["ask", "search"])
def test_no_index_says_what_to_run(run: Run, tmp_path: Path, command: str) -> None:
    outcome = run("--index", tmp_path / "none", command, "What is NVLink?")
    outcome.fails_with(COULD_NOT_RUN, "no index", f"gpu-assistant --index {tmp_path / 'none'} index")
    assert not (tmp_path / "none").exists()


def test_a_folder_of_something_else_is_no_index_and_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    run("--index", tmp_path, "ask", "What is NVLink?").fails_with(COULD_NOT_RUN, "no index")
    run("--index", tmp_path, "index").fails_with(WRONG, "thesis.txt", "--index")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_half_built_index_is_not_used(run: Run, damaged: Path) -> None:
    (current_build(damaged) / MANIFEST_NAME).unlink()
    run("--index", damaged, "ask", "What is NVLink?").fails_with(COULD_NOT_RUN, "damaged", "index --rebuild")


@pytest.mark.parametrize("content", [b"", b"\0" * 64, b"{}", b"SQLite format 3\0 but not really"])
def test_a_corrupt_index_is_not_used(run: Run, damaged: Path, content: bytes) -> None:
    build = current_build(damaged)
    spoiled = [next(path for path in sorted(build.iterdir()) if path.suffix == ".npy"), build / "chroma/chroma.sqlite3"]
    for path in spoiled:
        kept = path.read_bytes()
        path.write_bytes(content)
        run("--index", damaged, "ask", "What is NVLink?").fails_with(COULD_NOT_RUN, "damaged", "index --rebuild")
        path.write_bytes(kept)


def test_an_index_of_another_engine_names_both(run: Run, damaged: Path) -> None:
    path = current_build(damaged) / MANIFEST_NAME
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "engine": "word2vec 1.0"}), encoding="utf-8")
    run("--index", damaged, "search", "NVLink").fails_with(COULD_NOT_RUN, "word2vec 1.0", "multilingual-e5-small")


def test_an_interrupted_build_is_one_line_and_keeps_what_was_embedded(run: Run, tmp_path: Path) -> None:
    # A process begun in the background of a shell ignores interrupts unless told otherwise.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = f"{heed}; from assistant.interfaces.command_line import main; main()"
    building = subprocess.Popen(
        [sys.executable, "-c", command, "--index", str(tmp_path), "index"], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    vectors = tmp_path / VECTORS
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (vectors.exists() and vectors.stat().st_size > 100_000):
        time.sleep(0.1)
    building.send_signal(signal.SIGINT)
    _, said = building.communicate(timeout=60)
    assert building.returncode == INTERRUPTED
    assert said.strip().splitlines()[-1] == "stopped" and "Traceback" not in said
    assert vectors.stat().st_size > 100_000
    run("--index", tmp_path, "ask", "x").fails_with(COULD_NOT_RUN, "no index")


# The knowledge base


def test_a_missing_knowledge_base_is_named(run: Run, tmp_path: Path) -> None:
    for command in (["ask", "x"], ["index"], ["gpus"], ["sources", "list"]):
        run("--corpus", tmp_path / "none", *command).fails_with(COULD_NOT_RUN, str(tmp_path / "none"), "--corpus")


def test_front_matter_that_is_not_yaml_is_named(run: Run, small_corpus: Path, index: Path) -> None:
    path = small_corpus / "articles" / "en" / "broken.md"
    path.write_text("---\nid: [broken\n---\nText.\n", encoding="utf-8")
    try:
        run("--corpus", small_corpus, "--index", index, "index").fails_with(WRONG, "broken.md", "not YAML")
        checked = run("--corpus", small_corpus, "sources", "check")
        assert checked.status == FOUND
        assert [line for line in checked.out.splitlines() if "broken.md" in line and "not YAML" in line]
    finally:
        path.unlink()


def test_an_article_of_fifty_megabytes_in_the_knowledge_base_is_refused(run: Run, small_corpus: Path) -> None:
    path = small_corpus / "articles" / "en" / "endless.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    try:
        run("--corpus", small_corpus, "index").fails_with(WRONG, "endless.md", "MB")
        assert "endless.md" in run("--corpus", small_corpus, "sources", "check").out
    finally:
        path.unlink()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ["binary"]),
        ("paper.pdf", b"%PDF-1.7\n", ["binary"]),
        ("oud.txt", "Één kaart kost veel.".encode("latin-1"), ["UTF-8"]),
        ("empty.md", b"", ["empty"]),
        ("head.md", b"---\nid: [x\n---\nText.\n", ["not YAML"]),
    ],
)
def test_a_file_that_is_no_article_is_refused(
    run: Run, small_corpus: Path, tmp_path: Path, name: str, content: bytes, words: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    before = sorted(small_corpus.rglob("*"))
    run("--corpus", small_corpus, "sources", "add", path).fails_with(WRONG, name, *words)
    assert sorted(small_corpus.rglob("*")) == before


def test_a_file_of_fifty_megabytes_is_not_added(run: Run, small_corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "endless.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    run("--corpus", small_corpus, "sources", "add", path).fails_with(WRONG, "endless.txt", "50 MB")


def test_a_missing_file_to_add_is_named(run: Run, small_corpus: Path, tmp_path: Path) -> None:
    run("--corpus", small_corpus, "sources", "add", tmp_path / "none.md").fails_with(COULD_NOT_RUN, "none.md")


def test_a_claim_with_a_wrong_quote_is_found_and_never_cited(
    run: Run, corpus: Corpus, small_corpus: Path, index: Path, tmp_path: Path
) -> None:
    claim = next(
        claim
        for claim in corpus.claims.values()
        if isinstance(claim.value, Decimal) and claim.attribute == "memory_capacity" and claim.question is not None
    )
    path = small_corpus / "claims" / f"{corpus.article_of[claim.id]}.yaml"
    good = path.read_text(encoding="utf-8")
    file = yaml.safe_load(good)
    wrong = "the maker promises 12345 GB of memory on every card"
    next(one for one in file["claims"] if one["id"] == claim.id)["quote"] = wrong
    path.write_text(yaml.safe_dump(file, allow_unicode=True), encoding="utf-8")
    mine = tmp_path / "index"
    mine.mkdir()
    shutil.copy(index / "vectors.sqlite3", mine)
    try:
        checked = run("--corpus", small_corpus, "sources", "check")
        assert checked.status == FOUND
        assert any(claim.id in line and "is not in the article" in line for line in checked.out.splitlines())
        assert run("--corpus", small_corpus, "--index", mine, "index").status == DONE
        asked = run("--corpus", small_corpus, "--index", mine, "ask", "--json", "--no-llm", claim.question.en)
        answer = json.loads(asked.out)
        assert "12345" not in asked.out.replace(answer["question"], "")
        for citation in answer["citations"]:
            assert citation["quote"] != wrong
            if citation["kind"] == "article":
                body = corpus.articles[citation["source_id"]].body
                assert body[citation["start"] : citation["end"]] == citation["quote"]
    finally:
        path.write_text(good, encoding="utf-8")


# What a process loads and reaches


def test_the_chat_with_the_bundled_engine_loads_no_torch() -> None:
    code = """
import sys
from assistant.answering.evidence import Question
from assistant.interfaces.chat.opening import Opening
from assistant.interfaces.server import create_app
from assistant.settings import Settings
opening = Opening(Settings())
create_app(Settings(), opening)
print(opening.assistant().answer(Question(text="How much memory does the MI355X have?")).status)
print(sorted({"torch", "transformers", "sentence_transformers"} & set(sys.modules)))
"""
    ended = process(code=code)
    assert ended.stdout.splitlines() == ["answered", "[]"], ended.stderr


def test_asking_opens_no_connection() -> None:
    code = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        raise SystemExit(f"a connection: {arguments}")
sys.addaudithook(refuse)
from assistant.interfaces.command_line import main
main(["ask", "--json", "--no-llm", "Wat kost een B200 per uur?"])
"""
    ended = process(code=code)
    assert ended.returncode == DONE, ended.stderr
    assert json.loads(ended.stdout)["status"] == "answered"


def test_asking_loads_neither_a_web_server_nor_torch() -> None:
    code = """
import sys
from assistant.interfaces.command_line import main
try:
    main(["ask", "--no-llm", "What is NVLink?"])
except SystemExit:
    print(sorted({"torch", "transformers", "gradio", "fastapi", "openai", "langchain_openai"} & set(sys.modules)))
"""
    ended = process(code=code)
    assert ended.stdout.splitlines()[-1] == "[]", ended.stdout
