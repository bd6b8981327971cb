"""The shape of a language model, layer by layer, as far as it decides memory."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1, le=10**9)]
Optional0 = Annotated[int, Field(ge=0, le=10**9)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GroupedAttention(_Part):
    """Softmax attention with a key-value cache: MHA (kv_heads = heads), GQA or MQA (kv_heads = 1)."""

    kind: Literal["grouped"] = "grouped"
    heads: Count
    kv_heads: Count
    head_dim: Count
    window: Count | None = None
    """Tokens a sliding-window or chunked layer looks back; None for full attention."""
    chunked: bool = False
    """True where `window` counts fixed chunks (Llama 4) and not a sliding window."""
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: Literal["none", "head", "layer"] = "none"
    """`head`: one norm of head_dim for queries and one for keys; `layer`: norms over all heads at once."""
    sinks: bool = False
    """One learned sink logit a head (gpt-oss)."""
    output_gate: bool = False
    """The query projection is twice as wide, its second half gates the output (Qwen3-Next and later)."""
    value_is_key: bool = False
    """No value projection: values are the projected keys (Gemma 4 global layers)."""
    reuses_cache: bool = False
    """Attends over the cache of an earlier layer: no key and value projections and no cache of its own."""

    @model_validator(mode="after")
    def _heads_divide(self) -> "GroupedAttention":
        if self.heads % self.kv_heads:
            raise ValueError(f"heads ({self.heads}) is not a multiple of kv_heads ({self.kv_heads})")
        return self


class LatentAttention(_Part):
    """Multi-head latent attention (DeepSeek): one compressed key-value row a token, shared by all heads."""

    kind: Literal["latent"] = "latent"
    heads: Count
    q_rank: Count | None = None
    """Rank of the query compression; None for a full query projection."""
    kv_rank: Count
    nope_dim: Count
    rope_dim: Count
    value_dim: Count
    index_heads: Optional0 = 0
    """Heads of the sparse-attention indexer (DeepSeek-V3.2, GLM-5), which caches one key a token; 0 without it."""
    index_dim: Optional0 = 0


class DeltaNet(_Part):
    """Gated linear attention (Qwen3-Next, Qwen3.5): a state of fixed size for each sequence, no cache."""

    kind: Literal["delta"] = "delta"
    key_heads: Count
    value_heads: Count
    key_dim: Count
    value_dim: Count
    kernel: Count = 4


class Mamba2(_Part):
    """A state-space layer (Nemotron-H, Granite 4): a state of fixed size for each sequence, no cache."""

    kind: Literal["mamba2"] = "mamba2"
    heads: Count
    head_dim: Count
    state: Count
    groups: Count
    kernel: Count = 4


Mixer = Annotated[GroupedAttention | LatentAttention | DeltaNet | Mamba2, Field(discriminator="kind")]


class DenseFeedForward(_Part):
    """One feed-forward block; `gated` ones (SwiGLU, GeGLU) have three matrices, the others two."""

    kind: Literal["dense"] = "dense"
    width: Count
    gated: bool = True
    bias: bool = False


class Experts(_Part):
    """A mixture of experts: each token is sent to `active` of `experts` blocks, and through the shared one."""

    kind: Literal["experts"] = "experts"
    experts: Count
    active: Count
    width: Count
    shared_width: Optional0 = 0
    """Total width of the shared experts, through which every token goes."""
    latent: Optional0 = 0
    """Width to which tokens are projected before the routed experts (Nemotron 3 Super); 0 for none."""
    shared_gate: bool = False
    gated: bool = True
    bias: bool = False
    router_bias: bool = False
    router_scales: Optional0 = 0
    """Learned numbers of the router besides its matrix and bias."""

    @model_validator(mode="after")
    def _active_exist(self) -> "Experts":
        if self.active > self.experts:
            raise ValueError(f"active ({self.active}) is above experts ({self.experts})")
        return self


FeedForward = Annotated[DenseFeedForward | Experts, Field(discriminator="kind")]


class LayerGroup(_Part):
    """Layers of one kind; where they stand among the others does not matter for memory."""

    count: Count
    mixer: Mixer | None = None
    feed_forward: FeedForward | None = None
    norms: Optional0 = 2
    """Norm vectors of the hidden width in each layer."""
    norm_bias: bool = False
    scalars: Optional0 = 0
    """Learned numbers in each layer that belong to none of the other parts."""

    @model_validator(mode="after")
    def _does_something(self) -> "LayerGroup":
        if self.mixer is None and self.feed_forward is None:
            raise ValueError("a layer needs a mixer, a feed_forward or both")
        return self


class PredictionHead(_Part):
    """A multi-token-prediction module: a further layer, a projection of 2·hidden to hidden, and norms."""

    layer: LayerGroup
    norms: Optional0 = 3
    own_embeddings: bool = False
    """True where the checkpoint stores another copy of the embeddings and the output head."""


class Component(_Part):
    """A part besides the language model, such as a vision tower with its projector."""

    name: str
    parameters: Annotated[int, Field(ge=1, le=10**12)]


class Architecture(_Part):
    """Everything about a model that decides how much memory it takes."""

    hidden: Count
    vocabulary: Count
    layers: tuple[LayerGroup, ...] = Field(min_length=1, max_length=200)
    max_context: Count
    """Longest sequence in tokens that the model's configuration allows."""
    tied_embeddings: bool = False
    final_norm: bool = True
    position_embeddings: Optional0 = 0
    """Rows of a learned position table; 0 for rotary positions."""
    per_layer_embedding: Optional0 = 0
    """Width of the extra embedding that every layer looks up (Gemma 3n, Gemma 4 E models); 0 for none."""
    per_layer_vocabulary: Optional0 = 0
    head_bias: bool = False
    window_pool: bool = False
    """SGLang keeps the layers with a window in a pool of their own; of other models it caches every layer in full."""
    prediction: PredictionHead | None = None
    components: tuple[Component, ...] = ()

    @property
    def layer_count(self) -> int:
        return sum(group.count for group in self.layers)

    @property
    def attention_groups(self) -> tuple[tuple[int, GroupedAttention | LatentAttention], ...]:
        """(number of layers, mixer) of the layers that keep a key-value cache of their own."""
        return tuple(
            (group.count, group.mixer)
            for group in self.layers
            if isinstance(group.mixer, LatentAttention)
            or (isinstance(group.mixer, GroupedAttention) and not group.mixer.reuses_cache)
        )

    @property
    def state_groups(self) -> tuple[tuple[int, DeltaNet | Mamba2], ...]:
        """(number of layers, mixer) of the layers that keep a state of fixed size."""
        return tuple((group.count, group.mixer) for group in self.layers if isinstance(group.mixer, DeltaNet | Mamba2))

    @property
    def heads(self) -> int:
        """Attention heads of the widest layer; 1 for a model without attention."""
        return max((mixer.heads for _, mixer in self.attention_groups), default=1)

    @property
    def is_mixture(self) -> bool:
        return any(isinstance(group.feed_forward, Experts) for group in self.layers)
