"""Recompute public measured and published memory figures, and print the error of each, worst first.

    python benchmarks/memory_truth.py ../shared/research/memory-ground-truth.csv [--corpus DIR]

Exit status 1 where a row misses its mark.
"""

import argparse
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


def _report(outcomes: list[Outcome], skipped: list[tuple[Row, str]]) -> int:
    missed = [o for o in outcomes if o.group in MARKS and abs(o.error) > MARKS[o.group] + 1e-6]
    print("Error of each row, worst first")
    for outcome in sorted(outcomes, key=lambda o: -abs(o.error)):
        mark = " MISSED" if outcome in missed else ""
        print(
            f"{outcome.error:+9.3%}  {outcome.row.id:5} {outcome.group:18} {outcome.row.model[:34]:34} "
            f"{outcome.row.quantity[:34]:34} {outcome.expected} → {outcome.found}{mark}"
        )
    print("\nRows that are not recomputed")
    for row, reason in skipped:
        print(f"{row.id:5} {row.kind:20} {row.model[:40]:40} {reason}")
    print("\nBy class: rows, within the mark, worst error")
    for group in dict.fromkeys(o.group for o in outcomes):
        own = [o for o in outcomes if o.group == group]
        within = sum(o not in missed for o in own) if group in MARKS else sum(o.error == 0 for o in own)
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
