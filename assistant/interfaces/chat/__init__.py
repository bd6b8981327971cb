"""The chat page: conversation, sources, memory and cost calculators."""
