"""The style of the small pages beside the chat: a source, the login."""

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def page_style() -> str:
    """CSS to stand in the page itself."""
    return Path(__file__).with_name("page.css").read_text(encoding="utf-8")
