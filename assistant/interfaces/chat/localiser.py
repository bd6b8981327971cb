"""Which words of which component come from which string of the page, so that all can change language at once."""

from collections.abc import Callable
from typing import Any, TypeVar

from gradio.blocks import Block

from assistant.language.tongue import Language
from assistant.language.wording import Wording

Words = str | Callable[[Language], Any]
"""The name of a string, or a function that gives the words in a language."""
Component = TypeVar("Component", bound=Block)


class Localiser:
    """Gives components their words, now in English and later in any language."""

    def __init__(self, text: Wording) -> None:
        self._text = text
        self._words: list[tuple[Block, dict[str, Words]]] = []

    def add(self, component: Component, **words: Words) -> Component:
        """Remember where the component's words come from, and give it the English ones."""
        self._words.append((component, words))
        for name, value in self._spoken(words, "en").items():
            setattr(component, name, value)
        return component

    @property
    def components(self) -> list[Block]:
        return [component for component, _ in self._words]

    def updates(self, language: Language) -> list[dict[str, Any]]:
        """What changes in each of `components`."""
        from gradio import update

        return [update(**self._spoken(words, language)) for _, words in self._words]

    def _spoken(self, words: dict[str, Words], language: Language) -> dict[str, Any]:
        return {
            name: self._text.say(source, language) if isinstance(source, str) else source(language)
            for name, source in words.items()
        }
