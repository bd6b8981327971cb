"""Specification rows that give what a claim gives, so that a claim that changes shows which rows to look at."""

from pathlib import Path

from assistant.knowledge.claim import Claim, Range
from assistant.knowledge.corpus import read_entities
from assistant.knowledge.schema import read_yaml
from assistant.knowledge.specification import GpusFile, PricesFile


class Rows:
    """Specification rows by the thing, property and value they give."""

    def __init__(self, directory: Path) -> None:
        self._entities = read_entities(directory)
        gpus, prices = directory / "specs" / "gpus.yaml", directory / "specs" / "prices.yaml"
        self._gpus = read_yaml(gpus, GpusFile) if gpus.is_file() else GpusFile(sources=(), gpus=())
        self._prices = read_yaml(prices, PricesFile) if prices.is_file() else PricesFile(sources=(), prices=())

    def giving(self, claim: Claim) -> tuple[str, ...]:
        """Ids of rows about the claim's subject, or an edition of it, with the claim's value."""
        about = {family for id_ in claim.about for family in self._family(id_)}
        found = [
            f"spec.{card.entity}.{value.attribute}.{number}"
            for card in self._gpus.gpus
            if card.entity in about
            for number, value in enumerate(card.values)
            if value.attribute == claim.attribute and value.unit == claim.unit and value.value == claim.value
        ]
        if claim.attribute == "price_per_hour":
            found += [
                f"price.{row.gpu}.{row.provider}.{number}"
                for number, row in enumerate(self._prices.prices)
                if row.gpu in about
                and claim.qualifiers.provider in (None, row.provider)
                and _same_price(row.price, claim.value)
            ]
        return tuple(found)

    def _family(self, id_: str) -> set[str]:
        family = {id_}
        grown = True
        while grown:
            more = {entity.id for entity in self._entities.values() if entity.parent in family}
            grown = not more <= family
            family |= more
        return family


def _same_price(price: object, value: object) -> bool:
    if isinstance(price, Range) and isinstance(value, Range):
        return (price.low, price.high) == (value.low, value.high)
    return price == value
