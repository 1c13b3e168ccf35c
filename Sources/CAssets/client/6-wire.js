// Requests, and the stream of events. Both try again by themselves, later each time.

const delayMin = 250, delayMax = 10_000;
/** A server says something every 15 s; one that is silent for three times as long has gone. */
const silenceMax = 45_000;
/** Until an answer begins, or a token is there. */
const answerMax = 20_000;
/** A server may ask for patience, but not for ever. */
const wantedMax = 3_600_000;
/** Between two looks whether a list that is gone is back. */
const lookMax = 300_000;

/** The server's own words about what it refused (RFC 9457). */
class Refused extends Error {
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem?.code ? problem : { status, code: status === 413 ? "body_too_large" : "" };
  }

  /** Whether the same request may succeed later. What has no code was said by somebody between us and the server. */
  get mayPass() {
    const { status, problem: { code } } = this;
    return !code || status >= 500 && status !== 501 || [408, 429].includes(status) || code === "key_in_flight";
  }
}

/** How long to wait before the next attempt: longer each time, and not in step with others. */
class Patience {
  delay = delayMin;
  /** The milliseconds that the server asks for. */ wanted = 0;
  #isWanted = false;
  #wake = () => {};

  async pause() {
    const { delay, wanted } = this, random = Math.random() / 2;
    this.delay = Math.min(delay * 2, delayMax);
    this.wanted = 0;
    this.#isWanted = wanted > 0;
    await new Promise((resolve) => {
      const wait = Math.max(delay * (0.75 + random), Math.min(wanted, wantedMax) * (1 + random));
      const timer = setTimeout(resolve, wait);
      this.#wake = () => resolve(clearTimeout(timer));
    });
  }

  /** The network is back, which shortens no pause that the server wants; or all is at its end. */
  wake(isEnd = false) {
    if (isEnd || !this.#isWanted) this.#wake();
  }

  reset() {
    this.delay = delayMin;
  }
}

/** Asks the server, with the token of the application. */
class Wire {
  #token;
  #isStale = false;

  /** @param {typeof fetch} send As in client.d.ts. */
  constructor(url, token, send = (...given) => fetch(...given)) {
    this.url = url.replace(/\/$/, "");
    this.#token = token;
    this.send = send;
    this.secret = null;
  }

  async headers() {
    if (this.#token === undefined) return {};
    if (this.secret === null || this.#isStale) {
      this.#isStale = false;
      this.secret = typeof this.#token === "function" ? await within(answerMax, this.#token()) : this.#token;
    }
    return this.secret ? { Authorization: `Bearer ${this.secret}` } : {};
  }

  /** The answer; after a 401 once more with another token. @throws {Refused} Or what `fetch` throws. */
  async fetch(path, { headers, ...options } = {}) {
    for (let isAgain = false; ; isAgain = true) {
      const own = await this.headers(), { secret } = this;
      const fields = { ...headers, ...own };
      const response = await this.send(this.url + path, { cache: "no-store", ...options, headers: fields });
      if (response.ok) return response;
      const text = await response.text();
      if (response.status === 401 && secret === this.secret) this.#isStale = true;
      if (response.status === 401 && !isAgain && typeof this.#token === "function") continue;
      const refused = new Refused(response.status, parsed(text));
      refused.retryAfter = Number(response.headers.get("Retry-After")) * 1000 || 0;
      throw refused;
    }
  }

  async ask(method, path, { body, key, isMinimal } = {}) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    if (isMinimal) headers.Prefer = "return=minimal";
    const data = JSON.stringify(body), abort = new AbortController();
    // A long body has its time, too.
    const watch = setTimeout(() => abort.abort(), answerMax + (data?.length ?? 0) / 10);
    try {
      const response = await this.fetch(path, { method, headers, body: data, signal: abort.signal });
      clearTimeout(watch);
      // All was done as asked. Whoever answers so without a version is not the server.
      if (response.status === 204) return { version: response.headers.get("List-Version").trim() };
      let text = "";
      await readText(response.body, (piece) => (text += piece));
      // An answer that was cut is none.
      return JSON.parse(text);
    } finally {
      clearTimeout(watch);
    }
  }
}

/** The value of a promise. @throws If it takes longer. */
function within(time, promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("This took too long.")), time)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pathOf(list, ...segments) {
  return `/v1/lists/${[list, ...segments].map(encodeURIComponent).join("/")}`;
}

/** A query; members that are undefined are left out, and arrays are repeated. */
function queryOf(members) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    for (const one of [value].flat()) if (one !== undefined) query.append(name, one);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** Hands on the pieces of a text, until it ends or nothing comes for long. */
async function readText(body, onPiece) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let watch;
  try {
    for (;;) {
      watch = setTimeout(() => reader.cancel(), silenceMax);
      const { done, value } = await reader.read();
      clearTimeout(watch);
      if (done) return;
      onPiece(value);
    }
  } finally {
    clearTimeout(watch);
    reader.cancel().catch(() => {});
  }
}

/** Cuts text into events (HTML, section 9.2.6). Servers of lists end lines by a line feed. */
function readEvents(body, onEvent) {
  let pieces = [], event = {};
  const take = (line) => {
    if (line === "") {
      if (Object.keys(event).length > 0) onEvent(event);
      event = {};
    } else if (!line.startsWith(":")) {
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
      event[field] = field === "data" && event.data !== undefined ? `${event.data}\n${value}` : value;
    }
  };
  return readText(body, (piece) => {
    const [first, ...lines] = piece.split("\n");
    // A long line comes in many pieces.
    pieces.push(first);
    for (const line of lines) {
      take(pieces.join("").replace(/\r$/, ""));
      pieces = [line];
    }
  });
}

/** One stream for lists that are looked at in one view. */
class Feed {
  /** The version up to which the stream has told of each list; "" if of nothing, null if that it is gone. */
  lists = new Map();
  state = "connecting";
  #abort = null;
  #patience = new Patience();
  #isClosed = false;
  #isWanted = false;
  #isOver = false;
  #timer = 0;
  #delay = delayMax;

  /** @param {string} view As a query. @param {(event: any) => void} onEvent @param {(state: string) => void} onState */
  constructor(wire, view, onEvent, onState) {
    Object.assign(this, { wire, view, onEvent, onState });
  }

  /** Follows a list from a version, or from the beginning. */
  follow(list, version) {
    this.lists.set(list, version);
    this.connect();
  }

  drop(list) {
    // A stream may go on telling of it until it is made anew.
    if (this.lists.delete(list) && this.lists.size === 0) this.close();
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#patience.wake(true);
  }

  /** Connects, or connects anew; several calls at a time are one. */
  connect() {
    this.#patience.wake();
    if (this.#isWanted) return;
    this.#isWanted = true;
    queueMicrotask(() => {
      this.#isWanted = false;
      const isRunning = this.#abort !== null;
      this.#abort?.abort();
      if (!isRunning) this.#run();
    });
  }

  async #run() {
    while (!this.#isClosed) {
      const abort = this.#abort = new AbortController(), { signal } = abort;
      const watch = setTimeout(() => abort.abort(), answerMax);
      this.#isOver = false;
      try {
        const response = await this.wire.fetch(...this.#target(signal));
        clearTimeout(watch);
        const type = response.headers.get("Content-Type") ?? "";
        if (!type.startsWith("text/event-stream")) throw new Error("This is no stream.");
        await readEvents(response.body, (event) => signal.aborted || this.#take(event));
      } catch (error) {
        // A stream ends for many reasons; what to do is always the same.
        if (!signal.aborted) this.#note(error);
      } finally {
        clearTimeout(watch);
      }
      if (signal.aborted) continue;
      if (this.state === "live" || this.state === "connecting") this.#set("offline");
      await this.#patience.pause();
    }
  }

  #note(error) {
    if (!(error instanceof Refused)) return this.#set("offline");
    this.#patience.wanted = error.retryAfter;
    if (error.status === 404 && !error.mayPass) {
      for (const list of this.lists.keys()) this.#tell(list, "gone", { list }, null);
    } else if (!error.mayPass && error.status !== 401) console.error(error.message);
    this.#set(error.status === 401 ? "unauthorized" : error.mayPass ? "offline" : "refused");
  }

  #target(signal) {
    const options = { signal, headers: { Accept: "text/event-stream" } };
    const lists = [...this.lists];
    if (this.view.includes("around=")) {
      const [[list, since]] = lists;
      return [pathOf(list, "changes") + this.view + (since ? "&since=" + since : ""), options];
    }
    const query = lists.map(([list, since]) => "list=" + list + (since ? "@" + since : "")).join("&");
    return [`/v1/changes${this.view || "?"}${this.view && "&"}${query}`, options];
  }

  #take({ event, id, data }) {
    const value = data === undefined ? {} : JSON.parse(data);
    // A stream begins, perhaps with nothing to tell. If it is refused, the reason comes in the same piece.
    if (!event && !id) return queueMicrotask(() => this.#isOver || this.#live());
    if (event === "bye") {
      this.#isOver = true;
      this.#patience.wanted = (value.retryAfter ?? 0) * 1000;
      if (value.code === "unauthenticated") this.wire.secret = null;
      return;
    }
    this.#live();
    const list = value.list ?? [...this.lists.keys()][0];
    if (event === "gone") {
      if (this.lists.get(list) !== null) this.#delay = delayMax;
      this.#tell(list, event, value, null);
      this.#lookAgain();
    }
    else if (event) this.#tell(list, event, value, value.to);
    // An id without an event: others have changed what this view does not show.
    else if (id) for (const part of id.split(",")) {
      const [version, name = list] = part.split("@").reverse();
      this.#tell(name, "id", null, version);
    }
  }

  /** A list that is gone may come back, and only a new stream tells of it. A stream that still brings whole lists goes on. */
  #lookAgain() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const held = [...this.lists.values()];
      if (held.includes("")) return this.#lookAgain();
      this.#delay = Math.min(this.#delay * 2, lookMax);
      if (held.includes(null)) this.connect();
    }, this.#delay);
  }

  /** Each event leads from the version before it to another, because a stream has no gap. */
  #tell(list, name, data, to) {
    if (!this.lists.has(list)) return;
    const since = this.lists.get(list);
    if (since === to && (name === "id" || name === "gone")) return;
    this.lists.set(list, to);
    this.onEvent({ list, name, data, since, to });
  }

  #live() {
    this.#patience.reset();
    this.#set("live");
  }

  #set(state) {
    if (this.state === state) return;
    this.state = state;
    this.onState(state);
  }
}
