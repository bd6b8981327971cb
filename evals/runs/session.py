"""One evaluation from start to end: which questions, under which clock, over which knowledge base, against what."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assistant.answering.assistant import Assistant
from assistant.errors import CorpusError, InvalidInput
from assistant.knowledge.corpus import read_articles, read_attributes, read_claims_files, read_entities
from assistant.knowledge.freshness import SourceRecord, Standing, record_sources, refuse_past, standings
from assistant.language.tongue import Language
from assistant.settings import ROOT, Settings
from evals.checks.bench import Bench
from evals.checks.wanted import check_claims_exist
from evals.runs.fingerprint import hash_of_code, hash_of_keys
from evals.runs.opening import open_assistant
from evals.runs.record import Result, Run, RunHeader, read_run
from evals.runs.runner import Progress, Runner, result_of
from evals.suite.case import Asked
from evals.suite.contradictions import check_contradictions
from evals.suite.reader import asked as each_asked
from evals.suite.reader import hash_of_cases, read_cases, read_questions
from evals.suite.ties import ClaimValues, check_written_out

BASELINE = ROOT / "evals" / "baseline.jsonl"


class Choice(BaseModel):
    """Which questions of the suite are asked; what isn't given leaves none out."""

    model_config = ConfigDict(frozen=True)

    only: tuple[str, ...] = ()
    """Case ids, or ids with @ and a language."""
    tags: tuple[str, ...] = ()
    languages: tuple[Language, ...] = ()
    resting_on: frozenset[str] | None = None
    """Claim and row ids: only questions whose expectation rests on one of them."""
    tied: dict[str, tuple[str, ...]] = {}
    """By case id the claims whose value the case writes out."""

    @property
    def leaves_out(self) -> bool:
        return bool(self.only or self.tags or self.languages) or self.resting_on is not None

    def of(self, suite: Sequence[Asked], baseline: Run | None) -> list[Asked]:
        """The chosen questions. Raises InvalidInput where an id of `only` is of no question."""
        for id_ in self.only:
            if not any(id_ in (one.key, one.case.id) for one in suite):
                raise InvalidInput(
                    f"There is no case {id_!r}.", "Ids stand in evals/suite/cases/ and evals/questions/."
                )
        before = baseline.by_key if baseline is not None else {}
        return [
            one
            for one in suite
            if (not self.only or one.key in self.only or one.case.id in self.only)
            and (not self.tags or set(self.tags) & {*one.case.tags, one.case.kind, one.case.severity})
            and (not self.languages or one.language in self.languages)
            and (
                self.resting_on is None or self.resting_on & {*_rests_on(one, before), *self.tied.get(one.case.id, ())}
            )
        ]


def _rests_on(one: Asked, before: dict[str, Result]) -> set[str]:
    old = before.get(one.key)
    return {*one.case.expect.claims, *(old.rests_on if old is not None else ())}


def read_asked(cases: Path | None) -> list[Asked]:
    """Every question: of one folder of cases where it is named, else of the suite and the open questions."""
    from evals.suite.reader import CASES

    found = read_cases(cases) if cases is not None else [*read_cases(CASES), *read_questions()]
    keys = {case.id for case in found}
    if len(keys) != len(found):
        raise CorpusError(f"{CASES}: a case has the id of a question of evals/questions/.")
    return list(each_asked(found))


def read_baseline(path: Path) -> Run | None:
    """The committed baseline, or None where there is none yet. Raises InvalidInput for one of another version."""
    return read_run(path) if path.is_file() else None


def clock_of(given: date | None, baseline: Run | None, corpus: Path) -> date:
    """The day that counts as today: as given, else the baseline's, so that a run doesn't depend on when it is made.

    Where an article has come since the baseline, its day. Raises InvalidInput for a given day before the newest
    article was published, as nothing could have been known then.
    """
    articles = read_articles(corpus).values()
    if given is not None:
        refuse_past(given, articles)
        return given
    published = (article.published.first for article in articles if article.published)
    return max([baseline.header.clock if baseline is not None else date.today(), *published])


def check_cases(suite: Sequence[Asked], corpus: Path, baseline: Run | None, origin: str) -> None:
    """Raises CorpusError where a case expects a claim that nothing knows, neither now nor in the baseline, contradicts
    itself, or writes out a claim's value."""
    claims = {claim.id: claim for _, file in read_claims_files(corpus) for claim in file.claims}
    values = ClaimValues(claims.values(), read_entities(corpus))
    cases = list({one.case.id: one.case for one in suite}.values())
    check_contradictions(cases, claims, read_attributes(corpus), values, origin)
    check_written_out(cases, values, origin)
    known = set(claims)
    if baseline is not None:
        known |= set(baseline.header.sources.claims)
    check_claims_exist(list(suite), known, origin)
    check_sources_exist(suite, corpus, baseline, origin)


def check_sources_exist(suite: Iterable[Asked], corpus: Path, baseline: Run | None, origin: str) -> None:
    known = set(read_articles(corpus))
    if baseline is not None:
        known |= set(baseline.header.sources.articles)
    for one in suite:
        for id_ in one.case.expect.sources:
            if id_ not in known:
                raise CorpusError(f"{origin}: {one.case.id} expects the source {id_!r}, and there is no such article.")


class Session:
    """A knowledge base opened to be asked."""

    def __init__(self, settings: Settings, clock: date, runs: int, earlier: SourceRecord | None) -> None:
        self.settings = settings
        self.clock = clock
        self.runs = runs
        self.standings: list[Standing] = standings(settings.corpus, clock, earlier)
        self.assistant: Assistant = open_assistant(settings, clock)
        self.bench = Bench(self.assistant.corpus, settings.corpus, self.standings)

    def close(self) -> None:
        self.assistant.index.close()

    def header(self, suite: Sequence[Asked], chosen: Sequence[Asked]) -> RunHeader:
        """What this run is of. `suite` is all that could be asked."""
        disputes = {tuple(sorted(fact.id for fact in found.all)) for found in self.bench.disagreements.values()}
        return RunHeader(
            corpus=self.assistant.corpus.hash,
            code=hash_of_code(),
            cases=hash_of_cases({one.case.id: one.case for one in suite}.values()),
            engine=self.assistant.index.manifest.engine,
            clock=self.clock,
            model=self.settings.llm_model,
            runs=self.runs,
            asked=hash_of_keys(one.key for one in chosen),
            whole=len(chosen) == len(suite),
            sources=record_sources(self.settings.corpus),
            standings=tuple(one for one in self.standings if one.state not in ("FRESH", "MOVED", "NOT_CHECKED"))
            + tuple(one for one in self.standings if one.state == "NOT_CHECKED" and one.quote),
            disputes=tuple(sorted(disputes)),
        )

    def run(self, suite: Sequence[Asked], chosen: Sequence[Asked], partial: Path, jobs: int, progress: Progress) -> Run:
        """Ask the chosen questions. A question that rests on what couldn't be read is skipped, never passed."""
        header = self.header(suite, chosen)
        unread = {one.id: one.note for one in self.standings if one.state == "NOT_CHECKED" and one.quote}
        askable = [one for one in chosen if not set(one.case.expect.claims) & unread.keys()]
        began = datetime.now(UTC)
        results = {
            result.key: result
            for result in Runner(self.settings, self.assistant, self.bench, self.runs).run(
                askable, header, partial, jobs, progress
            )
        }
        for one in chosen:
            if one.key not in results:
                note = next(unread[id_] for id_ in one.case.expect.claims if id_ in unread)
                results[one.key] = result_of(one, self.bench).model_copy(update={"note": note})
        times = {"began": began.isoformat(timespec="seconds"), "ended": datetime.now(UTC).isoformat(timespec="seconds")}
        return Run(
            header=header.model_copy(update={"times": times}),
            results=tuple(results[one.key] for one in chosen),
        )
