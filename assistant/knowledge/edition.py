"""What differs between two editions of a knowledge base: claims, their values, the rows and cases that rest on them."""

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.errors import CorpusUnavailable, InvalidInput
from assistant.knowledge.check import describe
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import read_claims_files
from assistant.knowledge.freshness import BROKEN, Standing, record_sources, standings
from assistant.knowledge.rows import Rows

Change = Literal["added", "removed", "value", "quote", "wording", "source"]
_GIT_S = 60


class ClaimChange(BaseModel):
    """A claim that is otherwise in the newer edition, or whose source is."""

    model_config = ConfigDict(frozen=True)

    id: str
    source: str
    change: Change
    state: str
    old: str = ""
    new: str = ""
    rows: tuple[str, ...] = ()
    """Ids of specification rows on the same thing and property that give the old value."""

    def __str__(self) -> str:
        values = f": {self.old or '–'} → {self.new or '–'}" if self.old != self.new else f": {self.old}"
        return f"{self.change:8} {self.id} [{self.state}]{values}"


class EditionChanges(BaseModel):
    """All that changed from one edition to another."""

    model_config = ConfigDict(frozen=True)

    articles_added: tuple[str, ...] = ()
    articles_removed: tuple[str, ...] = ()
    articles_changed: tuple[str, ...] = ()
    claims: tuple[ClaimChange, ...] = ()
    rows: tuple[tuple[str, str, str], ...] = ()
    """Specification rows that changed themselves: id, old value, new value."""

    @property
    def touched(self) -> frozenset[str]:
        """Ids of every claim and row that changed, or that gives a value which a changed claim gave."""
        rows = [row[0] for row in self.rows]
        return frozenset([*rows, *(id_ for claim in self.claims for id_ in (claim.id, *claim.rows))])

    @property
    def broken(self) -> tuple[ClaimChange, ...]:
        return tuple(claim for claim in self.claims if claim.state in BROKEN)


def changes_between(old: Path, new: Path, day: date) -> EditionChanges:
    """Compare two folders of a knowledge base."""
    before, after = record_sources(old), record_sources(new)
    articles = {
        "added": tuple(sorted(after.articles.keys() - before.articles.keys())),
        "removed": tuple(sorted(before.articles.keys() - after.articles.keys())),
        "changed": tuple(
            sorted(
                id_
                for id_ in before.articles.keys() & after.articles.keys()
                if before.articles[id_] != after.articles[id_]
            )
        ),
    }
    were, are = _claims(old), _claims(new)
    states = {one.id: one for one in standings(new, day, before)}
    claims = []
    for id_ in sorted(were.keys() | are.keys()):
        found = _change(id_, were.get(id_), are.get(id_), states.get(id_))
        if found is not None:
            source = after.claims.get(id_) or before.claims[id_]
            claims.append(found.model_copy(update={"source": source}))
    rows = Rows(new)
    with_rows = tuple(
        claim.model_copy(update={"rows": rows.giving(were[claim.id])})
        if _is_gone(claim) and claim.id in were
        else claim
        for claim in claims
    )
    return EditionChanges(
        articles_added=articles["added"],
        articles_removed=articles["removed"],
        articles_changed=articles["changed"],
        claims=with_rows,
        rows=_row_changes(old, new, day),
    )


def _is_gone(change: ClaimChange) -> bool:
    return change.change in ("removed", "value") or change.state in BROKEN


def _claims(directory: Path) -> dict[str, Claim]:
    return {claim.id: claim for _, file in read_claims_files(directory) for claim in file.claims}


def _change(id_: str, was: Claim | None, now: Claim | None, standing: Standing | None) -> ClaimChange | None:
    state = standing.state if standing is not None else "SOURCE_GONE"
    old = said(was) if was is not None else ""
    new = said(now) if now is not None else ""

    def changed(change: Change, new: str = new) -> ClaimChange:
        return ClaimChange(id=id_, source="", change=change, state=state, old=old, new=new)

    if was is None:
        return changed("added")
    if now is None:
        return changed("removed")
    if state in BROKEN:
        return changed("source", (standing.found or standing.note) if standing is not None else "")
    if (was.value, was.unit, was.text, was.names) != (now.value, now.unit, now.text, now.names):
        return changed("value")
    if was.quote != now.quote:
        return changed("quote")
    return changed("wording") if was != now else None


def said(claim: Claim) -> str:
    """What a claim asserts, in short."""
    if claim.text is not None:
        return claim.text
    return describe(claim) if claim.value is not None else ", ".join(claim.names)


def _row_changes(old: Path, new: Path, day: date) -> tuple[tuple[str, str, str], ...]:
    def rows(directory: Path) -> dict[str, str]:
        return {one.id: one.value for one in standings(directory, day) if not one.quote}

    before, after = rows(old), rows(new)
    return tuple(
        (id_, before.get(id_, ""), after.get(id_, ""))
        for id_ in sorted(before.keys() | after.keys())
        if before.get(id_) != after.get(id_)
    )


@contextmanager
def opened(name: str, corpus: Path) -> Iterator[Path]:
    """A folder with the edition that a name means: that folder, or a git revision of the repository it stands in.

    Raises CorpusUnavailable where there is neither.
    """
    path = Path(name)
    if path.is_dir():
        _must_be_corpus(path)
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        yield _checked_out(name, corpus, Path(folder))


def _must_be_corpus(path: Path) -> None:
    if not (path / "articles").is_dir() and not (path / "claims").is_dir():
        raise CorpusUnavailable(f"{path} is no knowledge base: it has neither articles/ nor claims/.")


def _checked_out(revision: str, corpus: Path, folder: Path) -> Path:
    """The knowledge base as a git revision has it, written to a folder."""
    if revision.startswith("-"):
        raise InvalidInput(f"{revision!r} is neither a folder nor a git revision.")
    corpus = corpus.resolve()
    if not corpus.is_dir():
        raise CorpusUnavailable(f"{corpus}: no such folder.", "Name the knowledge base with --corpus.")
    try:
        top = subprocess.run(  # noqa: S603 (no shell, and the revision can't be an option)
            ["git", "-C", str(corpus), "rev-parse", "--show-toplevel"],  # noqa: S607
            capture_output=True, check=True, timeout=_GIT_S,
        )  # fmt: skip
        root = Path(top.stdout.decode().strip())
        inside = corpus.relative_to(root)
        packed = subprocess.run(  # noqa: S603
            ["git", "-C", str(root), "archive", "--format=tar", revision, "--", str(inside)],  # noqa: S607
            capture_output=True, check=True, timeout=_GIT_S,
        )  # fmt: skip
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise CorpusUnavailable(
            f"{revision!r} is neither a folder nor a git revision that holds {corpus}.", "Check the name."
        ) from error
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder / inside
