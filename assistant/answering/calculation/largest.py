"""Which models a card holds, where a question names the card and no model."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.citation import cite_run
from assistant.answering.calculation.fit import fit_request
from assistant.answering.calculation.inputs import CalculationInputs, stated
from assistant.answering.calculation.sizing_question import CardAsked, cards_asked, editions, has_data
from assistant.answering.calculation.words import calculation_words
from assistant.answering.evidence import Calculation
from assistant.language.ask import Ask
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.language.wording import read_wording
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.description import in_gb
from assistant.tools.memory.largest import Holding, largest_that_fit
from assistant.tools.memory.plan import DEFAULT_CONTEXT
from assistant.tools.memory.remedies import changed

_MOST_MODELS = 3
_RUNNING = frozenset({"fit", "holds"})
# Kinds that, named beside a card, make it a question of something else than what the card holds.
_OTHERS = ("model", "provider", "company")


def wants_largest(ask: Ask, inputs: CalculationInputs) -> bool:
    """True where a card is named, by name or by its memory, and what models it can run is asked for."""
    if inputs.parameters is not None or inputs.task is not None or ask.unknown or ask.entities(*_OTHERS):
        return False
    asked = calculation_words().of_any_model.search(ask.text) is not None
    return asked and bool(ask.wishes & _RUNNING) and bool(cards_asked(ask, unnamed=True))


class LargestCalculation:
    """The largest of the models held that fit on the cards that a question names."""

    def __init__(self, catalogue: Catalogue, directory: Path) -> None:
        self._catalogue = catalogue
        self._wording = read_wording(directory / "phrases" / "answer.yaml")

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        return [
            self._on(card, inputs, language)
            for card in cards_asked(ask, unnamed=True)[:1]
            if has_data(card, self._catalogue)
        ]

    def _on(self, asked: CardAsked, inputs: CalculationInputs, language: Language) -> Calculation:
        card = editions(asked, self._catalogue)[0]
        context = inputs.context or DEFAULT_CONTEXT
        request = changed(fit_request(inputs), **stated(gpus=asked.count, context=context))
        held = largest_that_fit(request, card, self._catalogue.models, most=_MOST_MODELS)
        fields = {
            "gpus": str(request.gpus),
            "card": card.name,
            "context": format_number(Decimal(context), language),
        }
        some = [holding for holding in held if holding.models]
        if some:
            best = some[-1]
            fields |= {"model": best.models[0], "weights": best.weights, "need": in_gb(best.totals[0].high, language)}
            lead = self._wording.say("largest_model", language, **fields)
        else:
            lead = self._wording.say("largest_none", language, **fields)
        run = ToolRun(
            tool="largest",
            inputs={"gpu": card.name, **request.model_dump(mode="json", exclude_none=True)},
            result={"formats": [holding.model_dump(mode="json") for holding in held]},
            formula="weights + KV cache + activations + overhead ≤ usable memory, for each model held",
        )
        return Calculation(
            run=run,
            title="largest",
            text="\n\n".join(
                filter(None, [lead, self._table(some, language), self._wording.say("largest_note", language)])
            ),
            citations=(cite_run(run, language),),
        )

    def _table(self, held: Sequence[Holding], language: Language) -> str:
        if not held:
            return ""
        header = [self._wording.say(f"largest_{name}", language) for name in ("weights", "models")]
        rows = [header, ["---", "---"]]
        for holding in held:
            named = [
                f"{name} ({in_gb(total.high, language)})"
                for name, total in zip(holding.models, holding.totals, strict=True)
            ]
            rows.append([holding.weights, ", ".join(named)])
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
