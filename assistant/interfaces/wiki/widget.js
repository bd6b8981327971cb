// Brings the assistant into a page: <script src="https://assistant.example.org/widget.js" defer></script>
// Everything it adds lives in one shadow tree and one frame; it reads nothing of the page but its title and language.
(() => {
  const WORDS = null;
  const script = document.currentScript;
  if (!script) return;
  const given = script.dataset;
  const home = new URL(".", script.src);
  const language = languageOf(given.language || document.documentElement.lang || navigator.language);
  const words = WORDS[language];
  const inline = given.target ? document.querySelector(given.target) : given.mode === "box" ? script : null;
  // A page or gadget may load the script more than once.
  const key = `gpu-assistant-${given.target ?? given.mode ?? "button"}`;
  if (document.getElementById(key)) return;

  function languageOf(tag) {
    const short = tag.toLowerCase().split("-")[0];
    return short in WORDS ? short : "en";
  }

  // Dark where the page's own background is.
  function themeOf() {
    if (given.theme) return given.theme;
    for (const element of [document.body, document.documentElement]) {
      const parts = getComputedStyle(element).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
      if (parts.length < 3 || parts[3] === 0) continue;
      return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128 ? "dark" : "light";
    }
    return "light";
  }

  const STYLE = `
    :host { all: initial; display: block; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", Arial, sans-serif; }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    .light { --ground: #fff; --text: #1d2125; --muted: #565b62; --line: #6f757c; --accent: #0f6a64; --edge: #d9d5cc; --ring: #0b5d58; }
    .dark { --ground: #16191b; --text: #e6e8ea; --muted: #a8afb6; --line: #8b939a; --accent: #17776f; --edge: #3a4045; --ring: #7bd6cb; }
    button, input { font: inherit; }
    button { min-height: 44px; padding: 8px 18px; border: 0; border-radius: 10px; background: var(--accent); color: #fff; cursor: pointer; }
    :focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; }
    .open { position: fixed; z-index: 2147483000; inset-block-end: 20px; inset-inline-end: 20px; border-radius: 999px; box-shadow: 0 2px 10px #0005; }
    .panel { background: var(--ground); color: var(--text); border: 1px solid var(--edge); border-radius: 12px; overflow: hidden; }
    .floating { position: fixed; z-index: 2147483001; inset-block-end: 20px; inset-inline-end: 20px; width: min(440px, calc(100vw - 24px)); height: min(680px, calc(100dvh - 40px)); display: flex; flex-direction: column; box-shadow: 0 8px 30px #0006; }
    .bar { display: flex; justify-content: flex-end; padding: 4px; border-block-end: 1px solid var(--edge); }
    .bar button { min-height: 32px; padding: 2px 12px; background: none; color: var(--text); }
    iframe { display: block; width: 100%; border: 0; background: var(--ground); color-scheme: normal; }
    .floating iframe { flex: 1; min-height: 0; }
    form { display: flex; gap: 8px; margin: 0 0 8px; }
    input { flex: 1; min-width: 0; min-height: 44px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--ground); color: var(--text); }
    input::placeholder { color: var(--muted); opacity: 1; }
    .floating.short { height: auto; }
    .refused { margin: 0; padding: 14px; overflow-wrap: anywhere; }
    @media (max-width: 480px) { .floating:not(.short) { inset: 0; width: 100%; height: 100%; border: 0; border-radius: 0; } .short { inset-inline: 12px; width: auto; } }
    @media print { :host { display: none; } }`;

  const host = document.createElement("div");
  host.id = key;
  host.lang = language === "zh" ? "zh-CN" : language;
  const tree = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  tree.adoptedStyleSheets = [sheet];
  const root = make("div", { class: themeOf() });
  tree.append(root);

  function make(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  let frame = null;
  let asked = false;
  let ready = false;
  // What is asked while the frame still loads.
  const waiting = [];

  // What a site may not show is never begun: a browser puts a broken page in its place.
  async function show(question) {
    if (asked) return;
    asked = true;
    if (await allowed()) panel.append(framed(question));
    else refuse();
  }

  // Where that can't be asked (a policy of the page, a login of a proxy), the frame itself will tell.
  async function allowed() {
    const address = new URL("embed/site", home);
    address.searchParams.set("origin", location.origin);
    try {
      const response = await fetch(address, { credentials: "omit", signal: AbortSignal.timeout(5000) });
      return !response.ok || (await response.json()).allowed;
    } catch {
      return true;
    }
  }

  function framed(question) {
    const address = new URL("embed", home);
    const said = { language, theme: root.className, origin: location.origin, context: given.context ?? pageTitle() };
    for (const [name, value] of Object.entries(said)) if (value) address.searchParams.set(name, value);
    if (question) address.hash = new URLSearchParams({ q: question }).toString();
    frame = make("iframe", { src: address, title: words.title, allow: "clipboard-write", referrerpolicy: "no-referrer" });
    // A frame that is refused loads an error page, which never says that it is ready.
    frame.addEventListener("load", () => setTimeout(() => ready || refuse(), 3000));
    return frame;
  }

  function pageTitle() {
    const heading = document.querySelector("main h1, article h1, [role=main] h1") ?? document.querySelector("h1");
    return (heading?.textContent || document.title).trim().slice(0, 200);
  }

  function refuse() {
    const said = make("p", { class: "refused", role: "alert" }, words.frame_refused.replace("{origin}", location.origin));
    frame?.remove();
    panel.append(said);
    panel.classList.add("short");
  }

  function send(message) {
    if (ready) frame.contentWindow?.postMessage({ to: "gpu-assistant", ...message }, home.origin);
    else waiting.push(message);
  }

  addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== home.origin) return;
    if (event.data?.from !== "gpu-assistant") return;
    if (event.data.kind === "ready") {
      ready = true;
      for (const message of waiting.splice(0)) send(message);
    }
    if (event.data.kind === "size" && inline && event.data.height > 0) {
      frame.style.height = `${Math.min(event.data.height + 2, Math.round(innerHeight * 0.85))}px`;
    }
    if (event.data.kind === "close" && !inline) close();
  });

  const panel = make("section", { class: "panel", "aria-label": words.title });
  panel.hidden = true;
  let open = null;

  function close() {
    panel.hidden = true;
    open.hidden = false;
    open.setAttribute("aria-expanded", "false");
    open.focus();
  }

  function asButton() {
    open = make("button", { type: "button", class: "open", "aria-expanded": "false" }, words.ask_here);
    const shut = make("button", { type: "button" }, words.close);
    panel.classList.add("floating");
    panel.append(make("div", { class: "bar" }, shut));
    open.addEventListener("click", () => {
      panel.hidden = false;
      open.hidden = true;
      open.setAttribute("aria-expanded", "true");
      show("");
      shut.focus();
      send({ kind: "focus" });
    });
    shut.addEventListener("click", close);
    panel.addEventListener("keydown", (event) => event.key === "Escape" && close());
    root.append(open, panel);
    document.body.append(host);
  }

  function asBox() {
    const box = make("input", { type: "text", "aria-label": words.ask_here, placeholder: words.question_placeholder, maxlength: "4000" });
    const form = make("form", {}, box, make("button", { type: "submit" }, words.ask));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = box.value.trim();
      if (!question) return;
      // From here on the frame has a field of its own.
      form.hidden = true;
      panel.hidden = false;
      show(question);
      send({ kind: "focus" });
    });
    root.append(form, panel);
    if (inline === script) script.after(host);
    else inline.append(host);
  }

  if (inline) asBox();
  else asButton();
})();
