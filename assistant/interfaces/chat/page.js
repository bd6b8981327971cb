// What the page does by itself: opens cited passages, copies answers, and remembers language and theme.
(() => {
  const LANGUAGE = "gpu-assistant-language";
  const THEME = "gpu-assistant-theme";

  // Gradio's own labels follow the browser's language; a language chosen here comes first.
  const chosen = document.cookie.match(new RegExp(`(?:^|; )${LANGUAGE}=(\\w+)`))?.[1];
  if (chosen) {
    const tag = chosen === "zh" ? "zh-CN" : chosen;
    Object.defineProperty(navigator, "language", { get: () => tag });
    Object.defineProperty(navigator, "languages", { get: () => [tag] });
  }

  // Set before anything is drawn; Gradio reads the theme from the address.
  const theme = localStorage.getItem(THEME);
  const address = new URL(location.href);
  if (theme && !address.searchParams.has("__theme")) {
    address.searchParams.set("__theme", theme);
    history.replaceState(null, "", address);
  }

  let opener = null;

  function openPassage(id, link) {
    const target = document.getElementById(id);
    if (!target) return;
    const section = target.closest("section.sources");
    for (const other of document.querySelectorAll("section.sources")) {
      other.classList.toggle("current", other === section);
    }
    if (target.tagName === "DETAILS") {
      for (const other of section.querySelectorAll("details.passage")) other.open = other === target;
    }
    opener = link;
    document.body.classList.add("passage-open");
    const focus = target.querySelector("summary") ?? document.querySelector(".close-sources");
    focus?.focus({ preventScroll: true });
    reveal(target);
  }

  // Scrolls the panel alone: the passage to its top, or further down where the quotation would be out of sight.
  function reveal(target) {
    const panel = document.getElementById("sources-panel");
    const head = panel.querySelector(".sources-head").offsetHeight;
    const top = (element) => element.getBoundingClientRect().top - panel.getBoundingClientRect().top + panel.scrollTop;
    const mark = target.querySelector("mark");
    const least = mark ? top(mark) + mark.offsetHeight + 24 - panel.clientHeight : 0;
    panel.scrollTop = Math.max(top(target) - head, least);
  }

  function closeSources() {
    if (!document.body.classList.contains("passage-open")) return;
    document.body.classList.remove("passage-open");
    opener?.focus();
    opener = null;
  }

  async function copyText(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https the clipboard is only reachable through a selection.
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
  }

  async function copyAnswer(button) {
    await copyText(button.parentElement.querySelector(".copied")?.textContent ?? "", button);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  }
  globalThis.gpuAssistant = { copyText };

  function toggleTheme() {
    const next = document.body.classList.toggle("dark") ? "dark" : "light";
    localStorage.setItem(THEME, next);
    const here = new URL(location.href);
    here.searchParams.set("__theme", next);
    history.replaceState(null, "", here);
  }

  // Paper is light.
  let wasDark = false;
  addEventListener("beforeprint", () => {
    wasDark = document.body.classList.contains("dark");
    document.body.classList.remove("dark");
  });
  addEventListener("afterprint", () => document.body.classList.toggle("dark", wasDark));

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.cite, a.all-sources");
    if (link) {
      event.preventDefault();
      openPassage(link.getAttribute("href").slice(1), link);
    } else if (event.target.closest(".close-sources")) {
      closeSources();
    } else if (event.target.closest("button.copy")) {
      copyAnswer(event.target.closest("button.copy"));
    } else if (event.target.closest("#theme")) {
      toggleTheme();
    }
  });
  document.addEventListener("change", (event) => {
    if (!event.target.closest("#language")) return;
    document.cookie = `${LANGUAGE}=${event.target.value}; path=/; max-age=31536000; SameSite=Lax`;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeSources();
    if (event.key === " " && event.target.matches?.("a.cite, a.all-sources")) {
      event.preventDefault();
      event.target.click();
    }
  });

  // One answer at a time: what is typed meanwhile stays in the box, whenever the answer happens to end.
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || event.shiftKey || !event.target.matches?.("#question textarea")) return;
      if (!document.getElementById("stop")?.offsetParent) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  // A new question comes to the top, so that its answer is read from its beginning.
  let asked = 0;
  function follow() {
    const questions = document.querySelectorAll("#conversation .user-row");
    const scroller = document.querySelector("#conversation .bubble-wrap");
    if (questions.length > asked && scroller) {
      const last = questions[questions.length - 1];
      // Room below, for the question to reach the top while its answer is still short.
      last.parentElement.style.minHeight = "";
      const top = last.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop - 8;
      if (questions.length > 1) last.parentElement.style.minHeight = `${top + scroller.clientHeight}px`;
      scroller.scrollTo({ top, behavior: "smooth" });
    }
    asked = questions.length;
  }

  // What Gradio names in English, or after the number of a choice.
  function name(element, words) {
    for (const attribute of ["title", "aria-label"]) {
      if (element.getAttribute(attribute) !== words) element.setAttribute(attribute, words);
    }
  }

  // In the text that is there already, which Gradio keeps hold of.
  function say(element, words) {
    const text = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (text && text.data !== words) text.data = words;
  }

  function nameControls(brand) {
    const words = JSON.parse(brand.querySelector(".words").textContent);
    for (const token of document.querySelectorAll(".token:has(> .token-remove)")) {
      const chosen = token.querySelector("span").textContent.trim();
      name(token.querySelector(".token-remove"), words.remove_one.replace("{name}", chosen));
    }
    for (const all of document.querySelectorAll(".token-remove.remove-all")) name(all, words.remove_all);
    for (const hint of document.querySelectorAll("#follow-ups .hint")) say(hint, words.follow_ups);
    // Gradio says itself when the server can't be reached or has too many to answer; the page says all else.
    for (const toast of document.querySelectorAll(".toast-body")) {
      const text = toast.querySelector(".toast-message-text");
      if (text && !text.dataset.kind) text.dataset.kind = /busy|queue/i.test(text.textContent) ? "busy" : "unreachable";
      if (text) say(text, words[text.dataset.kind]);
      for (const title of toast.querySelectorAll(".toast-title")) say(title, words.something_wrong);
      for (const shut of toast.querySelectorAll(".toast-close")) name(shut, words.close);
    }
  }

  // Gradio labels each message with its source text; a reader needs who speaks.
  function tidy() {
    const brand = document.querySelector(".brand[lang]");
    if (brand) {
      const tag = brand.lang;
      if (document.documentElement.lang !== tag) document.documentElement.lang = tag;
      const title = brand.querySelector("h1").textContent;
      if (document.title !== title) document.title = title;
      const log = document.querySelector("#conversation [role=log]");
      const named = brand.querySelector(".conversation-name").textContent;
      if (log && log.getAttribute("aria-label") !== named) log.setAttribute("aria-label", named);
      if (!document.body.classList.contains("spoken")) {
        document.body.classList.add("spoken");
        // On a phone the keyboard would come up over the page.
        if (matchMedia("(pointer: fine)").matches) document.querySelector("#question textarea")?.focus();
      }
      nameControls(brand);
      measure();
    }
    follow();
    for (const message of document.querySelectorAll("[data-testid=user][aria-label], [data-testid=bot][aria-label]")) {
      message.removeAttribute("aria-label");
    }
  }
  // The conversation takes what the header leaves of the window.
  function measure() {
    const row = document.getElementById("chat-row");
    if (!row?.offsetParent) return;
    document.documentElement.style.setProperty("--chat-top", `${Math.round(row.getBoundingClientRect().top + scrollY)}px`);
  }
  addEventListener("resize", measure);

  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(tidy).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["lang", "aria-label", "title"] });
    tidy();
  });
})();
