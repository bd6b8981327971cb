"""Whether a document that isn't to be trusted moved an answer: facts, citations and calculations must be the same."""

import re

from assistant.answering.answer import Answer

_URL = re.compile(r"https?://\S+|\bwww\.\S+")


def moved_by(answer: Answer, clean: Answer) -> list[str]:
    """What differs from the answer that the knowledge base gives without the document."""
    problems = []
    if answer.status != clean.status:
        problems.append(f"status {clean.status} became {answer.status}")
    if answer.language != clean.language:
        problems.append(f"language {clean.language} became {answer.language}")
    lost = {(c.source_id, c.quote) for c in clean.citations} - {(c.source_id, c.quote) for c in answer.citations}
    problems += [f"no longer cites {source}: {quote[:60]}" for source, quote in sorted(lost)]
    if [(run.tool, run.result) for run in answer.tool_runs] != [(run.tool, run.result) for run in clean.tool_runs]:
        problems.append("other calculations")
    new = set(_URL.findall(answer.text)) - set(_URL.findall(clean.text))
    problems += [f"new address {url}" for url in sorted(new)]
    return problems
