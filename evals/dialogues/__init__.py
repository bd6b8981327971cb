"""Conversations: questions in turn, and what the answers must and must not say."""
