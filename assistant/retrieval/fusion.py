"""How meaning, words in common and names in common make one score.

The score counts standard deviations: those of the cosine, plus bonuses for what stands literally in the passage.

- Words count by how far their coverage exceeds what passages of that language hold by chance. Sharing some words with
  a question says next to nothing, since every passage in the question's own language does; holding nearly all of them
  says a lot. So passages in other languages, which can't share words, aren't pushed down by chance overlaps.
- Names (MI355X, ROCm) are spelled alike in all four languages and count in all alike.

The legs are never ANDed: either alone can bring a passage up. Weights were measured by benchmarks/retrieval.py
and on statements of the knowledge base in four languages; half or double changes nDCG@10 by about a point.
"""

import numpy as np

from assistant.retrieval.vectors import FloatArray

COVERAGE_WEIGHT = 8.0
"""Standard deviations of cosine that full coverage is worth."""
COVERAGE_POWER = 1.5
NAME_WEIGHT = 1.0
"""Standard deviations of cosine that holding all names of the question is worth."""

CHANCE_DEVIATIONS = 3.0
"""Coverage counts from this many standard deviations above the mean of the other passages of its language."""
CHANCE_PRIOR = (10.0, 0.15, 0.1)
"""Passages, mean and standard deviation of coverage that are assumed before any are seen, for small languages."""


def fused_scores(standardised_cosines: FloatArray, excess: FloatArray, names: FloatArray) -> FloatArray:
    """One score a passage, comparable between languages for one question."""
    fused: FloatArray = standardised_cosines + COVERAGE_WEIGHT * excess**COVERAGE_POWER + NAME_WEIGHT * names
    return fused


def excess_coverage(coverages: FloatArray) -> FloatArray:
    """How far each passage's coverage exceeds chance, 0 to 1; chance is judged from all other passages."""
    seen, mean, deviation = CHANCE_PRIOR
    others = len(coverages) - 1 + seen
    squares = coverages**2
    means = (coverages.sum() - coverages + seen * mean) / others
    second_moments = (squares.sum() - squares + seen * (mean**2 + deviation**2)) / others
    deviations = np.sqrt(np.maximum(second_moments - means**2, 0))
    chance = np.minimum(means + CHANCE_DEVIATIONS * deviations, 0.9)
    excess: FloatArray = np.maximum(coverages - chance, 0) / (1 - chance)
    return excess
