"""Language-neutral vectors: what an embedding says of the language of a text is taken out of it.

Multilingual encoders put texts of one language close together, whatever they say, so that raw cosine hides nearly
everything written in another language than the question. Subtracting each language's mean vector removes the
larger part of that (Libovický et al. 2020, "On the language neutrality of pre-trained multilingual
representations"). What remains is that cosines spread wider within a language than across two, so scores count
standard deviations of the pair of languages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from assistant.language.tongue import LANGUAGES, Language
from assistant.retrieval.vectors import FloatArray, unit_vectors

PRIOR_TEXTS = 30.0
"""How many passages the prior counts for: a language with few passages leans on the calibration texts and on the
other languages. Anything between 20 and 60 ranks alike; with none, six passages can't be found at half the rate."""
QUESTION_SHIFT = 0.5
"""Where questions are centred on the way from passages (0) to sentences embedded as questions (1)."""


QUESTION_SPREAD = 0.5
"""How far a score's unit follows the spread of this question's cosines (1) rather than of the two languages' (0).

Following the question wholly would hold it against a language that much of what it says is about the question's
subject; not following it at all lets the question's own language win too often."""


@dataclass(frozen=True)
class Centres:
    """What is subtracted from vectors, and how the cosines of questions with each language's passages spread.

    Rows stand for the languages of LANGUAGES. `means` and `covariances` are those of the centred unit vectors of a
    language's passages, so that a question's mean cosine and variance over them follow without touching them.
    `deviations[a, b]` is the usual standard deviation of cosines between questions in a and passages in b.
    """

    passages: FloatArray
    questions: FloatArray
    means: FloatArray
    covariances: FloatArray
    deviations: FloatArray

    def centred_passages(self, vectors: FloatArray, language: Language) -> FloatArray:
        return unit_vectors(vectors - self.passages[LANGUAGES.index(language)])

    def centred_question(self, vector: FloatArray, language: Language) -> FloatArray:
        return unit_vectors(vector - self.questions[LANGUAGES.index(language)])

    def spread(self, question: FloatArray, asked: Language, held: Language) -> tuple[float, float]:
        """Mean cosine of a centred question with passages in `held`, and the deviation that scores are counted in."""
        row = LANGUAGES.index(held)
        variance = max(float(question @ self.covariances[row] @ question), 1e-8)
        usual = float(self.deviations[LANGUAGES.index(asked), row])
        return float(question @ self.means[row]), variance ** (QUESTION_SPREAD / 2) * usual ** (1 - QUESTION_SPREAD)

    def save(self, path: Path) -> None:
        np.savez(path, **{field.name: getattr(self, field.name).astype(np.float32) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> "Centres":
        with np.load(path, allow_pickle=False) as stored:
            return cls(**{field.name: stored[field.name] for field in fields(cls)})


def fit_centres(
    passages: Mapping[Language, FloatArray],
    calibration: Mapping[Language, FloatArray],
    questions: Mapping[Language, FloatArray],
) -> Centres:
    """Fit centres on the passages' vectors, shrunk towards what the calibration texts say of each language.

    `calibration` holds vectors of the same texts in every language, so the differences of their means are the
    languages' alone, free of what each language's articles happen to be about. `questions` holds vectors of
    some sentences of the passages, embedded as if they were questions.
    """
    offsets = _language_offsets(calibration)
    dimension = offsets.shape[1]
    common = _mean([rows - offsets[LANGUAGES.index(language)] for language, rows in passages.items()], dimension)
    centres = np.empty_like(offsets)
    for row, language in enumerate(LANGUAGES):
        centres[row] = _shrunk(passages.get(language), common + offsets[row])
    shift = _mean([rows - centres[LANGUAGES.index(language)] for language, rows in questions.items()], dimension)
    asked = np.empty_like(offsets)
    for row, language in enumerate(LANGUAGES):
        sampled = _shrunk(questions.get(language), centres[row] + shift)
        asked[row] = centres[row] + QUESTION_SHIFT * (sampled - centres[row])
    centred = {language: unit_vectors(rows - centres[LANGUAGES.index(language)]) for language, rows in passages.items()}
    means, covariances = _spreads(centred, dimension)
    centred_questions = {
        language: unit_vectors(rows - asked[LANGUAGES.index(language)]) for language, rows in questions.items()
    }
    return Centres(centres, asked, means, covariances, _usual_deviations(centred_questions, covariances))


def refit_spreads(centres: Centres, passages: Mapping[Language, FloatArray]) -> Centres:
    """The same centres, with the spreads of other passages: for an index in which little has changed."""
    centred = {language: centres.centred_passages(rows, language) for language, rows in passages.items()}
    means, covariances = _spreads(centred, centres.passages.shape[1])
    return replace(centres, means=means, covariances=covariances)


def _mean(groups: Sequence[FloatArray], dimension: int) -> FloatArray:
    rows = np.concatenate([np.zeros((0, dimension), dtype=np.float32), *groups])
    mean: FloatArray = rows.sum(axis=0) / max(len(rows), 1)
    return mean


def _shrunk(rows: FloatArray | None, prior: FloatArray) -> FloatArray:
    """The mean of the rows, as if the prior had been seen PRIOR_TEXTS times before them."""
    if rows is None:
        return prior
    mean: FloatArray = (rows.sum(axis=0) + PRIOR_TEXTS * prior) / (len(rows) + PRIOR_TEXTS)
    return mean


def _language_offsets(calibration: Mapping[Language, FloatArray]) -> FloatArray:
    means = np.stack([calibration[language].mean(axis=0) for language in LANGUAGES])
    offsets: FloatArray = (means - means.mean(axis=0)).astype(np.float32)
    return offsets


def _spreads(centred: Mapping[Language, FloatArray], dimension: int) -> tuple[FloatArray, FloatArray]:
    """Means and covariances per language; where there are few passages, mostly those of all languages together."""
    held = {language: rows for language, rows in centred.items() if len(rows)}
    scatters = {language: _scatter(rows) for language, rows in held.items()}
    pooled = _pooled(held, scatters, dimension)
    means = np.zeros((len(LANGUAGES), dimension), dtype=np.float32)
    covariances = np.zeros((len(LANGUAGES), dimension, dimension), dtype=np.float32)
    for row, language in enumerate(LANGUAGES):
        covariances[row] = pooled
        if language in held:
            count = len(held[language]) + PRIOR_TEXTS
            means[row] = held[language].sum(axis=0) / count
            covariances[row] = (PRIOR_TEXTS * pooled + scatters[language]) / count
    return means, covariances


def _pooled(held: Mapping[Language, FloatArray], scatters: Mapping[Language, FloatArray], dimension: int) -> FloatArray:
    """Covariance over all languages: what each scatters around its own mean, and their means around the common one."""
    pooled = np.zeros((dimension, dimension), dtype=np.float32)
    count = sum(len(rows) for rows in held.values())
    common = _mean(list(held.values()), dimension)
    for language, rows in held.items():
        away = rows.sum(axis=0) / len(rows) - common
        pooled += (scatters[language] + len(rows) * np.outer(away, away)) / count
    return pooled


def _usual_deviations(questions: Mapping[Language, FloatArray], covariances: FloatArray) -> FloatArray:
    """Root mean square deviation of cosines by language of question and of passage.

    For a language with few questions mostly that of all pairs, with the two languages the same or different as here.
    """
    count = len(LANGUAGES)
    sums, seen = np.zeros((count, count)), np.zeros((count, count))
    for language, rows in questions.items():
        variances = np.einsum("qi,bij,qj->qb", rows, covariances, rows, optimize=True)
        sums[LANGUAGES.index(language)] = variances.sum(axis=0)
        seen[LANGUAGES.index(language)] = len(rows)
    same = np.eye(count, dtype=bool)
    usual = np.empty((count, count))
    for pairs in (same, ~same):
        pooled = sums[pairs].sum() / max(seen[pairs].sum(), 1)
        usual[pairs] = (sums[pairs] + PRIOR_TEXTS * pooled) / (seen[pairs] + PRIOR_TEXTS)
    deviations: FloatArray = np.sqrt(np.maximum(usual, 1e-8)).astype(np.float32)
    return deviations


def _scatter(rows: FloatArray) -> FloatArray:
    deviations = rows - rows.sum(axis=0) / max(len(rows), 1)
    scatter: FloatArray = deviations.T @ deviations
    return scatter
