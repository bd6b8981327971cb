"""Drafts without the markup that a reader's browser would act on, and without the draft's own markers."""

import re

# An address in parentheses may hold a pair of its own.
_TARGET = r"\((?:[^()\n]|\([^()\n]{0,500}\)){0,2000}\)"
_IMAGE = re.compile(rf"!\[([^\]\n]{{0,300}})\](?:{_TARGET}|\[[^\]\n]{{0,100}}\])?")
_LINK = re.compile(rf"\[([^\]\n]{{1,300}})\]{_TARGET}")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]{1,100}\]:\s*\S.*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.{0,20000}?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,2000}>|<(?:https?|mailto|data|javascript):[^<>\s]{0,2000}>")
_ADDRESS = re.compile(r"\b(?:https?|ftp|data|javascript|file|vbscript):\S{1,2000}|\bwww\.\S{1,500}", re.IGNORECASE)
_HIDDEN = re.compile(
    r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffd\U000e0000-\U000e007f]"
)
_MARKER = re.compile(r"\s?(?:\[\^?\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]|【[^】\n]{1,40}】)")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


def plain_text(text: str) -> str:
    """The draft with images, links' addresses, HTML and hidden characters taken out; words stay."""
    text = _HIDDEN.sub("", text)
    text = _COMMENT.sub("", text)
    text = _IMAGE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _REFERENCE.sub("", text)
    text = _TAG.sub("", text)
    return _ADDRESS.sub("", text)


def without_markers(text: str) -> str:
    """The text without the draft's markers: an answer's are set by what carries each sentence."""
    return _MARKER.sub("", text)


def without_emphasis(text: str) -> str:
    """The words as they are read, for verification; stray signs go too."""
    return _EMPHASIS.sub(r"\2", text).replace("**", "").replace("`", "")
