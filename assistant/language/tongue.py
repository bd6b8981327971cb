"""The four languages of the knowledge base and what is asked of a text in each."""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

Language = Literal["nl", "da", "zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


class Translated(BaseModel):
    """One text in all four languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nl: str
    da: str
    zh: str
    en: str

    def in_language(self, language: Language) -> str:
        text: str = getattr(self, language)
        return text
