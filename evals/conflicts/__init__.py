"""Disagreement: what the originals say differently is told, and the same value said otherwise is no disagreement."""
