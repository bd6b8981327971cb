"""The text of wiki pages as Markdown: headings, lists, tables and words; what only a wiki can show is left out."""

import re
from collections.abc import Iterator

_MAX_PASSES = 8
"""How deeply templates may stand in each other; deeper ones are left as they are."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"<ref\b[^>/]{0,200}/>|<ref\b[^>]{0,200}>.*?</ref>", re.DOTALL | re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{[^{}]{0,5000}\}\}")
_FILE = re.compile(
    r"\[\[(?:File|Image|Bestand|Afbeelding|Fil|Billede|文件|Category|Categorie|Kategori|分类):[^\[\]]*\]\]", re.I
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,500}\|)?([^\[\]|]{1,500})\]\]")
_ADDRESS = re.compile(r"\[https?://\S{1,500}(?:[ \t]+([^\]\n]{0,500}))?\]")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,500}>")
_HEADING = re.compile(r"^(={1,6})[ \t]*(.+?)[ \t]*\1[ \t]*$")
_LIST = re.compile(r"^([*#:;]{1,6})[ \t]*(.*)$")

_DOKU_HEADING = re.compile(r"^[ \t]*(={2,6})[ \t]*(.+?)[ \t]*={2,6}[ \t]*$")
_DOKU_LIST = re.compile(r"^((?:[ \t]{2})+)([*-])[ \t]*(.*)$")
_DOKU_MEDIA = re.compile(r"\{\{[^{}\n]{0,500}\}\}")
_DOKU_NOTE = re.compile(r"\(\(.{0,2000}?\)\)", re.DOTALL)
_DOKU_MACRO = re.compile(r"~~[A-Z:a-z0-9_-]{1,60}~~")
_DOKU_ITALIC = re.compile(r"(?<!:)//(?=\S)([^\n]{1,500}?)(?<!:)//")
_DOKU_PLAIN = re.compile(
    r"''(?:%%)?([^'\n]{1,500}?)(?:%%)?''|<nowiki>(.{0,2000}?)</nowiki>|__([^\n]{1,500}?)__", re.DOTALL
)


def mediawiki_markdown(text: str) -> str:
    """A page of MediaWiki."""
    text = _REFERENCE.sub("", _COMMENT.sub("", text.replace("\r\n", "\n")))
    for _ in range(_MAX_PASSES):
        text, count = _TEMPLATE.subn("", text)
        if not count:
            break
    text = _LINK.sub(r"\1", _FILE.sub("", text))
    text = _ADDRESS.sub(lambda match: match[1] or "", text)
    # Emphasis last: an asterisk at the beginning of a line is a list's.
    return _tidy(_mediawiki_lines(_TAG.sub("", text).split("\n"))).replace("'''", "**").replace("''", "*")


def _mediawiki_lines(lines: list[str]) -> Iterator[str]:
    rows: list[list[str]] | None = None
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("{|"):
            rows = []
        elif rows is not None and stripped.startswith("|}"):
            yield from _table(rows)
            rows = None
        elif rows is not None:
            _add_cells(rows, stripped)
        elif (heading := _HEADING.match(stripped)) is not None:
            yield from ("", f"{'#' * len(heading[1])} {heading[2]}", "")
        elif (item := _LIST.match(line)) is not None:
            yield f"{'  ' * (len(item[1]) - 1)}- {item[2]}" if item[1][-1] in "*#" else item[2]
        else:
            yield line
    # A table without its end keeps what it has.
    yield from _table(rows or [])


def _add_cells(rows: list[list[str]], line: str) -> None:
    """A line of a table: a new row, or cells of the present one."""
    if line.startswith(("|-", "|+")) or not rows:
        rows.append([])
    if line[:1] not in "|!" or line.startswith(("|-", "|+")):
        return
    for cell in re.split(r"\|\||!!", line[1:]):
        # What stands before a single bar is about how the cell looks.
        rows[-1].append(cell.rpartition("|")[2].strip())


def dokuwiki_markdown(text: str) -> str:
    """A page of DokuWiki."""
    text = _DOKU_MACRO.sub("", _DOKU_NOTE.sub("", _DOKU_MEDIA.sub("", text.replace("\r\n", "\n"))))
    text = _LINK.sub(r"\1", text)
    text = _DOKU_PLAIN.sub(lambda match: next(part for part in match.groups() if part is not None), text)
    text = _DOKU_ITALIC.sub(r"*\1*", text)
    return _tidy(_dokuwiki_lines(_TAG.sub("", text).split("\n")))


def _dokuwiki_lines(lines: list[str]) -> Iterator[str]:
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        if line[:1] in ("|", "^"):
            rows.append([cell.strip() for cell in re.split(r"[|^]", line.strip())[1:-1]])
            continue
        yield from _table(rows)
        rows = []
        if (heading := _DOKU_HEADING.match(line)) is not None:
            yield from ("", f"{'#' * (7 - len(heading[1]))} {heading[2]}", "")
        elif (item := _DOKU_LIST.match(line)) is not None:
            yield f"{item[1][2:]}- {item[3]}"
        else:
            yield line


def _table(rows: list[list[str]]) -> Iterator[str]:
    """A Markdown table; the first row is its head."""
    held = [row for row in rows if row]
    if not held:
        return
    width = max(map(len, held))
    whole = [[*row, *[""] * (width - len(row))] for row in held]
    yield ""
    for number, row in enumerate(whole):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield f"|{'---|' * width}"
    yield ""


def _tidy(lines: Iterator[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip() + "\n"
