// The traffic with the server: the last change, the last request as a line for a shell, and how many changes there were.

import { curlLine } from "./api.js";
import { el, toast } from "./dom.js";

/** A change set may be long; what is beyond says so. */
const lettersMax = 20_000;

export class Inspector {
  /** The last change, as the list tells it: in the form of a change set. @type {any} */ #last = null;
  #count = 0;

  constructor() {
    this.version = el("dd", {}, "–");
    this.counts = el("dd", {}, "Nothing yet");
    this.changeSet = el("pre", { tabindex: "0", "aria-labelledby": "inspect-change" }, "None yet.");
    this.request = el("pre", { class: "wrapped", tabindex: "0", "aria-labelledby": "inspect-request" }, "None yet.");
    const copy = el("button", { class: "quiet-button", type: "button", onclick: () => this.#copy() }, "Copy");
    this.element = el("aside", { class: "inspector", id: "inspector", "aria-label": "Inspect", hidden: true },
      el("h2", {}, "Inspect"),
      el("dl", {}, el("dt", {}, "Version"), this.version, el("dt", {}, "Shown"), this.counts),
      el("div", { class: "inspector-title" }, el("h3", { id: "inspect-request" }, "Last request"), copy), this.request,
      el("h3", { id: "inspect-change" }, "Last change set"), this.changeSet);
  }

  /** @param {import("./api.js").Sent} sent */
  showRequest(sent) {
    this.request.textContent = curlLine(sent, location.origin);
  }

  /** @param {import("../client.js").Changes} told */
  show(told) {
    this.version.textContent = told.to;
    const { properties, sections, items } = told;
    if (!properties && !sections && !items) return;
    const { list, from, to, counts } = told;
    this.#last = { list, from, to, counts, properties, sections, items };
    this.#count += 1;
    this.counts.textContent = `${this.#count} ${this.#count === 1 ? "change set" : "change sets"}`;
    if (!this.element.hidden) this.#write();
  }

  toggle() {
    this.element.hidden = !this.element.hidden;
    if (!this.element.hidden) this.#write();
  }

  /** Only where it is seen, for it may be long. */
  #write() {
    if (this.#last === null) return;
    const text = JSON.stringify(this.#last, null, 2);
    this.changeSet.textContent = text.length > lettersMax ? `${text.slice(0, lettersMax)}\n… ${text.length} letters in all` : text;
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
