"""The same questions in four languages, whose answers must give the same facts from the same sources."""
