"""Asks the cases, scores the answers and keeps each as soon as it is finished, so that a run can be taken up again."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assistant.answering.answer import Answer
from assistant.answering.assistant import Assistant
from assistant.errors import InvalidInput
from assistant.language.tongue import Language
from assistant.settings import Settings
from evals.checks.bench import Bench
from evals.checks.retrieval import retrieval_scores
from evals.checks.score import Scored, question_of, score
from evals.checks.wanted import holds, resolve
from evals.runs.endpoint import EndpointDied, wrote_less
from evals.runs.opening import open_beside
from evals.runs.record import Result, RunHeader, append_result, begin_file, kept_results
from evals.suite.case import Asked
from evals.suite.reader import BESIDE

Progress = Callable[[int, int], None]


class Runner:
    """Asks one assistant; poisoned cases are asked of a second one that also holds their files."""

    def __init__(self, settings: Settings, assistant: Assistant, bench: Bench, runs: int = 1) -> None:
        self._settings = settings
        self._assistant = assistant
        self._bench = bench
        self._runs = runs
        self._beside: Assistant | None = None

    def run(
        self, chosen: Sequence[Asked], header: RunHeader, partial: Path, jobs: int, progress: Progress
    ) -> list[Result]:
        """Results in the order of `chosen`. What `partial` holds of the same run isn't asked again.

        Raises EndpointDied as soon as the language model's endpoint no longer answers; what was finished stays.
        """
        kept = {result.key: result for result in kept_results(partial, header) if result.verdict != "error"}
        begin_file(partial, header)
        for result in kept.values():
            append_result(partial, result)
        left = [asked for asked in chosen if asked.key not in kept]
        done = len(chosen) - len(left)
        progress(done, len(chosen))
        with self._poisoned(left):
            for result in self._finished(left, jobs):
                kept[result.key] = result
                append_result(partial, result)
                done += 1
                progress(done, len(chosen))
        return [kept[asked.key] for asked in chosen]

    def _finished(self, left: Sequence[Asked], jobs: int) -> Iterator[Result]:
        with ThreadPoolExecutor(jobs) as pool:
            waiting: list[Future[Result]] = [pool.submit(self.ask, asked) for asked in left]
            try:
                for future in waiting:
                    yield future.result()
            except BaseException:
                for future in waiting:
                    future.cancel()
                raise

    @contextmanager
    def _poisoned(self, left: Sequence[Asked]) -> Iterator[None]:
        names = sorted({name for asked in left for name in asked.case.beside})
        with ExitStack() as stack:
            if names:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                self._beside = open_beside(
                    self._settings, self._assistant.today, [BESIDE / name for name in names], folder
                )
                stack.callback(self._beside.index.close)
            yield
        self._beside = None

    def ask(self, asked: Asked) -> Result:
        """Ask one question as often as the run says, and score each answer."""
        poisoned = bool(asked.case.beside)
        assistant = self._beside if poisoned and self._beside is not None else self._assistant
        attempts: list[tuple[Answer, Scored]] = []
        for _ in range(self._runs):
            try:
                answer = assistant.answer(question_of(asked))
                clean = self._assistant.answer(question_of(asked)) if poisoned else None
            except InvalidInput as error:
                return result_of(asked, self._bench).model_copy(update={"verdict": "error", "note": str(error)})
            if wrote_less(assistant, answer, self._settings):
                raise EndpointDied(self._settings)
            attempts.append((answer, score(asked, answer, self._bench, clean)))
        # The attempt that is shown is the first that failed, where one did.
        answer, scored = next((one for one in attempts if not one[1].passed), attempts[0])
        result = scored_result(asked, answer, scored, self._bench)
        passes = tuple(one.passed for _, one in attempts) if self._runs > 1 else ()
        ranks = retrieval_scores(asked, answer.language, self._assistant.index, self._bench)
        return result.model_copy(update={"attempts": passes, "retrieval": ranks})


def result_of(asked: Asked, bench: Bench) -> Result:
    """A result without an answer yet."""
    expect, language = asked.case.expect, asked.language
    expected = [_shown(fact.claim, language, bench) if fact.claim else fact.name for fact in expect.facts]
    expected += [_shown(id_, language, bench) for id_ in expect.conflict if id_ not in {f.claim for f in expect.facts}]
    return Result(
        key=asked.key,
        case=asked.case.id,
        language=asked.language,
        kind=asked.case.kind,
        severity=asked.case.severity,
        tags=asked.case.tags,
        question=asked.question,
        history=asked.history,
        expected=tuple(expected or [" or ".join(asked.case.statuses)]),
        verdict="skipped",
        rests_on=asked.case.expect.claims,
        tied=bench.claim_values.tied(asked.case),
    )


def _shown(claim_id: str, language: Language, bench: Bench) -> str:
    """An expected claim as a reader sees it: its sentence, with its id behind; the id alone where it is gone."""
    claim = bench.corpus.claims.get(claim_id)
    return f"{claim.statement.in_language(language)} ({claim_id})" if claim is not None else claim_id


def scored_result(asked: Asked, answer: Answer, scored: Scored, bench: Bench) -> Result:
    """The result of an answer; its timings stand apart, since they are all that differs between equal runs."""
    cited = [fact.id for citation in answer.citations for fact in bench.behind(citation)]
    result = result_of(asked, bench)
    rests_on = asked.case.expect.claims or _supporting(asked, answer, bench)
    return result.model_copy(
        update={
            "verdict": "passed" if scored.passed else "failed",
            "checks": scored.checks,
            "stated": scored.stated,
            "rests_on": tuple(dict.fromkeys([*rests_on, *result.tied])),
            "cites": tuple(dict.fromkeys(cited)),
            "spans": {name: getattr(scored, name) for name in ("statements", "grounded", "marks", "useful")},
            "answer": answer.model_copy(update={"timings_ms": {}}),
            "timings_ms": answer.timings_ms,
        }
    )


def _supporting(asked: Asked, answer: Answer, bench: Bench) -> tuple[str, ...]:
    """What an expectation by value rests on: the facts quoted that hold it. A calculation rests on its inputs."""
    wanted = [item for fact in asked.case.expect.facts if (item := resolve(fact, bench)) is not None]
    found = [
        fact.id
        for citation in answer.citations
        for fact in bench.behind(citation)
        if any(holds(citation.quote, citation.language, item) for item in wanted)
        or (asked.case.expect.tool is not None and fact.kind != "claim")
    ]
    return tuple(dict.fromkeys(found))


def rescored(results: Sequence[Result], chosen: dict[str, Asked], bench: Bench) -> list[Result]:
    """Results scored again as the cases and checks stand now, from the answers that were kept; nothing is asked.

    A poisoned case keeps its earlier finding of what was moved, since the answer without its files isn't kept.
    """
    again = []
    for result in results:
        asked = chosen.get(result.key)
        if asked is None:
            continue
        if result.answer is None:
            again.append(result)
            continue
        scored = score(asked, result.answer, bench)
        moved = tuple(check for check in result.checks if check.name == "unmoved")
        scored = scored.model_copy(update={"checks": (*scored.checks, *moved)})
        fresh = scored_result(asked, result.answer, scored, bench)
        attempts = (*result.attempts[1:], scored.passed) if result.attempts else ()
        kept = {"retrieval": result.retrieval, "timings_ms": result.timings_ms, "attempts": attempts}
        again.append(fresh.model_copy(update=kept))
    return again
