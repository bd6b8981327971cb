"""Vectors of texts, and the scaling that makes their products cosines."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]


def unit_vectors(vectors: npt.ArrayLike) -> FloatArray:
    """Rows scaled to length 1; a row of zeros stays."""
    array = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=-1, keepdims=True)
    scaled: FloatArray = np.divide(array, lengths, out=np.zeros_like(array), where=lengths > 0)
    return scaled
