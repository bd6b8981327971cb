"""The bundled model's encoder as an ONNX graph, with its 4-bit weights as they are.

Between the embedding of tokens and their mean, which `PackedEncoder` does, lie twelve layers of attention and
feed-forward network as BERT has them (Devlin et al. 2019). ONNX Runtime multiplies with weights of 4 bits and
activations rounded to 8 in blocks of 32, which is the arithmetic of the engine that the weights come with.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from assistant.retrieval.packed_model import BLOCK, PackedModel

TOKENS, LENGTHS = "tokens", "lengths"
"""Inputs: vectors of tokens, shape (texts, longest, hidden), and how many of them count in each text."""

_OPSET, _IR_VERSION = 17, 8
_RUNTIME = "com.microsoft"
_INTEGER_ARITHMETIC = 4


class EncoderGraph:
    """Nodes and constants as they are added."""

    def __init__(self, model: PackedModel) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def serialised(self) -> bytes:
        """The whole model, as ONNX Runtime loads it."""
        from onnx import TensorProto, helper

        shape = self._model.shape
        # Only what the operators need: no version newer than the oldest runtime that knows them.
        x = self._normalised("embedded", TOKENS, "emb.ln")
        for layer in range(shape.layers):
            x = self._layer(f"l{layer}", x)
        tokens: list[str | int | None] = ["texts", "longest", shape.hidden]
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [
                helper.make_tensor_value_info(TOKENS, TensorProto.FLOAT, tokens),
                helper.make_tensor_value_info(LENGTHS, TensorProto.INT32, ["texts"]),
            ],
            [helper.make_tensor_value_info(x, TensorProto.FLOAT, tokens)],
            self._constants,
        )
        versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_RUNTIME, 1)]
        whole = helper.make_model(graph, opset_imports=versions, ir_version=_IR_VERSION)
        return bytes(whole.SerializeToString())

    def _layer(self, name: str, x: str) -> str:
        hidden = self._model.shape.hidden
        joined = self._product(f"{name}.qkv", x, [f"{name}.{part}.w" for part in "qkv"], hidden)
        parts = [f"{name}.{part}" for part in "qkv"]
        sizes = self._constant(f"{name}.sizes", np.array([hidden] * 3, dtype=np.int64))
        self._node("Split", [joined, sizes], parts, domain="", axis=-1)
        bias = self._constant(f"{name}.qkv.b", np.concatenate([self._model.floats(f"{part}.b") for part in parts]))
        attended = f"{name}.attended"
        self._node("MultiHeadAttention", [*parts, bias, LENGTHS], [attended], num_heads=self._model.shape.heads)
        told = self._product(f"{name}.told", attended, [f"{name}.ao.w"], hidden)
        x = self._added(f"{name}.x", x, told, f"{name}.aln", f"{name}.ao.b")
        wide = self._product(f"{name}.wide", x, [f"{name}.fi.w"], hidden)
        active = f"{name}.active"
        self._node("BiasGelu", [wide, self._floats(f"{name}.fi.b")], [active])
        inner = len(self._model.floats(f"{name}.fi.b"))
        narrow = self._product(f"{name}.narrow", active, [f"{name}.fo.w"], inner)
        return self._added(f"{name}.out", x, narrow, f"{name}.oln", f"{name}.fo.b")

    def _product(self, name: str, x: str, matrices: list[str], inputs: int) -> str:
        """x times the matrices side by side."""
        parts = [self._model.weights(matrix, inputs) for matrix in matrices]
        values = np.concatenate([part.values for part in parts])
        # The packed file pairs value n with n + 16, ONNX Runtime each with the next.
        packed = values[..., 0::2] | (values[..., 1::2] << 4)
        weights = self._constant(f"{name}.w", packed)
        scales = self._constant(f"{name}.scales", np.concatenate([part.scales for part in parts]))
        self._node(
            "MatMulNBits",
            [x, weights, scales],
            [name],
            K=inputs,
            N=len(values),
            bits=4,
            block_size=BLOCK,
            accuracy_level=_INTEGER_ARITHMETIC,
        )
        return name

    def _normalised(self, name: str, x: str, norm: str) -> str:
        inputs = [x, self._floats(f"{norm}.w"), self._floats(f"{norm}.b")]
        self._node("LayerNormalization", inputs, [name], domain="", axis=-1, epsilon=self._model.shape.epsilon)
        return name

    def _added(self, name: str, x: str, y: str, norm: str, bias: str) -> str:
        """The normalised sum of x, y and y's bias."""
        inputs = [x, y, self._floats(f"{norm}.w"), self._floats(f"{norm}.b"), self._floats(bias)]
        self._node("SkipLayerNormalization", inputs, [name], epsilon=self._model.shape.epsilon)
        return name

    def _floats(self, name: str) -> str:
        return self._constant(name, self._model.floats(name))

    def _constant(self, name: str, values: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], outputs: list[str], domain: str = _RUNTIME, **settings: Any) -> None:
        from onnx import helper

        self._nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **settings))
