"""What the documents say is so: links lead somewhere, commands can be run, examples hold, answers are real."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assistant.answering.assistant import Assistant
from assistant.answering.evidence import Question
from assistant.interfaces.command_line import gpu_assistant
from assistant.interfaces.commands.ask import readable
from assistant.interfaces.settings_page import settings_page
from assistant.knowledge.check import check_corpus
from assistant.settings import ROOT, Settings

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^\*\*(?P<question>.+?)\*\*.*\n(?P<answer>(?:\n|>.*\n)+)", re.MULTILINE)
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(page: Path, language: str) -> list[str]:
    """Code blocks of a page marked with a language."""
    return [code for marked, code in _FENCED.findall(page.read_text(encoding="utf-8")) if marked == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


def commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        if page.name != "help.md":
            for line in "".join(fenced(page, "")).splitlines():
                called = line.partition("gpu-assistant ")[2]
                if called and "`" not in line:
                    yield page.name, called


@pytest.mark.parametrize(("page", "called"), sorted(set(commands())))
def test_commands_can_be_given(page: str, called: str) -> None:
    arguments = [word for word in shlex.split(called, comments=True) if word not in ("…", "&")]
    command: click.Command = gpu_assistant
    context = click.Context(command)
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        found = command.get_command(context, arguments.pop(0))
        assert found is not None, f"{page}: gpu-assistant {called}"
        command = found
    command.make_context("x", arguments)


def test_every_setting_is_described() -> None:
    described = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for name, field in Settings.model_fields.items():
        assert f"`{field.validation_alias or f'ASSISTANT_{name.upper()}'}`" in described


def test_the_example_of_an_article_and_its_claim_passes_the_check(settings: Settings, tmp_path: Path) -> None:
    article, claims = fenced(ROOT / "docs" / "sources.md", "yaml")
    folder = Path(shutil.copytree(settings.corpus, tmp_path / "corpus"))
    quote = re.search(r'quote: "(.+)"', claims)
    assert quote is not None
    text = article.replace("Text in Markdown.", quote[1])
    (folder / "articles" / "en" / "rack-power-notes.md").write_text(text, encoding="utf-8")
    (folder / "claims" / "rack-power-notes.yaml").write_text(claims, encoding="utf-8")
    before = check_corpus(settings.corpus)
    after = check_corpus(folder)
    assert [str(problem) for problem in after.problems if problem not in before.problems] == []
    assert after.claims == before.claims + 1


def asked() -> list[tuple[str, str]]:
    return [(found["question"], found["answer"]) for found in _QUESTION.finditer(README)]


def test_the_readme_asks_in_every_language() -> None:
    assert len(asked()) == 5


@pytest.mark.parametrize(("question", "answer"), asked(), ids=[question[:30] for question, _ in asked()])
def test_the_answers_of_the_readme_are_real(assistant: Assistant, question: str, answer: str) -> None:
    said = squeezed(readable(assistant.answer(Question(text=question))))
    shown = re.sub(r"^> ?", "", answer, flags=re.MULTILINE)
    for piece in shown.split("…"):
        assert squeezed(piece) in said, f"{squeezed(piece)!r}\n\nis not in\n\n{said!r}"


def squeezed(text: str) -> str:
    """The text without what only lays it out: spaces, list marks, the rules of tables."""
    text = re.sub(r"^\|[-:| ]+\|$", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+|^- ", "", text, flags=re.MULTILINE)


def test_the_page_of_settings_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    # The page names the usual folder of data, not the one that tests keep theirs in.
    monkeypatch.delenv("XDG_DATA_HOME")
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_page()
