"""Which choices a request states, which are taken for it, and which play no part in what is asked."""

from assistant.tools.memory.parallelism import Division
from assistant.tools.memory.request import FitRequest
from assistant.tools.memory.result import Note

_SERVING = (
    "context", "concurrency", "prefix", "kv_type", "engine", "block", "batched_tokens", "max_sequences",
    "hybrid_manager", "swa_full", "unified_kv",
)  # fmt: skip
_TRAINING = (
    "sequence", "batch", "accumulation", "recompute", "optimizer", "zero", "offload", "flash_attention", "loss",
    "lora_rank",
)  # fmt: skip
_OF_ENGINES = {
    "hybrid_manager": ("vllm",),
    "block": ("vllm", "sglang"),
    "max_sequences": ("vllm", "sglang"),
    "swa_full": ("llama.cpp",),
    "unified_kv": ("llama.cpp",),
}
# Said in the verdict already, or with the division of the cards.
_TOLD_ELSEWHERE = frozenset({"task", "weights", "gpus", "tp", "pp"})
_TAKEN_SERVING = ("concurrency", "engine", "memory_utilization")
_TAKEN_TRAINING = ("sequence", "batch", "recompute", "optimizer", "zero", "lora_rank", "loss")


def stated_fields(request: FitRequest) -> list[str]:
    """The choices that a request makes itself, in the order of the request."""
    return [
        name
        for name in FitRequest.model_fields
        if name in request.model_fields_set and getattr(request, name) not in (None, "auto")
    ]


def plays_no_part(field: str, settled: FitRequest, split: Division) -> bool:
    """True for a choice that changes nothing of this request, whatever its value."""
    if settled.task == "inference":
        engines = _OF_ENGINES.get(field)
        return field in _TRAINING or (engines is not None and settled.engine not in engines)
    if field == "lora_rank":
        return settled.task == "full"
    if field == "zero":
        return split.data == 1
    if field == "accumulation":
        return split.pipeline == 1
    if field == "flash_attention":
        return settled.recompute != "none"
    return field in _SERVING


def choice_notes(request: FitRequest, settled: FitRequest, split: Division) -> list[Note]:
    """What was given, what was taken because it was not, and what was given in vain; `values` are field → value."""
    stated = stated_fields(request)
    length_is_context = settled.task != "inference" and request.sequence is None and request.context is not None
    given: dict[str, str] = {}
    vain: dict[str, str] = {}
    for field in stated:
        if field in _TOLD_ELSEWHERE:
            continue
        if field == "context" and length_is_context:
            given["sequence"] = str(request.context)
            continue
        value = getattr(settled, field)
        target = vain if plays_no_part(field, settled, split) else given
        target[field] = str(getattr(request, field) if value is None or target is vain else value)
    usual = _TAKEN_SERVING if settled.task == "inference" else _TAKEN_TRAINING
    taken = {
        field: str(getattr(settled, field))
        for field in usual
        if field not in given and field not in stated and not plays_no_part(field, settled, split)
    }
    if settled.gpus > 1:
        named = given if request.tp is not None or request.pp is not None else taken
        named["division"] = f"{split.tensor} × {split.pipeline} × {split.data}"
    return [
        Note(code=code, values=values)
        for code, values in (("given", given), ("taken", taken), ("in_vain", vain))
        if values
    ]
