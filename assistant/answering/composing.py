"""Evidence -> Draft without a language model: a direct sentence first, then the detail."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from assistant.answering.answer import Caveat, Missing, Nearest
from assistant.answering.draft import Block, Dispute, DisputedValue, Draft, Sentence
from assistant.answering.evidence import AskEvidence, Evidence
from assistant.answering.selection import answers, select_facts, whole_series
from assistant.knowledge.claim import Range
from assistant.knowledge.corpus import Corpus
from assistant.knowledge.fact import Fact, name_of
from assistant.knowledge.period import Period
from assistant.language.formatting import format_period, format_quantity, join_words
from assistant.language.tongue import Language
from assistant.language.wording import Wording
from assistant.tools.comparison import ComparisonTable, compare_cards, rank_cards

_STATUS_CAVEATS = {
    "vendor_claim": "vendor_claim",
    "forecast": "forecast",
    "hypothetical": "hypothetical",
    "not_published": "not_published",
}

_ABOUT_IT = 0.75
_RANKS_SHOWN = 5


class Composer:
    """Writes drafts from evidence with the sentences of claims and of corpus/phrases/answer.yaml."""

    def __init__(self, corpus: Corpus, facts: Sequence[Fact], phrases: Wording, today: date) -> None:
        self._corpus = corpus
        self._phrases = phrases
        self._today = today
        self._series: dict[str, list[Fact]] = {}
        for fact in facts:
            if fact.series is not None:
                self._series.setdefault(fact.series.id, []).append(fact)
        self._by_entity: dict[str, list[Fact]] = {}
        for fact in facts:
            for entity in fact.about:
                self._by_entity.setdefault(entity, []).append(fact)

    def compose(self, evidence: Evidence) -> Draft:
        """One draft for all parts of the question; each part is answered, or said to be missing, on its own."""
        parts = [self._part(part, evidence.language) for part in evidence.parts]
        blocks: list[Block] = []
        seen: set[str] = set()
        for part in parts:
            for block in part.blocks:
                fingerprint = block.model_dump_json()
                if fingerprint not in seen:
                    seen.add(fingerprint)
                    blocks.append(block)
        missing = [part.missing for part in parts if part.missing is not None]
        return Draft(
            status=_joint_status([part.status for part in parts]),
            blocks=tuple(blocks),
            disputes=tuple(dict.fromkeys(dispute for part in parts for dispute in part.disputes)),
            caveats=tuple(dict.fromkeys(caveat for part in parts for caveat in part.caveats)),
            tool_runs=tuple(run for part in parts for run in part.tool_runs),
            missing=Missing(
                what=tuple(dict.fromkeys(what for item in missing for what in item.what)),
                nearest=tuple(dict.fromkeys(near for item in missing for near in item.nearest)),
            )
            if missing
            else None,
        )

    def _part(self, part: AskEvidence, language: Language) -> Draft:
        if part.needed:
            question = " ".join(self._phrases.say(f"needs_{name}", language) for name in part.needed)
            return Draft(
                status="needs_input",
                blocks=(Block(kind="paragraph", sentences=(Sentence(text=question),)),),
                missing=Missing(what=part.needed),
            )
        unknown = self._unknown(part, language)
        if part.calculations:
            draft = self._calculations(part)
        elif part.unknown and not part.entities:
            return unknown if unknown is not None else self._silence(part, language)
        else:
            draft = (
                self._comparison(part, language)
                or self._superlative(part, language)
                or self._facts(part, language)
                or self._passages(part, language)
            )
        if draft is None:
            return unknown or self._silence(part, language)
        if unknown is not None:
            return draft.model_copy(
                update={
                    "status": "partly_answered",
                    "blocks": (*draft.blocks, *unknown.blocks),
                    "missing": unknown.missing,
                }
            )
        return draft

    # --- silence -------------------------------------------------------------------------------------------------

    def _unknown(self, part: AskEvidence, language: Language) -> Draft | None:
        """What is said of names that the knowledge base doesn't have."""
        if not part.unknown:
            return None
        sentences: list[Sentence] = []
        nearest: list[Nearest] = []
        for name in part.unknown:
            sentences.append(Sentence(text=self._phrases.say("unknown_name", language, name=name.text)))
            known = [self._corpus.entities[id_] for id_ in name.nearest]
            if known:
                names = join_words([name_of(entity, language) for entity in known], language)
                sentences.append(Sentence(text=self._phrases.say("nearest_names", language, names=names)))
            for entity in known:
                facts = self._by_entity.get(entity.id)
                if facts:
                    citation = facts[0].citation
                    nearest.append(
                        Nearest(source_id=citation.source_id, title=citation.title, about=name_of(entity, language))
                    )
        return Draft(
            status="not_in_sources",
            blocks=(Block(kind="paragraph", sentences=tuple(sentences)),),
            missing=Missing(what=tuple(name.text for name in part.unknown), nearest=tuple(nearest)),
        )

    def _silence(self, part: AskEvidence, language: Language) -> Draft:
        """Says what is missing, and the nearest thing held."""
        if not part.ask.text.strip():
            return self._plain("out_of_scope", "empty_question", language)
        if not part.entities and not part.ask.attributes and (not part.facts or part.facts[0].meaning < 2.0):
            return self._plain("out_of_scope", "out_of_scope", language)
        what = self._what_is_missing(part, language)
        opening = (
            self._phrases.say("not_in_sources_about", language, what=what)
            if what
            else self._phrases.say("not_in_sources", language)
        )
        sentences = [Sentence(text=opening)]
        nearest: tuple[Nearest, ...] = ()
        about_it = [ranked for ranked in part.facts if not part.entities or ranked.coverage >= _ABOUT_IT]
        close = max(about_it, key=lambda ranked: (ranked.attribute > 0, ranked.coverage), default=None)
        if close is not None:
            fact = close.fact
            sentences.append(
                Sentence(
                    text=self._phrases.say(
                        "nearest_source",
                        language,
                        title=fact.citation.title,
                        statement=fact.statement.in_language(language),
                    ),
                    support=(fact.citation,),
                )
            )
            nearest = (
                Nearest(
                    source_id=fact.citation.source_id,
                    title=fact.citation.title,
                    about=self._corpus.attributes[fact.attribute].label.in_language(language),
                ),
            )
        return Draft(
            status="not_in_sources",
            blocks=(Block(kind="paragraph", sentences=tuple(sentences)),),
            missing=Missing(what=(what or part.ask.text,), nearest=nearest),
        )

    def _what_is_missing(self, part: AskEvidence, language: Language) -> str:
        names = [name_of(self._corpus.entities[id_], language) for id_ in part.entities]
        attributes = [self._corpus.attributes[group[0]].label.in_language(language) for group in part.ask.wanted[:1]]
        if names and attributes:
            return self._phrases.say(
                "attribute_of", language, attribute=attributes[0], name=join_words(names, language)
            )
        return join_words(names or attributes, language)

    def _plain(self, status: str, phrase: str, language: Language) -> Draft:
        sentence = Sentence(text=self._phrases.say(phrase, language))
        return Draft.model_validate({"status": status, "blocks": [Block(kind="paragraph", sentences=(sentence,))]})

    # --- calculations ----------------------------------------------------------------------------------------------

    def _calculations(self, part: AskEvidence) -> Draft:
        blocks: list[Block] = []
        caveats: list[Caveat] = []
        for calculation in part.calculations:
            blocks.append(
                Block(
                    kind="paragraph",
                    sentences=(Sentence(text=calculation.text, support=calculation.citations),),
                )
            )
            caveats += [Caveat(code="assumption", text=text) for text in calculation.assumptions]
        return Draft(
            status="answered",
            blocks=tuple(blocks),
            caveats=tuple(caveats),
            tool_runs=tuple(calculation.run for calculation in part.calculations),
        )

    # --- comparison ------------------------------------------------------------------------------------------------

    def _comparison(self, part: AskEvidence, language: Language) -> Draft | None:
        """A table where two or more cards are compared in properties that are figures."""
        cards = [id_ for id_ in part.entities if self._corpus.entities[id_].kind in ("gpu", "system")]
        others = [id_ for id_ in part.entities if self._corpus.entities[id_].kind in ("provider",)]
        if len(cards) < 2 or others:
            return None
        table = compare_cards(cards, part.ask.attributes, self._by_entity, self._corpus)
        if not table.rows:
            return None
        lead = [*self._on_all_of(cards, part, language), *self._comparison_lead(part, table, language)]
        header = (
            Sentence(text=self._phrases.say("column_property", language)),
            *(Sentence(text=name_of(self._corpus.entities[card], language)) for card in table.cards),
        )
        rows = [header]
        used: list[Fact] = []
        for row in table.rows:
            cells = [Sentence(text=self._corpus.attributes[row.attribute].label.in_language(language))]
            for card, cell in zip(table.cards, row.cells, strict=True):
                used += cell
                cells.append(self._cell(card, cell, language))
            rows.append(tuple(cells))
        incomplete = any(not cell for row in table.rows for cell in row.cells)
        blocks = [
            *([Block(kind="paragraph", sentences=tuple(lead))] if lead else []),
            Block(kind="table", rows=tuple(rows)),
        ]
        disputes, sentences = self._disputes(part, used, language)
        if sentences:
            blocks.append(Block(kind="paragraph", sentences=tuple(sentences)))
        caveats, notes = self._caveats(used, language)
        if notes:
            blocks.append(Block(kind="paragraph", sentences=tuple(notes)))
        return Draft(
            status="partly_answered" if incomplete else "answered",
            blocks=tuple(blocks),
            disputes=tuple(disputes),
            caveats=tuple(caveats),
        )

    def _cell(self, card: str, cell: Sequence[Fact], language: Language) -> Sentence:
        """The values of a card, each with the edition it belongs to where the card has several."""
        if not cell:
            return Sentence(text=self._phrases.say("not_known", language))
        editions: dict[str, list[str]] = {}
        for fact in cell:
            editions.setdefault(self._edition(card, fact, language), []).append(self._shown(fact, language, name=True))
        shown = [
            f"{join_words(list(dict.fromkeys(values)), language)}{f' ({edition})' if edition else ''}"
            for edition, values in editions.items()
        ]
        return Sentence(text="; ".join(shown), support=tuple(fact.citation for fact in cell))

    def _edition(self, card: str, fact: Fact, language: Language) -> str:
        """What tells a fact's card apart from the less exact name asked for: PCIe, SXM …"""
        family = set(self._corpus.descendants(card)) - {card}
        variant = next((id_ for id_ in fact.about if id_ in family), None)
        if variant is None:
            return ""
        words = set(name_of(self._corpus.entities[card], language).split())
        name = name_of(self._corpus.entities[variant], language)
        return " ".join(word for word in name.split() if word not in words)

    def _on_all_of(self, cards: Sequence[str], part: AskEvidence, language: Language) -> list[Sentence]:
        """What the sources say of just these cards together, best first, at most two statements."""
        families = [set(self._corpus.descendants(card)) for card in cards]
        together = [
            ranked.fact
            for ranked in part.facts
            if answers(ranked, part, self._corpus)
            and all(family.intersection(ranked.fact.about) for family in families)
            and (ranked.attribute > 0 or not part.ask.attributes)
        ]
        return [Sentence(text=fact.statement.in_language(language), support=fact.citations) for fact in together[:2]]

    def _comparison_lead(self, part: AskEvidence, table: ComparisonTable, language: Language) -> list[Sentence]:
        """One sentence for each property asked: which card has most (or least) of it."""
        sentences: list[Sentence] = []
        asked = [row for row in table.rows if row.attribute in part.ask.attributes] or list(table.rows[:2])
        for row in asked[:3]:
            best = row.extreme(least="least" in part.ask.wishes)
            if best is None:
                continue
            phrase = (
                "comparison_equal"
                if best.equal
                else "comparison_least"
                if "least" in part.ask.wishes
                else "comparison_most"
            )
            fields = {
                "attribute": self._corpus.attributes[row.attribute].label.in_language(language),
                "value": self._shown(best.fact, language),
            }
            if not best.equal:
                fields["name"] = name_of(self._corpus.entities[best.card], language)
            sentences.append(
                Sentence(text=self._phrases.say(phrase, language, **fields), support=(best.fact.citation,))
            )
        return sentences

    def _superlative(self, part: AskEvidence, language: Language) -> Draft | None:
        """The card with most or least of a property among all that the sources know."""
        wishes = part.ask.wishes & {"most", "least"}
        figures = [id_ for id_ in part.ask.attributes if self._corpus.attributes[id_].kind == "quantity"]
        named = [id_ for id_ in part.entities if self._corpus.entities[id_].kind in ("gpu", "system", "model")]
        if not wishes or not figures or named:
            return None
        least = "least" in wishes
        provider = next((id_ for id_ in part.entities if self._corpus.entities[id_].kind == "provider"), None)
        table = rank_cards(figures[0], self._by_entity, self._corpus, least=least, provider=provider)
        if not table.rows:
            return None
        row = table.rows[0]
        label = self._corpus.attributes[row.attribute].label.in_language(language)
        best = row.cells[0]
        lead = self._phrases.say(
            "superlative_least" if least else "superlative_most",
            language,
            name=name_of(self._corpus.entities[row.cards[0]], language),
            attribute=label,
            value=self._shown(best[0], language),
        )
        rows = [(Sentence(text="GPU"), Sentence(text=label))]
        rows += [
            (Sentence(text=name_of(self._corpus.entities[card], language)), self._cell(card, cell, language))
            for card, cell in list(zip(row.cards, row.cells, strict=True))[:_RANKS_SHOWN]
        ]
        caveats, notes = self._caveats(best, language)
        opening = (Sentence(text=lead, support=tuple(fact.citation for fact in best)), *notes)
        return Draft(
            status="answered",
            blocks=(Block(kind="paragraph", sentences=opening), Block(kind="table", rows=tuple(rows))),
            caveats=tuple(caveats),
        )

    # --- facts -----------------------------------------------------------------------------------------------------

    def _facts(self, part: AskEvidence, language: Language) -> Draft | None:
        chosen = select_facts(part, self._corpus)
        if not chosen:
            return None
        listed = whole_series(part, chosen, self._series)
        # The other sides of a disagreement are told with the disagreement.
        sides = {fact.id for group in part.conflicts if chosen[0] in group for fact in group}
        stated = [fact for fact in chosen if fact is chosen[0] or fact.id not in sides]
        blocks: list[Block] = []
        used = listed or chosen
        if listed:
            heading = self._corpus.series[listed[0].series.id].title.in_language(language) if listed[0].series else ""
            ordered = listed[0].attribute == "step"
            items = tuple(Sentence(text=f.statement.in_language(language), support=(f.citation,)) for f in listed)
            blocks.append(
                Block(
                    kind="steps" if ordered else "list",
                    sentences=(Sentence(text=f"**{heading}**"), *items),
                )
            )
        elif self._is_price_list(chosen):
            blocks += self._prices(part, chosen, language)
        else:
            blocks.append(
                Block(
                    kind="paragraph",
                    sentences=tuple(
                        Sentence(text=fact.statement.in_language(language), support=fact.citations) for fact in stated
                    ),
                )
            )
        disputes, sentences = self._disputes(part, used, language)
        caveats, notes = self._caveats(used, language)
        tail = (*sentences, *notes)
        if tail:
            blocks.append(Block(kind="paragraph", sentences=tail))
        return Draft(status="answered", blocks=tuple(blocks), disputes=tuple(disputes), caveats=tuple(caveats))

    def _is_price_list(self, chosen: list[Fact]) -> bool:
        prices = [fact for fact in chosen if fact.attribute == "price_per_hour" and fact.value is not None]
        return len(prices) > 1 and len({fact.qualifiers.provider for fact in prices}) > 1

    def _prices(self, part: AskEvidence, chosen: list[Fact], language: Language) -> list[Block]:
        """A range in one sentence, then a table of what each provider asks."""
        prices = [fact for fact in chosen if fact.attribute == "price_per_hour"]
        figures = [end for fact in prices for end in _ends(fact)]
        asked = [id_ for id_ in part.entities if self._corpus.entities[id_].kind == "gpu"]
        name = name_of(self._corpus.entities[asked[0] if asked else prices[0].about[0]], language)
        span = Range(low=min(figures), high=max(figures))
        shown = format_quantity(span if span.low != span.high else span.low, prices[0].unit, language)
        support = tuple(fact.citation for fact in prices if fact.value is not None)
        lead = Sentence(text=self._phrases.say("prices_from_to", language, name=name, value=shown), support=support)
        header = tuple(
            Sentence(text=self._phrases.say(f"column_{column}", language))
            for column in ("provider", "edition", "price", "date")
        )
        rows = [header]
        for fact in prices:
            provider = fact.qualifiers.provider
            gpu = next((id_ for id_ in fact.about if self._corpus.entities[id_].kind == "gpu"), fact.about[0])
            edition = name_of(self._corpus.entities[gpu], language)
            note = self._price_note(gpu, provider, language) or fact.qualifiers.variant
            if note:
                edition += f", {note}"
            rows.append(
                (
                    Sentence(text=name_of(self._corpus.entities[provider], language) if provider else "–"),
                    Sentence(text=edition),
                    Sentence(text=self._shown(fact, language), support=(fact.citation,)),
                    Sentence(text=format_period(fact.as_of, language) if fact.as_of else "–"),
                )
            )
        blocks = [Block(kind="paragraph", sentences=(lead,)), Block(kind="table", rows=tuple(rows))]
        rest = [fact for fact in chosen if fact.attribute != "price_per_hour"]
        if rest:
            sentences = tuple(Sentence(text=f.statement.in_language(language), support=(f.citation,)) for f in rest)
            blocks.append(Block(kind="paragraph", sentences=sentences))
        return blocks

    def _price_note(self, gpu: str, provider: str | None, language: Language) -> str | None:
        """What the price list notes on the edition rented, in the language asked."""
        rows = [row for row in self._corpus.prices.prices if row.gpu == gpu and row.provider == provider]
        return rows[0].note.in_language(language) if len(rows) == 1 else None

    # --- passages --------------------------------------------------------------------------------------------------

    def _passages(self, part: AskEvidence, language: Language) -> Draft | None:
        if not part.passages:
            return None
        passage = part.passages[0]
        lead = self._phrases.say(
            "quoted", language, language=self._phrases.say(f"language_{passage.language}", language)
        )
        return Draft(
            status="partly_answered",
            blocks=(
                Block(
                    kind="quotation",
                    sentences=(Sentence(text=lead), Sentence(text=passage.text, support=(passage.citation,))),
                ),
            ),
        )

    # --- disagreement and labels -------------------------------------------------------------------------------------

    def _disputes(
        self, part: AskEvidence, used: Sequence[Fact], language: Language
    ) -> tuple[list[Dispute], list[Sentence]]:
        """Disagreements that the facts used take part in, as data and as sentences."""
        disputes: list[Dispute] = []
        sentences: list[Sentence] = []
        used_ids = {fact.id for fact in used}
        slots = {(fact.attribute, about) for fact in used for about in fact.about}
        for group in part.conflicts:
            if not used_ids.intersection(f.id for f in group) and not any(
                (f.attribute, about) in slots for f in group for about in f.about
            ):
                continue
            about = " / ".join(name_of(self._corpus.entities[id_], language) for id_ in group[0].about)
            sides = [
                DisputedValue(
                    value=self._shown(fact, language, unit=False),
                    unit=fact.unit,
                    citation=fact.citation,
                    as_of=str(fact.as_of) if fact.as_of else None,
                )
                for fact in group
            ]
            disputes.append(Dispute(about=about, attribute=group[0].attribute, values=tuple(sides)))
            works = {_work_title(fact) for fact in group}
            values = [
                self._phrases.say(
                    "disagree_value",
                    language,
                    value=self._shown(fact, language),
                    # Where one work contradicts itself, its title doesn't tell the sides apart; the article's does.
                    source=_work_title(fact) if len(works) == len(group) else fact.citation.title,
                    date=format_period(fact.as_of, language) if fact.as_of else self._phrases.say("undated", language),
                )
                for fact in group
            ]
            text = self._phrases.say("disagree", language, values=join_words(values, language))
            sentences.append(Sentence(text=text, support=tuple(fact.citation for fact in group)))
        return disputes, sentences

    def _caveats(self, used: Sequence[Fact], language: Language) -> tuple[list[Caveat], list[Sentence]]:
        """Labels for the facts used; only staleness needs a sentence, as the others stand in the statements."""
        caveats: dict[str, Caveat] = {}
        notes: list[Sentence] = []
        for fact in used:
            code = _STATUS_CAVEATS.get(fact.status)
            if code is not None and code not in caveats:
                fields = {}
                if code == "vendor_claim":
                    maker = self._corpus.entities.get(fact.attributed_to or "")
                    fields["who"] = (
                        name_of(maker, language)
                        if maker
                        else fact.attributed_to or self._phrases.say("vendor", language)
                    )
                text = self._phrases.say(code, language, **fields)
                caveats[code] = Caveat.model_validate({"code": code, "text": text})
            if "stale" not in caveats and fact.as_of is not None and self._is_stale(fact, fact.as_of):
                phrase = "stale_price" if fact.attribute.startswith("price_per") else "stale_fact"
                text = self._phrases.say(phrase, language, date=format_period(fact.as_of, language))
                caveats["stale"] = Caveat(code="stale", text=text)
                notes.append(Sentence(text=text))
        return list(caveats.values()), notes

    def _is_stale(self, fact: Fact, as_of: Period) -> bool:
        fresh_for = self._corpus.attributes[fact.attribute].freshness_days
        return fresh_for is not None and (self._today - as_of.last).days > fresh_for

    def _shown(self, fact: Fact, language: Language, *, unit: bool = True, name: bool = False) -> str:
        """The fact's value as text in the language asked."""
        if isinstance(fact.value, Decimal | Range) and not isinstance(fact.value, bool):
            shown = format_quantity(fact.value, fact.unit if unit else None, language)
        elif isinstance(fact.value, Period):
            shown = format_period(fact.value, language)
        elif fact.text is not None and fact.kind == "specification":
            shown = fact.text
        else:
            shown = fact.statement.in_language(language)
        if name and fact.qualifiers.scope and fact.kind == "specification":
            shown += f" ({self._scope(fact.qualifiers.scope, language)})"
        return shown

    def _scope(self, scope: str, language: Language) -> str:
        return {"superchip": "superchip", "die": "die", "node": "server", "rack": "rack"}.get(scope, scope)


def _work_title(fact: Fact) -> str:
    return fact.citation.based_on[0].title if fact.citation.based_on else fact.citation.title


def _ends(fact: Fact) -> tuple[Decimal, ...]:
    if isinstance(fact.value, Range):
        return fact.value.low, fact.value.high
    return (fact.value,) if isinstance(fact.value, Decimal) else ()


def _joint_status(statuses: Sequence[str]) -> str:
    """The status of an answer whose parts have these."""
    distinct = set(statuses)
    if len(distinct) == 1:
        return next(iter(distinct))
    if "answered" in distinct or "partly_answered" in distinct:
        return "partly_answered"
    return "needs_input" if "needs_input" in distinct else "not_in_sources"


def facts_by_entity(facts: Sequence[Fact]) -> Mapping[str, list[Fact]]:
    grouped: dict[str, list[Fact]] = {}
    for fact in facts:
        for entity in fact.about:
            grouped.setdefault(entity, []).append(fact)
    return grouped
