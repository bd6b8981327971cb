"""Whether the knowledge base holds all of the works it is based on: every fact of a work, and the claims that state it.

`python -m assistant.knowledge.coverage` writes docs/coverage.md anew from corpus/coverage/.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from assistant.errors import AssistantError
from assistant.knowledge.corpus import Corpus, load_corpus
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import Language
from assistant.settings import ROOT, Settings

PAGE = ROOT / "docs" / "coverage.md"

_INTRODUCTION = """\
# What the originals say, and where it is said here

The articles of the knowledge base are our own text. This page lists every fact of the works they are based on, with the
line of the original that it stands on, in a few words of ours, and the claims that state it (`corpus/claims/`).
It is written from `corpus/coverage/` by `python -m assistant.knowledge.coverage`.
"""


class ListedFact(BaseModel):
    """One fact of an original: its line there, what it says in our own English words, and the claims that state it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z]{2}-\d{3}$")
    line: int = Field(ge=1)
    fact: str = Field(min_length=1)
    claims: tuple[str, ...] = ()


class Coverage(BaseModel):
    """All facts of one original, in its order: corpus/coverage/<language of the original>.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    original: Language
    title: str
    """The work's title, as the articles give it in `based_on`."""
    facts: tuple[ListedFact, ...]

    @model_validator(mode="after")
    def _in_order(self) -> "Coverage":
        seen: set[str] = set()
        last = 0
        for fact in self.facts:
            if not fact.id.startswith(f"{self.original}-") or fact.id in seen:
                raise ValueError(f"{fact.id} is used twice or doesn't begin with {self.original}-")
            if fact.line < last:
                raise ValueError(
                    f"{fact.id} is on line {fact.line}, before the fact above it; keep the original's order"
                )
            seen.add(fact.id)
            last = fact.line
        return self


def read_coverage(directory: Path) -> tuple[Coverage, ...]:
    """The listed originals of the knowledge base in `directory`. Raises CorpusError naming the file at fault."""
    return tuple(read_yaml(path, Coverage) for path in sorted(directory.glob("coverage/*.yaml")))


def coverage_problems(coverages: Sequence[Coverage], corpus: Corpus) -> Iterator[str]:
    """Facts that no claim states, claims that are unknown or of another work, and claims that no fact asks for."""
    for coverage in coverages:
        of_the_work = claims_of(coverage, corpus)
        for fact in coverage.facts:
            if not fact.claims:
                yield f"{fact.id}: no claim states it: {fact.fact}"
            for claim_id in fact.claims:
                if claim_id not in corpus.claims:
                    yield f"{fact.id}: unknown claim {claim_id!r}"
                elif claim_id not in of_the_work:
                    yield f"{fact.id}: claim {claim_id!r} is not based on {coverage.title!r}"
        asked_for = {claim_id for fact in coverage.facts for claim_id in fact.claims}
        for claim_id in sorted(of_the_work - asked_for):
            yield f"{claim_id}: based on {coverage.title!r}, but no fact listed for it asks for this claim"


def claims_of(coverage: Coverage, corpus: Corpus) -> set[str]:
    """Ids of the claims that are based on the listed work."""
    found = set()
    for claim_id, claim in corpus.claims.items():
        work = corpus.articles[corpus.article_of[claim_id]].work(claim.work)
        if work is not None and work.title == coverage.title:
            found.add(claim_id)
    return found


def render_coverage(coverages: Sequence[Coverage]) -> str:
    """The page in Markdown: one table for each original."""
    return "\n".join([_INTRODUCTION, *(_table(coverage) for coverage in coverages)])


def _table(coverage: Coverage) -> str:
    claims = {claim_id for fact in coverage.facts for claim_id in fact.claims}
    rows = [
        f"| {fact.id} | {fact.line} | {_cell(fact.fact)} | {'<br>'.join(f'`{id_}`' for id_ in fact.claims)} |"
        for fact in coverage.facts
    ]
    head = [
        f"## {coverage.title} ({coverage.original})",
        "",
        f"{len(coverage.facts)} facts, stated by {len(claims)} claims.",
        "",
        "| Fact | Line | What it says | Claims |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *rows, ""])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def write_page(directory: Path, page: Path) -> None:
    """Write the page of the knowledge base in `directory`. Raises AssistantError where its coverage has a problem."""
    coverages = read_coverage(directory)
    problems = list(coverage_problems(coverages, load_corpus(directory)))
    if problems:
        raise AssistantError(f"{len(problems)} problems in {directory / 'coverage'}; the first is {problems[0]}.")
    page.write_text(render_coverage(coverages), encoding="utf-8")


if __name__ == "__main__":
    try:
        write_page(Settings().corpus, PAGE)
    except AssistantError as error:
        sys.exit(str(error))
