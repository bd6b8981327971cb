"""The parameters and weights of an estimate, written out tensor by tensor."""

from assistant.tools.memory.architecture import Architecture, LayerGroup
from assistant.tools.memory.arithmetic import bracketed, over, product, shown, total
from assistant.tools.memory.parallelism import Division
from assistant.tools.memory.quantization import WeightFormat, divisor, format_bits, is_tied_head, share_bytes
from assistant.tools.memory.tensors import TensorGroup, layer_tensors, model_tensors, outside_tensors


def _numbers(tensor: TensorGroup, copies: int) -> str:
    sizes = (tensor.inputs, tensor.outputs) if tensor.inputs > 1 else (tensor.outputs,)
    return product(*sizes, copies)


def _of_layers(group: LayerGroup, hidden: int) -> str:
    tensors = layer_tensors(group, hidden)
    inside = total(_numbers(tensor, tensor.copies // group.count) for tensor in tensors)
    return f"{group.count} × ({inside})"


def parameters_text(model: Architecture) -> str:
    """What lies outside the layers, the layers kind by kind, and the other components."""
    return total(
        [
            *(_numbers(tensor, tensor.copies) for tensor in outside_tensors(model)),
            *(_of_layers(group, model.hidden) for group in model.layers),
            *(shown(part.parameters) for part in model.components),
        ]
    )


def active_parameters_text(model: Architecture, parameters: int) -> str:
    """All parameters without those of experts that a token is not sent to, and without other components."""
    idle = [
        _numbers(tensor, tensor.copies - tensor.active)
        for tensor in model_tensors(model)
        if tensor.role not in ("embedding", "component") and not tensor.prediction and tensor.active < tensor.copies
    ]
    left_out = [*idle, *(shown(part.parameters) for part in model.components)]
    return " − ".join([shown(parameters), *left_out])


def _summed(parts: list[tuple[TensorGroup, float, int]], tensor_parallel: int) -> str:
    """Σ numbers × bits ÷ cards that share them, tensors alike in both together."""
    counts: dict[tuple[float, int], int] = {}
    for tensor, bits, numbers in parts:
        key = (bits, divisor(tensor, tensor_parallel))
        counts[key] = counts.get(key, 0) + numbers
    return total(
        over(product(shown(numbers), shown(bits)), shared)
        for (bits, shared), numbers in counts.items()
        if numbers and bits
    )


def weights_text(model: Architecture, form: WeightFormat, split: Division) -> str:
    """Bytes of weights on the fullest card."""
    counted = [(t, bits, t.parameters) for t, bits in format_bits(model, form) if not t.prediction]
    if split.pipeline == 1:
        return f"({_summed(counted, split.tensor)}) ÷ 8"
    inside = _summed([part for part in counted if part[0].layers], split.tensor)
    outside = [part for part in counted if not part[0].layers]
    largest = max(outside, key=lambda part: share_bytes(part[0], part[1], split.tensor))
    layers = model.layer_count
    stage = f"({inside}) × ⌈{layers} ÷ {split.pipeline}⌉ ÷ {layers}"
    return f"({stage} + {_summed([largest], split.tensor)}) ÷ 8"


def active_weights_text(model: Architecture, form: WeightFormat, tensor_parallel: int) -> str:
    """Bytes of weights that a card reads for one token of one sequence."""
    parts = [
        (t, bits, t.parameters if is_tied_head(t, model) else t.active_parameters)
        for t, bits in format_bits(model, form)
        if not t.prediction
    ]
    return f"({_summed(parts, tensor_parallel)}) ÷ 8"


def scaled_text(text: str, stated: int, own: int) -> str:
    """The text times the count that is stated over the shape's own."""
    return text if stated == own else f"{bracketed(text)} × {shown(stated)} ÷ {shown(own)}"
