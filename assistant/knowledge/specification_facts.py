"""The rows of corpus/specs/ as facts: cards' values, prices, releases, support."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from assistant.knowledge.citation import cite_row
from assistant.knowledge.claim import Qualifiers, Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact, name_of
from assistant.knowledge.period import Period
from assistant.knowledge.specification import PriceRow, ReleaseRow, Source, SpecificationValue, SupportRow
from assistant.language.formatting import format_period, format_quantity
from assistant.language.tongue import LANGUAGES, Language, Translated
from assistant.language.wording import Wording

_BETWEEN_CELLS = " · "


class SpecificationFacts:
    """Turns the rows of corpus/specs/ into facts with sentences from corpus/phrases/specification.yaml."""

    def __init__(self, corpus: Corpus, phrases: Wording) -> None:
        self._corpus = corpus
        self._phrases = phrases

    def __iter__(self) -> Iterator[Fact]:
        sources = {source.id: source for source in self._corpus.gpus.sources}
        for row in self._corpus.gpus.gpus:
            for number, value in enumerate(row.values):
                yield self._gpu_value(row.entity, number, value, [sources[id_] for id_ in value.sources])
        sources = {source.id: source for source in self._corpus.prices.sources}
        for number, price in enumerate(self._corpus.prices.prices):
            yield self._price(number, price, sources[price.source])
        sources = {source.id: source for source in self._corpus.software.sources}
        for number, release in enumerate(self._corpus.software.releases):
            if release.released is not None:
                yield self._release(number, release, release.released, sources[release.source])
        for number, support in enumerate(self._corpus.software.support):
            yield self._support(number, support, sources[support.source])

    def _name(self, entity_id: str, language: Language) -> str:
        return name_of(self._corpus.entities[entity_id], language)

    def _maker(self, entity_id: str, language: Language) -> str:
        maker = self._corpus.entities[entity_id].maker
        return self._name(maker, language) if maker is not None else self._name(entity_id, language)

    def _gpu_value(self, entity: str, number: int, value: SpecificationValue, sources: list[Source]) -> Fact:
        attribute = self._corpus.attributes[value.attribute]
        phrase = value.attribute
        if isinstance(value.value, bool):
            phrase += "_yes" if value.value else "_no"
        has_phrase = phrase in self._phrases.phrases and value.variant is None
        statements: dict[str, str] = {}
        for language in LANGUAGES:
            shown = self._shown(value, language)
            name = self._name(entity, language)
            if value.scope != "gpu":
                shown += f" ({self._phrases.say(f'scope_{value.scope}', language)})"
            statement = (
                self._phrases.say(phrase, language, name=name, value=shown)
                if has_phrase
                else self._phrases.say(
                    "any", language, name=name, label=attribute.label.in_language(language), value=shown
                )
            )
            if value.status in ("vendor_claim", "forecast"):
                statement = self._phrases.say(
                    f"by_{value.status}",
                    language,
                    statement=statement.rstrip(".。"),
                    maker=self._maker(entity, language),
                )
            if value.note is not None:
                statement = f"{statement} {value.note.in_language(language)}"
            statements[language] = statement
        number_value = value.value if isinstance(value.value, Decimal | Range | Period | bool) else None
        return Fact(
            id=f"spec.{entity}.{value.attribute}.{number}",
            kind="specification",
            about=(entity,),
            attribute=value.attribute,
            value=number_value,
            unit=value.unit,
            text=value.value if isinstance(value.value, str) else None,
            qualifiers=Qualifiers(
                variant=value.variant,
                scope=None if value.scope == "gpu" else value.scope,
                sparsity=value.sparsity,
                precision=value.precision,
                as_of=value.as_of,
                approx=value.approx,
                bound=value.bound,
            ),
            status="specified" if value.status == "superseded" else value.status,
            superseded=value.status == "superseded",
            # The date shown beside a source's title is that source's own.
            as_of=value.as_of or sources[0].published,
            note=value.note,
            statement=Translated(**statements),
            citation=cite_row(
                f"specs/gpus#{entity}",
                sources,
                statements["en"],
                attribute.label.en,
                self._row(lambda language: self._cells(entity, value, language)),
            ),
        )

    def _row(self, cells: Callable[[Language], Sequence[str]]) -> Translated:
        """A row in each language, its cells side by side."""
        return Translated(**{language: _BETWEEN_CELLS.join(filter(None, cells(language))) for language in LANGUAGES})

    def _cells(self, entity: str, value: SpecificationValue, language: Language) -> list[str]:
        shown = self._shown(value, language)
        if isinstance(value.value, bool):
            shown += f": {self._phrases.say('row_yes' if value.value else 'row_no', language)}"
        elif value.variant is not None:
            shown += f" ({value.variant})"
        if value.scope != "gpu":
            shown += f" ({self._phrases.say(f'scope_{value.scope}', language)})"
        label = self._corpus.attributes[value.attribute].label.in_language(language)
        claimed = value.status in ("vendor_claim", "forecast")
        by = self._phrases.say(f"row_{value.status}", language, maker=self._maker(entity, language)) if claimed else ""
        note = value.note.in_language(language) if value.note is not None else ""
        return [self._name(entity, language), label, shown, by, note]

    def _shown(self, value: SpecificationValue, language: Language) -> str:
        if isinstance(value.value, Decimal | Range):
            return format_quantity(value.value, value.unit, language)
        if isinstance(value.value, Period):
            return format_period(value.value, language)
        if isinstance(value.value, bool):
            return (value.precision or value.variant or value.attribute).upper()
        return self._translated(str(value.value), language)

    def _translated(self, text: str, language: Language) -> str:
        """A value in words with the pieces that are English put into the language; names stay as they are."""
        for name, phrase in self._phrases.phrases.items():
            if name.startswith("text_"):
                text = text.replace(phrase.en, phrase.in_language(language))
        return text

    def _price(self, number: int, row: PriceRow, source: Source) -> Fact:
        statements: dict[str, str] = {}
        for language in LANGUAGES:
            fields = {
                "provider": self._name(row.provider, language),
                "name": self._name(row.gpu, language),
                "date": format_period(row.as_of, language),
                "note": row.note.in_language(language),
            }
            statements[language] = (
                self._phrases.say("price_not_published", language, **fields)
                if row.price is None
                else self._phrases.say(
                    "price", language, value=format_quantity(row.price, f"{row.currency}/h", language), **fields
                )
            )
        return Fact(
            id=f"price.{row.gpu}.{row.provider}.{number}",
            kind="price",
            about=(row.gpu, row.provider),
            attribute="price_per_hour",
            value=row.price,
            unit=f"{row.currency}/h",
            qualifiers=Qualifiers(provider=row.provider, variant=row.note.en, as_of=row.as_of),
            status="specified" if row.price is not None else "not_published",
            as_of=row.as_of,
            statement=Translated(**statements),
            citation=cite_row(
                f"specs/prices#{row.gpu}.{row.provider}",
                [source],
                statements["en"],
                "prices",
                self._row(lambda language: self._price_cells(row, language)),
            ),
        )

    def _price_cells(self, row: PriceRow, language: Language) -> list[str]:
        return [
            self._name(row.gpu, language),
            self._name(row.provider, language),
            row.note.in_language(language),
            self._corpus.attributes["price_per_hour"].label.in_language(language),
            self._phrases.say("row_not_published", language)
            if row.price is None
            else format_quantity(row.price, f"{row.currency}/h", language),
            format_period(row.as_of, language),
        ]

    def _release(self, number: int, row: ReleaseRow, released: Period, source: Source) -> Fact:
        phrase = "release" if len(released.text) == len("2026-09-09") else "release_month"
        statements = {
            language: self._phrases.say(
                phrase, language, name=self._name(row.entity, language), date=format_period(released, language)
            )
            for language in LANGUAGES
        }
        return Fact(
            id=f"release.{row.entity}.{number}",
            kind="release",
            about=(row.entity,),
            attribute="release_date",
            value=released,
            as_of=source.published,
            statement=Translated(**statements),
            citation=cite_row(
                f"specs/software#{row.entity}",
                [source],
                statements["en"],
                "releases",
                self._row(
                    lambda language: [
                        self._name(row.entity, language),
                        self._corpus.attributes["release_date"].label.in_language(language),
                        format_period(released, language),
                    ]
                ),
            ),
        )

    def _support(self, number: int, row: SupportRow, source: Source) -> Fact:
        statements: dict[str, str] = {}
        for language in LANGUAGES:
            statement = self._phrases.say(
                row.status,
                language,
                software=self._name(row.software, language),
                subject=self._name(row.subject, language),
            )
            if row.note is not None:
                statement = f"{statement} {row.note.in_language(language)}"
            statements[language] = statement
        supports = "supported_hardware" if self._corpus.entities[row.subject].kind == "gpu" else "framework_support"
        return Fact(
            id=f"support.{row.software}.{row.subject}.{number}",
            kind="support",
            about=(row.software, row.subject),
            attribute=supports,
            value=row.status != "not_supported",
            names=(row.subject,),
            as_of=row.as_of or source.published,
            statement=Translated(**statements),
            citation=cite_row(
                f"specs/software#{row.software}.{row.subject}",
                [source],
                statements["en"],
                "support",
                self._row(
                    lambda language: [
                        self._name(row.software, language),
                        self._corpus.attributes[supports].label.in_language(language),
                        f"{self._name(row.subject, language)}: {self._phrases.say(f'row_{row.status}', language)}",
                        row.note.in_language(language) if row.note is not None else "",
                    ]
                ),
            ),
        )
