"""Language-neutral vectors: what an embedding says of the language of a text is taken out of it.

Multilingual encoders put texts of one language close together, whatever they say, so that raw cosine hides nearly
everything written in another language than the question. Subtracting each language's mean vector removes the
larger part of that (Libovický et al. 2020, "On the language neutrality of pre-trained multilingual
representations"); scores that are standardised within each language for each question remove the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.embedding import FloatArray, unit_vectors

PRIOR_TEXTS = 20.0
"""How many passages the prior counts for: a language with few passages leans on the calibration texts and on the
other languages. Between 5 and 50 the measured rankings stay within half a point."""


@dataclass(frozen=True)
class Calibration:
    """Vectors of the same sentences and the same questions in each language, one row a text, rows in one order."""

    sentences: Mapping[Language, FloatArray]
    questions: Mapping[Language, FloatArray]


@dataclass(frozen=True)
class Centres:
    """What is subtracted from vectors, and how the cosines of a question with a language's passages spread.

    `passages` and `questions` have a row per language of LANGUAGES; `means` are those of the centred unit
    vectors of its passages, `covariances` theirs, so that a question's mean score and variance over all passages of a
    language follow without touching them.
    """

    passages: FloatArray
    questions: FloatArray
    means: FloatArray
    covariances: FloatArray

    def centred_passages(self, vectors: FloatArray, language: Language) -> FloatArray:
        return unit_vectors(vectors - self.passages[LANGUAGES.index(language)])

    def centred_question(self, vector: FloatArray, language: Language) -> FloatArray:
        return unit_vectors(vector - self.questions[LANGUAGES.index(language)])

    def spread(self, question: FloatArray, language: Language) -> tuple[float, float]:
        """Mean and standard deviation of a centred question's cosines with the passages of a language."""
        row = LANGUAGES.index(language)
        variance = float(question @ self.covariances[row] @ question)
        return float(question @ self.means[row]), max(variance, 1e-8) ** 0.5

    def save(self, path: Path) -> None:
        np.savez(
            path,
            passages=self.passages,
            questions=self.questions,
            means=self.means,
            covariances=self.covariances.astype(np.float32),
        )

    @classmethod
    def load(cls, path: Path) -> "Centres":
        with np.load(path, allow_pickle=False) as stored:
            return cls(**{name: stored[name] for name in ("passages", "questions", "means", "covariances")})


def fit_centres(vectors: Mapping[Language, FloatArray], calibration: Calibration) -> Centres:
    """Fit centres on the passages' vectors, shrunk towards what the calibration texts say of each language.

    The calibration texts are the same in every language, so the differences of their means are the languages' alone,
    free of what each language's articles happen to be about.
    """
    offsets = _language_offsets(calibration.sentences)
    total = sum(len(rows) for rows in vectors.values())
    common = sum(
        ((rows - offsets[LANGUAGES.index(language)]).sum(axis=0) for language, rows in vectors.items()),
        start=np.zeros(offsets.shape[1], dtype=np.float32),
    ) / max(total, 1)
    passages = np.empty_like(offsets)
    questions = np.empty_like(offsets)
    for row, language in enumerate(LANGUAGES):
        rows = vectors.get(language)
        count = 0 if rows is None else len(rows)
        own = np.zeros_like(common) if rows is None else rows.sum(axis=0)
        passages[row] = (own + PRIOR_TEXTS * (common + offsets[row])) / (count + PRIOR_TEXTS)
        questions[row] = passages[row] + (
            calibration.questions[language].mean(axis=0) - calibration.sentences[language].mean(axis=0)
        )
    means, covariances = _spreads(
        {language: unit_vectors(rows - passages[LANGUAGES.index(language)]) for language, rows in vectors.items()},
        offsets.shape[1],
    )
    return Centres(passages, questions, means, covariances)


def _language_offsets(sentences: Mapping[Language, FloatArray]) -> FloatArray:
    means = np.stack([sentences[language].mean(axis=0) for language in LANGUAGES])
    offsets: FloatArray = (means - means.mean(axis=0)).astype(np.float32)
    return offsets


def _spreads(centred: Mapping[Language, FloatArray], dimension: int) -> tuple[FloatArray, FloatArray]:
    """Means and covariances per language; where there are few passages, mostly those of all languages together."""
    everything = np.concatenate(
        [rows for rows in centred.values() if len(rows)] or [np.zeros((1, dimension), dtype=np.float32)]
    )
    pooled = _scatter(everything) / max(len(everything), 1)
    means = np.zeros((len(LANGUAGES), dimension), dtype=np.float32)
    covariances = np.zeros((len(LANGUAGES), dimension, dimension), dtype=np.float32)
    for row, language in enumerate(LANGUAGES):
        rows = centred.get(language)
        count = 0 if rows is None else len(rows)
        scatter = PRIOR_TEXTS * pooled
        if rows is not None and count:
            means[row] = rows.sum(axis=0) / (count + PRIOR_TEXTS)
            scatter = scatter + _scatter(rows)
        covariances[row] = scatter / (count + PRIOR_TEXTS)
    return means, covariances


def _scatter(rows: FloatArray) -> FloatArray:
    deviations = rows - rows.sum(axis=0) / max(len(rows), 1)
    scatter: FloatArray = deviations.T @ deviations
    return scatter
