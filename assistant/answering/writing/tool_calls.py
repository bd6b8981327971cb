"""Calls of tools that a language model makes while it writes, and their results as evidence."""

from collections.abc import Callable, Sequence

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from assistant.answering.answer import ToolRun
from assistant.answering.evidence import Calculation
from assistant.knowledge.addressed import to_people
from assistant.knowledge.citation import Citation
from assistant.knowledge.unseen import as_seen
from assistant.language.tongue import Language

ToolSource = Callable[[Language], Sequence[BaseTool]]
"""Gives the tools whose results are told in a language."""
_LONGEST_RESULT = 8_000


def call_tool(call: ToolCall, tools: Sequence[BaseTool], language: Language) -> tuple[ToolMessage, Calculation | None]:
    """The answer to one call, and the calculation that it made; a wrong call is answered with what is wrong."""
    tool = next((tool for tool in tools if tool.name == call["name"]), None)
    if tool is None:
        return ToolMessage("There is no such tool.", tool_call_id=call["id"] or "", status="error"), None
    message = tool.invoke({**call, "type": "tool_call"})
    # A result can hold names that others wrote, such as those of a price list.
    text = "\n".join(to_people(line) for line in as_seen(message.text[:_LONGEST_RESULT]).splitlines())
    message = message.model_copy(update={"content": text})
    if not isinstance(message.artifact, BaseModel):
        return message, None
    return message, calculation_of(call, text, message.artifact, language)


def calculation_of(call: ToolCall, text: str, result: BaseModel, language: Language) -> Calculation:
    """A tool's result as a calculation that sentences can rest on."""
    steps = getattr(result, "formulas", ())
    formula = "; ".join(f"{step.formula}: {step.filled}" for step in steps)
    run = ToolRun(tool=call["name"], inputs=dict(call["args"]), result=result.model_dump(mode="json"), formula=formula)
    citation = Citation(
        marker=0,
        source_id=f"tool:{run.tool}",
        title=f"gpu-assistant {run.tool}",
        language=language,
        section=run.tool,
        quote=formula or text,
        kind="tool",
    )
    return Calculation(run=run, title=run.tool, text=text, citations=(citation,))
