"""`python -m evals.trials.metamorphic`: changes of the knowledge base whose effect on answers is known beforehand.

Articles and claims in another order change no verdict; a value written in another unit changes none either; a value
that is changed everywhere is followed, and the old one gone; where a source is deleted nothing is said from it; a
source that contradicts is disclosed. Exit status 1 where one of these doesn't hold in some language.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path

import click
from pydantic import BaseModel, ConfigDict

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.errors import AssistantError
from assistant.language.quantities.quantity import reads_back
from assistant.language.tongue import LANGUAGES
from assistant.settings import Settings
from evals.checks.bench import Bench
from evals.checks.score import question_of, score
from evals.checks.span import spans
from evals.runs.opening import open_assistant
from evals.runs.session import BASELINE, clock_of, read_asked, read_baseline
from evals.suite.case import Asked
from evals.suite.reader import CASES
from evals.trials.altered import AlteredCorpus


class Relation(BaseModel):
    """One change with what had to follow from it, and the questions where it didn't."""

    model_config = ConfigDict(frozen=True)

    name: str
    asked: int
    failed: tuple[str, ...]

    def __str__(self) -> str:
        failed = f": {'; '.join(self.failed)}" if self.failed else ""
        return f"{self.name}: {self.asked - len(self.failed)} of {self.asked}{failed}"


class Laboratory:
    """Opens changed copies of one knowledge base, with what is already embedded kept."""

    def __init__(self, settings: Settings, clock: date, folder: Path) -> None:
        self._settings = settings
        self._clock = clock
        self._folder = folder
        self._opened = 0

    def copy(self) -> AlteredCorpus:
        self._opened += 1
        return AlteredCorpus(self._settings.corpus, self._folder / str(self._opened))

    @contextmanager
    def opened(self, altered: AlteredCorpus) -> Iterator[tuple[Assistant, Bench]]:
        """The assistant over a copy."""
        index = altered.directory.parent / "index"
        if self._settings.index.is_dir():
            shutil.copytree(self._settings.index, index, ignore=shutil.ignore_patterns("*.lock"))
        settings = self._settings.model_copy(update={"corpus": altered.directory, "index": index})
        assistant = open_assistant(settings, self._clock)
        try:
            yield assistant, Bench(assistant.corpus, altered.directory)
        finally:
            assistant.index.close()


def resting_on(claim_id: str, suite: list[Asked]) -> list[Asked]:
    """The questions after one claim alone, each in its language."""
    return [one for one in suite if one.case.expect.claims == (claim_id,) and one.case.kind == "fact"]


def shuffled(laboratory: Laboratory, suite: list[Asked], before: dict[str, bool]) -> Relation:
    """Files read in another order, and claims written in another order, give the same verdicts."""
    altered = laboratory.copy()
    for number, path in enumerate(sorted(altered.directory.glob("articles/*/*.md"), reverse=True)):
        path.rename(path.with_name(f"{number:03d}.md"))
    altered.reverse_claims()
    with laboratory.opened(altered) as (assistant, bench):
        now = {one.key: score(one, assistant.answer(question_of(one)), bench).passed for one in suite}
    return Relation(
        name="documents in another order, same verdicts",
        asked=len(suite),
        failed=tuple(key for key in now if now[key] != before[key]),
    )


def other_units(laboratory: Laboratory, claim_id: str, suite: list[Asked]) -> Relation:
    """A capacity that its source gives in another unit is the same capacity."""
    altered = laboratory.copy()
    unit = altered.write_in_other_unit(claim_id)
    questions = resting_on(claim_id, suite)
    with laboratory.opened(altered) as (assistant, bench):
        failed = [
            f"{one.key} ({'; '.join(check.found for check in scored.failed)})"
            for one in questions
            if not (scored := score(one, assistant.answer(question_of(one)), bench)).passed
        ]
    return Relation(name=f"{claim_id} written in {unit}, same verdicts", asked=len(questions), failed=tuple(failed))


def followed(laboratory: Laboratory, claim_id: str, suite: list[Asked]) -> Relation:
    """A value that is changed wherever it stands is told, and the old one nowhere in the answer or its passages."""
    altered = laboratory.copy()
    claim = altered.claims[claim_id]
    if not isinstance(claim.value, Decimal):
        raise ValueError(f"{claim_id} has no figure")
    old, new = (
        claim.value,
        claim.value + Decimal("1.1").quantize(Decimal(1).scaleb(int(claim.value.as_tuple().exponent))),
    )
    altered.give(claim_id, new)
    questions = resting_on(claim_id, suite)
    failed = []
    with laboratory.opened(altered) as (assistant, bench):
        for one in questions:
            answer = assistant.answer(question_of(one))
            if not score(one, answer, bench).passed or not _tells(answer, new, claim.unit):
                failed.append(f"{one.key} doesn't tell {new}")
            elif _tells(answer, old, claim.unit) or any(
                reads_back(c.quote, c.language, old, claim.unit) for c in answer.citations
            ):
                failed.append(f"{one.key} still tells {old}")
    return Relation(name=f"{claim_id} changed to {new} everywhere", asked=len(questions), failed=tuple(failed))


def silenced(laboratory: Laboratory, claim_id: str, suite: list[Asked]) -> Relation:
    """Where the only source of a figure is deleted, the figure isn't told."""
    altered = laboratory.copy()
    claim = altered.claims[claim_id]
    articles = altered.articles_of_claims()
    for other in altered.claims.values():
        if other.attribute == claim.attribute and set(other.about) & set(claim.about):
            altered.delete_where_it_is(articles[other.id])
    altered.remove_rows(claim)
    questions = resting_on(claim_id, suite)
    failed = []
    with laboratory.opened(altered) as (assistant, bench):
        for one in questions:
            answer = assistant.answer(question_of(one))
            # Another edition's figure may be the same and still be held.
            for piece in spans(answer):
                named = {mention.entity for mention in bench.names.read(piece.text)} & set(claim.about)
                if named and isinstance(claim.value, Decimal) and _reads(piece.text, answer, claim.value, claim.unit):
                    failed.append(f"{one.key} still tells it: {piece.text}")
    return Relation(name=f"the sources of {claim_id} deleted, silence", asked=len(questions), failed=tuple(failed))


def disclosed(laboratory: Laboratory, claim_id: str, suite: list[Asked]) -> Relation:
    """A newer source with another value is told beside the first, as a disagreement."""
    altered = laboratory.copy()
    new = altered.contradict(claim_id)
    questions = resting_on(claim_id, suite)
    failed = []
    with laboratory.opened(altered) as (assistant, _):
        values = [altered.claims[id_].value for id_ in (claim_id, new)]
        for one in questions:
            answer = assistant.answer(question_of(one))
            unit = altered.claims[claim_id].unit
            told = answer.conflicts and all(isinstance(v, Decimal) and _tells(answer, v, unit) for v in values)
            if not told:
                failed.append(one.key)
    return Relation(name=f"{claim_id} contradicted, disclosed", asked=len(questions), failed=tuple(failed))


def _tells(answer: Answer, value: Decimal, unit: str | None) -> bool:
    return any(_reads(line, answer, value, unit) for line in answer.text.splitlines())


def _reads(text: str, answer: Answer, value: Decimal, unit: str | None) -> bool:
    return reads_back(text, answer.language, value, unit)


def figures_to_change(assistant: Assistant, bench: Bench, suite: list[Asked], unit: str) -> str:
    """A claim with a figure in a unit, undisputed, that questions in every language rest on and are right about."""
    for one in suite:
        claims = one.case.expect.claims
        if len(claims) != 1 or one.case.kind != "fact" or claims[0] in bench.disagreements:
            continue
        claim = bench.corpus.claims[claims[0]]
        questions = resting_on(claim.id, suite)
        if not isinstance(claim.value, Decimal) or claim.unit != unit or len(questions) < len(LANGUAGES):
            continue
        if all(score(q, assistant.answer(question_of(q)), bench).passed for q in questions):
            return claim.id
    raise AssistantError(f"No question in every language rests on a figure in {unit} alone.")


def relations(settings: Settings, clock: date, folder: Path, suite: list[Asked], every: int) -> Iterator[Relation]:
    """Every relation, each over a copy of its own; of all questions, only one in so many is asked of a shuffled one."""
    laboratory = Laboratory(settings, clock, folder)
    assistant = open_assistant(settings, clock)
    bench = Bench(assistant.corpus, settings.corpus)
    before = {one.key: score(one, assistant.answer(question_of(one)), bench).passed for one in suite[::every]}
    capacity = figures_to_change(assistant, bench, suite, "GB")
    power = figures_to_change(assistant, bench, suite, "W")
    bandwidth = figures_to_change(assistant, bench, suite, "TB/s")
    assistant.index.close()
    yield shuffled(laboratory, suite[::every], before)
    yield other_units(laboratory, power, suite)
    yield followed(laboratory, bandwidth, suite)
    yield silenced(laboratory, capacity, suite)
    yield disclosed(laboratory, power, suite)


@click.command()
@click.option("--every", default=1, show_default=True, help="Of the questions that all are asked, only one in so many.")
def main(every: int) -> None:
    """Change copies of the knowledge base and see whether the answers follow as they must."""
    settings = Settings().model_copy(update={"llm_model": None})
    clock = clock_of(None, read_baseline(BASELINE), settings.corpus)
    suite = [one for one in read_asked(CASES) if not one.case.beside]
    held = True
    with tempfile.TemporaryDirectory() as name:
        for relation in relations(settings, clock, Path(name), suite, every):
            click.echo(str(relation))
            held = held and not relation.failed and relation.asked > 0
    click.echo("all hold" if held else "not all hold")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    try:
        main()
    except AssistantError as error:
        click.echo(f"evals.trials: {error}", err=True)
        sys.exit(error.exit_status)
