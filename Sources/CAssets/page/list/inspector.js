// The traffic with the server: the state of the stream, change sets as they arrive, requests as lines for a shell.

import { el, toast } from "../base/dom.js";
import { curlLine } from "../server/api.js";
import { changeWords, shortVersion } from "./words.js";

/** A change set may be long; what is beyond says so. */
const lettersMax = 20_000;
/** So many of each are kept. */
const keptMax = 50;

export class Inspector {
  /** Change sets as the list tells them, the newest first. @type {{change: any, time: string}[]} */ #changes = [];
  /** The newest first. @type {import("../server/api.js").Sent[]} */ #requests = [];
  #count = 0;

  constructor() {
    this.state = el("dd", {}, "–");
    this.version = el("dd", {}, "–");
    this.latency = el("dd", {}, "No answer yet");
    this.counts = el("dd", {}, "Nothing yet");
    this.changeSet = el("pre", { tabindex: "0", "aria-labelledby": "inspect-change" }, "None yet. Change something in the list.");
    this.request = el("pre", { class: "wrapped", tabindex: "0", "aria-labelledby": "inspect-request" }, "None yet. Change something in the list.");
    this.earlierChanges = el("div", { class: "log", role: "group", "aria-label": "Earlier change sets" });
    this.earlierRequests = el("div", { class: "log", role: "group", "aria-label": "Earlier requests" });
    const copy = el("button", { class: "quiet-button", type: "button", onclick: () => this.#copy() }, "Copy");
    this.element = el("aside", { class: "inspector", id: "inspector", "aria-label": "Inspect", hidden: true },
      el("h2", {}, "Inspect"),
      el("dl", {}, el("dt", {}, "Version"), this.version, el("dt", {}, "Stream"), this.state,
        el("dt", {}, "Last answer"), this.latency, el("dt", {}, "Shown"), this.counts),
      el("p", { class: "inspect-docs" }, el("a", { href: "/docs" }, "What each request means")),
      el("div", { class: "inspector-title" }, el("h3", { id: "inspect-request" }, "Last request"), copy), this.request, this.earlierRequests,
      el("h3", { id: "inspect-change" }, "Last change set"), this.changeSet, this.earlierChanges);
  }

  /** @param {string} text */
  showState(text) {
    this.state.textContent = text;
  }

  /** A request that is sent, and again once it has its answer. @param {import("../server/api.js").Sent} sent */
  showRequest(sent) {
    if (!this.#requests.includes(sent)) {
      this.#requests.unshift(sent);
      this.#requests.length = Math.min(this.#requests.length, keptMax);
      this.request.textContent = curlLine(sent, location.origin);
    }
    if (sent.milliseconds !== undefined) this.latency.textContent = `${Math.round(sent.milliseconds)} ms, status ${sent.status}`;
    if (!this.element.hidden) this.#writeRequests();
  }

  /** @param {import("../../client.js").Changes} told */
  show(told) {
    this.version.textContent = told.to;
    const { properties, sections, items } = told;
    if (!properties && !sections && !items) return;
    const { list, from, to, counts } = told;
    this.#changes.unshift({ change: { list, from, to, counts, properties, sections, items }, time: new Date().toLocaleTimeString("en") });
    this.#changes.length = Math.min(this.#changes.length, keptMax);
    this.#count += 1;
    this.counts.textContent = `${this.#count} ${this.#count === 1 ? "change set" : "change sets"}`;
    if (!this.element.hidden) this.#writeChanges();
  }

  toggle() {
    this.element.hidden = !this.element.hidden;
    if (this.element.hidden) return;
    this.#writeChanges();
    this.#writeRequests();
  }

  /** Only where it is seen, for it may be long. */
  #writeChanges() {
    if (this.#changes.length === 0) return;
    this.changeSet.textContent = textOf(this.#changes[0].change);
    this.earlierChanges.replaceChildren(...this.#changes.slice(1).map(({ change, time }) =>
      entry(`${time}  ${shortVersion(change.to)}: ${changeWords(change)}`, () => textOf(change))));
  }

  #writeRequests() {
    this.earlierRequests.replaceChildren(...this.#requests.slice(1).map((sent) =>
      entry(`${sent.method} ${sent.path}${sent.status === undefined ? "" : `  ${sent.status}, ${Math.round(sent.milliseconds)} ms`}`,
        () => curlLine(sent, location.origin), "wrapped")));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.request.textContent ?? "");
      toast("Copied.");
    } catch {
      getSelection()?.selectAllChildren(this.request);
    }
  }
}

/** A line that opens. @param {string} title @param {() => string} text @param {string} [name] The class of the text. */
function entry(title, text, name) {
  const body = el("pre", { class: name, tabindex: "0", "aria-label": title });
  return el("details", { ontoggle: () => (body.textContent ||= text()) }, el("summary", {}, title), body);
}

function textOf(change) {
  const text = JSON.stringify(change, null, 2);
  return text.length > lettersMax ? `${text.slice(0, lettersMax)}\n… ${text.length} letters in all` : text;
}
