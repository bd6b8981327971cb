// An answer's Markdown as elements. Text only ever becomes text nodes, so that no answer can bring markup of its own in.

const MARKER = /\[(\d{1,3})\]/;
const INLINE = /(\*\*(?=\S)[^]*?\S\*\*|`[^`\n]+`|(?:\s*\[\d{1,3}\])+|\\[\\`*_{}[\]()#+.!|~>-])/;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// `cite(number)` gives the element that stands for a marker, or null where there is no such source.
export function rendered(markdown, cite) {
  const fragment = document.createDocumentFragment();
  fragment.append(...blocks(markdown.split("\n"), cite));
  return fragment;
}

function* blocks(lines, cite) {
  let place = 0;
  const take = (belongs) => {
    const start = place;
    while (place < lines.length && belongs(lines[place])) place += 1;
    return lines.slice(start, place);
  };
  while (place < lines.length) {
    const line = lines[place];
    if (!line.trim()) {
      place += 1;
    } else if (line.startsWith("```")) {
      place += 1;
      const code = take((one) => !one.startsWith("```"));
      place += 1;
      yield element("pre", { tabindex: 0 }, code.join("\n"));
    } else if (line.startsWith("|")) {
      yield table(take((one) => one.startsWith("|")), cite);
    } else if (/^\s*[-*] /.test(line)) {
      yield list("ul", take((one) => /^\s*[-*] /.test(one)), /^\s*[-*] /, cite);
    } else if (/^\s*\d{1,3}\. /.test(line)) {
      yield list("ol", take((one) => /^\s*\d{1,3}\. /.test(one)), /^\s*\d{1,3}\. /, cite);
    } else if (line.startsWith(">")) {
      const quoted = take((one) => one.startsWith(">")).map((one) => one.replace(/^> ?/, ""));
      yield element("blockquote", { dir: "auto" }, ...blocks(quoted, cite));
    } else if (/^#{1,6} /.test(line)) {
      place += 1;
      yield element("h3", {}, ...inline(line.replace(/^#+ /, ""), cite));
    } else {
      const text = take((one) => one.trim() && !/^(\||>|```|#{1,6} |\s*[-*] |\s*\d{1,3}\. )/.test(one));
      yield element("p", {}, ...inline((text.length ? text : [lines[place++]]).join("\n"), cite));
    }
  }
}

function list(tag, lines, bullet, cite) {
  return element(tag, {}, ...lines.map((line) => element("li", {}, ...inline(line.replace(bullet, ""), cite))));
}

function table(lines, cite) {
  const rows = lines.map(cells);
  const ruled = rows.length > 1 && rows[1].every((cell) => /^:?-+:?$/.test(cell));
  const ends = ruled ? rows[1].map((cell) => (cell.endsWith(":") ? "number" : null)) : [];
  const made = (row, tag) =>
    element(
      "tr",
      {},
      ...row.map((cell, column) =>
        element(tag, { class: ends[column], scope: tag === "th" ? "col" : null }, ...inline(cell, cite)),
      ),
    );
  const head = ruled ? element("thead", {}, made(rows[0], "th")) : null;
  const body = element("tbody", {}, ...rows.slice(ruled ? 2 : 0).map((row) => made(row, "td")));
  return element("div", { class: "table", tabindex: 0 }, element("table", {}, ...[head, body].filter(Boolean)));
}

function cells(line) {
  return line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function* inline(text, cite) {
  for (const piece of text.split(INLINE)) {
    if (piece.startsWith("**") && piece.length > 4) {
      yield element("strong", {}, ...inline(piece.slice(2, -2), cite));
    } else if (piece.startsWith("`") && piece.length > 2) {
      yield element("code", {}, piece.slice(1, -1));
    } else if (MARKER.test(piece)) {
      // Kept on the line of the word that they belong to.
      const markers = [...piece.matchAll(/\[(\d{1,3})\]/g)].map(([shown, number]) => cite(Number(number)) ?? shown);
      yield element("span", { class: "cites" }, "\u2060", ...markers);
    } else if (piece.startsWith("\\") && piece.length === 2) {
      yield piece[1];
    } else if (piece) {
      yield piece;
    }
  }
}
