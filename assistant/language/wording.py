"""The sentences that code composes, in four languages, from YAML files that people edit."""

from pathlib import Path
from string import Formatter

from pydantic import BaseModel, ConfigDict, model_validator

from assistant.knowledge.schema import read_yaml
from assistant.language.formatting import join_han
from assistant.language.tongue import LANGUAGES, Language, Translated


class Wording(BaseModel):
    """Templates by name; every language of a phrase must use the same {fields}."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    phrases: dict[str, Translated]

    @model_validator(mode="after")
    def _same_fields(self) -> "Wording":
        for name, phrase in self.phrases.items():
            used = {language: fields_of(phrase.in_language(language)) for language in LANGUAGES}
            for language in LANGUAGES:
                if used[language] != used["en"]:
                    raise ValueError(f"{name}: {language} uses {sorted(used[language])}, en uses {sorted(used['en'])}")
        return self

    def say(self, phrase: str, language: Language, /, **fields: str) -> str:
        """The phrase with its fields filled in. Raises KeyError for a name or field that doesn't exist."""
        template = self.phrases[phrase].in_language(language)
        return _fill_chinese(template, fields) if language == "zh" else template.format(**fields)


def fields_of(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field}


def _fill_chinese(template: str, fields: dict[str, str]) -> str:
    pieces: list[str] = []
    for literal, field, _, _ in Formatter().parse(template):
        pieces += [literal, fields[field] if field else ""]
    return join_han(pieces)


def read_wording(path: Path) -> Wording:
    """Read a phrases file. Raises CorpusError naming the phrase at fault."""
    return read_yaml(path, Wording)
