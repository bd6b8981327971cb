"""How large the key-value cache of a model is, where that is asked and no card."""

from decimal import Decimal
from pathlib import Path

from assistant.answering.answer import ToolRun
from assistant.answering.calculation.citation import cite_run, worked_out
from assistant.answering.calculation.fit import fit_request
from assistant.answering.calculation.inputs import CalculationInputs
from assistant.answering.calculation.sizing_question import subjects_asked
from assistant.answering.evidence import Calculation
from assistant.language.ask import Ask
from assistant.language.formatting import format_number
from assistant.language.tongue import Language
from assistant.language.wording import read_wording
from assistant.tools.memory.cache_layout import KV_TYPES, bytes_per_token
from assistant.tools.memory.catalogue import Catalogue
from assistant.tools.memory.description import in_gb, in_gib
from assistant.tools.memory.explanation import cache_formulas
from assistant.tools.memory.language_model import LanguageModel
from assistant.tools.memory.remedies import changed
from assistant.tools.memory.sizing import size

_CACHE = "kv-cache"


def wants_cache(ask: Ask, inputs: CalculationInputs) -> bool:
    """True where the cache of a named model is asked for, at a stated length, number of users or cache type."""
    stated = inputs.context is not None or inputs.users is not None or "kv_type" in inputs.options.values
    about_cache = _CACHE in ask.entities() or "cache_size" in ask.attributes
    return about_cache and stated and bool(ask.entities("model")) and not ask.entities("gpu") and inputs.task is None


class CacheCalculation:
    """Sizes the cache of the models that a question names."""

    def __init__(self, catalogue: Catalogue, directory: Path) -> None:
        self._catalogue = catalogue
        self._wording = read_wording(directory / "phrases" / "answer.yaml")

    def calculate(self, ask: Ask, inputs: CalculationInputs, language: Language) -> list[Calculation]:
        request = fit_request(inputs)
        if inputs.weights in KV_TYPES and "kv_type" not in inputs.options.values:
            # No weights are asked after, so a format that is named is the cache's.
            request = changed(request, kv_type=inputs.weights, weights=None)
        found: list[Calculation] = []
        for asked in subjects_asked(ask, self._catalogue):
            if asked.model is None:
                continue
            subject = self._catalogue.subject(self._catalogue.entities[asked.model].name, None)
            if not isinstance(subject, LanguageModel):
                continue
            (one, *_) = size(request, subject)
            chosen = one.chosen
            per_token = round(bytes_per_token(one.shape.architecture, chosen.layout))
            text = self._wording.say(
                "cache_needed",
                language,
                model=subject.name,
                cache=f"{in_gb(one.needed.kv_cache, language)} ({in_gib(one.needed.kv_cache, language)})",
                users=format_number(Decimal(chosen.request.concurrency), language),
                context=format_number(Decimal(chosen.context), language),
                kv_type=chosen.layout.kv_type,
                engine=chosen.layout.engine,
                each=format_number(Decimal(per_token), language),
            )
            run = ToolRun(
                tool="fit",
                inputs={"model": subject.name, **chosen.request.model_dump(mode="json", exclude_none=True)},
                result={"kv_cache": one.needed.kv_cache, "kv_bytes_per_token": per_token},
                formula=worked_out(cache_formulas(one)),
            )
            found.append(Calculation(run=run, title="fit", text=text, citations=(cite_run(run, language),)))
        return found
