"""Which words of which component come from where, so that the whole page changes language at once."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import gradio as gr
from gradio.blocks import Block

from assistant.language.tongue import Language
from assistant.language.wording import Wording

Words = str | Callable[[Language], Any]
"""The name of a string, or a function that gives the words in a language."""
Component = TypeVar("Component", bound=Block)


class Outcome(NamedTuple):
    """What a calculator tells, from the language of the page and its fields."""

    shown: gr.Markdown
    fields: Sequence[gr.components.Component]
    tell: Callable[..., str]


class Localiser:
    """Gives components their words, now in English and later in any language."""

    def __init__(self, text: Wording) -> None:
        self._text = text
        self._words: list[tuple[Block, dict[str, Words]]] = []
        self.outcomes: list[Outcome] = []

    def add(self, component: Component, **words: Words) -> Component:
        """Remember where the component's words come from, and give it the English ones."""
        self._words.append((component, words))
        for name, value in self._spoken(words, "en").items():
            setattr(component, name, value)
        return component

    @property
    def components(self) -> list[Block]:
        return [component for component, _ in self._words]

    def show(self, outcome: Outcome, language: gr.Radio, tabs: Sequence[gr.Tab]) -> None:
        """Tell an outcome when a tab is opened and whenever a field changes; and later in any language."""
        self.outcomes.append(outcome)
        gr.on(
            [*(tab.select for tab in tabs), *(field.change for field in outcome.fields)],  # type: ignore[attr-defined]
            outcome.tell,
            [language, *outcome.fields],
            outcome.shown,
            show_progress="hidden",
            trigger_mode="always_last",
            api_visibility="private",
        )

    def told(self, language: Language, values: Sequence[Any]) -> list[str]:
        """Every outcome, from the values of all their fields, one after the other."""
        told: list[str] = []
        for outcome in self.outcomes:
            own, values = values[: len(outcome.fields)], values[len(outcome.fields) :]
            told.append(outcome.tell(language, *own))
        return told

    def updates(self, language: Language) -> list[dict[str, Any]]:
        """What changes in each of `components`."""
        return [gr.update(**self._spoken(words, language)) for _, words in self._words]

    def _spoken(self, words: dict[str, Words], language: Language) -> dict[str, Any]:
        return {
            name: self._text.say(source, language) if isinstance(source, str) else source(language)
            for name, source in words.items()
        }
