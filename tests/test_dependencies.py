"""What is imported is required, what is required is imported, and the locks pin it all."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from assistant.settings import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Torch is required so that its version is ours to pin; only sentence-transformers imports it.
NOT_IMPORTED = {"torch"}
# Two halves of one library, released together.
PART_OF = {"pydantic-core": "pydantic", "mcp-types": "mcp"}
OWN = {"assistant", "evals"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(entries: list[str]) -> set[str]:
    """Names of the distributions in a list of requirements."""
    found = (re.match(r"[A-Za-z0-9._-]+", entry) for entry in entries)
    return {normal(name[0]) for name in found if name}


def imported(*folders: str) -> set[str]:
    """Names of the distributions that Python files of these folders import, anywhere in them."""
    distributions = packages_distributions()
    found = {
        normal(distributions[module][0])
        for folder in folders
        for module in _modules(folder)
        if module not in sys.stdlib_module_names and module not in OWN and module in distributions
    }
    return {PART_OF.get(name, name) for name in found}


def _modules(folder: str) -> Iterator[str]:
    for path in ROOT.glob(folder):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                yield node.module.partition(".")[0]


OPTIONAL = {
    name for extra, entries in PROJECT["optional-dependencies"].items() if extra != "dev" for name in required(entries)
}
NEEDED = required(PROJECT["dependencies"])
FOR_TESTS = required(PROJECT["optional-dependencies"]["dev"])


def test_what_the_product_imports_is_required() -> None:
    assert imported("assistant/**/*.py", "evals/**/*.py", "app.py") - NEEDED - OPTIONAL == set()


def test_what_tests_and_benchmarks_import_is_required() -> None:
    assert imported("tests/*.py", "benchmarks/*.py") - NEEDED - FOR_TESTS - OPTIONAL == set()


def test_nothing_is_required_that_nothing_imports() -> None:
    assert NEEDED - imported("assistant/**/*.py", "evals/**/*.py", "app.py") == NOT_IMPORTED


def test_every_requirement_is_pinned_and_explained() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for lock, names in (("requirements.lock", NEEDED), ("requirements-dev.lock", NEEDED | FOR_TESTS)):
        pinned = dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
        assert names <= pinned.keys() | {"types-pyyaml"}, lock
        assert pinned["torch"] == "2.13.0"
    for name in NEEDED | FOR_TESTS | OPTIONAL:
        assert re.search(rf"\b{re.escape(name)}\b", page.lower()), name
