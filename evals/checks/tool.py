"""Whether a calculation of an answer is the one expected, comes out when done again, and is what the text says."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from assistant.answering.answer import Answer, ToolRun
from evals.suite.case import ExpectedRun

_EQUATION = re.compile(r"(?P<sum>[\d.,\s\u202f–×÷+−/()-]+?)\s*=\s*(?P<result>[\d.,\u202f]+(?:–[\d.,\u202f]+)?)")
_ENDS = re.compile(r"\s–\s")
"""Between a low end and the equation of the high one: 0 – 0.36 × 1,024 = 368.64."""
_TOLERANCE = Decimal("0.006")


def run_problems(expected: ExpectedRun | None, answer: Answer) -> list[str]:
    """Why the calculations of an answer can't be trusted, or aren't those expected."""
    problems = [problem for run in answer.tool_runs for problem in recomputed(run)]
    if expected is None:
        return problems
    runs = [run for run in answer.tool_runs if run.tool == expected.name]
    if not runs:
        done = ", ".join(run.tool for run in answer.tool_runs) or "none"
        return [*problems, f"no calculation {expected.name}; done: {done}"]
    for kind, named in (("inputs", expected.inputs), ("result", expected.result)):
        for name, value in named.items():
            found = [looked_up(getattr(run, kind), name) for run in runs]
            if not any(_same(item, value) for item in found):
                problems.append(f"{expected.name}: {name} is {found[0]!r}, not {value!r}")
    return problems


def looked_up(data: dict[str, Any], path: str) -> Any:
    """A value by its name, or by names with dots between them: per_gpu.total.low."""
    item: Any = data
    for name in path.split("."):
        if isinstance(item, list) and name.isdigit() and int(name) < len(item):
            item = item[int(name)]
        elif isinstance(item, dict):
            item = item.get(name)
        else:
            return None
    return item


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool):
        return found is expected
    try:
        return Decimal(str(found)) == Decimal(str(expected))
    except InvalidOperation:
        return str(found) == str(expected)


def recomputed(run: ToolRun) -> list[str]:
    """Equations of a formula, "3.49 × 8 × 24 = 670.08", that don't come out."""
    problems = []
    for match in _EQUATION.finditer(run.formula):
        for end in (0, -1):
            wanted = _number(match["result"].split("–")[end])
            value = _product(_ENDS.split(match["sum"])[-1], end)
            if (
                wanted is not None
                and value is not None
                and abs(value - wanted) > _TOLERANCE * max(abs(wanted), Decimal(1))
            ):
                problems.append(f"{run.tool}: {match.group().strip()} comes to {value:.6g}")
                break
    return problems


def _product(text: str, end: int) -> Decimal | None:
    """The value of factors with × and ÷ between them, of each the low or high end; None where it is anything else."""
    if re.search(r"[()+−/-]", text):
        return None
    value: Decimal | None = None
    for sign, piece in re.findall(r"([×÷]?)\s*([^×÷]+)", text):
        number = _number(piece.strip().split("–")[end])
        if number is None or (value is not None and not sign) or (sign == "÷" and number == 0):
            return None
        value = number if value is None else value * number if sign == "×" else value / number
    return value if value is not None and re.search("[×÷]", text) else None


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(re.sub(r"[,\s\u202f]", "", text))
    except InvalidOperation:
        return None
