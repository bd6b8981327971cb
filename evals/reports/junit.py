"""A run as JUnit XML, for viewers of test results: failed, not measured and skipped are kept apart."""

import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from evals.runs.record import Result, Run

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 doesn't allow in a document (section 2.2 of its specification)."""


def legal(text: str) -> str:
    """The text with a replacement sign for each character that XML doesn't allow."""
    return _ILLEGAL.sub("\ufffd", text)


def write_junit(run: Run, path: Path) -> None:
    """One test suite a kind of question, one test case a question."""
    by_kind: dict[str, list[Result]] = defaultdict(list)
    for result in run.results:
        by_kind[result.kind].append(result)
    root = ElementTree.Element("testsuites", {"name": "gpu-assistant eval", **_counts(list(run.results))})
    for kind, results in by_kind.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": kind, **_counts(results)})
        for result in results:
            suite.append(_case(result))
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _case(result: Result) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        name=legal(f"{result.key}: {result.question}"),
        classname=f"evals.{result.kind}.{result.language}",
        time=_seconds([result]),
    )
    if result.verdict == "failed":
        failure = ElementTree.SubElement(case, "failure", message=legal(result.why), type="failed")
        got = result.answer.text if result.answer else ""
        failure.text = legal(f"expected: {'; '.join(result.expected)}\n\n{got}")
    elif result.verdict == "error":
        error = ElementTree.SubElement(case, "error", message=legal(result.note), type="not measured")
        error.text = legal(result.note)
    elif result.verdict == "skipped":
        ElementTree.SubElement(case, "skipped", message=legal(result.note))
    return case


def _counts(results: list[Result]) -> dict[str, str]:
    verdicts = [result.verdict for result in results]
    return {
        "tests": str(len(results)),
        "failures": str(verdicts.count("failed")),
        "errors": str(verdicts.count("error")),
        "skipped": str(verdicts.count("skipped")),
        "time": _seconds(results),
    }


def _seconds(results: list[Result]) -> str:
    return f"{sum(sum(result.timings_ms.values()) for result in results) / 1000:.3f}"
