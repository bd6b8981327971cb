"""The choices of the memory calculator that a question states, in words or as options of a command line."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple, get_args

from pydantic import BaseModel, ConfigDict

from assistant.answering.calculation.fit_option_words import Value, fit_option_words
from assistant.errors import InvalidInput
from assistant.language.ask import Ask
from assistant.tools.memory.amounts import read_tokens
from assistant.tools.memory.request import Task

Choice = str | int | float | bool

_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9_-]*)(?:(?:\s*=\s*|\s+)(?!--)([^\s,;?!，。；？！]+))?", re.IGNORECASE)
# Options that the question's other readers take: what is named, and sizes with their unit.
_READ_ELSEWHERE = frozenset({"model", "gpu", "params", "weights", "quantization", "dtype", "engine", "lang", "json"})
_FSDP: dict[str, Choice] = {"full_shard": 3, "shard_grad_op": 2, "no_shard": 0}
_DIVIDES = frozenset({"tp", "pp"})
_BITS = re.compile(r"(?:int)?(4|8|16)(?:[-\s]?(?:bits?|位))?$", re.IGNORECASE)
_CACHE_OF_BITS = {"16": "bf16", "8": "fp8", "4": "int4"}
_CACHE_OF_LLAMA_CPP = {"fp8": "q8_0", "int4": "q4_0", "int8": "q8_0"}


class FitOptions(BaseModel):
    """Fields of a FitRequest that a question sets, where it says them, and options that are known to no tool."""

    model_config = ConfigDict(frozen=True)

    values: dict[str, Choice] = {}
    spans: tuple[tuple[int, int], ...] = ()
    fields: tuple[str, ...] = ()
    """The field that each span sets."""
    unknown: tuple[str, ...] = ()

    def without(self, text: str) -> str:
        """The text with spaces where an option stands, so that its value is taken for nothing else."""
        for start, end in self.spans:
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    def covers(self, place: int) -> bool:
        """True where an option stands at that place of the text."""
        return any(start <= place < end for start, end in self.spans)

    def of(self, fields: Iterable[str]) -> "FitOptions":
        """Those that set one of the fields."""
        kept = [(span, field) for span, field in zip(self.spans, self.fields, strict=True) if field in set(fields)]
        return FitOptions(spans=tuple(span for span, _ in kept), fields=tuple(field for _, field in kept))


class _Said(NamedTuple):
    start: int
    end: int
    field: str
    value: Choice


def read_options(ask: Ask) -> FitOptions:
    """What the question sets; of an option that is said twice, the first. Raises InvalidInput for an odd value."""
    said, unknown = _flags(ask.text)
    uncounted = [match.span() for match in fit_option_words().uncounted.finditer(ask.text)]
    unknown += [ask.text[start:end] for start, end in uncounted]
    for one in _words(ask):
        taken = [*uncounted, *((other.start, other.end) for other in said)]
        if not any(one.start < end and start < one.end for start, end in taken):
            said.append(one)
    values: dict[str, Choice] = {}
    said.sort()
    for one in said:
        if values.setdefault(one.field, one.value) != one.value:
            unknown.append(ask.text[one.start : one.end].strip())
    return FitOptions(
        values=values,
        spans=tuple((one.start, one.end) for one in said),
        fields=tuple(one.field for one in said),
        unknown=tuple(dict.fromkeys(unknown)),
    )


def cache_type(value: str, engine: str | None) -> str:
    """The name that the engine has for a cache of so many bits."""
    return _CACHE_OF_LLAMA_CPP.get(value, value) if engine == "llama.cpp" else value


def _flags(text: str) -> tuple[list[_Said], list[str]]:
    """(options set, those known to no tool): "--kv-type fp8", "--no-hybrid-manager"."""
    said: list[_Said] = []
    unknown: list[str] = []
    words = fit_option_words()
    for match in _FLAG.finditer(text):
        name, written = match[1].lower(), (match[2] or "").rstrip(".:)\"'")
        if name in _READ_ELSEWHERE:
            continue
        denied = name.startswith("no-")
        field = words.by_flag.get(name) or name.removeprefix("no-").replace("-", "_")
        option = words.options.get(field)
        end = match.end() if option is None or option.value != "switch" else match.end(1)
        if name == "fsdp":
            field, value = "zero", _FSDP.get(written.lower(), written)
        elif option is not None and option.value == "switch":
            value = not denied
        elif option is not None or field in ("gpus", "task"):
            value = _typed(field, option.value if option else "count" if field == "gpus" else "word", written)
        else:
            unknown.append(match[0].strip())
            continue
        said.append(_Said(match.start(), end, field, value))
    return said, unknown


def _words(ask: Ask) -> Iterator[_Said]:
    """Options said in words; where two overlap, the longer one and then the one whose value follows comes first."""
    found: list[tuple[int, int, _Said]] = []
    cards = {q.start for q in ask.quantities if q.unit in ("gpu", "card", "unit")}
    other = {q.start for q in ask.quantities if q.unit not in ("", "token", "%")}
    text = ask.text
    for field, patterns in fit_option_words().patterns.items():
        option = fit_option_words().options[field]
        for rank, pattern in enumerate(patterns.with_value):
            for match in pattern.finditer(text):
                start = match.start("value")
                counts_cards = start in cards and field not in _DIVIDES
                if counts_cards or (rank == 2 and start in other):
                    continue
                value = _typed(field, option.value, match["value"])
                found.append((rank, match.start() - match.end(), _Said(match.start(), match.end(), field, value)))
        for value, pattern in patterns.named:
            for match in pattern.finditer(text):
                denied = fit_option_words().behind_without.search(text[: match.start()])
                if denied and option.unsaid is None and option.value != "switch":
                    continue
                start = denied.start() if denied else match.start()
                told: Choice = (option.unsaid or value) if denied else value
                if option.value == "switch":
                    told = not denied
                elif option.value == "count":
                    told = int(value)
                found.append((1, match.start() - match.end(), _Said(start, match.end(), field, told)))
    yield from (said for _, _, said in sorted(found))


def _typed(field: str, kind: Value, written: str) -> Choice:
    """A value as its field takes it. Raises InvalidInput naming the option."""
    bare = written.strip().lower()
    match kind:
        case "count":
            digits = re.sub(r"[.,\s]", "", bare)
            if not digits.isdecimal() or len(digits) > 9:
                raise InvalidInput(f"{field}: {written[:40] or '–'}")
            return int(digits)
        case "tokens":
            grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", bare)
            return read_tokens(re.sub(r"[.,]", "", bare) if grouped else bare, field)
        case "share":
            number = re.match(r"\d*[.,]?\d+", bare)
            if number is None:
                raise InvalidInput(f"{field}: {written[:40] or '–'}")
            share = Decimal(number[0].replace(",", "."))
            return float(share if number.end() == len(bare) else share / 100)
        case "format":
            bits = _BITS.match(bare)
            return _CACHE_OF_BITS[bits[1]] if bits else bare
    if field == "task" and bare not in get_args(Task):
        raise InvalidInput(f"task: {written[:40]}")
    return bare
