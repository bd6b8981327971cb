"""How meaning and words in common make one score.

The score is the standardised cosine plus a bonus for literal coverage. The bonus is convex: sharing some words with
a question says next to nothing (every passage in the question's own language does), holding nearly all of them says a
lot. So passages in other languages, which can't share words, are not pushed down by chance overlaps; measured by
benchmarks/retrieval.py. The legs are never ANDed: either alone can bring a passage up.
"""

from assistant.retrieval.embedding import FloatArray

COVERAGE_WEIGHT = 10.0
"""Standard deviations of cosine that full coverage is worth."""
COVERAGE_POWER = 3


def fused_scores(standardised_cosines: FloatArray, coverages: FloatArray) -> FloatArray:
    """One score a passage, in standard deviations of its language's cosines with the question."""
    fused: FloatArray = standardised_cosines + COVERAGE_WEIGHT * coverages**COVERAGE_POWER
    return fused
