"""What is asked of the memory calculator."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from assistant.tools.memory.cache_layout import Engine
from assistant.whole_number import NO_SWITCH

Task = Literal["inference", "lora", "qlora", "full"]
Optimizer = Literal["adamw", "adamw-bf16", "adamw-8bit", "adamw-paged-8bit", "adamw-fp32", "sgd"]
Recompute = Literal["none", "selective", "full"]
Offload = Literal["none", "optimizer", "all"]

Tokens = Annotated[int, Field(ge=1, le=100_000_000), NO_SWITCH]
Few = Annotated[int, Field(ge=1, le=100_000), NO_SWITCH]

DEFAULT_SEQUENCE = 2048


class FitRequest(BaseModel):
    """Every choice besides the model and the card; None leaves the choice to the calculator, which states it."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    task: Task = "inference"
    weights: str | None = None
    """Weight format; None means 16-bit, and 4-bit NF4 for QLoRA."""
    kv_type: str = "auto"
    context: Tokens | None = None
    """Tokens of one sequence, prompt and answer together."""
    concurrency: Few = 1
    prefix: Annotated[int, Field(ge=0, le=100_000_000), NO_SWITCH] = 0
    """Tokens at the start that all sequences share."""
    gpus: Few = 1
    tp: Few | None = None
    """Tensor parallelism; None divides over all cards as far as the heads allow."""
    pp: Few | None = None
    engine: Engine | None = None
    memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the card's memory that the engine may take; None means 0.9 for vLLM and SGLang, all for llama.cpp."""
    hybrid_manager: StrictBool = True
    swa_full: StrictBool = False
    unified_kv: StrictBool = False
    block: Annotated[int, Field(ge=1, le=4096), NO_SWITCH] | None = None
    """Tokens in a page of the cache; None means 16 for vLLM, 1 for SGLang."""
    batched_tokens: Annotated[int, Field(ge=1, le=10_000_000), NO_SWITCH] | None = None
    """vLLM's max-num-batched-tokens, or llama.cpp's n_ubatch; None leaves it to engine and card."""
    max_sequences: Annotated[int, Field(ge=1, le=100_000), NO_SWITCH] | None = None
    """vLLM's max-num-seqs, for which it reserves buffers; None leaves it to engine and card."""
    optimizer: Optimizer = "adamw"
    zero: Annotated[int, Field(ge=0, le=3), NO_SWITCH] = 0
    offload: Offload = "none"
    sequence: Tokens | None = None
    """Tokens of a training sequence; None means the context, or 2,048 where none is given either."""
    batch: Few = 1
    """Sequences in one micro-batch on each GPU."""
    accumulation: Few = 1
    recompute: Recompute = "full"
    flash_attention: StrictBool = True
    loss: Literal["full", "chunked"] = "full"
    """Chunked: the logits of an eighth of the tokens at a time, as torchtune and Liger kernels do."""
    lora_rank: Annotated[int, Field(ge=1, le=65_536), NO_SWITCH] = 16

    @property
    def training_length(self) -> int:
        """Tokens of a training sequence."""
        return self.sequence or self.context or DEFAULT_SEQUENCE
