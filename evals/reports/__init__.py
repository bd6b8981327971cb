"""One run as Markdown, as a page and as JUnit XML; results.jsonl stays the record."""
