"""`gpu-assistant memo`: an answer as a page to keep, and what has changed since it was written."""

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assistant.errors import FileUnavailable, InvalidInput
from assistant.language.tongue import LANGUAGES, Language
from assistant.printable import json_escaped
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.answering.memo.page import PageFormat

MAX_MEMO_BYTES = 5_000_000


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--question", help="Ask this and write the memo to FILE.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "dokuwiki", "mediawiki"]),
    default="markdown",
    show_default=True,
    help="Markup of the page.",
)
@click.option("--check", is_flag=True, help="Ask the question of FILE again; exit status 1 where the answer changed.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the answer; the question's own if left out.")
@click.option("--no-llm", is_flag=True, help="Compose the answer without a language model.")
@click.option("--json", "as_json", is_flag=True, help="With --check: print a JSON object.")
@click.pass_obj
def command(
    settings: Settings,
    file: Path,
    question: str | None,
    form: "PageFormat",
    check: bool,
    lang: Language | None,
    no_llm: bool,
    as_json: bool,
) -> None:
    """Write a decision memo to FILE (question, answer, assumptions, sources), or check one that a page keeps."""
    if check == (question is not None):
        raise InvalidInput("Give either --question, to write a memo, or --check, to check one.")
    composed = settings.model_copy(update={"llm_model": None}) if no_llm else settings
    if question is not None:
        _write(composed, file, question, form, lang)
    else:
        _check(composed, file, lang, as_json)


def _write(settings: Settings, file: Path, question: str, form: "PageFormat", lang: Language | None) -> None:
    from assistant.answering.assistant import Assistant
    from assistant.answering.evidence import Question
    from assistant.answering.memo.page import memo_page
    from assistant.answering.memo.record import record_of

    answer = Assistant.open(settings).answer(Question(text=question, language=lang))
    page = memo_page(answer, record_of(answer, (), date.today()), form)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(page)
    except FileExistsError as error:
        raise InvalidInput(f"{file} exists already.", "Choose another name; a memo is never overwritten.") from error
    except OSError as error:
        raise FileUnavailable(f"{file}: {error.strerror or error}.") from error
    click.echo(f"wrote {file}")


def _check(settings: Settings, file: Path, lang: Language | None, as_json: bool) -> None:
    from assistant.answering.assistant import Assistant
    from assistant.answering.memo.check import compare, describe, question_of
    from assistant.answering.memo.record import read_record

    record = read_record(_read(file))
    # A memo without a language model is compared with an answer without one.
    same = settings if record.model else settings.model_copy(update={"llm_model": None})
    found = compare(record, Assistant.open(same).answer(question_of(record)), date.today())
    click.echo(json_escaped(found.model_dump_json(indent=2)) if as_json else describe(found, lang or record.language))
    sys.exit(1 if found.changed else 0)


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_MEMO_BYTES:
            raise InvalidInput(f"{file} is larger than {MAX_MEMO_BYTES // 1_000_000} MB.")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8 at byte {error.start}.") from error
    except OSError as error:
        raise FileUnavailable(f"{file}: {error.strerror or error}.") from error
