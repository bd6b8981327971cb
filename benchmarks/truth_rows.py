"""Rows of the memory ground truth, and what their free text states: parallelism, formats, cards, counts, sizes."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assistant.errors import AssistantError
from assistant.language.mention import folded, spellings
from assistant.tools.memory.card import Card
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.language_model import LanguageModel

UNITS = {"bytes": 1.0, "MiB": 2.0**20, "GiB": 2.0**30, "GB": 1e9, "GB (is GiB)": 2.0**30, "GiB (derived)": 2.0**30}


class Row(NamedTuple):
    """One line of the file."""

    id: str
    kind: str
    model: str
    params: str
    gpu: str
    setting: str
    quantity: str
    value: str
    unit: str
    source: str

    @property
    def number(self) -> float:
        """The value. Raises Unusable where it is not one number."""
        try:
            return float(self.value)
        except ValueError:
            raise Unusable(f"its value {self.value[:40]!r} is not a number") from None

    @property
    def text(self) -> str:
        return f"{self.model} {self.setting}"


class Unusable(Exception):
    """Why a row can't be recomputed."""


def read_rows(path: Path) -> Iterator[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        for record in csv.DictReader(file):
            yield Row(**{field: record.get(field) or "" for field in Row._fields})


def named_model(text: str, catalogue: Catalogue) -> LanguageModel:
    """The model with the longest spelling that `text` holds. Raises Unusable where none is known."""
    wanted = folded(text)
    by_id = {model.id: model for model in catalogue.models}
    found: list[tuple[int, str]] = []
    for spelling, entity_id in spellings(catalogue.entities.values()):
        place = wanted.find(spelling)
        ends = place + len(spelling)
        # 'llama3.170b' must not be found inside 'llama3.170bx', nor 'qwen38b' inside 'qwen38bb'.
        if entity_id in by_id and place >= 0 and not wanted[ends : ends + 1].isdigit() and place < 12:
            found.append((len(spelling), entity_id))
    if not found:
        raise Unusable(f"no known model in {text!r}")
    return by_id[max(found)[1]]


def named_card(text: str, catalogue: Catalogue) -> tuple[Card, int]:
    """(card, number of them) that a text such as '4xA10G 24GB' names. Raises Unusable."""
    match = re.match(r"\s*(?:(\d+)\s*[x×]\s*)?(.+)", text)
    if match is None:
        raise Unusable("names no card")
    stated = stated_size(r"([\d.]+) GiB (?:visible|usable)", text)
    bare = re.fullmatch(r"(\d+) ?GB", match[2].strip())
    if stated is not None or bare:
        size = stated or int(bare[1] if bare else 0) * 10**9
        card = Card(id="stated", name=match[2], nominal_gb=size / 1e9, usable_bytes=size, usable_measured=bool(stated))
        return card, int(match[1] or 1)
    if re.search(r"[A-Z]\d+\s*/\s*[A-Z]\d+", text):
        raise Unusable(f"names two cards: {text}")
    words = match[2].replace("-", " ").replace("/", " ").split()
    for length in range(len(words), 0, -1):
        try:
            return catalogue.card(" ".join(words[:length])), int(match[1] or 1)
        except AssistantError:
            continue
    raise Unusable(f"no known card in {text!r}")


_FORMATS = (
    ("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("w8a8", "w8a8"), ("gptq", "int4"), ("awq", "int4"), ("fp8", "fp8"),
    ("f8_e4m3", "fp8"), ("nf4", "nf4"), ("bf16", "bf16"), ("f16", "bf16"),
)  # fmt: skip
_GGUF = re.compile(r"\b(I?Q\d_[A-Z0-9]+(?:_[SML])?|IQ\d_[A-Z]+|F16|BF16)\b")


def stated_format(row: Row, model: LanguageModel) -> str:
    """The weight format that the row states; the one in which the model is published where it states none."""
    gguf = _GGUF.search(row.text)
    if gguf and (row.kind in ("llamacpp_log", "gguf_bpw") or "Q" in gguf[1]):
        return gguf[1].lower()
    lower = row.text.lower()
    found = next((form for word, form in _FORMATS if word in lower), model.stored_as)
    return "mxfp4_moe" if found == "mxfp4" and row.kind == "llamacpp_log" else found


def stated_cache_type(row: Row) -> str:
    lower = row.text.lower()
    if "fp8_ds_mla" in lower:
        return "fp8_ds_mla"
    for word, kind in (("fp8 kv", "fp8"), ("q8 kv", "q8_0"), ("q8_0 kv", "q8_0"), ("q4_0 kv", "q4_0"), ("f32", "fp32")):
        if word in lower:
            return kind
    return "bf16"


def stated_number(pattern: str, text: str) -> int | None:
    """The whole number behind the first match of `pattern`, whose first group it is."""
    match = re.search(pattern, text, re.IGNORECASE)
    return int(match[1].replace(",", "")) if match else None


def stated_size(pattern: str, text: str) -> int | None:
    """Bytes of the size in GiB that `pattern` captures."""
    match = re.search(pattern, text, re.IGNORECASE)
    return int(float(match[1]) * 2**30) if match else None


def tensor_parallel(row: Row) -> int:
    return stated_number(r"\b(?:TP|tensor[- ]parallel(?:-size)?)[\s=]?(\d+)", row.setting) or 1


def stated_context(row: Row) -> int | None:
    """Tokens of a sequence, under any of the names that logs give it."""
    names = r"n_?ctx|ctx|context|max_?len|max_model_len|max-model-len|seq(?:uence)?(?: len(?:gth)?)?"
    match = re.search(rf"(?:{names})\s*[=:]?\s*(\d[\d,]*\d|\d)(k?)\b", row.setting, re.IGNORECASE)
    if match is None:
        return None
    return int(match[1].replace(",", "")) * (1024 if match[2] else 1)


def stated_cache_types(row: Row) -> tuple[str, str]:
    """llama.cpp's types of keys and values; 16-bit where the row states none."""
    kinds = r"(f32|f16|q8_0|q5_1|q5_0|q4_1|q4_0|iq4_nl)"
    keys = re.search(rf"\bK[ =:(]*{kinds}", row.setting)
    values = re.search(rf"\bV[ =:(]*{kinds}", row.setting)
    both = re.search(rf"\b{kinds}\b", row.setting)
    rest = both[1] if both else "f16"
    return (keys[1] if keys else rest), (values[1] if values else rest)
