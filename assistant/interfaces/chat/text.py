"""What the page itself says, and its example questions, in four languages."""

from functools import lru_cache
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field

from assistant.feedback.record import Reason
from assistant.knowledge.schema import read_yaml
from assistant.language.tongue import LANGUAGES, Language, Translated
from assistant.language.wording import Wording, read_wording

_FOLDER = Path(__file__).parent

LANGUAGE_NAMES: dict[Language, str] = {"nl": "Nederlands", "da": "Dansk", "zh": "中文", "en": "English"}
# Tags for the lang attribute; without the region a browser may pick Japanese shapes for Chinese characters.
LANGUAGE_TAGS: dict[Language, str] = {"nl": "nl", "da": "da", "zh": "zh-CN", "en": "en"}


OPINION_WORDS = (
    "opinion", "opinion_up", "opinion_down", "opinion_why", "opinion_comment", "opinion_note", "opinion_send", "cancel",
    "opinion_thanks", "opinion_back", "opinion_gone", "opinion_refused", "sign_in", "busy", "unreachable",
    *(f"reason_{reason}" for reason in get_args(Reason)),
)  # fmt: skip
"""Strings that opinion.js says, in the chat and in frames."""


class Examples(BaseModel):
    """examples.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    examples: tuple[Translated, ...] = Field(min_length=3, max_length=8)


@lru_cache(maxsize=1)
def page_wording() -> Wording:
    """The strings of the page. Raises CorpusError naming the string at fault."""
    return read_wording(_FOLDER / "strings.yaml")


@lru_cache(maxsize=1)
def example_questions() -> Examples:
    return read_yaml(_FOLDER / "examples.yaml", Examples)


def preferred_language(accept_language: str, chosen: str | None = None) -> Language:
    """The language to start in: the one chosen before, else the first that the browser accepts, else English."""
    known: dict[str, Language] = {language: language for language in LANGUAGES}
    if chosen in known:
        return known[chosen]
    ranked = sorted(map(_weighted, accept_language.split(",")[:20]), key=lambda pair: -pair[0])
    return next((known[tag] for weight, tag in ranked if tag in known and weight > 0), "en")


def _weighted(part: str) -> tuple[float, str]:
    tag, _, weight = part.strip().lower().partition(";q=")
    try:
        return float(weight or 1), tag.split("-")[0]
    except ValueError:
        return 0.0, ""
