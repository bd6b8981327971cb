"""Whether a case's expectation still rests on a source: its claims are usable and nothing undeclared disputes them."""

from evals.checks.bench import Bench
from evals.suite.case import Case


def source_problems(case: Case, bench: Bench) -> list[str]:
    """Expected claims that the corpus can't vouch for, and disagreements that the case doesn't expect."""
    problems = [_unusable(id_, bench) for id_ in case.expect.claims if id_ not in bench.corpus.claims]
    for fact in case.expect.facts:
        found = bench.disagreements.get(fact.claim or "")
        if found is None or case.expect.conflict or case.kind == "conflict":
            continue
        others = [side.id for side in found.all if side.id != fact.claim]
        problems.append(f"{fact.claim} is disputed by {', '.join(others)}, which the case doesn't expect")
    return problems


def _unusable(id_: str, bench: Bench) -> str:
    standing = bench.standings.get(id_)
    if standing is None:
        return f"{id_} can't be used: its quote or its article is gone"
    change = f": {standing.value} → {standing.found}" if standing.found else ""
    return f"{id_} is {standing.state}{change}"
