"""Embedding many texts with the bundled weights on ONNX Runtime, three times as fast as the engine they come with."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assistant.retrieval.packed_graph import LENGTHS, TOKENS, EncoderGraph
from assistant.retrieval.packed_model import PackedModel
from assistant.retrieval.tokenizer import Tokenizer
from assistant.retrieval.vectors import FloatArray

MAX_THREADS = 32
TOKENS_AT_ONCE = 512
"""Tokens of one run, padding included: as many as a core's cache holds the activations of."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of a text that fits in the model, and how many tokens of the text it holds."""

    text: int
    tokens: list[int]
    weight: int


class PackedEncoder:
    """Vectors of texts, the same as those of the packed file's own engine but for rounding. Safe between threads.

    A text longer than the model's window is read in windows, and their means are averaged by length.
    Each core works on texts of its own, which wastes less than several on one text.
    """

    def __init__(self, path: Path) -> None:
        import onnxruntime

        self._model = PackedModel(path)
        self._tokenizer = Tokenizer(self._model.vocabulary)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            EncoderGraph(self._model).serialised(), options, providers=["CPUExecutionProvider"]
        )
        places = self._model.floats("emb.pos").reshape(-1, self._model.shape.hidden)
        self._places: FloatArray = places + self._model.floats("emb.type")[: self._model.shape.hidden]
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(min(cores, MAX_THREADS), thread_name_prefix="embed")

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """A vector for each text, prefix included, shape (texts, hidden); not scaled to any length."""
        windows = [window for number, text in enumerate(texts) for window in self._windows(number, text)]
        sums = np.zeros((len(texts), self._model.shape.hidden), dtype=np.float32)
        batches = _batches(windows)
        for batch, means in zip(batches, self._threads.map(self._means, batches), strict=True):
            for window, mean in zip(batch, means, strict=True):
                sums[window.text] += window.weight * mean
        return sums

    def _windows(self, number: int, text: str) -> list[_Window]:
        content = self._tokenizer.tokens(text)
        words, room = self._model.vocabulary, self._model.shape.window - 2
        parts = [content[first : first + room] for first in range(0, len(content), room)] or [[]]
        return [_Window(number, [words.begin, *part, words.end], max(len(part), 1)) for part in parts]

    def _means(self, batch: "list[_Window]") -> FloatArray:
        longest = len(batch[-1].tokens)
        tokens = np.full((len(batch), longest), self._model.vocabulary.padding, dtype=np.int64)
        for row, window in enumerate(batch):
            tokens[row, : len(window.tokens)] = window.tokens
        lengths: npt.NDArray[np.int32] = np.array([len(window.tokens) for window in batch], dtype=np.int32)
        vectors = self._model.word_vectors(tokens) + self._places[:longest]
        [states] = self._session.run(None, {TOKENS: vectors, LENGTHS: lengths})
        counted = (np.arange(longest) < lengths[:, None])[..., None]
        means: FloatArray = (states * counted).sum(axis=1) / lengths[:, None]
        return means


def _batches(windows: Sequence[_Window]) -> list[list[_Window]]:
    """Windows of about the same length together, longest last in each, as many as TOKENS_AT_ONCE allows."""
    batches: list[list[_Window]] = []
    for window in sorted(windows, key=lambda window: len(window.tokens)):
        if not batches or (len(batches[-1]) + 1) * len(window.tokens) > TOKENS_AT_ONCE:
            batches.append([])
        batches[-1].append(window)
    return batches
