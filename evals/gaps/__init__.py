"""Which questions got no answer, and what was missing, so that a curator knows what to write next."""
