"""The citation of a calculation: the formula with its figures."""

from assistant.answering.answer import ToolRun
from assistant.knowledge.citation import Citation
from assistant.language.tongue import Language


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
