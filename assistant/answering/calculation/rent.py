"""What renting cards costs, as a question asks it."""

from datetime import date
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.citation import cite_run, worked_out
from assistant.answering.calculation.inputs import CalculationInputs, stated
from assistant.answering.evidence import Calculation
from assistant.knowledge.citation import Citation
from assistant.knowledge.corpus import Corpus
from assistant.language.ask import Ask
from assistant.language.tongue import Language
from assistant.tools.cost.calculation import with_texts
from assistant.tools.cost.describer import Describer, read_cost_wording
from assistant.tools.cost.description import describe_rent
from assistant.tools.cost.rent import RentRequest, RentResult, rent


class RentCalculation:
    """Multiplies prices that are held, or that the question gives, by cards and hours."""

    def __init__(self, corpus: Corpus, directory: Path, today: date) -> None:
        self._corpus = corpus
        self._directory = directory
        self._today = today

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> Calculation:
        gpus, providers = ask.entities("gpu"), ask.entities("provider")
        request = RentRequest.model_validate(
            stated(
                gpu=self._corpus.entities[gpus[0]].name if gpus else None,
                provider=self._corpus.entities[providers[0]].name if providers else None,
                gpus=inputs.gpus,
                hours=inputs.hours,
                price=inputs.price,
                into=inputs.into,
                rate=inputs.rate,
            )
        )
        result, run = self._run(request, language)
        is_held = result.status != "no_price_held"
        return Calculation(
            run=run,
            title="rent",
            text=describe_rent(result, language, read_cost_wording(self._directory)),
            citations=(cite_run(run, language), *self._price_citations(result)),
            status="answered" if is_held else "partly_answered" if result.alternatives else "not_in_sources",
            missing=None if is_held else ", ".join(filter(None, (result.gpu_name, result.provider_name))),
        )

    def hourly(self, ask: Ask, language: Language) -> ToolRun | None:
        """The price of one card for one hour, and what would change it; None where no price is held."""
        gpus, providers = ask.entities("gpu"), ask.entities("provider")
        if len(gpus) != 1:
            return None
        provider = self._corpus.entities[providers[0]].name if providers else None
        request = RentRequest.model_validate(stated(gpu=self._corpus.entities[gpus[0]].name, provider=provider))
        result, run = self._run(request, language)
        return run if result.status == "priced" else None

    def _run(self, request: RentRequest, language: Language) -> tuple[RentResult, ToolRun]:
        result = rent(request, self._corpus, today=self._today)
        result = with_texts(result, Describer(read_cost_wording(self._directory), language))
        run = ToolRun(
            tool="rent",
            inputs=request.model_dump(mode="json", exclude_none=True),
            result=result.model_dump(mode="json"),
            formula=worked_out(result.formulas),
        )
        return result, run

    def _price_citations(self, result: RentResult) -> tuple[Citation, ...]:
        """The price rows that went into the result, or that are named beside it."""
        titles = {source.id: source for source in self._corpus.prices.sources}
        cited: list[Citation] = []
        for cost in (*result.offers, *result.alternatives):
            source = next((s for s in titles.values() if s.title == cost.offer.source), None)
            if source is None:
                continue
            price = cost.offer.price
            card = f"{cost.gpu_name}, {cost.provider_name}"
            shown = "–" if price is None else f"{price.low}" if price.exact else f"{price.low}–{price.high}"
            cited.append(
                Citation(
                    marker=0,
                    source_id=f"specs/prices#{cost.offer.gpu}.{cost.offer.provider}",
                    title=source.title,
                    publisher=source.publisher,
                    language=source.language,
                    published=str(source.published) if source.published else None,
                    url=source.url,
                    section="prices",
                    quote=f"{card}: {shown} {cost.offer.currency}/h ({cost.offer.as_of})",
                    kind="specification",
                )
            )
        return tuple(cited)
