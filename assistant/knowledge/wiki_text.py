"""The text of wiki pages as Markdown: headings, lists, tables and words; what only a wiki can show is left out."""

import re
from collections.abc import Iterator
from html import unescape

_MAX_PASSES = 8
"""How deeply templates may stand in each other; deeper ones are left as they are."""

# A figure's power is no further digit of it, and what is struck out is not said.
_RAISED = re.compile(r"<sup\b[^>]{0,200}>\s*(.{0,200}?)\s*</sup>", re.DOTALL | re.IGNORECASE)
_STRUCK = re.compile(r"<(del|s|strike)\b[^>]{0,200}>.{0,5000}?</\1>", re.DOTALL | re.IGNORECASE)
_CODE = re.compile(
    r"<(syntaxhighlight|source|pre|code|file)\b[^>]{0,200}>(.{0,20000}?)</\1>", re.DOTALL | re.IGNORECASE
)
_PLACE = "\0{number}\0"

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"<ref\b[^>/]{0,200}/>|<ref\b[^>]{0,200}>.*?</ref>", re.DOTALL | re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{([^{}]{0,5000})\}\}")
_MEASURES = {"val", "convert", "cvt"}
"""Templates that show their first value with its unit."""
_SHOWN = {"nowrap": 0, "nobr": 0, "small": 0, "abbr": 0, "tooltip": 0, "lang": 1, "langx": 1}
"""Templates that show one of their values, by its place."""
_APART = re.compile(r"<(gallery|timeline|imagemap)\b[^>]{0,500}>.{0,20000}?</\1>", re.DOTALL | re.IGNORECASE)
_MAGIC = re.compile(r"__[A-Z]{3,40}__")
_OTHER_LANGUAGE = re.compile(r"\[\[[a-z]{2,3}(?:-[a-z]{2,8})?:[^\[\]|]{0,300}\]\]")
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
_DOKU_TITLED = re.compile(r"\[\[[^\[\]|]{0,500}\|([^\[\]|]{0,500})\]\]")
_DOKU_NAMED = re.compile(r"\[\[(?:[^\[\]|>]{0,100}>)?(?!https?:)(?:[^\[\]|#]{0,300}:)?([^\[\]|:]{1,300})\]\]")
_DOKU_BREAK = re.compile(r"\\\\(?:[ \t]|$)[ \t]*", re.MULTILINE)
_DOKU_MACRO = re.compile(r"~~[A-Z:a-z0-9_-]{1,60}~~")
_DOKU_ITALIC = re.compile(r"(?<!:)//(?=\S)([^\n]{1,500}?)(?<!:)//")
_DOKU_PLAIN = re.compile(
    r"''(?:%%)?([^'\n]{1,500}?)(?:%%)?''|<nowiki>(.{0,2000}?)</nowiki>|%%(.{0,2000}?)%%|__([^\n]{1,500}?)__", re.DOTALL
)


def mediawiki_markdown(text: str) -> str:
    """A page of MediaWiki."""
    text, code = _without_code(_COMMENT.sub("", text))
    text = _MAGIC.sub("", _APART.sub("", _REFERENCE.sub("", text)))
    for _ in range(_MAX_PASSES):
        text, count = _TEMPLATE.subn(_template_text, text)
        if not count:
            break
    text = _linked(text)
    text = _ADDRESS.sub(lambda match: match[1] or "", text)
    # Emphasis last: an asterisk at the beginning of a line is a list's.
    markdown = _tidy(_mediawiki_lines(_words(text).split("\n"))).replace("'''", "**").replace("''", "*")
    return _with_code(markdown, code)


def _linked(text: str) -> str:
    """Links as their words; pictures, whose captions may hold links of their own, and other languages left out."""
    for _ in range(_MAX_PASSES):
        text, count = _LINK.subn(r"\1", _OTHER_LANGUAGE.sub("", _FILE.sub("", text)))
        if not count:
            break
    return text


def _template_text(match: re.Match[str]) -> str:
    """What a template that stands within a sentence shows; others show what only the wiki knows."""
    name, *values = (part.strip() for part in match[1].split("|"))
    named = dict(value.split("=", 1) for value in values if "=" in value)
    placed = [value for value in values if "=" not in value]
    kind = name.lower()
    if kind in _MEASURES and placed:
        unit = named.get("u", "") or (placed[1] if kind != "val" and len(placed) > 1 else "")
        return f"{placed[0]} {unit}".strip()
    place = _SHOWN.get(kind)
    return placed[place] if place is not None and place < len(placed) else ""


def _without_code(text: str) -> tuple[str, list[str]]:
    """The text with a sign in the place of each block of code, and these blocks."""
    blocks: list[str] = []

    def taken(match: re.Match[str]) -> str:
        if "\n" not in match[2]:
            return match[2]
        blocks.append(match[2].strip("\n"))
        return f"\n\n{_PLACE.format(number=len(blocks) - 1)}\n\n"

    return _CODE.sub(taken, text.replace("\0", "").replace("\r\n", "\n")), blocks


def _with_code(markdown: str, blocks: list[str]) -> str:
    for number, block in enumerate(blocks):
        markdown = markdown.replace(_PLACE.format(number=number), f"```\n{block}\n```")
    return markdown


def _words(text: str) -> str:
    """Text without tags and entities."""
    return unescape(_TAG.sub("", _RAISED.sub(r"^\1", _STRUCK.sub("", text)))).replace("\xa0", " ")


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
    text, code = _without_code(text)
    text = _DOKU_MACRO.sub("", _DOKU_NOTE.sub("", _DOKU_MEDIA.sub("", text)))
    text = _LINK.sub(r"\1", _DOKU_NAMED.sub(r"\1", _DOKU_TITLED.sub(r"\1", text)))
    text = _DOKU_BREAK.sub(" ", text)
    text = _DOKU_PLAIN.sub(lambda match: next(part for part in match.groups() if part is not None), text)
    text = _DOKU_ITALIC.sub(r"*\1*", text)
    return _with_code(_tidy(_dokuwiki_lines(_words(text).split("\n"))), code)


def _dokuwiki_lines(lines: list[str]) -> Iterator[str]:
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        if line[:1] in ("|", "^"):
            cells = [cell.strip() for cell in re.split(r"[|^]", line.strip())[1:-1]]
            # A cell that goes on from the row above says the same.
            above = rows[-1] if rows else []
            rows.append([
                above[place] if cell == ":::" and place < len(above) else cell for place, cell in enumerate(cells)
            ])  # fmt: skip
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
