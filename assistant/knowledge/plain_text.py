"""Plain text, as articles are often copied out of a page, turned into Markdown: headings, lists, tables, code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_HEADING_CHARACTERS = 100
MAX_HEADING_WORDS = 14

_BULLET = re.compile(r"^\s*(?:[-*•·–]|\d{1,2}[.)])\s+")
_SENTENCE_END = re.compile(r"[.;:,!。；：，！、…][\"'”’」)]*\.?$")
_CODE = re.compile(
    r"^(?:\s*(?:import \w+|from [\w.]+ import |def \w+\(|(?:if|for|while|elif) .+:$|else:$|return\b|print\()"
    r"|\s*[A-Za-z_][\w.]* = \S*[\w)\]\"']$|\s*[A-Za-z_][\w.]* = [\w.]+\("
    r"|(?:\$|>>>) |pip install |(?:sudo|export|docker) )"
)
_RULER = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines that stand together, without an empty line between them."""

    lines: tuple[str, ...]


def plain_text_to_markdown(text: str) -> str:
    """Markdown with the same words in the same order; what is added are marks for headings, lists, tables and code.

    Where empty lines part paragraphs, lines that stand together are a list; where none do, each line is a paragraph.
    """
    groups = list(_groups(text))
    spaced = len(groups) > 0.4 * sum(len(group.lines) for group in groups)
    blocks = [block for group in groups for block in _blocks(list(group.lines), spaced)]
    return "\n\n".join(_with_headings(blocks)) + "\n"


def _groups(text: str) -> Iterator[_Group]:
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield _Group(tuple(lines))
            lines = []


def _blocks(lines: list[str], spaced: bool) -> Iterator[str]:
    """Markdown blocks of lines that stand together. A table, code or a list is one block, a paragraph another."""
    place = 0
    while place < len(lines):
        end, block = _table(lines, place) or _code(lines, place) or _bullets(lines, place) or (place, "")
        if block:
            yield block
            place = end
            continue
        following = place
        while following < len(lines) and spaced and not _starts_block(lines, following):
            following += 1
        if following - place > 1:
            yield "\n".join(f"- {line.strip()}" for line in lines[place:following])
            place = following
        else:
            yield _escaped(lines[place].strip())
            place += 1


def _starts_block(lines: list[str], place: int) -> bool:
    return bool(_table(lines, place) or _code(lines, place) or _bullets(lines, place))


def _table(lines: list[str], place: int) -> tuple[int, str] | None:
    """A table parted by tabs or pipes that starts at a line, as Markdown, and where it ends."""
    for split in (_tab_cells, _pipe_cells):
        rows: list[list[str]] = []
        end = place
        while end < len(lines) and (cells := split(lines[end])):
            if not _RULER.match(lines[end]):
                rows.append(cells)
            end += 1
        if len(rows) >= 2:
            return end, _markdown_table(rows)
    return None


def _tab_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t")] if "\t" in line.strip() else []


def _pipe_cells(line: str) -> list[str]:
    stripped = line.strip()
    if not (stripped.startswith("|") and stripped.endswith("|") and stripped.count("|") >= 3):
        return []
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", stripped[1:-1])]


def _markdown_table(rows: list[list[str]]) -> str:
    width = max(map(len, rows))
    padded = [[cell.replace("|", r"\|") for cell in row] + [""] * (width - len(row)) for row in rows]
    if not padded[0][-1] and padded[0][0] and all(all(row) for row in padded[1:]):
        # The empty corner above the row names was lost, and each column's name has moved over its neighbour.
        padded[0] = ["", *padded[0][:-1]]
    ruler = ["---"] * width
    return "\n".join(f"| {' | '.join(row)} |" for row in [padded[0], ruler, *padded[1:]])


def _code(lines: list[str], place: int) -> tuple[int, str] | None:
    """Program text of two lines or more, with the comments right before it."""
    end = place
    while end < len(lines) and (_CODE.match(lines[end]) or lines[end].lstrip().startswith("# ")):
        end += 1
    if sum(bool(_CODE.match(line)) for line in lines[place:end]) < 2:
        return None
    return end, "\n".join(["```", *lines[place:end], "```"])


def _bullets(lines: list[str], place: int) -> tuple[int, str] | None:
    end = place
    while end < len(lines) and _BULLET.match(lines[end]):
        end += 1
    if end == place:
        return None
    return end, "\n".join(re.sub(r"^\s*[•·–]\s+", "- ", line) for line in lines[place:end])


def _escaped(line: str) -> str:
    """A line whose first characters are no Markdown."""
    return re.sub(r"^(?=[#>+=~])|^(?=-{3,}$)", r"\\", line)


def _with_headings(blocks: list[str]) -> Iterator[str]:
    for place, block in enumerate(blocks):
        following = blocks[place + 1] if place + 1 < len(blocks) else ""
        yield f"## {block}" if following and looks_like_heading(block) else block


def looks_like_heading(line: str) -> bool:
    """True for a short line that ends like no sentence and is no list, table, formula or code."""
    if "\n" in line or len(line) > MAX_HEADING_CHARACTERS or _SENTENCE_END.search(line):
        return False
    if line.startswith(("-", "|", "`", "\\", "*")) or _BULLET.match(line) or " = " in line or "→" in line:
        return False
    if len(_HAN.findall(line)) > MAX_HEADING_CHARACTERS // 3:
        return False
    return len(line.split()) <= MAX_HEADING_WORDS and any(character.isalpha() for character in line)
