"""Recompute public measured and published memory figures, and print the error of each, worst first.

    python benchmarks/memory_truth.py ../shared/research/memory-ground-truth.csv [--corpus DIR]

Exit status 1 where a row misses its mark. Rows that the calculator can't model are named with the reason and their
error (not_modelled.csv beside this file); they are not counted as met.
"""

import argparse
import csv
import sys
from pathlib import Path

from truth_outcome import Outcome
from truth_recompute import recompute
from truth_rows import Row, Unusable, read_rows
from truth_training import failed_start

from assistant.errors import AssistantError
from assistant.settings import ROOT
from assistant.tools.memory.catalogue import Catalogue, open_catalogue

MARKS = {"parameters": 0.0, "shape": 0.0, "weights": 0.005, "quantised weights": 0.015, "KV cache": 0.005,
         "training states": 0.05, "fits": 0.0, "card memory": 0.005}  # fmt: skip
"""Largest error allowed; a class without a mark is reported only."""


def _run(path: Path, catalogue: Catalogue) -> tuple[list[Outcome], list[tuple[Row, str]]]:
    outcomes: list[Outcome] = []
    skipped: list[tuple[Row, str]] = []
    for row in read_rows(path):
        try:
            outcomes.append(recompute(row, catalogue))
        except (Unusable, AssistantError) as reason:
            skipped.append((row, str(reason)))
        except ValueError as reason:
            skipped.append((row, f"states something out of bounds: {str(reason).splitlines()[0]}"))
        try:
            failed = failed_start(row, catalogue)
        except (Unusable, AssistantError, ValueError):
            continue
        if failed is not None:
            outcomes.append(failed)
    return outcomes, skipped


def _reasons() -> dict[tuple[str, str, str], str]:
    """Why a row can't be modelled, by its model, quantity and figure."""
    with Path(__file__).with_name("not_modelled.csv").open(encoding="utf-8") as file:
        return {(row["model"], row["quantity"], row["value"]): row["reason"] for row in csv.DictReader(file)}


def _off_the_mark(outcome: Outcome) -> bool:
    """True for an error above the mark; a start that failed and is called a fit is off as well."""
    return abs(outcome.error) > MARKS.get(outcome.group, float("inf")) + 1e-6 or (
        outcome.group == "failed starts" and outcome.error != 0
    )


def _report(outcomes: list[Outcome], skipped: list[tuple[Row, str]]) -> int:
    reasons = _reasons()
    off = [o for o in outcomes if _off_the_mark(o)]
    known = {id(o): reasons[key] for o in off if (key := (o.row.model, o.row.quantity, o.row.value)) in reasons}
    missed = [o for o in off if id(o) not in known and o.group in MARKS]
    print("Error of each row, worst first")
    for outcome in sorted(outcomes, key=lambda o: -abs(o.error)):
        mark = " MISSED" if outcome in missed else " NOT MODELLED" if id(outcome) in known else ""
        print(
            f"{outcome.error:+9.3%}  {outcome.row.id:5} {outcome.group:18} {outcome.row.model[:34]:34} "
            f"{outcome.row.quantity[:34]:34} {outcome.expected} → {outcome.found}{mark}"
        )
    print("\nRows that are not recomputed")
    for row, reason in skipped:
        print(f"{row.id:5} {row.kind:20} {row.model[:40]:40} {reason}")
    print("\nRows that it can't model, with the error and the reason")
    for outcome in off:
        if id(outcome) in known:
            row, reason = outcome.row, known[id(outcome)]
            print(f"{outcome.error:+9.3%}  {row.id:5} {outcome.group:18} {row.model}: {reason}")
    print("\nBy class: rows, within the mark, worst error")
    for group in dict.fromkeys(o.group for o in outcomes):
        own = [o for o in outcomes if o.group == group]
        within = sum(o not in off for o in own) if group in MARKS else sum(o.error == 0 for o in own)
        worst = max(abs(o.error) for o in own)
        mark = f"mark {MARKS[group]:.1%}" if group in MARKS else "no mark"
        print(f"{group:20} {len(own):4} {within:4}  {worst:9.4%}  ({mark})")
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="CSV of measured and published figures.")
    parser.add_argument("--corpus", type=Path, default=ROOT / "corpus", help="Knowledge base with models and cards.")
    arguments = parser.parse_args()
    outcomes, skipped = _run(arguments.rows, open_catalogue(arguments.corpus))
    return _report(outcomes, skipped)


if __name__ == "__main__":
    sys.exit(main())
