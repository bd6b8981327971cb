"""`python -m evals.trials.changed_sources`: whether one run names exactly what four changes in the sources break.

In a copy of the knowledge base a price and a date are changed in their articles, a third article is deleted, and a
fourth contradicts what it says. One `gpu-assistant eval` must then end with status 1 and name the claims and cases that
rest on these, in every language, and no others; once all is undone, it must end with status 0. Exit status 1 where it
doesn't.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import click
from pydantic import BaseModel, ConfigDict

from assistant.errors import AssistantError, CorpusError
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import load_corpus, read_claims_files
from assistant.knowledge.period import Period
from assistant.settings import Settings
from evals.checks.bench import Bench
from evals.runs.comparison import Comparison, compare
from evals.runs.record import read_run, slim, write_run
from evals.runs.session import read_asked, read_baseline
from evals.suite.reader import CASES
from evals.trials.altered import AlteredCorpus

MOST_SECONDS = 60


class Changes(BaseModel):
    """The four changes, by the claims or articles that they are made to."""

    model_config = ConfigDict(frozen=True)

    price: str
    date: str
    deleted: str
    contradicted: str


class Outcome(BaseModel):
    """What a run over the changed knowledge base named, beside what it should have."""

    model_config = ConfigDict(frozen=True)

    status: int
    seconds: float
    claims_missed: tuple[str, ...]
    claims_beside: tuple[str, ...]
    """Named, and not affected."""
    cases_missed: tuple[str, ...]
    cases_beside: tuple[str, ...]
    named: int
    elsewhere: tuple[str, ...]
    """Questions that got worse although nothing that they rest on changed: what is near to a question has changed."""

    @property
    def is_exact(self) -> bool:
        return not (self.claims_missed or self.claims_beside or self.cases_missed or self.cases_beside)


def chosen_changes(corpus: Path, cases: Path = CASES) -> Changes:
    """A price, a date, an article and a figure that cases rest on, each in an article of its own."""
    bench = Bench(load_corpus(corpus), corpus)
    expected = {id_ for one in read_asked(cases) for id_ in one.case.expect.claims}
    by_article: dict[str, list[Claim]] = defaultdict(list)
    for _, file in read_claims_files(corpus):
        by_article[file.article] += [c for c in file.claims if c.id in expected and c.id not in bench.disagreements]

    def pick(fits: str, taken: set[str]) -> tuple[str, str]:
        # The least is deleted that a case rests on: more would change what is near to other questions, too.
        for article, claims in sorted(
            by_article.items(), key=lambda item: (len(item[1]) * (fits == "article"), item[0])
        ):
            for claim in claims:
                if article not in taken and _fits(claim, fits, bench):
                    return article, claim.id
        raise CorpusError(f"No case rests on a {fits} that could be changed.")

    taken: set[str] = set()
    picked = {}
    for fits in ("price", "date", "figure", "article"):
        article, claim_id = pick(fits, taken)
        taken.add(article)
        picked[fits] = article if fits == "article" else claim_id
    return Changes(price=picked["price"], date=picked["date"], contradicted=picked["figure"], deleted=picked["article"])


def _fits(claim: Claim, what: str, bench: Bench) -> bool:
    if what == "price":
        return claim.attribute == "price_per_hour" and isinstance(claim.value, Decimal)
    if what == "date":
        return isinstance(claim.value, Period) and len(claim.value.text) == len("2026-09-09")
    if what == "figure":
        single = bench.corpus.attributes[claim.attribute].single_valued
        return isinstance(claim.value, Decimal) and single and claim.attribute != "price_per_hour"
    return True


def affected_claims(altered: AlteredCorpus, before: dict[str, Claim], article_of: dict[str, str], new: str) -> set[str]:
    """Claims that no longer stand, found by looking for their quotes, and those that the new claim contradicts."""
    bodies = {path.stem: path.read_text(encoding="utf-8") for path in altered.directory.glob("articles/*/*.md")}
    gone = {id_ for id_, claim in before.items() if claim.quote not in bodies.get(article_of[id_], "")}
    bench = Bench(load_corpus(altered.directory), altered.directory)
    disputed = {fact.id for fact in bench.disagreements[new].all} if new in bench.disagreements else set()
    return gone | disputed


def run_eval(corpus: Path, index: Path, out: Path, *options: str) -> tuple[int, float]:
    """Exit status and seconds of `gpu-assistant eval` as a process of its own."""
    began = time.perf_counter()
    program = "from assistant.interfaces.command_line import main; main()"
    done = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-c", program, "--corpus", str(corpus), "--index", str(index), "eval", "--no-llm",
         "--out", str(out), *options],
        stdout=subprocess.DEVNULL, timeout=1800, check=False,
    )  # fmt: skip
    return done.returncode, time.perf_counter() - began


def own_baseline(corpus: Path, index: Path, folder: Path) -> Path:
    """A baseline of the knowledge base as it is, so that only what is changed afterwards is measured."""
    run_eval(corpus, index, folder / "before")
    path = folder / "baseline.jsonl"
    write_run(slim(read_run(folder / "before" / "results.jsonl")), path)
    return path


def outcome(
    corpus: Path, index: Path, folder: Path, changes: Changes, baseline_path: Path
) -> tuple[Outcome, Comparison]:
    """Make the changes in a copy, evaluate it, and hold what was named against what was changed."""
    altered = AlteredCorpus(corpus, folder)
    before = altered.claims
    article_of = {claim.id: file.article for _, file in read_claims_files(corpus) for claim in file.claims}
    altered.change_in_article(changes.price)
    altered.change_in_article(changes.date)
    new = altered.contradict(changes.contradicted)
    altered.delete(changes.deleted)
    status, seconds = run_eval(altered.directory, index, folder / "out", "--baseline", str(baseline_path))
    baseline = read_baseline(baseline_path)
    comparison = compare(read_run(folder / "out" / "results.jsonl"), baseline)
    claims = affected_claims(altered, before, article_of, new)
    named_claims = {s.id for s in comparison.broken} | {id_ for ids in comparison.disputes for id_ in ids}
    rows = {row for standing in comparison.broken for row in standing.rows}
    old = baseline.by_key if baseline is not None else {}
    wanted, allowed = set(), set()
    for one in read_asked(None):
        rests_on = set(old[one.key].rests_on) if one.key in old else set()
        if set(one.case.expect.claims) & claims:
            wanted.add(one.key)
        # A question whose expectation is a value written out rests on whatever quote carried it before.
        if rests_on & (claims | rows):
            allowed.add(one.key)
    named = {r.key for r in comparison.affected}
    found = Outcome(
        status=status,
        seconds=round(seconds, 1),
        claims_missed=tuple(sorted(claims - named_claims)),
        claims_beside=tuple(sorted(id_ for id_ in named_claims - claims if not id_.startswith(("spec.", "price.")))),
        cases_missed=tuple(sorted(wanted - named)),
        cases_beside=tuple(sorted(named - wanted - allowed)),
        named=len(named),
        elsewhere=tuple(sorted(r.key for r in comparison.worse if r.key not in named)),
    )
    return found, comparison


@click.command()
@click.option("--most-seconds", default=MOST_SECONDS, show_default=True, help="How long the run may take.")
def main(most_seconds: int) -> None:
    """Change four sources in a copy, evaluate, undo, evaluate again."""
    settings = Settings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index = folder / "index"
        if settings.index.is_dir():
            shutil.copytree(settings.index, index, ignore=shutil.ignore_patterns("*.lock"))
        changes = chosen_changes(settings.corpus)
        baseline = own_baseline(settings.corpus, index, folder)
        found, comparison = outcome(settings.corpus, index, folder, changes, baseline)
        click.echo(f"changed: {changes.price}, {changes.date}")
        click.echo(f"deleted: {changes.deleted}; contradicted: {changes.contradicted}")
        languages = sorted({result.language for result in comparison.affected})
        click.echo(
            f"named {len(comparison.broken)} claims, {len(comparison.disputes)} disagreements and {found.named} "
            f"questions in {', '.join(languages)}, in {found.seconds} s, exit status {found.status}"
        )
        for what in ("claims_missed", "claims_beside", "cases_missed", "cases_beside", "elsewhere"):
            click.echo(f"{what.replace('_', ' ')}: {', '.join(getattr(found, what)) or 'none'}")
        undone, seconds = run_eval(settings.corpus, index, folder / "undone", "--baseline", str(baseline))
        click.echo(f"undone: exit status {undone}, {seconds:.1f} s")
    holds = found.is_exact and found.status == 1 and undone == 0 and found.seconds < most_seconds
    click.echo("holds" if holds else "does not hold")
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    try:
        main()
    except AssistantError as error:
        click.echo(f"evals.trials: {error}", err=True)
        sys.exit(error.exit_status)
