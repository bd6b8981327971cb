"""The address of a source, the only kind of address that an answer links to."""

import re
from typing import Annotated

from pydantic import AfterValidator

_WEB = re.compile(r"https?://[^\s<>\"'`|\\^{}()\x00-\x20]{3,2000}", re.IGNORECASE)


def web_address(text: str) -> str:
    """The address as it is given. Raises ValueError for what a browser could run or send, and for what isn't one."""
    if _WEB.fullmatch(text) is None:
        raise ValueError("must be an address that begins with https:// or http://")
    return text


WebAddress = Annotated[str, AfterValidator(web_address)]
