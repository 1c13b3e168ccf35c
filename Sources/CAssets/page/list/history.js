// The transactions of a list: who did what and when; any kept version, and what changed there; and the way back.

import { announce, el, setAttribute, toast } from "../base/dom.js";
import { ask, pathOf } from "../server/api.js";
import { deliverTelling, intentOf } from "../server/intent.js";
import { changeWords, namesIn, shortVersion, timeWords, wordsOf } from "./words.js";

/** So many are known, and shown at first. */
const transactionsMax = 1_000, pauseMilliseconds = 500;
/** While one drags, a version is asked for no sooner after another. */
const dragMilliseconds = 120;
const shownMax = 60;

/**
 * @typedef {import("../../client.js").Transaction} Transaction
 * @typedef {{list: () => import("../../client.js").List, nameOf: (id: string) => string, mayWrite: () => boolean,
 *   takeBack: (version: string) => Promise<any>, onPast: (past: any, changes: any) => void, onNow: () => void}} Hooks
 */

export class History {
  /** The newest first. @type {Transaction[]} */ transactions = [];
  /** The version that is shown; empty for what is now. */ version = "";
  #shown = shownMax;
  #isStale = true;
  #isLoading = false;
  #timer = 0;
  /** The time of the last answer. */ #loaded = 0;
  /** Ends the question that a newer one has the place of. */ #asking = new AbortController();
  /** The version to which one has dragged, until it is asked for. */ #dragTimer = 0;
  #asked = 0;
  /** Why the version that was shown had to be left; empty if one left it oneself. */ #loss = "";

  /** @param {string} id @param {Hooks} hooks */
  constructor(id, hooks) {
    this.id = id;
    this.hooks = hooks;
    this.scrubber = /** @type {HTMLInputElement} */ (el("input", {
      type: "range", id: "scrubber", min: "0", max: "0", step: "1", "aria-label": "Version", disabled: true,
      oninput: () => this.#scrub(Number(this.scrubber.value)),
    }));
    this.note = el("p", { class: "history-note", role: "status" });
    this.nowButton = el("button", { class: "quiet-button", type: "button", onclick: () => this.backToNow(), hidden: true }, "Back to now");
    this.restoreButton = el("button", { class: "quiet-button", type: "button", onclick: () => this.#restore(), hidden: true }, "Go back to this version");
    this.rows = el("ol", { class: "history-rows" });
    this.more = el("button", { class: "quiet-button", type: "button", hidden: true, onclick: () => {
      this.#shown += shownMax;
      this.#write();
    } }, "Show more");
    this.element = el("aside", { class: "inspector history", id: "history", "aria-label": "History", hidden: true },
      el("h2", {}, "History"), this.scrubber, this.note, el("div", { class: "chips" }, this.nowButton, this.restoreButton), this.rows, this.more);
  }

  toggle() {
    this.element.hidden = !this.element.hidden;
    if (!this.element.hidden) this.#load();
    else this.backToNow();
  }

  close() {
    clearTimeout(this.#timer);
    this.#begin();
  }

  /** The list has changed. */
  refresh() {
    this.#isStale = true;
    if (this.element.hidden) return;
    // Many changes are looked at together.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), Math.max(0, this.#loaded + pauseMilliseconds - Date.now()));
  }

  /** @param {string} version As an address has it. */
  async open(version) {
    this.element.hidden = false;
    await this.#load();
    await this.show(version);
  }

  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#isStale && !this.element.hidden) {
      this.#isStale = false;
      try {
        this.transactions = await this.hooks.list().history({ limit: transactionsMax });
        this.#write();
      } catch (error) {
        this.note.textContent = error.message;
        break;
      }
    }
    this.#isLoading = false;
    this.#loaded = Date.now();
  }

  #write() {
    const { transactions } = this;
    const names = namesIn(transactions);
    const { sections } = this.hooks.list().getSnapshot();
    const titles = new Map(sections.map((one) => [one.id, one.title ?? one.id]));
    const item = (id) => {
      const now = this.hooks.nameOf(id);
      return now === id ? names.get(id) ?? id : now;
    };
    const focused = document.activeElement?.closest(".history-row")?.getAttribute("data-version");
    const kind = document.activeElement?.className;
    this.rows.replaceChildren(...transactions.slice(0, this.#shown)
      .map((one) => this.#row(one, wordsOf(one, item, (id) => titles.get(id) ?? id))));
    if (focused) {
      for (const row of this.rows.children) {
        if (row.getAttribute("data-version") === focused) (row.querySelector(kind?.includes("history-back") ? ".history-back" : ".history-open") ?? row.querySelector("button"))?.focus();
      }
    }
    this.more.hidden = transactions.length <= this.#shown;
    if (!this.version) this.note.textContent = this.#loss || (transactions.length > 0 ? "Choose a version to see the list as it was."
      : "Nothing has changed yet. Change something: it will stand here, and can be taken back.");
    this.#mark();
  }

  /** @param {Transaction} transaction @param {string} words */
  #row(transaction, words) {
    const { version, time, actor, label, undone } = transaction;
    const back = this.hooks.mayWrite() && !undone && el("button", {
      class: "quiet-button history-back", type: "button", "aria-label": `Take this back: ${words}`, onclick: () => this.#takeBack(version, words),
    }, "Take this back");
    return el("li", { class: `history-row${undone ? " is-undone" : ""}`, "data-version": version },
      el("button", { class: "history-open", type: "button", onclick: () => this.show(version) },
        el("span", { class: "history-words", dir: "auto" }, words),
        el("span", { class: "history-meta" }, `${timeWords(time)} · ${actor}${saysMore(label, words) ? ` · ${label}` : ""} · v${shortVersion(version)}${undone ? " · taken back" : ""}`)),
      back || null);
  }

  #mark() {
    const { transactions } = this;
    const index = this.version ? transactions.findIndex((one) => one.version === this.version) : 0;
    this.scrubber.max = String(Math.max(transactions.length - 1, 0));
    this.scrubber.value = String(Math.max(transactions.length - 1 - Math.max(index, 0), 0));
    this.scrubber.disabled = transactions.length < 2;
    this.scrubber.setAttribute("aria-valuetext", this.version ? `Version ${shortVersion(this.version)}` : "Now");
    this.nowButton.hidden = !this.version;
    this.restoreButton.hidden = !this.version || !this.hooks.mayWrite();
    for (const row of this.rows.children) {
      setAttribute(row.querySelector(".history-open"), "aria-current", row.getAttribute("data-version") === this.version ? "true" : null);
    }
  }

  /** Of the versions that one drags over, only some are asked for, and in any case the last one. */
  #scrub(value) {
    const one = this.transactions[this.transactions.length - 1 - value];
    if (!one) return;
    clearTimeout(this.#dragTimer);
    const wait = this.#asked + dragMilliseconds - Date.now();
    if (wait <= 0) return void this.show(one.version);
    this.#dragTimer = setTimeout(() => this.show(one.version), wait);
    this.scrubber.setAttribute("aria-valuetext", `Version ${shortVersion(one.version)}`);
  }

  /** @returns {AbortSignal} Ends what is asked for next, once that is no longer wanted. */
  #begin() {
    clearTimeout(this.#dragTimer);
    this.#asking.abort();
    this.#asking = new AbortController();
    return this.#asking.signal;
  }

  /** Shows the list as it was at a version, and what changed there. @param {string} version */
  async show(version) {
    const signal = this.#begin();
    this.#asked = Date.now();
    this.#loss = "";
    this.version = version;
    this.#mark();
    const index = this.transactions.findIndex((one) => one.version === version);
    try {
      const [past, changes] = await Promise.all([this.hooks.list().at(version, signal), this.#changesTo(version, index, signal)]);
      if (signal.aborted) return;
      const time = this.transactions[index]?.time;
      this.note.textContent = `Version ${shortVersion(version)}${time ? `, ${timeWords(time)}` : ""}. ${changes ? `What changed there: ${changeWords(changes)}.` : ""}`;
      this.hooks.onPast(past, changes);
    } catch (error) {
      if (!signal.aborted) this.lose(error);
    }
  }

  /** The version cannot be shown, or not any more. @param {Error & {status?: number}} error */
  lose(error) {
    this.backToNow();
    if (error.status === 410 || /gone|kept/.test(error.message)) this.#loss = "This version is no longer kept.";
    this.note.textContent = this.#loss || error.message;
  }

  /** The change set that made a version; null if the version before is no longer kept. */
  async #changesTo(version, index, signal) {
    const cut = version.lastIndexOf("-");
    const before = this.transactions[index + 1]?.version ?? `${version.slice(0, cut)}-${Number(version.slice(cut + 1)) - 1}`;
    const path = `${pathOf(this.id)}/changes?since=${encodeURIComponent(before)}&until=${encodeURIComponent(version)}&view=visible`;
    const changes = await ask("GET", path, { signal }).catch(() => null);
    return changes?.reset ? null : changes;
  }

  backToNow() {
    this.#begin();
    const hadFocus = document.activeElement === this.nowButton;
    this.version = "";
    this.#loss = "";
    this.#mark();
    this.note.textContent = "Choose a version to see the list as it was.";
    this.hooks.onNow();
    if (hadFocus) this.scrubber.focus();
  }

  async #takeBack(version, words) {
    if (this.version) this.backToNow();
    const outcome = await this.hooks.takeBack(version);
    if (outcome.status === "refused") return;
    const text = outcome.changed ? `Taken back: ${words}` : "Others have changed it since: nothing was taken back.";
    toast(text);
    announce(text);
  }

  async #restore() {
    const { version } = this;
    try {
      const make = () => ({ version, label: `Back to version ${shortVersion(version)}` });
      await intentOf(`back ${this.id} ${version}`).send(make, (write) => deliverTelling(`${pathOf(this.id)}/restore`, write));
      this.backToNow();
      toast(`The list is as it was at version ${shortVersion(version)}.`);
    } catch (error) {
      toast(error.message);
    }
  }
}

/** "Move" says nothing beside "Moved “Plum”". */
function saysMore(label, words) {
  return Boolean(label) && !words.toLowerCase().startsWith(label.toLowerCase());
}

/** A list of the past, as a model may show it. @param {any} past @returns {any} */
export function pastList(past) {
  const snapshot = { ...past, sections: past.sections.map((section) => ({ ...section, items: section.items ?? [] })) };
  const rows = new Map(snapshot.sections.flatMap((section) => section.items.map((item) => [item.id, item])));
  return { id: past.id, getSnapshot: () => snapshot, row: (id) => rows.get(id), subscribeRow: () => () => {} };
}

/** The marks of the rows that a change set names, by their ids. @param {any} changes @returns {Map<string, string>} */
export function marksOf(changes) {
  const { items = {}, sections = {} } = changes ?? {};
  const marks = new Map();
  for (const { id } of items.moved ?? []) marks.set(id, "moved");
  for (const { item } of [...items.reconfigured ?? [], ...items.reloaded ?? []]) marks.set(item.id, "changed");
  for (const { item } of items.inserted ?? []) marks.set(item.id, "added");
  for (const { section } of sections.inserted ?? []) for (const item of section.items ?? []) marks.set(item.id, "added");
  return marks;
}
