// What goes over the wire: the last change set, the last request as a line for a shell, and how many there were.

import { curlLine } from "./api.js";
import { el, toast } from "./dom.js";

/** A change set may be long; what is beyond says so. */
const lettersMax = 20_000;

export class Inspector {
  /** The last change set. @type {any} */ #last = null;

  /** @param {import("./session.js").ListSession} session */
  constructor(session) {
    this.session = session;
    this.version = el("dd", {});
    this.counts = el("dd", {});
    this.changeSet = el("pre", { tabindex: "0", "aria-labelledby": "inspect-change" }, "None yet.");
    this.request = el("pre", { class: "wrapped", tabindex: "0", "aria-labelledby": "inspect-request" }, "None yet.");
    const copy = el("button", { class: "quiet-button", type: "button", onclick: () => this.#copy() }, "Copy");
    this.element = el("aside", { class: "inspector", id: "inspector", "aria-label": "Inspect", hidden: true },
      el("h2", {}, "Inspect"),
      el("dl", {}, el("dt", {}, "Version"), this.version, el("dt", {}, "Received"), this.counts),
      el("div", { class: "inspector-title" }, el("h3", { id: "inspect-request" }, "Last request"), copy), this.request,
      el("h3", { id: "inspect-change" }, "Last change set"), this.changeSet);
  }

  /** @param {import("./api.js").Sent} sent */
  showRequest(sent) {
    this.request.textContent = curlLine(sent, location.origin);
  }

  /** @param {any} changeSet */
  showChangeSet(changeSet) {
    this.#last = changeSet;
    if (!this.element.hidden) this.#write();
    this.update();
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

  update() {
    const { snapshots, changeSets, resets } = this.session.counts;
    const plural = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
    this.version.textContent = this.session.model ? this.session.version : "–";
    this.counts.textContent =
      `${plural(snapshots, "snapshot")}, ${plural(changeSets, "change set")}${resets ? `, ${plural(resets, "reset")}` : ""}`;
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
