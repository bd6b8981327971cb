// A question to the server, and its answer as it is made.

export class Refusal extends Error {
  // `elsewhere` where it is a proxy that asks for a login, on a page that no frame may show.
  constructor(status, detail, elsewhere = false) {
    super(detail);
    this.status = status;
    this.elsewhere = elsewhere;
  }
}

// Calls `heard(event, data)` for each event of the answer. Throws Refusal, TypeError (unreachable) or AbortError.
export async function ask(asked, heard, signal) {
  const response = await fetch("api/ask", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    credentials: "same-origin",
    body: JSON.stringify(asked),
    redirect: "manual",
    signal,
  });
  if (response.type === "opaqueredirect") throw new Refusal(401, "", true);
  if (!response.ok) throw new Refusal(response.status, await detailOf(response));
  for await (const { name, data } of events(response.body)) {
    if (name === "problem") throw new Refusal(data.status, data.detail);
    heard(name, data);
  }
}

// The answer as text for a page of that format: markdown, dokuwiki or mediawiki.
export async function memo(answer, history, format) {
  return (await posted("api/memo", { answer, history, format })).page;
}

// Questions to go on with after that one.
export async function followUps(question, history) {
  return (await posted("api/follow-ups", { question, history })).questions;
}

async function posted(address, body) {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    credentials: "same-origin",
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Refusal(response.status, await detailOf(response));
  return response.json();
}

async function detailOf(response) {
  try {
    return (await response.json()).detail ?? "";
  } catch {
    return "";
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    const blocks = held.split(/\r?\n\r?\n/);
    held = blocks.pop();
    for (const block of blocks) {
      const lines = block.split(/\r?\n/);
      const name = lines.find((line) => line.startsWith("event:"))?.slice(6).trim();
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
      if (name && data) yield { name, data: JSON.parse(data) };
    }
  }
}
