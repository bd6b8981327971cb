"""Poisoned sources: instructions hidden in what the assistant reads must change nothing that it says."""
