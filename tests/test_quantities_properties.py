"""What holds of the number reader for every number, however a language writes it."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.language.characters import fold
from assistant.language.quantities.han_numerals import read_han_number
from assistant.language.quantities.quantity import read_quantities
from assistant.language.quantities.units import convert
from assistant.language.tokens import tokenize
from assistant.language.tongue import LANGUAGES, Language

STYLES: dict[Language, tuple[str, str]] = {"nl": (".", ","), "da": (".", ","), "en": (",", "."), "zh": (",", ".")}
GROUP_SPACES = ["\u00a0", "\u202f", "\u2009"]
BIG_UNITS = ["GB", "GiB", "tokens", "USD", "kr.", "%"]

languages = st.sampled_from(LANGUAGES)
numbers = st.decimals(min_value=Decimal("0.01"), max_value=Decimal(10) ** 12, places=2, allow_nan=False)
whole_numbers = st.integers(min_value=1, max_value=10**15)


def written(value: Decimal, group: str, point: str) -> str:
    whole, _, decimals = f"{value:f}".partition(".")
    head = len(whole) % 3 or 3
    groups = [whole[:head], *(whole[at : at + 3] for at in range(head, len(whole), 3))]
    return group.join(groups) + (point + decimals if decimals else "")


@given(value=numbers, language=languages, unit=st.sampled_from(BIG_UNITS))
def test_a_number_in_a_languages_own_style_reads_back(value: Decimal, language: Language, unit: str) -> None:
    group, point = STYLES[language]
    [quantity] = read_quantities(f"{written(value, group, point)} {unit}", language)
    assert quantity.value == quantity.low == quantity.high == value


@given(value=numbers, language=languages, space=st.sampled_from(GROUP_SPACES))
def test_groups_set_apart_by_narrow_spaces_read_back(value: Decimal, language: Language, space: str) -> None:
    [quantity] = read_quantities(f"{written(value, space, STYLES[language][1])} GB", language)
    assert quantity.value == value


@given(value=whole_numbers, language=languages)
def test_full_width_digits_are_the_same_digits(value: int, language: Language) -> None:
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in str(value))
    [quantity] = read_quantities(f"{wide}ＧＢ", language)
    assert (quantity.value, quantity.text) == (value, f"{wide}ＧＢ")


@given(low=st.integers(1, 90_000), span=st.integers(1, 90_000), language=languages, dash=st.sampled_from("-–~～"))
def test_a_range_keeps_both_ends(low: int, span: int, language: Language, dash: str) -> None:
    group, point = STYLES[language]
    high = low + span
    text = f"{written(Decimal(low), group, point)}{dash}{written(Decimal(high), group, point)} GB"
    [quantity] = read_quantities(text, language)
    assert (quantity.low, quantity.high, quantity.value, quantity.unit) == (low, high, None, "GB")


SCALES: list[tuple[Language, str, int]] = [
    ("nl", "miljoen", 6), ("nl", "miljard", 9), ("nl", "biljoen", 12), ("da", "millioner", 6), ("da", "mia.", 9),
    ("da", "billioner", 12), ("en", "million", 6), ("en", "billion", 9), ("en", "trillion", 12), ("zh", "万", 4),
    ("zh", "亿", 8), ("zh", "万亿", 12),
]  # fmt: skip


@given(value=st.decimals(Decimal("0.1"), Decimal(999), places=1), scale=st.sampled_from(SCALES))
def test_a_scale_word_multiplies_exactly(value: Decimal, scale: tuple[Language, str, int]) -> None:
    language, word, power = scale
    [quantity] = read_quantities(f"{written(value, *STYLES[language])} {word} parameters", language)
    assert quantity.value == value.scaleb(power)


NL_ONES = [
    "nul",
    "een",
    "twee",
    "drie",
    "vier",
    "vijf",
    "zes",
    "zeven",
    "acht",
    "negen",
    "tien",
    "elf",
    "twaalf",
    "dertien",
    "veertien",
    "vijftien",
    "zestien",
    "zeventien",
]
NL_ONES += ["achttien", "negentien"]
NL_TENS = ["twintig", "dertig", "veertig", "vijftig", "zestig", "zeventig", "tachtig", "negentig"]
DA_ONES = [
    "nul",
    "en",
    "to",
    "tre",
    "fire",
    "fem",
    "seks",
    "syv",
    "otte",
    "ni",
    "ti",
    "elleve",
    "tolv",
    "tretten",
    "fjorten",
    "femten",
    "seksten",
    "sytten",
    "atten",
    "nitten",
]
DA_TENS = ["tyve", "tredive", "fyrre", "halvtreds", "tres", "halvfjerds", "firs", "halvfems"]
EN_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
]
EN_ONES += ["seventeen", "eighteen", "nineteen"]
EN_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def dutch(value: int) -> str:
    if value >= 1000:
        return (
            ("" if value < 2000 else dutch(value // 1000)) + "duizend" + (dutch(value % 1000) if value % 1000 else "")
        )
    if value >= 100:
        return ("" if value < 200 else NL_ONES[value // 100]) + "honderd" + (dutch(value % 100) if value % 100 else "")
    if value < 20:
        return NL_ONES[value]
    ones, tens = value % 10, NL_TENS[value // 10 - 2]
    return tens if not ones else NL_ONES[ones] + ("ën" if NL_ONES[ones].endswith("e") else "en") + tens


def danish(value: int) -> str:
    if value >= 1000:
        rest = value % 1000
        return f"{danish(value // 1000)} tusind" + (f" {'og ' if rest < 100 else ''}{danish(rest)}" if rest else "")
    if value >= 100:
        hundreds = "et" if value < 200 else DA_ONES[value // 100]
        return f"{hundreds} hundrede" + (f" og {danish(value % 100)}" if value % 100 else "")
    if value < 20:
        return DA_ONES[value]
    ones, tens = value % 10, DA_TENS[value // 10 - 2]
    return tens if not ones else f"{DA_ONES[ones]}og{tens}"


def english(value: int) -> str:
    if value >= 1000:
        return f"{english(value // 1000)} thousand" + (f" {english(value % 1000)}" if value % 1000 else "")
    if value >= 100:
        return f"{EN_ONES[value // 100]} hundred" + (f" and {english(value % 100)}" if value % 100 else "")
    if value < 20:
        return EN_ONES[value]
    return EN_TENS[value // 10 - 2] + (f"-{EN_ONES[value % 10]}" if value % 10 else "")


def chinese(value: int) -> str:
    digits, units = "零一二三四五六七八九", ["", "十", "百", "千"]

    def section(part: int) -> str:
        text, zero = "", False
        for power in (3, 2, 1, 0):
            digit = part // 10**power % 10
            if digit:
                text += ("零" if zero and text else "") + digits[digit] + units[power]
                zero = False
            else:
                zero = True
        return text

    text, started = "", False
    for power, name in ((8, "亿"), (4, "万"), (0, "")):
        part = value // 10**power % 10_000
        if part:
            text += ("零" if started and part < 1000 else "") + section(part) + name
            started = True
    return text


@given(value=st.integers(2, 999_999))
@settings(max_examples=300)
def test_numbers_written_out_in_full_read_back(value: int) -> None:
    for language, spelled in (("nl", dutch(value)), ("da", danish(value)), ("en", english(value))):
        found = read_quantities(f"{spelled} watt", language)
        assert [(one.value, one.unit) for one in found] == [(value, "W")], spelled


@given(value=st.integers(1, 10**12 - 1))
@settings(max_examples=300)
def test_chinese_numbers_read_back(value: int) -> None:
    spelled = chinese(value)
    number = read_han_number(tokenize(fold(spelled)), 0)
    assert number is not None and number.value == value, spelled


@given(day=st.dates())
def test_days_read_back_in_every_language(day) -> None:  # type: ignore[no-untyped-def]
    if not 1990 <= day.year <= 2049:
        return
    months = {
        "nl": "januari februari maart april mei juni juli augustus september oktober november december",
        "da": "januar februar marts april maj juni juli august september oktober november december",
        "en": "January February March April May June July August September October November December",
    }
    texts: list[tuple[Language, str]] = [
        ("nl", f"{day.day} {months['nl'].split()[day.month - 1]} {day.year}"),
        ("da", f"{day.day}. {months['da'].split()[day.month - 1]} {day.year}"),
        ("en", f"{months['en'].split()[day.month - 1]} {day.day}, {day.year}"),
        ("en", f"{day.day} {months['en'].split()[day.month - 1]} {day.year}"),
        ("zh", f"{day.year}年{day.month}月{day.day}日"),
        ("en", day.isoformat()),
        ("da", f"{day.day:02}.{day.month:02}.{day.year}"),
        ("nl", f"{day.day}-{day.month}-{day.year}"),
    ]
    for language, text in texts:
        assert [one.period for one in read_quantities(text, language)] == [day.isoformat()], text


@given(letters=st.sampled_from(["H", "MI", "gfx", "sm_", "FP", "Q", "HBM", "GB", "B"]), digits=st.integers(1, 9999))
def test_digits_inside_a_name_are_no_quantity(letters: str, digits: int) -> None:
    for language in LANGUAGES:
        assert read_quantities(f"{letters}{digits}", language) == []


@given(major=st.integers(0, 99), minor=st.integers(0, 99), patch=st.integers(0, 99))
def test_versions_of_three_parts_are_no_quantity(major: int, minor: int, patch: int) -> None:
    for language in LANGUAGES:
        assert read_quantities(f"version {major}.{minor}.{patch}", language) == []


@given(text=st.text(max_size=300), language=st.sampled_from([*LANGUAGES, None]))
def test_any_text_at_all_is_read_without_fail(text: str, language: Language | None) -> None:
    for one in read_quantities(text, language):
        assert text[one.start : one.end] == one.text
        assert one.low is None or one.high is None or one.low <= one.high


pieces = st.sampled_from(
    [
        "1",
        "2,5",
        "1.000",
        "80",
        "GB",
        "TB/s",
        "W",
        "kr.",
        "$",
        "€",
        "¥",
        "万",
        "亿",
        "两",
        "张",
        "H100",
        "RTX",
        "4090",
        "per",
        "uur",
        "i",
        "timen",
        "每小时",
        "september",
        "2026",
        "年",
        "月",
        "Q3",
        "til",
        "-",
        "–",
        "±",
        "ca.",
        "op",
        "til",
        "百分之",
        "七百",
        "halvanden",
        "anderhalf",
        "to",
        "en",
        "of",
        ",",
        ".",
        "/",
        "x",
        "×",
        "%",
        "(",
        ")",
        "\n",
        "半",
        "个",
        "多",
        "third",
        "of",
        "[1]",
        "~",
    ]
)


@given(
    parts=st.lists(pieces, max_size=25), glue=st.sampled_from(["", " "]), language=st.sampled_from([*LANGUAGES, None])
)
@settings(max_examples=400)
def test_any_mixture_of_its_own_vocabulary_is_read_without_fail(
    parts: list[str], glue: str, language: Language | None
) -> None:
    text = glue.join(parts)
    found = read_quantities(text, language)
    assert all(text[one.start : one.end] == one.text for one in found)


@given(value=st.decimals(Decimal("0.001"), Decimal(10) ** 6, places=3))
def test_conversion_there_and_back_is_exact(value: Decimal) -> None:
    for one, other in (("kW", "W"), ("GB", "MB"), ("GiB", "MiB"), ("TB/s", "GB/s"), ("GB/s", "Gb/s"), ("week", "day")):
        there = convert(value, one, other)
        assert there is not None and convert(there, other, one) == value
