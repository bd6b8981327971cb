"""Decision memos: an answer written down with its sources and date, so that it can be asked again later."""
