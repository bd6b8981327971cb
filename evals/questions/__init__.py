"""Questions that users ask about the sources, what a right answer must say, and the command that scores them."""
