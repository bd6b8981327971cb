"""Parts of a whole: 三分之二, 1/3, 九成, 七成五."""

from decimal import Decimal

from assistant.language.quantities.amount import Amount
from assistant.language.quantities.figures import Figure, FigureReader
from assistant.language.quantities.number_lists import number_lists
from assistant.language.quantities.unit_names import UnitNames
from assistant.language.tokens import Tokens

_LARGEST_DENOMINATOR = 20
# A quotient is exact to no digit in particular; two decimals are what a text means by a third.
_STEP = Decimal("0.01")


def read_share(tokens: Tokens, place: int, figure: Figure, figures: FigureReader, units: UnitNames) -> Amount | None:
    """The share that `figure`, the number at `place`, is the beginning of."""
    return _parts(tokens, place, figure, figures) or _tenths(tokens, place, figure) or _fraction(tokens, place, units)


def _parts(tokens: Tokens, place: int, figure: Figure, figures: FigureReader) -> Amount | None:
    """三分之二 is two thirds."""
    han = number_lists().han
    if tokens.at(figure.end).text + tokens.at(figure.end + 1).text != han.parts:
        return None
    above, below = figures.read(figure.end + 2), figure.readings[0].value
    if above is None or below == 0:
        return None
    return Amount(place, above.end, above.readings[0].value / below, _STEP, "x")


def _tenths(tokens: Tokens, place: int, figure: Figure) -> Amount | None:
    """九成 is 90 %, 七成五 75 %, 九成半 95 %."""
    han = number_lists().han
    sign, following = tokens.at(figure.end), tokens.at(figure.end + 1)
    tenths = figure.readings[0].value
    if sign.text != han.tenths or not sign.glued or not 0 < tenths <= 10:
        return None
    if following.glued and following.text in han.not_behind_tenths:
        return None
    hundredths = han.digits.get(following.text, 5 if following.text == han.half else 0) if following.glued else 0
    end = figure.end + (2 if hundredths else 1)
    return Amount(place, end, tenths * 10 + hundredths, Decimal(1), "%")


def _fraction(tokens: Tokens, place: int, units: UnitNames) -> Amount | None:
    """1/3, where nothing says what would be counted by the 1 and the 3."""
    above, slash, below = (tokens.at(place + step) for step in range(3))
    written = slash.text == "/" and slash.glued and below.glued and above.text.isdigit() and below.text.isdigit()
    if not written or len(below.text) > 2 or not 0 < int(above.text) < int(below.text) <= _LARGEST_DENOMINATOR:
        return None
    behind = tokens.at(place + 3)
    if units.read(tokens, place + 3) or (behind.glued and behind.text in ("/", "-", ".")):
        return None
    return Amount(place, place + 3, Decimal(above.text) / Decimal(below.text), _STEP, "x")
