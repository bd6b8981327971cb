"""Recomputes figures of public logs that were gathered after the calculator was built, worst first.

    python benchmarks/independent_logs.py

Rows and their sources: independent_logs.csv beside this file. Nothing was changed to meet them; a row that is missed
says why, where that is known.
"""

import csv
from pathlib import Path
from typing import NamedTuple

from assistant.settings import ROOT
from assistant.tools.memory.cache_layout import CacheLayout
from assistant.tools.memory.catalogue import Catalogue, open_catalogue
from assistant.tools.memory.kv_cache import cache_bytes
from assistant.tools.memory.quantization import weight_bytes, weight_format

_UNITS = {"MiB": 2**20, "GiB": 2**30}
# As close as the log's own last digit allows, or half a percent.
_MARK = {"kv": 0.005, "weights": 0.005}


class Row(NamedTuple):
    """One figure of a log, and ours."""

    id: str
    model: str
    quantity: str
    logged: float
    ours: float
    why_not: str

    @property
    def error(self) -> float:
        return self.ours / self.logged - 1


def _ours(catalogue: Catalogue, row: dict[str, str]) -> float:
    model = catalogue.model(row["model"]).architecture
    if row["quantity"] == "weights":
        return weight_bytes(model, weight_format(row["weights"]), tensor_parallel=int(row["tp"]))
    layout = CacheLayout.model_validate({"engine": row["engine"], "kv_type": row["kv_type"]})
    return cache_bytes(model, layout, context=int(row["tokens"]))


def rows(path: Path) -> list[Row]:
    """Every row recomputed, the worst first."""
    catalogue = open_catalogue(ROOT / "corpus")
    with path.open(encoding="utf-8") as file:
        found = [
            Row(
                row["id"], row["model"], row["quantity"], float(row["value"]) * _UNITS[row["unit"]],
                _ours(catalogue, row), row["why_not"],
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip
    return sorted(found, key=lambda row: -abs(row.error))


def main() -> None:
    found = rows(Path(__file__).with_name("independent_logs.csv"))
    for row in found:
        why = f"  ({row.why_not})" if row.why_not else ""
        print(f"{row.error:+9.3%}  {row.id}  {row.quantity:8} {row.model}{why}")
    for quantity, mark in _MARK.items():
        of_kind = [row for row in found if row.quantity == quantity]
        within = sum(abs(row.error) <= mark for row in of_kind)
        print(f"{quantity}: {within} of {len(of_kind)} within {mark:.1%}")


if __name__ == "__main__":
    main()
