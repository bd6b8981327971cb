"""Feedback as the draft of a case for the evaluations; a person adds what a right answer must say."""

from collections.abc import Iterable

import yaml

from assistant.feedback.record import FeedbackRecord
from assistant.printable import is_plain, one_line, yaml_escaped

_HEAD = """\
# Drafts from feedback. For each: name under `expects` what a right answer states (see evals/questions/facts.yaml), set
# its `kind`, and take it into evals/questions/<language>.yaml.
"""


def case_drafts(records: Iterable[FeedbackRecord]) -> str:
    """The cases as YAML, in the form of evals/questions/; why each is here stands in a comment above it."""
    lines = [_HEAD + "cases:"]
    for record in records:
        given = record.feedback
        said = one_line(" ".join([given.verdict, given.reason or "", given.comment]))
        case: dict[str, object] = {
            "id": f"{given.language}-feedback-{record.id}",
            "set": "dev",
            "kind": "dialogue" if given.history else "fact",
            "question": given.question,
            **({"history": list(given.history)} if given.history else {}),
            "expects": [],
        }
        written = yaml.dump([case], Dumper=_Quoting, allow_unicode=True, sort_keys=False, width=110)
        lines.append(f"  # {said}")
        lines += [f"  {line}" for line in yaml_escaped(written).splitlines()]
    return "\n".join(lines) + "\n"


class _Quoting(yaml.SafeDumper):
    """Puts text with line breaks or unseen signs between double quotes, where each of them can stand as an escape."""


def _quoted(dumper: _Quoting, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain(text) else '"')


_Quoting.add_representer(str, _quoted)
