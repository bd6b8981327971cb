"""Embedding many texts with the bundled weights on ONNX Runtime, three times as fast as the engine they come with."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from assistant.retrieval.embedding import FloatArray
from assistant.retrieval.packed_graph import LENGTHS, TOKENS, EncoderGraph
from assistant.retrieval.packed_model import PackedModel

MAX_THREADS = 32
TOKENS_AT_ONCE = 512
"""Tokens of one run, padding included: as many as a core's cache holds the activations of."""

_SPACE = "\u2581"
_SPACES = re.compile("  +")
Tokens = list[int]


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of a text that fits in the model, and how many tokens of the text it holds."""

    text: int
    tokens: Tokens
    weight: int


class PackedEncoder:
    """Vectors of texts, the same as those of the packed file's own engine but for rounding. Safe between threads.

    A text longer than the model's window is read in windows, and their means are averaged by length.
    Each core works on texts of its own, which wastes less than several on one text.
    """

    def __init__(self, path: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer
        from tokenizers.models import Unigram

        self._model = PackedModel(path)
        words = self._model.vocabulary
        self._tokenizer = Tokenizer(Unigram(words.pieces, unk_id=words.unknown, byte_fallback=False))
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
        content = self._tokens(self._normalised(text))
        words, room = self._model.vocabulary, self._model.shape.window - 2
        parts = [content[first : first + room] for first in range(0, len(content), room)] or [[]]
        return [_Window(number, [words.begin, *part, words.end], max(len(part), 1)) for part in parts]

    def _tokens(self, normalised: str) -> Tokens:
        encoded = self._tokenizer.encode(normalised, add_special_tokens=False)
        ids: Tokens = encoded.ids
        unknown = self._model.vocabulary.unknown
        if unknown not in ids:
            return ids
        # The tokenizer makes one token of unknown characters in a row, the model's own one of each.
        repeats = (end - start if one == unknown else 1 for one, (start, end) in zip(ids, encoded.offsets, strict=True))
        return [one for one, times in zip(ids, repeats, strict=True) for _ in range(times)]

    def _normalised(self, text: str) -> str:
        """As the model's tokenizer wants it: each character normalised, each word begun with a mark for the space."""
        plain = _SPACES.sub(" ", text.translate(self._model.vocabulary.normalised))
        return (plain if plain.startswith(" ") else f" {plain}").replace(" ", _SPACE)

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
