// What somebody thinks of an answer: thumbs, a reason, and the way back. Nothing is sent before a thumb is chosen.

const KEPT = "gpu-assistant-opinions";
const MOST_KEPT = 200;
const LONGEST_COMMENT = 2000;
const REASONS = ["wrong_figure", "wrong_source", "missing", "out_of_date", "unclear", "wrong_language", "other"];
const THUMB = "M7 10.5v9.5H3.5v-9.5zM7 10.5 11 3a2.2 2.2 0 0 1 2.2 2.2V9h5.6a2 2 0 0 1 2 2.4l-1.4 7a2 2 0 0 1-2 1.6H7";

// A browser that keeps nothing, or a frame of another site, forgets what was chosen; it can still be sent.
const held = new Map();

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  } catch {
    return [];
  }
}

function keptOf(id) {
  const found = kept();
  return held.get(id) ?? (Array.isArray(found) ? found.find((one) => one?.id === id) : undefined);
}

function keep(id, opinion) {
  if (opinion) held.set(id, opinion);
  else held.delete(id);
  try {
    const found = kept();
    const others = Array.isArray(found) ? found.filter((one) => one?.id !== id) : [];
    localStorage.setItem(KEPT, JSON.stringify([...(opinion ? [{ id, ...opinion }] : []), ...others].slice(0, MOST_KEPT)));
  } catch {
    return;
  }
}

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function thumb(name, label) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", THUMB);
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(line);
  const made = make("button", { type: "button", class: `thumb ${name}`, "aria-label": label, title: label, "aria-pressed": "false" });
  made.append(drawing);
  return made;
}

// A key that nobody else knows, so that only this browser can change or take back what it gave.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// `asked` is the answer with the question and the questions before it; `words` says everything.
export class Opinion {
  constructor({ answer, question, history }, words) {
    this.answer = answer;
    this.asked = { question, history };
    this.words = words;
    this.up = thumb("up", words.opinion_up);
    this.down = thumb("down", words.opinion_down);
    this.status = make("span", { class: "opinion-status", role: "status" });
    this.back = this.button("opinion-back", words.opinion_back, () => this.withdraw());
    this.form = this.reasons();
    this.form.hidden = true;
    this.root = make("div", { class: "opinion" });
    const thumbs = make("div", { class: "thumbs", role: "group", "aria-label": words.opinion }, this.up, this.down);
    this.root.append(thumbs, this.status, this.back, this.form);
    this.up.addEventListener("click", () => this.send("up"));
    this.down.addEventListener("click", () => this.unfold());
    this.down.setAttribute("aria-expanded", "false");
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.form.hidden) return;
      event.stopPropagation();
      this.fold();
    });
    this.show();
  }

  button(name, label, action) {
    const made = make("button", { type: "button", class: name }, label);
    made.addEventListener("click", action);
    return made;
  }

  reasons() {
    const name = `reason-${newKey()}`;
    const choices = REASONS.map((reason) =>
      make("label", {}, make("input", { type: "radio", name, value: reason }), this.words[`reason_${reason}`]),
    );
    const comment = make("textarea", { rows: "2", maxlength: String(LONGEST_COMMENT) });
    const form = make(
      "form",
      { class: "reasons" },
      make("fieldset", {}, make("legend", {}, this.words.opinion_why), ...choices),
      make("label", { class: "comment" }, this.words.opinion_comment, comment),
      make("p", { class: "note" }, this.words.opinion_note),
      make(
        "div",
        { class: "sending" },
        make("button", { type: "submit", class: "opinion-send" }, this.words.opinion_send),
        this.button("opinion-cancel", this.words.cancel, () => this.fold()),
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("down", form.querySelector("input:checked")?.value ?? null, comment.value.trim());
    });
    return form;
  }

  unfold() {
    const { reason, comment } = keptOf(this.answer.id) ?? {};
    for (const choice of this.form.querySelectorAll("input")) choice.checked = choice.value === reason;
    this.form.querySelector("textarea").value = comment ?? "";
    this.form.hidden = false;
    this.down.setAttribute("aria-expanded", "true");
    (this.form.querySelector("input:checked") ?? this.form.querySelector("input")).focus();
    this.form.scrollIntoView({ block: "nearest" });
  }

  fold() {
    this.form.hidden = true;
    this.down.setAttribute("aria-expanded", "false");
    this.down.focus();
  }

  show() {
    const given = keptOf(this.answer.id)?.verdict;
    for (const name of ["up", "down"]) this[name].setAttribute("aria-pressed", String(given === name));
    this.back.hidden = !given;
  }

  async send(verdict, reason = null, comment = "") {
    const key = keptOf(this.answer.id)?.key ?? newKey();
    const { id, language, knowledge } = this.answer;
    const given = { answer_id: id, ...this.asked, language, verdict, reason, comment, knowledge, key };
    const done = await this.request("api/feedback", { method: "POST", body: JSON.stringify(given) }, this.words.opinion_thanks);
    if (!done) return;
    keep(id, { verdict, reason, comment, key });
    if (!this.form.hidden) this.fold();
    this.show();
  }

  async withdraw() {
    const { key } = keptOf(this.answer.id) ?? {};
    if (!(await this.request(`api/feedback/${key}`, { method: "DELETE" }, this.words.opinion_gone))) return;
    keep(this.answer.id, null);
    this.show();
    this.up.focus();
  }

  // True where it went through; the status says so, or why not.
  async request(address, options, success) {
    let status = 0;
    try {
      status = (await fetch(address, { headers: { "content-type": "application/json" }, credentials: "same-origin", ...options })).status;
    } catch {
      status = 0;
    }
    const done = status >= 200 && status < 300;
    this.status.textContent = done ? success : this.refusal(status);
    return done;
  }

  refusal(status) {
    if (status === 401) return this.words.sign_in;
    if (status === 403) return this.words.opinion_refused;
    return status === 429 || status === 503 ? this.words.busy : this.words.unreachable;
  }
}
