"""Asks a judge about every answer of a run, and keeps each opinion as soon as it is given."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from assistant.answering.answer import Answer
from assistant.answering.writing.endpoint import Endpoint
from assistant.errors import EndpointUnavailable
from assistant.settings import Settings
from evals.judge.opinion import Opinion, hash_of_judged, opinion_on, without_opinion
from evals.runs.endpoint import EndpointDied, is_alive
from evals.runs.record import Result, Run, line_of

Progress = Callable[[int, int], None]


def judge_run(run: Run, settings: Settings, model: str, kept: Path, progress: Progress) -> list[Opinion]:
    """An opinion of `model` on each answer. What `kept` holds of the same judge and answer isn't asked again.

    Raises EndpointDied as soon as nothing answers at its address; opinions given until then stay in `kept`.
    """
    endpoint = Endpoint.of(settings, model)
    judged = [(result, result.answer) for result in run.results if result.answer is not None]
    earlier = _read(kept)
    known = {(one.key, one.answer): one for one in earlier if one.judge == endpoint.model}
    opinions: list[Opinion] = []
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Written anew, so that nothing is added behind a line that was cut off.
    partial = kept.with_suffix(".writing")
    partial.write_text("".join(map(line_of, earlier)), encoding="utf-8")
    partial.replace(kept)
    with kept.open("a", encoding="utf-8") as file:
        for number, (result, answer) in enumerate(judged, 1):
            opinion = known.get((result.key, hash_of_judged(result, answer)))
            if opinion is None:
                opinion = _opinion(result, answer, endpoint, settings)
                file.write(line_of(opinion))
                file.flush()
            # The checks may have been done anew since.
            opinions.append(opinion.model_copy(update={"verdict": result.verdict}))
            progress(number, len(judged))
    return opinions


def _opinion(result: Result, answer: Answer, endpoint: Endpoint, settings: Settings) -> Opinion:
    try:
        return opinion_on(result, answer, endpoint)
    except EndpointUnavailable as error:
        # One answer may be too long for a judge that reads the others.
        if not is_alive(settings):
            raise EndpointDied(settings) from error
        return without_opinion(result, answer, endpoint.model, str(error))


def _read(path: Path) -> list[Opinion]:
    """Opinions that were kept; a line that was cut off is dropped."""
    if not path.is_file():
        return []
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.append(Opinion.model_validate_json(line))
        except ValidationError:
            continue
    return found
