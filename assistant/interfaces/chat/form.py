"""Values of the calculators' fields, read with errors in the language of the page."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.errors import InvalidInput
from assistant.language.formatting import format_number
from assistant.language.quantities.quantity import read_quantities
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.memory.amounts import MOST_TOKENS, read_tokens

Typed = str | float | int | None


class Form:
    """Reads fields; `name` is the string that labels a field, and each refusal names it. Raises InvalidInput."""

    def __init__(self, text: Wording, language: Language) -> None:
        self._text = text
        self.language = language

    def say(self, phrase: str, /, **fields: str) -> str:
        return self._text.say(phrase, self.language, **fields)

    def chosen(self, name: str, value: str | None) -> str:
        """A choice that must have been made."""
        if not value or not value.strip():
            raise InvalidInput(self.say("input_missing", field=self.say(name)))
        return value.strip()

    def number(self, name: str, value: Typed, low: Decimal | int, high: Decimal | int) -> Decimal:
        """A number between two others."""
        found = self.optional(name, value, low, high)
        if found is None:
            raise InvalidInput(self.say("input_missing", field=self.say(name)))
        return found

    def optional(self, name: str, value: Typed, low: Decimal | int, high: Decimal | int) -> Decimal | None:
        """A number between two others, or None where the field is empty."""
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        number = self._read(value) if isinstance(value, str) else Decimal(str(value))
        if number is None or not number.is_finite() or not low <= number <= high:
            raise InvalidInput(self._refusal("input_number", name, low, high))
        return number

    def _read(self, typed: str) -> Decimal | None:
        """A number as the language of the page writes it: 3,99 or 1.000 in Dutch."""
        found = read_quantities(typed[:100], self.language)
        return found[0].value if len(found) == 1 and found[0].text == typed.strip() else None

    def whole(self, name: str, value: Typed, low: int, high: int) -> int:
        """A whole number between two others."""
        number = self.number(name, value, low, high)
        if number != number.to_integral_value():
            raise InvalidInput(self._refusal("input_whole", name, low, high))
        return int(number)

    def percent(self, name: str, value: Typed, low: int = 1, high: int = 100) -> Decimal:
        """A percentage, as a share of one."""
        return self.number(name, value, low, high) / 100

    def tokens(self, name: str, value: str | None) -> int | None:
        """A number of tokens such as 8192 or 32k, or None where the choice is left to the calculator."""
        if not value or not value.strip():
            return None
        try:
            return read_tokens(value)
        except InvalidInput as error:
            raise InvalidInput(self._refusal("input_whole", name, 1, MOST_TOKENS)) from error

    def _refusal(self, phrase: str, name: str, low: Decimal | int, high: Decimal | int) -> str:
        low_shown, high_shown = (format_number(Decimal(end), self.language) for end in (low, high))
        return self.say(phrase, field=self.say(name), low=low_shown, high=high_shown)


def first_holding(part: str, names: Sequence[str]) -> str | None:
    """The first name that holds `part`, for a form to begin with something."""
    return next((name for name in names if part in name), names[0] if names else None)
