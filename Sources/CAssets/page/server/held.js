// A list as the page holds it: whole, or, where it is long, a window of it that goes along with what is looked at.

import { ask, pathOf, persist } from "./api.js";
import { foundLists, knownLists } from "./catalogue.js";
import { heldToken } from "./token.js";

/** A list with more items is held as a window. */
const wholeMax = 20_000;
/** So many rows a window has on each side of the one that it is around. */
export const side = 400;
/** In a long list one types on before the server looks. */
const typingMilliseconds = 120;

/**
 * @typedef {import("../../client.js").List} List
 * @typedef {{item?: string, row?: number}} Wish A row by its id, or by its number among all rows that are shown.
 */

/** Takes the place of a list of the client, whose other members it has. */
export class Held {
  /** Whether this is a window. */ isLong = false;
  /** A window has the rows with this text. */ filter = "";
  /** The list that is shown; null until it is known how long it is. @type {List | null} */ #list = null;
  /** A window that is on its way. @type {{list: List | null, end: () => void} | null} */ #coming = null;
  /** An item at the beginning of the list. */ #first = "";
  /** Edits and questions that wait for the first list. @type {((list: List) => void)[]} */ #waiting = [];
  #state = "connecting";
  #isClosed = false;
  #isLost = false;
  #stop = () => {};
  /** @type {Set<(told: any) => void>} */ #listeners = new Set();
  /** By follower of a row: its end. @type {Map<() => void, {id: string, stop: () => void}>} */ #rowListeners = new Map();

  /**
   * @param {import("../../client.js").Client} client @param {string} id
   * @param {{item?: string, search?: string}} [place] Where a window begins.
   */
  constructor(client, id, { item = "", search = "" } = {}) {
    this.client = client;
    this.id = id;
    if (this.#isShort(knownLists())) this.#show(client.list(id));
    else this.#begin(item, search);
  }

  #isShort({ entries }) {
    return entries.find(({ id }) => id === this.id)?.counts?.items <= wholeMax;
  }

  // MARK: As a list of the client

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  getSnapshot() {
    return this.#list?.getSnapshot() ?? {
      id: this.id, version: "", counts: { sections: 0, items: 0, visibleItems: 0 }, sections: [], status: this.status, pending: 0,
    };
  }

  get status() {
    if (this.#isClosed) return "closed";
    return this.#list?.status ?? this.#state;
  }

  row(id) {
    return this.#list?.row(id);
  }

  subscribeRow(id, listener) {
    const own = () => listener();
    this.#rowListeners.set(own, { id, stop: this.#list?.subscribeRow(id, own) ?? (() => {}) });
    return () => {
      this.#rowListeners.get(own)?.stop();
      this.#rowListeners.delete(own);
    };
  }

  edit(make, options) {
    return this.#list?.edit(make, options) ?? { settled: this.#theFirst().then((list) => list.edit(make, options).settled) };
  }

  undo(version, options) {
    return this.#list?.undo(version, options) ?? { settled: this.#theFirst().then((list) => list.undo(version, options).settled) };
  }

  async history(options) {
    return (this.#list ?? await this.#theFirst()).history(options);
  }

  /** The first list, which comes once it is known how long it is. @returns {Promise<List>} */
  #theFirst() {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Of a long list the rows that are about where one looks. @param {string} version @param {AbortSignal} signal */
  at(version, signal) {
    const window = this.isLong ? { row: this.filter ? 0 : this.getSnapshot().start + side, before: side, after: side } : {};
    return this.#read({ ...window, at: version }, signal);
  }

  close() {
    this.#leave();
    this.#list?.close();
    this.#isClosed = true;
    if (this.#list) return;
    this.#endWaiting();
    this.#tell();
  }

  /** Edits are sent all the same. */
  async #endWaiting() {
    if (this.#waiting.length === 0) return;
    const list = this.client.list(this.id);
    for (const resolve of this.#waiting.splice(0)) await resolve(list);
    list.close();
  }

  // MARK: Windows

  /**
   * Brings a window around a row. Until it is here, the old one stays; a second wish takes the place of the first.
   * @param {Wish} wish @returns {Promise<string>} The id of the row; empty if nothing came of it.
   */
  async seek({ item, row = 0 }) {
    this.#leave();
    if (this.#isClosed) return "";
    const coming = this.#coming = { list: null, end: () => {} };
    let id = item;
    if (id === undefined) {
      const found = await this.#read({ row, before: 0, after: 0 }).catch(() => null);
      if (this.#coming !== coming || found === null) return "";
      // Rows with a text may come later: those of this window stand above everything else.
      id = firstOf(found) ?? this.#first;
    }
    const list = coming.list = this.client.list(this.id, this.#options(id));
    return new Promise((resolve) => {
      let stop = () => {};
      const end = (isHere) => {
        stop();
        if (this.#coming === coming) this.#coming = null;
        if (isHere) this.#show(list);
        else list.close();
        resolve(isHere ? id : "");
      };
      coming.end = () => end(false);
      const look = () => {
        const { version, status } = list.getSnapshot();
        if (version) end(true);
        else if (status === "gone" || status === "refused") end(false);
      };
      stop = list.subscribe(look);
      look();
    });
  }

  /** Shows rows with a text; all if it is empty. @param {string} text @returns {Promise<boolean>} Whether they are here. */
  async search(text) {
    this.filter = text;
    await new Promise((resolve) => setTimeout(resolve, typingMilliseconds));
    for (const wish of [{ item: this.#first }, { row: 0 }]) {
      if (this.filter !== text) return false;
      if (await this.seek(wish)) return true;
    }
    return false;
  }

  #options(around) {
    return { around, before: side, after: side, filter: this.filter || undefined };
  }

  #leave() {
    const coming = this.#coming;
    this.#coming = null;
    coming?.end();
  }

  /** Part of the list, as it is shown. */
  #read({ at, ...window }, signal) {
    const query = new URLSearchParams({ view: "visible", ...window, ...(at && { at }), ...(this.filter && !at && { filter: this.filter }) });
    return ask("GET", `${pathOf(this.id)}?${query}`, { token: heldToken(), signal });
  }

  /** Finds out how long the list is. What is refused is left to the client, which says why. */
  #begin(item, search) {
    const begin = async () => {
      const lists = await foundLists();
      if (this.#isClosed) return;
      if (this.#isShort(lists)) return this.#show(this.client.list(this.id));
      const found = await this.#read({ row: 0, before: 0, after: 0 });
      if (this.#isClosed) return;
      this.#first = firstOf(found) ?? "";
      if (found.counts.items <= wholeMax || !this.#first || !hasLinesOnly(found)) return this.#show(this.client.list(this.id));
      this.isLong = true;
      this.filter = search;
      this.#show(this.client.list(this.id, this.#options(item || this.#first)));
    };
    persist(begin, {
      isWanted: () => !this.#isClosed && this.#list === null,
      onFailure: (_, error) => {
        if (!error.mayPass) return this.#show(this.client.list(this.id));
        this.#state = "offline";
        return this.#tell();
      },
    });
  }

  /** Shows a list of the client from now on. @param {List} list */
  #show(list) {
    const old = this.#list;
    this.#stop();
    this.#list = list;
    this.#stop = list.subscribe((told) => this.#hear(told));
    for (const [listener, entry] of this.#rowListeners) {
      entry.stop();
      entry.stop = list.subscribeRow(entry.id, listener);
    }
    old?.close();
    if (this.isLong && list.getSnapshot().version) this.#tell({ to: list.getSnapshot().version, isAnew: true });
    else if (!old) this.#tell({ isFirst: true });
    for (const resolve of this.#waiting.splice(0)) resolve(list);
    if (old) for (const listener of [...this.#rowListeners.keys()]) listener();
  }

  #hear(told) {
    if (this.isLong && told.status === "gone" && !this.#isLost) return void this.#lookAgain(told);
    for (const listener of [...this.#listeners]) listener(told);
  }

  /** Perhaps it is only the item around which the window is that nobody knows any more. */
  async #lookAgain(told) {
    this.#isLost = true;
    const found = await this.#read({ row: 0, before: 0, after: 0 }).catch(() => null);
    this.#first = found ? firstOf(found) ?? this.#first : this.#first;
    const isThere = found !== null && !this.#isClosed && await this.seek({ item: this.#first }) !== "";
    if (!isThere) for (const listener of [...this.#listeners]) listener(told);
    this.#isLost = false;
  }

  #tell(more = {}) {
    const { version, sections: _, ...rest } = this.getSnapshot();
    for (const listener of [...this.#listeners]) listener({ list: this.id, from: version, to: version, ...rest, ...more });
  }
}

function firstOf({ sections = [] }) {
  return sections.flatMap(({ items = [] }) => items)[0]?.id;
}

/** A window is cut from rows below each other: the columns of a grid would not begin where they do. */
function hasLinesOnly({ layout, sections }) {
  return sections.every((section) => ((section.layout ?? layout)?.kind ?? "list") === "list");
}
