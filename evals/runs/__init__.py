"""Asking the cases, keeping what was answered, and deciding against a baseline."""
