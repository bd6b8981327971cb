"""What was missing for a question: a name, a property, a time, or anything that was recognised at all."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.answering.assistant import Assistant
from assistant.answering.composing.composing import compose_part
from assistant.answering.composing.narrator import Narrator
from assistant.answering.composing.other_times import periods_asked
from assistant.answering.evidence import AskEvidence
from evals.gaps.asked import AskedQuestion

GapKind = Literal["name", "property", "time", "subject", "said", "unrecognised", "outside"]
GAP_KINDS: dict[GapKind, str] = {
    "name": "Names that the sources don't have",
    "property": "Properties that aren't held of what was named",
    "time": "Figures that aren't held for the time asked",
    "subject": "Things that are known, and what was asked of them isn't",
    "said": "Answered, and a reader said that something was missing",
    "unrecognised": "Neither a name nor a property was recognised",
    "outside": "Outside of what the sources are about",
}
"""What can be missing, with the heading it is listed under, in the order of listing."""


class Gap(BaseModel):
    """One thing that was missing for a question; said in the language that the listing is in."""

    model_config = ConfigDict(frozen=True)

    kind: GapKind
    key: str
    """The same for the same gap, whichever language was asked in."""
    what: str
    about: tuple[str, ...] = ()
    """Names of the things that it was asked of."""
    nearest: tuple[str, ...] = ()
    """The nearest names that the sources do have."""


def gaps_of(asked: AskedQuestion, assistant: Assistant) -> list[Gap]:
    """What was missing for a question as it would be answered now, without repeats; empty where it is answered."""
    understanding = assistant.understand(asked.question)
    evidence = assistant.gather(asked.question, understanding)
    teller = Narrator(assistant.library, assistant.phrases, "en", assistant.today)
    asker = Narrator(assistant.library, assistant.phrases, understanding.language, assistant.today)
    found: dict[tuple[GapKind, str], Gap] = {}
    for part in evidence.parts:
        status = compose_part(part, asker).status
        if status == "needs_input":
            continue
        if status == "out_of_scope":
            gaps = [Gap(kind="outside", key="", what="")] if part.ask.text.strip() else []
        else:
            gaps = list(_missing(part, teller, is_silent=status == "not_in_sources")) if status != "answered" else []
        found.update({(gap.kind, gap.key): gap for gap in gaps})
    if any(kind != "outside" for kind, _ in found):
        # A greeting beside a question is no gap.
        found = {of: gap for of, gap in found.items() if gap.kind != "outside"}
    if asked.found_wanting and not found:
        names = tuple(dict.fromkeys(teller.name(id_) for part in evidence.parts for id_ in part.entities))
        return [Gap(kind="said", key="/".join(names), what=", ".join(names), about=names)]
    return list(found.values())


def _missing(part: AskEvidence, teller: Narrator, *, is_silent: bool) -> Iterator[Gap]:
    about = tuple(dict.fromkeys([*(teller.name(id_) for id_ in part.entities), *part.ask.names]))
    if part.unknown:
        for name in part.unknown:
            nearest = tuple(teller.name(id_) for id_ in name.nearest)
            yield Gap(kind="name", key=" ".join(name.text.split()).casefold(), what=name.text, nearest=nearest)
        return
    attributes = [id_ for id_ in part.ask.attributes if not teller.corpus.attributes[id_].weak]
    if part.other_times and is_silent:
        periods = ", ".join(teller.date(period) for period in periods_asked(part.ask))
        attribute = part.other_times[0].attribute
        yield Gap(kind="time", key=f"{attribute} {periods}", what=f"{teller.label(attribute)}, {periods}", about=about)
    elif part.ask.nouns:
        # Nothing known is meant by the noun, so it stands in the language of the question.
        yield Gap(kind="property", key=part.ask.nouns[0].casefold(), what=part.ask.nouns[0], about=about)
    elif attributes:
        yield Gap(kind="property", key=attributes[0], what=teller.label(attributes[0]), about=about)
    elif about:
        yield Gap(kind="subject", key="/".join(about), what=", ".join(about), about=about)
    else:
        yield Gap(kind="unrecognised", key="", what="")
