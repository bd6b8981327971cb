"""Markdown, as answers are written in, turned into the markup of a wiki."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True)
class WikiSyntax:
    """What differs between wikis. A name with {} is filled in with the text it encloses."""

    headings: tuple[str, ...]
    """For levels 1 to 4."""
    bold: str
    italic: str
    code: str
    literal: str
    """Around text that holds `special` signs."""
    special: "re.Pattern[str]"
    opening: "re.Pattern[str]"
    """Signs that mean something at the beginning of a line."""
    bullet: str
    """For each level of depth."""
    indent: str
    table: tuple[str, str]
    row: str
    header_cell: str
    cell: str
    row_end: str
    data: str
    """Around the memo's record."""


DOKUWIKI = WikiSyntax(
    headings=("====== {} ======", "===== {} =====", "==== {} ====", "=== {} ==="),
    bold="**{}**",
    italic="//{}//",
    code="''%%{}%%''",
    literal="<nowiki>{}</nowiki>",
    special=re.compile(r"\*\*|//(?!\S+\.\S)|__|''|\[\[|\{\{|\(\(|\\\\|~~|%%|<[a-zA-Z/]|\||\^|={2,}|----"),
    opening=re.compile(r" {2,}[*-]|>"),
    bullet="*",
    indent="  ",
    table=("", ""),
    row="",
    header_cell="^ {} ",
    cell="| {} ",
    row_end="{last}",
    data="<code json gpu-assistant-memo.json>\n{}\n</code>",
)
MEDIAWIKI = WikiSyntax(
    headings=("= {} =", "== {} ==", "=== {} ===", "==== {} ===="),
    bold="'''{}'''",
    italic="''{}''",
    code="<code><nowiki>{}</nowiki></code>",
    literal="<nowiki>{}</nowiki>",
    special=re.compile(r"''|\[\[|\{\{|\}\}|\{\||~~~|<[a-zA-Z!/]|\||__[A-Z]|&[a-zA-Z#]|----|\b(?:RFC|PMID|ISBN) \d"),
    opening=re.compile(r"[*#:;= ]"),
    bullet="*",
    indent="",
    table=('{| class="wikitable"\n', "\n|}"),
    row="|-\n",
    header_cell="! {}\n",
    cell="| {}\n",
    row_end="",
    data="<!-- {} -->",
)


def wiki_markup(markdown: str, syntax: WikiSyntax) -> str:
    """The Markdown in a wiki's own markup: headings, lists, tables, emphasis; anything else is shown as it is."""
    return "\n\n".join(_blocks(_parser().parse(markdown), syntax))


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table"])
    return parser.disable(["link", "image", "autolink", "reference", "html_inline", "html_block", "code"])


def _blocks(tokens: "list[Token]", syntax: WikiSyntax) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = _end(tokens, place)
        inside = tokens[place + 1 : end]
        match token.type:
            case "heading_open":
                level = min(int(token.tag[1]), len(syntax.headings))
                yield syntax.headings[level - 1].format(_inline(inside[0], syntax))
            case "paragraph_open":
                yield _inline(inside[0], syntax)
            case "bullet_list_open" | "ordered_list_open":
                yield "\n".join(_items(inside, syntax, 1))
            case "table_open":
                yield _table(inside, syntax)
            case "fence" | "code_block":
                yield "\n".join(syntax.code.format(line) for line in token.content.splitlines())
            case "blockquote_open":
                yield from _blocks(inside, syntax)
        place = end + 1


def _end(tokens: "list[Token]", place: int) -> int:
    """Where the block that begins at `place` is closed; the place itself for a block of one token."""
    if tokens[place].nesting != 1:
        return place
    depth = 0
    for number in range(place, len(tokens)):
        depth += tokens[number].nesting
        if depth == 0:
            return number
    return len(tokens) - 1


def _items(tokens: "list[Token]", syntax: WikiSyntax, depth: int) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            level = depth + token.level // 2 - tokens[0].level // 2 - 1
            lead = syntax.indent * level + syntax.bullet * (1 if syntax.indent else level)
            yield f"{lead} {_inline(token, syntax)}"


def _table(tokens: "list[Token]", syntax: WikiSyntax) -> str:
    rows: list[str] = []
    cells: list[str] = []
    last = ""
    for number, token in enumerate(tokens):
        if token.type in ("th_open", "td_open"):
            form = syntax.header_cell if token.type == "th_open" else syntax.cell
            cells.append(form.format(_inline(tokens[number + 1], syntax) or " "))
            last = form[0]
        elif token.type == "tr_close":
            rows.append((syntax.row if rows else "") + "".join(cells).rstrip("\n") + syntax.row_end.format(last=last))
            cells = []
    return syntax.table[0] + "\n".join(rows) + syntax.table[1]


def _inline(token: "Token", syntax: WikiSyntax) -> str:
    """Text with emphasis; pairs are filled from the inside out."""
    stack: list[str] = [""]
    for child in token.children or []:
        match child.type:
            case "strong_open" | "em_open":
                stack.append("")
            case "strong_close" | "em_close":
                inner = stack.pop()
                stack[-1] += (syntax.bold if child.type == "strong_close" else syntax.italic).format(inner)
            case "code_inline":
                stack[-1] += syntax.code.format(child.content)
            case "softbreak" | "hardbreak":
                stack[-1] += " "
            case _:
                stack[-1] += _plain(child.content, syntax, begins=stack == [""])
    return "".join(stack)


def _plain(text: str, syntax: WikiSyntax, *, begins: bool) -> str:
    """Text that the wiki shows as it is; `begins` where it stands at the beginning of a line."""
    if not syntax.special.search(text) and not (begins and syntax.opening.match(text)):
        return text
    return syntax.literal.format(text.replace("</nowiki>", "</ nowiki>"))
