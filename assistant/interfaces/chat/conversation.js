// What can be done with a conversation: ask again or otherwise, keep it in this browser, share it, take it elsewhere.
(() => {
  const KEPT = "gpu-assistant-history";
  const MOST_KEPT = 30;
  const CURRENT = "gpu-assistant-conversation";

  const words = () => JSON.parse(document.querySelector(".brand .words")?.textContent ?? "{}");
  const field = (name) => document.querySelector(`#${name} textarea`);

  function write(name, value) {
    const target = field(name);
    target.value = value;
    target.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // Gradio passes on what was written only after a turn of its own loop.
  const settled = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

  async function put(question, replacing) {
    if (document.getElementById("stop")?.offsetParent) return;
    write("replacing", replacing ?? "");
    write("question", question);
    await settled();
    document.getElementById("ask").click();
  }

  // The text goes into the box; sent from there, it takes the place of the earlier question and all after it.
  function edit(question, number) {
    write("replacing", number);
    write("question", question);
    const box = field("question");
    box.focus();
    box.setSelectionRange(question.length, question.length);
  }

  async function carry(carried) {
    write("carried", JSON.stringify(carried));
    await settled();
    document.getElementById("carry").click();
  }

  const records = () =>
    [...document.querySelectorAll("#conversation .record")].map((record) => JSON.parse(record.textContent));

  // Keeping

  function kept() {
    try {
      const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
      return Array.isArray(found) ? found : [];
    } catch {
      return [];
    }
  }

  // Without room the oldest goes first; a browser that keeps nothing keeps nothing.
  function keep(conversations) {
    for (let held = conversations.slice(0, MOST_KEPT); ; held = held.slice(0, -1)) {
      try {
        localStorage.setItem(KEPT, JSON.stringify(held));
        return;
      } catch {
        if (held.length < 2) return;
      }
    }
  }

  let seen = "";
  function remember() {
    const found = records();
    const state = found.map((record) => record.answer.id).join();
    if (state === seen) return;
    seen = state;
    if (!found.length) {
      sessionStorage.removeItem(CURRENT);
    } else {
      const id = sessionStorage.getItem(CURRENT) ?? crypto.randomUUID?.() ?? String(Date.now());
      sessionStorage.setItem(CURRENT, id);
      const others = kept().filter((one) => one.id !== id);
      keep([{ id, title: found[0].question.slice(0, 120), exchanges: found }, ...others]);
    }
    list();
  }

  function restore(id) {
    const found = kept().find((one) => one.id === id);
    if (!found) return;
    sessionStorage.setItem(CURRENT, id);
    carry({ exchanges: found.exchanges });
  }

  function forget(id) {
    keep(id === undefined ? [] : kept().filter((one) => one.id !== id));
    list();
    document.querySelector("#history summary")?.focus();
  }

  function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function button(name, label, action) {
    const made = make("button", { type: "button", class: name }, label);
    made.addEventListener("click", action);
    return made;
  }

  // Earlier conversations, below the box.
  function list() {
    const place = document.getElementById("talk");
    const said = words();
    if (!place || !said.history) return;
    const before = document.getElementById("history");
    const current = sessionStorage.getItem(CURRENT);
    const others = kept().filter((one) => one.id !== current || !records().length);
    if (!others.length) {
      before?.remove();
      return;
    }
    const rows = others.map((one) => {
      const away = button("forget", "✕", () => forget(one.id));
      away.setAttribute("aria-label", said.history_delete.replace("{title}", one.title));
      return make("li", {}, button("restore", one.title, () => restore(one.id)), away);
    });
    const made = make(
      "details",
      { id: "history" },
      make("summary", {}, said.history),
      make("p", { class: "hint" }, said.history_note),
      make("ul", {}, ...rows),
      button("clear", said.history_clear, () => forget()),
    );
    made.open = before?.open ?? false;
    if (before) before.replaceWith(made);
    else place.append(made);
  }

  // Taking it elsewhere

  function recordOf(target) {
    return JSON.parse(target.closest(".answer-foot").querySelector(".record").textContent);
  }

  function earlier(number) {
    return records().filter((record) => record.number < number).map((record) => record.question);
  }

  async function memo(target, format) {
    const { number, answer } = recordOf(target);
    const response = await fetch("api/memo", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ answer, history: earlier(number), format }),
    });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()).page;
  }

  async function download(target) {
    const address = URL.createObjectURL(new Blob([await memo(target, "markdown")], { type: "text/markdown" }));
    make("a", { href: address, download: `gpu-${recordOf(target).answer.id}.md` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  // All that is needed to ask it again stands behind the #, which no server gets to see.
  function linkTo(target) {
    const { number, question, answer } = recordOf(target);
    const asked = new URLSearchParams({ q: question, a: answer.id });
    for (const one of earlier(number)) asked.append("h", one);
    return `${location.origin}${location.pathname}#${asked}`;
  }

  async function done(target, action) {
    try {
      await action();
      target.classList.add("done");
      setTimeout(() => target.classList.remove("done"), 1500);
    } catch {
      target.classList.add("failed");
    }
  }

  const ACTIONS = {
    retry: (target) => put(questionOf(target), numberOf(target)),
    edit: (target) => edit(questionOf(target), numberOf(target)),
    download: (target) => done(target, () => download(target)),
    "copy-dokuwiki": (target) => done(target, async () => copyText(await memo(target, "dokuwiki"), target)),
    "copy-mediawiki": (target) => done(target, async () => copyText(await memo(target, "mediawiki"), target)),
    "copy-link": (target) => done(target, () => copyText(linkTo(target), target)),
  };

  const exchangeOf = (target) => target.closest("[id^=exchange-]");
  const numberOf = (target) => exchangeOf(target).id.slice("exchange-".length);
  const questionOf = (target) => exchangeOf(target).querySelector(".asked").textContent;
  const copyText = (text, target) => globalThis.gpuAssistant.copyText(text, target);

  document.addEventListener("click", (event) => {
    // Gradio leaves an element of an answer its class and id alone.
    const target = event.target.closest("#conversation button[class*=do-]");
    if (target) ACTIONS[target.className.match(/do-([a-z-]+)/)[1]]?.(target);
    const suggested = event.target.closest("button.follow-up");
    if (suggested) put(suggested.textContent);
    // A question typed anew takes no other's place.
    if (event.target.closest("#new")) write("replacing", "");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.matches?.("#question textarea") && field("replacing")?.value) {
      write("replacing", "");
      write("question", "");
    }
  });

  // What people think of answers; an element of its own for each, which outlives Gradio's drawing the answer anew.

  const opinions = new Map();
  let Opinion = null;
  async function loadOpinion() {
    ({ Opinion } = await import(document.getElementById("opinion-script").href));
    offerOpinions();
  }

  function offerOpinions() {
    if (!Opinion) return;
    for (const record of document.querySelectorAll("#conversation .answer-foot:not(:has(.opinion)) > .record")) {
      const { number, question, answer } = JSON.parse(record.textContent);
      const key = `${number} ${answer.id} ${document.documentElement.lang}`;
      if (!opinions.has(key)) opinions.set(key, new Opinion({ answer, question, history: earlier(number) }, words()));
      record.parentElement.append(opinions.get(key).root);
    }
  }

  // A shared link

  let shared = null;
  function openShared() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const question = asked.get("q");
    if (!question) return false;
    shared = asked.get("a");
    history.replaceState(null, "", location.pathname + location.search);
    sessionStorage.removeItem(CURRENT);
    carry({ earlier: asked.getAll("h").slice(-20), question: question.slice(0, 4000) });
    return true;
  }

  // Says so where the knowledge base has changed since the link was made.
  function compareShared() {
    const [found] = records();
    if (!shared || !found) return;
    if (found.answer.id !== shared) {
      document.querySelector("#conversation .answer-foot")?.before(make("p", { class: "aside" }, words().shared_changed));
    }
    shared = null;
  }

  let opened = false;
  function watch() {
    if (!opened && document.body.classList.contains("spoken") && field("carried")) {
      opened = true;
      // A page that is loaded again, or that a phone put away, goes on where it was.
      if (!openShared()) restore(sessionStorage.getItem(CURRENT));
      loadOpinion();
      list();
    }
    if (opened) {
      remember();
      compareShared();
      offerOpinions();
    }
  }
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(watch).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["class", "lang"] });
  });
})();
