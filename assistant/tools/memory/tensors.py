"""Every tensor of a model, by shape and role: the exact parameter counts come from here."""

from typing import Literal, NamedTuple

from assistant.tools.memory.architecture import (
    Architecture,
    DeltaNet,
    DenseFeedForward,
    Experts,
    GroupedAttention,
    LatentAttention,
    LayerGroup,
    Mamba2,
)

Role = Literal[
    "embedding", "head", "query", "key", "value", "attention_output", "latent", "linear_mixer",
    "gate", "up", "down", "expert_gate", "expert_up", "expert_down", "shared_gate", "shared_up", "shared_down",
    "router", "vector", "component", "joiner",
]  # fmt: skip
Split = Literal["tensor", "kv_heads", "replicated"]


class TensorGroup(NamedTuple):
    """`copies` tensors of `inputs` × `outputs` numbers; a vector has inputs = 1.

    `active` of the copies are read for one token. `split` says what tensor parallelism does with them: divide them,
    divide them no further than the key-value heads, or keep a full copy on each GPU.
    """

    role: Role
    inputs: int
    outputs: int
    copies: int
    active: int
    split: Split
    layers: int
    """Layers over which the copies are spread; 0 outside the layers."""
    kv_heads: int = 0
    prediction: bool = False

    @property
    def parameters(self) -> int:
        return self.inputs * self.outputs * self.copies

    @property
    def active_parameters(self) -> int:
        return self.inputs * self.outputs * self.active

    @property
    def is_matrix(self) -> bool:
        return self.role not in ("vector", "component", "router")


def _matrix(role: Role, inputs: int, outputs: int, layers: int, split: Split = "tensor", kv: int = 0) -> TensorGroup:
    return TensorGroup(role, inputs, outputs, layers, layers, split, layers, kv)


def _vector(size: int, layers: int, split: Split = "replicated", kv: int = 0) -> list[TensorGroup]:
    return [TensorGroup("vector", 1, size, layers, layers, split, layers, kv)] if size else []


def _grouped(mixer: GroupedAttention, hidden: int, n: int) -> list[TensorGroup]:
    q, kv = mixer.heads * mixer.head_dim, mixer.kv_heads * mixer.head_dim
    tensors = [
        _matrix("query", hidden, q * (2 if mixer.output_gate else 1), n),
        _matrix("attention_output", q, hidden, n),
    ]
    if not mixer.reuses_cache:
        tensors.append(_matrix("key", hidden, kv, n, "kv_heads", mixer.kv_heads))
        if not mixer.value_is_key:
            tensors.append(_matrix("value", hidden, kv, n, "kv_heads", mixer.kv_heads))
    if mixer.qkv_bias:
        tensors += _vector(q, n, "tensor") + _vector(2 * kv, n, "kv_heads", mixer.kv_heads)
    if mixer.output_bias:
        tensors += _vector(hidden, n)
    if mixer.qk_norm == "head":
        tensors += _vector((1 if mixer.reuses_cache else 2) * mixer.head_dim, n)
    elif mixer.qk_norm == "layer":
        tensors += _vector(q, n, "tensor") + _vector(kv, n, "kv_heads", mixer.kv_heads)
    if mixer.sinks:
        tensors += _vector(mixer.heads, n, "tensor")
    return tensors


def _latent(mixer: LatentAttention, hidden: int, n: int) -> list[TensorGroup]:
    query = mixer.heads * (mixer.nope_dim + mixer.rope_dim)
    tensors = [
        _matrix("latent", hidden, mixer.kv_rank + mixer.rope_dim, n, "replicated"),
        *_vector(mixer.kv_rank, n),
        _matrix("latent", mixer.kv_rank, mixer.heads * (mixer.nope_dim + mixer.value_dim), n),
        _matrix("attention_output", mixer.heads * mixer.value_dim, hidden, n),
    ]
    if mixer.q_rank is None:
        tensors.append(_matrix("query", hidden, query, n))
    else:
        tensors.append(_matrix("latent", hidden, mixer.q_rank, n, "replicated"))
        tensors += _vector(mixer.q_rank, n)
        tensors.append(_matrix("latent", mixer.q_rank, query, n))
    if mixer.index_heads:
        tensors += [
            _matrix("latent", mixer.q_rank or hidden, mixer.index_heads * mixer.index_dim, n, "replicated"),
            _matrix("latent", hidden, mixer.index_dim, n, "replicated"),
            _matrix("latent", hidden, mixer.index_heads, n, "replicated"),
            *_vector(2 * mixer.index_dim, n),
        ]
    return tensors


def _delta(mixer: DeltaNet, hidden: int, n: int) -> list[TensorGroup]:
    keys, values = mixer.key_heads * mixer.key_dim, mixer.value_heads * mixer.value_dim
    return [
        _matrix("linear_mixer", hidden, 2 * keys + 2 * values, n),
        _matrix("linear_mixer", hidden, 2 * mixer.value_heads, n),
        _matrix("linear_mixer", values, hidden, n),
        *_vector((2 * keys + values) * mixer.kernel, n, "tensor"),
        *_vector(2 * mixer.value_heads, n, "tensor"),
        *_vector(mixer.value_dim, n),
    ]


def _mamba(mixer: Mamba2, hidden: int, n: int) -> list[TensorGroup]:
    inner = mixer.heads * mixer.head_dim
    convolved = inner + 2 * mixer.groups * mixer.state
    return [
        _matrix("linear_mixer", hidden, inner + convolved + mixer.heads, n),
        _matrix("linear_mixer", inner, hidden, n),
        *_vector(convolved * (mixer.kernel + 1), n, "tensor"),
        *_vector(3 * mixer.heads, n, "tensor"),
        *_vector(inner, n, "tensor"),
    ]


def _dense(block: DenseFeedForward, hidden: int, n: int) -> list[TensorGroup]:
    tensors = [_matrix("up", hidden, block.width, n), _matrix("down", block.width, hidden, n)]
    if block.gated:
        tensors.append(_matrix("gate", hidden, block.width, n))
    if block.bias:
        tensors += _vector(block.width * (2 if block.gated else 1), n, "tensor") + _vector(hidden, n)
    return tensors


def _experts(block: Experts, hidden: int, n: int) -> list[TensorGroup]:
    inner = block.latent or hidden
    routed, active = n * block.experts, n * block.active

    def expert(role: Role, inputs: int, outputs: int) -> TensorGroup:
        return TensorGroup(role, inputs, outputs, routed, active, "tensor", n)

    tensors = [expert("expert_up", inner, block.width), expert("expert_down", block.width, inner)]
    if block.gated:
        tensors.append(expert("expert_gate", inner, block.width))
    if block.bias:
        widths = block.width * (2 if block.gated else 1)
        tensors += [
            TensorGroup("vector", 1, widths, routed, active, "tensor", n),
            TensorGroup("vector", 1, inner, routed, active, "replicated", n),
        ]
    tensors.append(_matrix("router", hidden, block.experts, n, "replicated"))
    tensors += _vector((block.experts if block.router_bias else 0) + block.router_scales, n)
    if block.latent:
        tensors += [
            _matrix("up", hidden, block.latent, n, "replicated"),
            _matrix("down", block.latent, hidden, n, "replicated"),
        ]
    if block.shared_width:
        tensors += [
            _matrix("shared_up", hidden, block.shared_width, n),
            _matrix("shared_down", block.shared_width, hidden, n),
        ]
        if block.gated:
            tensors.append(_matrix("shared_gate", hidden, block.shared_width, n))
        if block.shared_gate:
            tensors += _vector(hidden, n)
    return tensors


def layer_tensors(group: LayerGroup, hidden: int) -> list[TensorGroup]:
    """Tensors of all the layers of one group."""
    n = group.count
    tensors = _vector(group.norms * hidden * (2 if group.norm_bias else 1) + group.scalars, n)
    match group.mixer:
        case GroupedAttention():
            tensors += _grouped(group.mixer, hidden, n)
        case LatentAttention():
            tensors += _latent(group.mixer, hidden, n)
        case DeltaNet():
            tensors += _delta(group.mixer, hidden, n)
        case Mamba2():
            tensors += _mamba(group.mixer, hidden, n)
    match group.feed_forward:
        case DenseFeedForward():
            tensors += _dense(group.feed_forward, hidden, n)
        case Experts():
            tensors += _experts(group.feed_forward, hidden, n)
    return tensors


def outside_tensors(model: Architecture) -> list[TensorGroup]:
    """Embeddings, head, final norm and whatever else belongs to no single layer."""
    embedding = TensorGroup("embedding", model.hidden, model.vocabulary, 1, 0, "tensor", 0)
    tensors = [embedding]
    if not model.tied_embeddings:
        tensors.append(TensorGroup("head", model.hidden, model.vocabulary, 1, 1, "tensor", 0))
    if model.head_bias:
        tensors.append(TensorGroup("vector", 1, model.vocabulary, 1, 1, "tensor", 0))
    if model.final_norm:
        bias = 2 if any(group.norm_bias for group in model.layers) else 1
        tensors.append(TensorGroup("vector", 1, model.hidden * bias, 1, 1, "replicated", 0))
    if model.position_embeddings:
        tensors.append(TensorGroup("embedding", model.hidden, model.position_embeddings, 1, 0, "replicated", 0))
    if model.per_layer_embedding:
        width, layers = model.per_layer_embedding, model.layer_count
        tensors += [
            TensorGroup("embedding", width * layers, model.per_layer_vocabulary, 1, 0, "tensor", 0),
            TensorGroup("latent", model.hidden, width * layers, 1, 1, "replicated", 0),
            TensorGroup("latent", model.hidden, width, 2 * layers, 2 * layers, "replicated", layers),
            TensorGroup("vector", 1, width, 1, 1, "replicated", 0),
            TensorGroup("vector", 1, model.hidden, layers, layers, "replicated", layers),
        ]
    return tensors


def _prediction(model: Architecture) -> list[TensorGroup]:
    module = model.prediction
    if module is None:
        return []
    n = module.layer.count
    tensors = layer_tensors(module.layer, model.hidden) + _vector(module.norms * model.hidden, n)
    tensors.append(_matrix("joiner", 2 * model.hidden, model.hidden, n, "replicated"))
    if module.own_embeddings:
        tensors += [
            TensorGroup("embedding", model.hidden, model.vocabulary, n, 0, "tensor", 0),
            TensorGroup("head", model.hidden, model.vocabulary, n, 0, "tensor", 0),
        ]
    return [tensor._replace(active=0, prediction=True) for tensor in tensors]


def model_tensors(model: Architecture) -> tuple[TensorGroup, ...]:
    """Every tensor of the language model, its prediction module and its other components.

    Source of the shapes: the reference implementations' layers, checked by the published parameter count of every
    model in corpus/specs/models.yaml.
    """
    tensors = outside_tensors(model)
    for group in model.layers:
        tensors += layer_tensors(group, model.hidden)
    tensors += _prediction(model)
    tensors += [TensorGroup("component", 1, part.parameters, 1, 0, "replicated", 0) for part in model.components]
    return tuple(tensors)


def parameter_count(model: Architecture, *, prediction: bool = False) -> int:
    """Parameters of the model with its components; with its multi-token-prediction module where asked."""
    return sum(tensor.parameters for tensor in model_tensors(model) if prediction or not tensor.prediction)


def active_parameter_count(model: Architecture) -> int:
    """Parameters of the language model that take part in each token, embeddings included, components not."""
    idle = sum(
        tensor.parameters - tensor.active_parameters
        for tensor in model_tensors(model)
        if tensor.role not in ("embedding", "component") and not tensor.prediction
    )
    component = sum(part.parameters for part in model.components)
    return parameter_count(model) - idle - component
