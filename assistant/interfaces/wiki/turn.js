// One question with its answer, its sources, and what can be done with them.

import { element, rendered } from "./answer.js";
import { memo } from "./asking.js";
import { Opinion } from "./opinion.js";

const FORMATS = { markdown: "Markdown", dokuwiki: "DokuWiki", mediawiki: "MediaWiki" };

export class Turn {
  constructor(number, question, history, words) {
    this.number = number;
    this.question = question;
    this.history = history;
    this.words = words;
    this.answer = null;
    this.text = "";
    this.step = element("p", { class: "step", role: "status" }, words.step_opening);
    this.body = element("div", { class: "answer", dir: "auto" });
    this.foot = element("div", { class: "foot" });
    this.root = element(
      "article",
      { class: "turn", "aria-busy": "true" },
      element("h2", { class: "question", dir: "auto" }, question),
      this.body,
      this.step,
      this.foot,
    );
  }

  stepBegun(step) {
    this.step.textContent = this.words[`step_${step}`] ?? "";
  }

  // Offsets count code points, as the server does.
  heard({ offset, text }) {
    this.text = [...this.text].slice(0, offset).join("") + text;
    this.body.replaceChildren(rendered(this.text, () => null));
  }

  // `doings` are the buttons under the answer: label and action.
  answered(answer, doings) {
    this.answer = answer;
    const known = new Map(answer.citations.map((citation) => [citation.marker, citation]));
    this.body.lang = answer.language === "zh" ? "zh-CN" : answer.language;
    this.body.replaceChildren(rendered(answer.text, (number) => (known.has(number) ? this.cite(known.get(number)) : null)));
    const changes = (answer.tool_runs ?? []).flatMap((run) => run.result.would_change ?? []).map((change) => change.text);
    const told = changes.filter(Boolean).map((text) => element("li", {}, text));
    if (told.length) {
      const summary = element("summary", {}, this.words.would_change);
      this.body.append(element("details", { class: "changes" }, summary, element("ul", {}, ...told)));
    }
    const sources = answer.citations.map((citation) => this.source(citation));
    if (sources.length) {
      this.foot.append(element("section", { class: "sources" }, element("h3", {}, this.words.sources), ...sources));
    }
    const { question, history, words } = this;
    this.ended("", [this.copier(), ...doings, new Opinion({ answer, question, history }, words).root]);
  }

  // `problem` says in words why there is no answer.
  ended(problem, doings) {
    this.root.setAttribute("aria-busy", "false");
    this.step.remove();
    if (problem) this.foot.append(element("p", { class: "problem", role: "alert" }, problem));
    this.foot.append(element("div", { class: "doings" }, ...doings));
  }

  idOf(citation) {
    return `source-${this.number}-${citation.marker}`;
  }

  cite(citation) {
    const named = this.words.source.replace("{marker}", citation.marker).replace("{title}", this.titleOf(citation));
    const link = element("a", { class: "cite", href: `#${this.idOf(citation)}`, title: named, "aria-label": named });
    link.textContent = citation.marker;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const details = document.getElementById(this.idOf(citation));
      details.open = true;
      details.querySelector("summary").focus({ preventScroll: true });
      details.scrollIntoView({ block: "nearest" });
      details.addEventListener("keydown", (key) => key.key === "Escape" && this.backTo(link, key), { once: true });
    });
    return link;
  }

  backTo(link, key) {
    key.stopPropagation();
    link.focus();
  }

  titleOf(citation) {
    if (citation.kind !== "tool") return citation.title;
    return this.words[`tool_${citation.section}`] ?? this.words.tool_other;
  }

  source(citation) {
    const isTool = citation.kind === "tool";
    const language = citation.language === "zh" ? "zh-CN" : citation.language;
    const meta = isTool
      ? []
      : [
          citation.kind === "specification" ? this.words.kind_specification : null,
          citation.publisher,
          dated(publishedOf(citation), document.documentElement.lang),
          citation.kind === "specification" ? null : this.words[`lang_${citation.language}`],
        ];
    const works = citation.based_on.map((work) =>
      element("li", {}, [work.title, work.publisher, dated(work.published, document.documentElement.lang)].filter(Boolean).join(", ")),
    );
    return element(
      "details",
      { class: "source", id: this.idOf(citation) },
      element(
        "summary",
        {},
        element("span", { class: "marker" }, String(citation.marker)),
        element(
          "span",
          { class: "named" },
          element("span", { class: "title", lang: isTool ? null : language }, this.titleOf(citation)),
          element("span", { class: "meta" }, meta.filter(Boolean).join(" · ")),
        ),
      ),
      element(citation.kind === "specification" ? "div" : "blockquote", { lang: isTool ? "en" : language, dir: "auto" }, ...quoted(citation)),
      works.length ? element("p", { class: "based" }, this.words.based_on) : null,
      works.length ? element("ul", {}, ...works) : null,
      /^https?:\/\//.test(citation.url ?? "")
        ? element(
            "p",
            {},
            element("a", { href: citation.url, target: "_blank", rel: "noopener noreferrer" }, `${this.words.original} ↗`),
          )
        : null,
    );
  }

  // Copies the answer with its sources, date and record, in the markup that is chosen.
  copier() {
    const choice = element("select", { "aria-label": this.words.copy_as });
    for (const [value, name] of Object.entries(FORMATS)) choice.append(element("option", { value }, name));
    choice.value = stored("format") ?? "markdown";
    const button = element("button", { type: "button", class: "copy" }, this.words.copy);
    const status = element("span", { class: "done", role: "status" });
    button.addEventListener("click", async () => {
      store("format", choice.value);
      try {
        await copy(await memo(this.answer, this.history, choice.value), button);
        status.textContent = this.words.copied;
      } catch {
        status.textContent = this.words.unreachable;
      }
      setTimeout(() => (status.textContent = ""), 2500);
    });
    return element("span", { class: "copier" }, button, choice, status);
  }
}

function* quoted(citation) {
  if (citation.quote.trimStart().startsWith("|")) {
    yield rendered(citation.quote.trim(), () => null);
    return;
  }
  if (citation.kind === "tool") {
    yield element("ul", { class: "steps" }, ...steps(citation.quote).map((step) => element("li", {}, step)));
    return;
  }
  yield citation.quote.trim();
}

// Each step is "formula: numbers", and a formula may hold a semicolon itself.
function steps(formulas) {
  return formulas.split("; ").reduce((found, part) => {
    if (found.length && !found.at(-1).includes(": ")) found[found.length - 1] += `; ${part}`;
    else found.push(part);
    return found;
  }, []);
}

// The date of what is told: that of the work whose facts the passage carries, else the source's own.
function publishedOf(citation) {
  return citation.based_on.find((work) => work.published)?.published ?? citation.published;
}

// A day or a month as it is written in the page's language; anything less exact stays as it is.
function dated(period, language) {
  const match = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(period ?? "");
  if (!match) return period;
  const [, year, month, day] = match;
  const form = { year: "numeric", month: "long", ...(day ? { day: "numeric" } : {}), timeZone: "UTC" };
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, form).format(Date.UTC(year, month - 1, day ?? 1));
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A frame or a page without https may only copy a selection.
    const field = element("textarea", { readonly: true, class: "aside" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
}

// A frame of another site may have no storage; then nothing is remembered.
function stored(name) {
  try {
    return localStorage.getItem(`gpu-assistant-${name}`);
  } catch {
    return null;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(`gpu-assistant-${name}`, value);
  } catch {
    return;
  }
}
