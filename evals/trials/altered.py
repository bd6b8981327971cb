"""Copies of the knowledge base with something changed in them, as a person who edits it might change it."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from assistant.errors import CorpusError
from assistant.knowledge.article import Article, read_article
from assistant.knowledge.claim import Claim
from assistant.knowledge.corpus import read_claims_files
from assistant.knowledge.period import Period
from assistant.knowledge.update import article_path
from assistant.language.formatting import format_period, format_quantity
from assistant.language.quantities.quantity import read_quantities, reads_back
from assistant.language.tongue import LANGUAGES, Language
from evals.trials.written import other_unit


class AlteredCorpus:
    """A knowledge base in a folder of its own, which may be changed."""

    def __init__(self, corpus: Path, folder: Path) -> None:
        self.directory = folder / "corpus"
        shutil.copytree(corpus, self.directory)

    @property
    def claims(self) -> dict[str, Claim]:
        return {claim.id: claim for _, file in read_claims_files(self.directory) for claim in file.claims}

    def article_of(self, claim_id: str) -> str:
        """Id of the article that asserts a claim. Raises CorpusError where no file of claims has it."""
        found = self.articles_of_claims().get(claim_id)
        if found is None:
            raise CorpusError(f"{self.directory}: no claim {claim_id!r}.")
        return found

    def articles_of_claims(self) -> dict[str, str]:
        """Id of the article that asserts each claim."""
        return {claim.id: file.article for _, file in read_claims_files(self.directory) for claim in file.claims}

    def reverse_claims(self) -> None:
        """Write the claims of every article in the opposite order."""
        for path, _ in read_claims_files(self.directory):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            data["claims"].reverse()
            path.write_text(
                yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False), encoding="utf-8"
            )

    def article(self, article_id: str) -> Article:
        return read_article(article_path(article_id, self.directory))

    def rewrite(self, article_id: str, change: Callable[[str], str]) -> None:
        """Change an article's file as a text."""
        path = article_path(article_id, self.directory)
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")

    def change_in_article(self, claim_id: str) -> str:
        """Give the claim's figure or date another value in its article alone; returns what stands there now."""
        claim, article = self.claims[claim_id], self.article(self.article_of(claim_id))
        language = article.language
        if not isinstance(claim.value, Decimal | Period):
            raise CorpusError(f"{claim_id} has no figure or date to change.")
        found = next(
            (q for q in read_quantities(claim.quote, language) if reads_back(q.text, language, claim.value, None)), None
        )
        if found is None:
            raise CorpusError(f"{claim_id}: its value isn't written out in its quote.")
        new = other_writing(found.text, claim.value, language)
        quote = claim.quote[: found.start] + new + claim.quote[found.end :]
        self.rewrite(article.id, lambda text: text.replace(claim.quote, quote, 1))
        return new

    def delete(self, article_id: str) -> None:
        article_path(article_id, self.directory).unlink()

    def delete_where_it_is(self, article_id: str) -> None:
        """Delete an article that may be gone already."""
        for path in self.directory.glob("articles/*/*.md"):
            if read_article(path).id == article_id:
                path.unlink()

    def remove_rows(self, claim: Claim) -> None:
        """Take out the specification rows on the claim's subject and property."""
        path = self.directory / "specs" / "gpus.yaml"
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for card in data["gpus"]:
            if card["entity"] in claim.about:
                card["values"] = [row for row in card["values"] if row["attribute"] != claim.attribute]
        path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")

    def write_in_other_unit(self, claim_id: str) -> str:
        """Let an article give the claim's figure in a unit a thousand times as large; the claim's value stays."""
        claim, article = self.claims[claim_id], self.article(self.article_of(claim_id))
        for quantity in read_quantities(claim.quote, article.language):
            written = other_unit(quantity, article.language)
            if written is not None and isinstance(claim.value, Decimal) and quantity.value == claim.value:
                self._requote(claim, claim.quote[: quantity.start] + written + claim.quote[quantity.end :])
                return written
        raise CorpusError(f"{claim_id}: its quote has no figure that could be written in another unit.")

    def _requote(self, claim: Claim, quote: str) -> None:
        """Let a claim's article say its quote otherwise, and the claim quote that."""
        article_id = self.article_of(claim.id)
        self.rewrite(article_id, lambda text: text.replace(claim.quote, quote, 1))

        def change(rows: list[dict[str, Any]]) -> None:
            next(row for row in rows if row["id"] == claim.id)["quote"] = quote

        self.edit_claims(article_id, change)

    def contradict(self, claim_id: str) -> str:
        """Add a sentence and a claim to the claim's article that give another value; returns the new claim's id."""
        claim = self.claims[claim_id]
        article = self.article(self.article_of(claim_id))
        if not isinstance(claim.value, Decimal):
            raise CorpusError(f"{claim_id} has no figure to contradict.")
        value = claim.value * 2
        statements = {
            language: _with_value(claim.statement.in_language(language), claim, value, language)
            for language in LANGUAGES
        }
        quote = statements[article.language]
        new_id = f"{claim_id}-again"
        self.rewrite(article.id, lambda text: f"{text.rstrip()}\n\n{quote}\n")
        self.edit_claims(article.id, lambda rows: rows.append(_row(claim, new_id, value, quote, statements)))
        return new_id

    def edit_claims(self, article_id: str, change: Callable[[list[dict[str, Any]]], None]) -> None:
        """Change the rows of an article's file of claims."""
        path = next(path for path, file in read_claims_files(self.directory) if file.article == article_id)
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        change(data["claims"])
        path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")

    def give(self, claim_id: str, value: Decimal) -> list[str]:
        """Let every claim and row that gives the claim's value of its subject give another; returns the claims' ids."""
        claim = self.claims[claim_id]
        same = [
            other
            for other in self.claims.values()
            if other.attribute == claim.attribute and other.value == claim.value and set(other.about) & set(claim.about)
        ]
        for other in same:
            article = self.article(self.article_of(other.id))
            quote = _with_value(other.quote, other, value, article.language)
            self.rewrite(article.id, lambda text, old=other.quote, new=quote: text.replace(old, new, 1))  # type: ignore[misc]
            self.edit_claims(article.id, lambda rows, one=other, new=quote: _give(rows, one, value, new))  # type: ignore[misc]
        self._give_rows(claim, value)
        return [other.id for other in same]

    def _give_rows(self, claim: Claim, value: Decimal) -> None:
        path = self.directory / "specs" / "gpus.yaml"
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        for card in data["gpus"]:
            for row in card["values"]:
                same = card["entity"] in claim.about and row["attribute"] == claim.attribute
                if same and row.get("unit") == claim.unit and Decimal(str(row["value"])) == claim.value:
                    row["value"] = float(value)
        path.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")


def other_writing(text: str, value: Decimal | Period, language: Language) -> str:
    """Another figure or date, written as the first one is."""
    if isinstance(value, Period):
        day = Period.of_day(value.first + timedelta(days=8)) if len(value.text) == len("2026-09-09") else None
        later = day or Period(f"{int(value.text[:4]) + 1}{value.text[4:]}")
        return format_period(later, language)
    digits = [place for place, character in enumerate(text) if character.isdigit()]
    first = digits[0]
    return text[:first] + str(int(text[first]) % 8 + 1) + text[first + 1 :]


def _with_value(text: str, claim: Claim, value: Decimal, language: Language) -> str:
    """A sentence with the claim's figure replaced. Raises CorpusError where the figure isn't found in it."""
    if isinstance(claim.value, Decimal):
        for quantity in read_quantities(text, language):
            if reads_back(quantity.text, language, claim.value, claim.unit if "|" not in text else None):
                written = format_quantity(value, quantity.unit or None, language)
                return text[: quantity.start] + written + text[quantity.end :]
    raise CorpusError(f"{claim.id}: its value isn't written out in {text!r}.")


def _row(claim: Claim, id_: str, value: Decimal, quote: str, statements: dict[Language, str]) -> dict[str, Any]:
    row: dict[str, Any] = claim.model_dump(mode="json", exclude_defaults=True)
    row.pop("question", None)
    row.pop("series", None)
    return {**row, "id": id_, "value": float(value), "quote": quote, "statement": dict(statements)}


def _give(rows: list[dict[str, Any]], claim: Claim, value: Decimal, quote: str) -> None:
    row = next(row for row in rows if row["id"] == claim.id)
    row["value"], row["quote"] = float(value), quote
    row["statement"] = {
        language: _with_value(claim.statement.in_language(language), claim, value, language) for language in LANGUAGES
    }
