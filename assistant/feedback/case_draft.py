"""Feedback as the draft of a case for the evaluations; a person adds what a right answer must say."""

from collections.abc import Iterable

import yaml

from assistant.feedback.record import FeedbackRecord

_HEAD = """\
# Drafts from feedback. For each: name under `expects` what a right answer states (see evals/questions/facts.yaml), set
# its `kind`, and take it into evals/questions/<language>.yaml.
"""


def case_drafts(records: Iterable[FeedbackRecord]) -> str:
    """The cases as YAML, in the form of evals/questions/; why each is here stands in a comment above it."""
    lines = [_HEAD + "cases:"]
    for record in records:
        given = record.feedback
        said = " ".join(" ".join([given.verdict, given.reason or "", given.comment]).split())
        case: dict[str, object] = {
            "id": f"{given.language}-feedback-{record.id}",
            "set": "dev",
            "kind": "dialogue" if given.history else "fact",
            "question": given.question,
            **({"history": list(given.history)} if given.history else {}),
            "expects": [],
        }
        written = yaml.safe_dump([case], allow_unicode=True, sort_keys=False, width=110)
        lines.append(f"  # {said}")
        lines += [f"  {line}" for line in written.splitlines()]
    return "\n".join(lines) + "\n"
