"""Matched pairs of questions: one that the sources answer, and its twin that they don't."""
