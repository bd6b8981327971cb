"""What the number reader makes of texts in four languages, short of what properties can say."""

import json
import time
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.interfaces.commands.quantities import command
from assistant.knowledge.claim import Range
from assistant.knowledge.period import Period
from assistant.language.quantities.quantity import Quantity, read_quantities, reads_back, same_quantity
from assistant.language.quantities.units import convert
from assistant.language.tongue import LANGUAGES

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "quantities.jsonl").read_text("utf-8").splitlines()
]


def in_short(quantity: Quantity) -> str:
    """A reading as the cases write it: 80 GB, 3..5 year, @2026-Q3, with ~ for about and <= or >= for a limit."""
    if quantity.period is not None:
        figure = f"@{quantity.period}"
    elif quantity.value == quantity.low == quantity.high and quantity.value is not None:
        figure = f"{quantity.value.normalize():f}"
    else:
        assert quantity.low is not None and quantity.high is not None
        figure = f"{quantity.low.normalize():f}..{quantity.high.normalize():f}"
    marks = ["~"] if quantity.approximate else []
    marks += {"at_most": ["<="], "at_least": [">="], None: []}[quantity.bound]
    return " ".join([figure, *([quantity.unit] if quantity.unit else []), *marks])


@pytest.mark.parametrize("case", CASES, ids=[f"{case['lang']}:{case['text'][:40]}" for case in CASES])
def test_reads_every_quantity_and_nothing_else(case: dict) -> None:
    assert [in_short(one) for one in read_quantities(case["text"], case["lang"])] == case["reads"]


def test_cases_cover_all_languages_and_texts_of_unknown_language() -> None:
    counts = {lang: sum(case["lang"] == lang for case in CASES) for lang in (*LANGUAGES, None)}
    assert all(counts[lang] >= 200 for lang in LANGUAGES), counts
    assert counts[None] >= 15


@pytest.mark.parametrize("lang", [*LANGUAGES, None])
def test_offsets_are_those_of_the_original_text(lang: str | None) -> None:
    for case in CASES:
        found = read_quantities(case["text"], lang)
        assert all(case["text"][one.start : one.end] == one.text != "" for one in found)
        assert all(first.end <= second.start for first, second in pairwise(found))


def test_offsets_survive_characters_that_vanish_or_grow() -> None:
    text = "\ufeff内存 ２４㎇，８\u200b0\u200b GB, en e\u0301e\u0301n \u202e80 GB"
    assert [(one.text, one.value, one.unit) for one in read_quantities(text, "zh")] == [
        ("２４㎇", Decimal(24), "GB"),
        ("８\u200b0\u200b GB", Decimal(80), "GB"),
        ("80 GB", Decimal(80), "GB"),
    ]


def test_an_unsettled_separator_leaves_the_other_reading_as_candidate() -> None:
    [quantity] = read_quantities("1.500 euro")
    assert (quantity.value, [other.value for other in quantity.candidates]) == (1500, [Decimal("1.500")])
    [watts] = read_quantities("1.000 W", "en")
    assert (watts.value, [other.value for other in watts.candidates]) == (1000, [Decimal("1.000")])


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        ("3W人", "zh", (Decimal(3), "W")),
        ("¥12,999", "en", (Decimal(12999), "JPY")),
        ("1,5 billion", "da", (Decimal("1.5E+9"), "")),
        ("128K context", "en", (Decimal(131072), "token")),
        ("80G", "zh", (Decimal(80), "GiB")),
        ("9/8/2026", "en", None),
    ],
)
def test_ambiguity_that_remains_is_reported(text: str, lang: str, other: tuple[Decimal, str] | None) -> None:
    [quantity] = read_quantities(text, lang)
    if other is None:
        assert [candidate.period for candidate in quantity.candidates] == ["2026-08-09"]
    else:
        assert other in [(candidate.value, candidate.unit) for candidate in quantity.candidates]
    assert all(candidate.reason for candidate in quantity.candidates)


def test_yen_is_not_offered_in_chinese_text() -> None:
    [quantity] = read_quantities("￥12999", "zh")
    assert (quantity.unit, quantity.candidates) == ("CNY", ())


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        ("0.8", "kW", "W", "800"), ("2", "GW", "MW", "2000"), ("80", "GiB", "GB", "85.89934592"),
        ("81559", "MiB", "GiB", "79.6474609375"), ("1", "GB/s", "Gb/s", "8"), ("3.35", "TB/s", "GB/s", "3350"),
        ("2", "week", "day", "14"), ("2", "year", "month", "24"), ("90", "min", "h", "1.5"),
        ("0.002", "USD/ktoken", "USD/Mtoken", "2"), ("24", "USD/day", "USD/h", "1"),
        ("4.5", "PFLOPS", "TFLOPS", "4500"),
    ],
)  # fmt: skip
def test_converts_exactly_within_a_dimension(value: str, source: str, target: str, result: str) -> None:
    assert convert(Decimal(value), source, target) == Decimal(result)


@pytest.mark.parametrize(
    ("source", "target"),
    [("USD", "EUR"), ("USD/h", "EUR/h"), ("W", "Wh"), ("GB", "GB/s"), ("month", "day"), ("%", "pp"), ("%", "x"),
     ("GB", "nonsense"), ("", "GB"), ("gpu", "cpu"), ("USD/h", "USD/month")],
)  # fmt: skip
def test_never_converts_between_dimensions_or_currencies(source: str, target: str) -> None:
    assert convert(Decimal(1), source, target) is None


def test_same_quantity_goes_by_the_coarser_digits() -> None:
    assert same_quantity(Decimal("0.8"), Decimal(800), unit="kW", other_unit="W")
    assert same_quantity(Decimal("85.9"), Decimal(80), unit="GB", other_unit="GiB", step=Decimal("0.1"))
    assert (
        same_quantity(
            Decimal(70_000_000_000), Decimal(70_553_706_496), unit="param", other_unit="param", step=Decimal("1E+9")
        )
        is False
    )
    assert same_quantity(
        Decimal(71_000_000_000), Decimal(70_553_706_496), unit="param", other_unit="param", step=Decimal("1E+9")
    )
    assert not same_quantity(Decimal("3.99"), Decimal("4.00"))
    assert not same_quantity(Decimal(1000), Decimal(1040), unit="W", other_unit="W")
    assert not same_quantity(Decimal(80), Decimal(80), unit="GB", other_unit="GiB")


@pytest.mark.parametrize(
    ("quote", "lang", "value", "unit"),
    [
        ("levering af op til 2 gigawatt", "da", Decimal(2), "GW"),
        ("700亿参数", "zh", Decimal(70_000_000_000), "param"),
        ("70 miljard parameters", "nl", Decimal(70_000_000_000), "param"),
        ("0,8 kW", "nl", Decimal(800), "W"),
        ("| Nvidia H100 PCIe | RunPod | 1,99 $ |", "da", Decimal("1.99"), "USD/h"),
        ("| H100 | 80 |", "en", Decimal(80), "GB"),
        ("3,59 til 4,59 $", "da", Range(low=Decimal("3.59"), high=Decimal("4.59")), "USD/h"),
        ("11,25 til 12,5 millioner enheder", "da", Range(low=Decimal(11_250_000), high=Decimal(12_500_000)), "unit"),
        ("den 9. september", "da", Period("2026-09-09"), None),
        ("27. august 2026", "da", Period("2026-08-27"), None),
        ("udgangen af tredje kvartal 2026", "da", Period("2026-Q3"), None),
        ("ROCm 10 dækker fire arkitekturgenerationer", "da", Decimal(4), "generation"),
        ("128K context", "en", Decimal(131072), "token"),
        ("it is open source", "en", True, None),
    ],
)  # fmt: skip
def test_a_claims_value_reads_back_out_of_its_quote(quote, lang, value, unit) -> None:  # type: ignore[no-untyped-def]
    assert reads_back(quote, lang, value, unit)


@pytest.mark.parametrize(
    ("quote", "lang", "value", "unit"),
    [
        ("80 GB HBM3", "en", Decimal(81), "GB"), ("80 GB HBM3", "en", Decimal(80), "GiB"),
        ("H100 and RTX 4090", "en", Decimal(4090), "gpu"), ("ROCm 10", "en", Decimal(10), None),
        ("$99/month", "en", Decimal(99), "USD/h"), ("80 USD", "en", Decimal(80), "EUR"),
        ("2026", "en", Decimal(2026), "gpu"), ("in 2026", "en", Period("2026-09"), None),
        ("den 9. september 2025", "da", Period("2026-09-09"), None), ("8 weeks", "en", Decimal(8), "GB"),
        ("8 watt", "nl", Decimal(8), "gpu"), ("20 to 25 %", "en", Range(low=Decimal(20), high=Decimal(26)), "%"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_in_the_quote_does_not_read_back(quote, lang, value, unit) -> None:  # type: ignore[no-untyped-def]
    assert not reads_back(quote, lang, value, unit)


def test_command_prints_exactly_the_promised_keys() -> None:
    result = CliRunner().invoke(command, ["ca. 450 watt, 3–5 år, den 9. september 2026", "--lang", "da", "--json"])
    watts, years, day = json.loads(result.output)
    assert watts == {
        "text": "450 watt", "start": 4, "end": 12, "value": 450, "low": 450, "high": 450, "unit": "W", "kind": "power",
        "approximate": True, "bound": None,
    }  # fmt: skip
    assert (years["value"], years["low"], years["high"], years["kind"]) == (None, 3, 5, "duration")
    assert (day["value"], day["kind"], day["period"]) == (None, "date", "2026-09-09")


def test_command_reads_standard_input_and_refuses_an_unknown_language() -> None:
    assert CliRunner().invoke(command, ["-"], input="80 GB").output.startswith("80 GB\t80 GB\tmemory")
    assert CliRunner().invoke(command, ["80 GB", "--lang", "fr"]).exit_code == 2


HOSTILE = {
    "digits": "9" * 20_000, "versions": "1." * 10_000, "groups": "1 " + "000 " * 5_000, "ranges": "1-" * 10_000,
    "letters": "a" * 20_000, "names": "a1" * 10_000, "number words": "hundred " * 2_500, "characters": "一万" * 10_000,
    "powers": "10^" * 6_000, "exponents": "1e9" * 6_000, "currencies": "$" * 20_000, "per": "1 per " * 3_000,
    "months": "september " * 2_000, "years": "2026年" * 4_000, "limits": "up to " * 3_000, "words": "honderd" * 3_000,
    "invisible": "\u200b" * 20_000, "accents": "a\u0301" * 10_000, "between": "在1和" * 6_000, "quotes": "1'" * 10_000,
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    read_quantities("80 GB", "da")

    def seconds(part: str) -> float:
        spent: list[float] = []
        for _ in range(3):
            start = time.process_time()
            read_quantities(part, "da")
            spent.append(time.process_time() - start)
        # The quickest of three, because a busy machine only ever adds time.
        return min(spent)

    quarter, whole = seconds(text[: len(text) // 4]), seconds(text)
    assert whole < max(12 * quarter, 0.3)
