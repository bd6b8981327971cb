"""The citation of a calculation: the formula with its figures."""

from collections.abc import Iterable
from typing import Protocol

from assistant.answering.answer import ToolRun
from assistant.knowledge.citation import Citation
from assistant.language.tongue import Language


class Step(Protocol):
    """A step of a calculation, in words and with its figures."""

    @property
    def formula(self) -> str: ...

    @property
    def filled(self) -> str: ...


def worked_out(steps: Iterable[Step]) -> str:
    """The steps of a calculation in one line; what parts them stands in none of them."""
    return "; ".join(f"{step.formula}: {step.filled}".replace("; ", ", ") for step in steps)


def cite_run(run: ToolRun, language: Language) -> Citation:
    return Citation(
        marker=0,
        source_id=f"tool:{run.tool}",
        title=f"gpu-assistant {run.tool}",
        language=language,
        section=run.tool,
        quote=run.formula or str(run.inputs),
        kind="tool",
    )
