// The live stream of a list: server-sent events over fetch, so that each reconnect names the version held now.

import { askForToken, authorization } from "./token.js";

/**
 * @typedef {"connecting" | "live" | "waiting" | "ended"} StreamState
 * @typedef {{target: () => string, onEvent: (name: string, data: any) => void, onResume: (version: string) => void,
 *   onState: (state: StreamState) => void}} StreamOptions
 */

/** A server says something every 15 s; one that is silent for three times as long has gone. */
const silenceMax = 45_000;
const delayMin = 250;
const delayMax = 5_000;

export class Stream {
  /** @type {AbortController | null} */ #abort = null;
  #delay = delayMin;
  /** After how many milliseconds the server wants to be asked again; 0 if it has not said. */ #wanted = 0;
  #timer = 0;

  /** @param {StreamOptions} options */
  constructor(options) {
    this.options = options;
    this.retryNow = () => {
      if (this.#timer) this.connect();
    };
    addEventListener("online", this.retryNow);
  }

  /** Connects, or connects anew with the target of now. */
  connect() {
    this.disconnect();
    const abort = new AbortController();
    this.#abort = abort;
    this.#run(abort);
  }

  disconnect() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#abort?.abort();
    this.#abort = null;
  }

  /** For good. */
  close() {
    this.disconnect();
    removeEventListener("online", this.retryNow);
    this.options.onState("ended");
  }

  /** @param {AbortController} abort Of this connection. */
  async #run(abort) {
    this.options.onState("connecting");
    try {
      const response = await fetch(this.options.target(), {
        headers: { Accept: "text/event-stream", ...authorization() }, signal: abort.signal, cache: "no-store",
      });
      if (response.status === 401) askForToken();
      if (response.status === 404) this.options.onEvent("gone", null);
      if (!response.ok || !response.body) throw new Error(`The stream was refused with ${response.status}.`);
      await this.#read(response.body, abort);
    } catch {
      // A stream ends for many reasons; what to do is always the same.
    }
    if (this.#abort === abort) this.#retry();
  }

  #retry() {
    this.#abort = null;
    this.options.onState("waiting");
    const delay = Math.max(this.#delay, this.#wanted);
    this.#wanted = 0;
    this.#timer = setTimeout(() => this.connect(), delay * (0.75 + Math.random() / 2));
    this.#delay = Math.min(this.#delay * 2, delayMax);
  }

  async #read(body, abort) {
    const events = new EventParser((name, id, data) => {
      if (abort.signal.aborted) return;
      if (name === "bye") this.#wanted = JSON.parse(data).retryAfter * 1000;
      else if (data !== null) this.options.onEvent(name, JSON.parse(data));
      else if (id) this.options.onResume(id);
    });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let watch = 0;
    let isLive = false;
    try {
      for (;;) {
        watch = setTimeout(() => reader.cancel(), silenceMax);
        const { done, value } = await reader.read();
        clearTimeout(watch);
        if (done) return;
        events.push(value);
        // A stream that begins with its end has been refused.
        if (isLive || this.#wanted > 0 || abort.signal.aborted) continue;
        isLive = true;
        this.#delay = delayMin;
        this.options.onState("live");
      }
    } finally {
      clearTimeout(watch);
    }
  }
}

/** Cuts text into events (HTML, section 9.2.6). */
export class EventParser {
  /** Of the line that has not ended yet: a long one comes in many pieces. @type {string[]} */ #pieces = [];
  #name = "";
  #id = "";
  /** @type {string[]} */ #data = [];

  /** @param {(name: string, id: string, data: string | null) => void} dispatch */
  constructor(dispatch) {
    this.dispatch = dispatch;
  }

  /** @param {string} text */
  push(text) {
    const [first, ...others] = this.#withHeldReturn(text).split(/\r\n|\n|\r(?!$)/);
    this.#pieces.push(first);
    if (others.length === 0) return;
    this.#take(this.#pieces.join(""));
    this.#pieces = [others.pop() ?? ""];
    for (const line of others) this.#take(line);
  }

  /** A carriage return at the end of a piece may be the first half of what ends a line. */
  #withHeldReturn(text) {
    const last = this.#pieces.at(-1);
    if (!last?.endsWith("\r")) return text;
    this.#pieces[this.#pieces.length - 1] = last.slice(0, -1);
    return `\r${text}`;
  }

  #take(line) {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "id") this.#id = value;
  }

  #end() {
    const data = this.#data.length > 0 ? this.#data.join("\n") : null;
    if (data !== null || this.#id !== "") this.dispatch(this.#name || "message", this.#id, data);
    this.#name = "";
    this.#id = "";
    this.#data = [];
  }
}
