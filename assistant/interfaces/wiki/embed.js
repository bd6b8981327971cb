// The page for a frame: asks, shows what comes back, and tells the page around it how tall it is.

import { ask, followUps, Refusal } from "./asking.js";
import { element } from "./answer.js";
import { Turn } from "./turn.js";

const MOST_HISTORY = 20;
const settings = JSON.parse(document.getElementById("settings").textContent);
const { words, context, origin } = settings;
const talk = document.getElementById("talk");
const examples = document.getElementById("examples");
const offered = document.getElementById("follow-ups");
const form = document.getElementById("asking");
const box = document.getElementById("question");
const stop = document.getElementById("stop");
const about = document.getElementById("about");

const asked = [];
let aboutPage = context;
let underWay = null;

async function put(question) {
  if (!question.trim() || underWay) return;
  examples.hidden = true;
  offered.replaceChildren();
  const history = [...(aboutPage ? [aboutPage] : []), ...asked].slice(-MOST_HISTORY);
  const turn = new Turn(talk.children.length + 1, question, history, words);
  const doings = () => [doing(words.retry, () => put(question)), doing(words.edit, () => edit(question))];
  talk.append(turn.root);
  turn.root.scrollIntoView({ block: "start" });
  underWay = new AbortController();
  busy(true);
  try {
    await ask({ question, history }, (name, data) => tell(turn, name, data, doings), underWay.signal);
    if (!turn.answer) turn.ended(words.failure, doings());
    else asked.push(question);
  } catch (error) {
    turn.ended(said(error), error.status === 401 ? [signIn(question, error.elsewhere), ...doings()] : doings());
  } finally {
    underWay = null;
    busy(false);
  }
  if (turn.answer) await offer(question, history);
}

// Questions to go on with; an answer without any is whole too.
async function offer(question, history) {
  try {
    const questions = await followUps(question, history);
    if (underWay || !questions.length) return;
    const buttons = questions.map((one) => doing(one, () => put(one)));
    offered.replaceChildren(element("p", { class: "hint" }, words.follow_ups), ...buttons);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof TypeError)) throw error;
  }
}

function tell(turn, name, data, doings) {
  if (name === "status") turn.stepBegun(data.step);
  else if (name === "sentence") turn.heard(data);
  else if (name === "answer") turn.answered(data, doings());
}

function said(error) {
  if (error.name === "AbortError") return words.stopped;
  if (!(error instanceof Refusal)) return words.unreachable;
  if (error.status === 401 || error.status === 403) return words.sign_in;
  if (error.status === 429 || error.status === 503) return words.busy;
  return error.message ? words.problem.replace("{problem}", error.message) : words.failure;
}

function edit(question) {
  box.value = question;
  grow();
  box.focus();
}

function doing(label, action) {
  const button = element("button", { type: "button" }, label);
  button.addEventListener("click", action);
  return button;
}

// The login comes into the frame and leads back to it, with the question waiting in the box; a proxy's own login needs
// a page of its own, after which the question can be asked again here.
function signIn(question, elsewhere) {
  if (elsewhere) return element("a", { class: "button", href: "./", target: "_blank", rel: "noopener" }, words.log_in);
  const link = element("a", { class: "button", href: `login?${new URLSearchParams({ next: `/embed${location.search}` })}` });
  link.textContent = words.log_in;
  link.addEventListener("click", () => remembered("setItem", question));
  return link;
}

// A frame of another site may have no storage; then nothing waits.
function remembered(action, ...values) {
  try {
    return sessionStorage[action]("gpu-assistant-waiting", ...values);
  } catch {
    return null;
  }
}

function busy(now) {
  form.classList.toggle("busy", now);
  stop.hidden = !now;
  document.getElementById("ask").hidden = now;
}

function grow() {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 160)}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (underWay) return;
  const question = box.value;
  box.value = "";
  grow();
  put(question);
});
box.addEventListener("input", grow);
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
stop.addEventListener("click", () => underWay?.abort());
for (const button of examples.querySelectorAll("button")) button.addEventListener("click", () => put(button.textContent));
about?.querySelector("button").addEventListener("click", () => {
  aboutPage = "";
  about.remove();
  box.focus();
});

// To the page that frames this one, and to no other.
function post(message) {
  if (origin && parent !== window) parent.postMessage({ from: "gpu-assistant", ...message }, origin);
}

document.addEventListener("keydown", (event) => event.key === "Escape" && post({ kind: "close" }));
addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== origin || event.data?.to !== "gpu-assistant") return;
  // On a phone the keyboard would come up over the answer.
  if (event.data.kind === "focus" && matchMedia("(pointer: fine)").matches) box.focus({ preventScroll: true });
});
// As tall as everything is, were nothing to scroll.
function size() {
  const [main, scroll, inner] = ["main", "#scroll", "#inner"].map((name) => document.querySelector(name));
  post({ kind: "size", height: main.offsetHeight - scroll.clientHeight + inner.offsetHeight });
}
new ResizeObserver(size).observe(document.getElementById("inner"));
// What is typed before this script listens would be lost.
document.getElementById("fields").disabled = false;
post({ kind: "ready" });

const waiting = remembered("getItem");
if (waiting) {
  remembered("removeItem");
  edit(waiting);
}

// The first question stands behind the #, so that it reaches no server's log.
const first = new URLSearchParams(location.hash.slice(1)).get("q");
if (first) put(first.slice(0, box.maxLength));
