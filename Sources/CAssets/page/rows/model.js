// The shown part of a list: its rows, or those with a text in them, and the effect of a change of the list on it.

/**
 * @typedef {import("../../client.js").Row} Item
 * @typedef {import("../../client.js").Section} Section
 *
 * Ids of items that came, went, moved or have other content, or that another window has no longer; ids of sections
 * whose rows are others or in another order, and of those with other properties.
 * @typedef {{inserted: Set<string>, removed: Set<string>, moved: Set<string>, changed: Set<string>, left: Set<string>,
 *   touched: Set<string>, reconfigured: Set<string>, sectionsMoved: boolean, properties: boolean}} Delta
 */

/** @returns {Delta} */
export function emptyDelta() {
  return {
    inserted: new Set(), removed: new Set(), moved: new Set(), changed: new Set(), left: new Set(),
    touched: new Set(), reconfigured: new Set(), sectionsMoved: false, properties: false,
  };
}

/** Adds what came later. @param {Delta} delta @param {Delta} later */
export function merge(delta, later) {
  for (const name of ["inserted", "removed", "moved", "changed", "left", "touched", "reconfigured"]) {
    for (const id of later[name]) delta[name].add(id);
  }
  delta.sectionsMoved ||= later.sectionsMoved;
  delta.properties ||= later.properties;
}

export class ListModel {
  /** Of a window those that are near. @type {readonly Section[]} */ sections;
  /** Whether there may be rows beside those that are held. */ isWindow = false;
  /** How many rows there are above them, counted through the list, and below. */ above = 0;
  below = 0;
  /** By the id of a row that is shown: the id of its section. @type {Map<string, string>} */ sectionOf;
  /** In the form in which texts are compared; empty if nothing is searched for. */ #needle = "";

  /** @param {import("../../client.js").List} list */
  constructor(list) {
    this.list = list;
    this.#look();
    this.#enterAll();
  }

  get title() {
    return this.list.getSnapshot().title ?? this.list.id;
  }

  get layout() {
    return this.list.getSnapshot().layout;
  }

  get version() {
    return this.list.getSnapshot().version;
  }

  /** How many rows there are, held or not. */
  get count() {
    return this.above + this.sectionOf.size + this.below;
  }

  /** How many rows of a section are above those that are held; null if that is not known. @param {Section} section */
  offsetOf(section) {
    if (this.above === 0 || section !== this.sections[0]) return 0;
    return this.list.getSnapshot().sections.length === 1 ? this.above : null;
  }

  /** How many rows a section has; null if that is not known. @param {Section} section */
  countOf(section) {
    const offset = this.offsetOf(section);
    if (offset === null || this.below === 0 || section !== this.sections.at(-1)) return offset === null ? null : offset + section.items.length;
    return this.list.getSnapshot().sections.length === 1 ? this.count : null;
  }

  /** @param {string} id @returns {Item | undefined} If it is shown. */
  item(id) {
    return this.sectionOf.has(id) ? this.list.row(id) : undefined;
  }

  /** @param {string} id @param {number} [hint] Its index, if it is as it was. @returns {{section: Section, index: number} | null} */
  find(id, hint = -1) {
    const owner = this.sectionOf.get(id);
    const section = this.sections.find((one) => one.id === owner);
    const index = section?.items[hint]?.id === id ? hint : section?.items.findIndex((item) => item.id === id) ?? -1;
    return section && index >= 0 ? { section, index } : null;
  }

  /** The id of the row before or behind, also of another section. @param {string} id @param {1 | -1} step */
  beside(id, step) {
    const place = this.find(id);
    if (!place) return undefined;
    const { sections } = this;
    const next = place.section.items[place.index + step];
    if (next) return next.id;
    for (let at = sections.indexOf(place.section) + step; sections[at]; at += step) {
      if (sections[at].items.length > 0) return sections[at].items.at(step > 0 ? 0 : -1).id;
    }
    return undefined;
  }

  /** @param {import("../../client.js").Changes} changes As the list tells them. @returns {Delta} */
  take(changes) {
    const before = this.sections, { above, below } = this;
    this.#look();
    if (this.isWindow) return this.#slide(before, changes, above !== this.above || below !== this.below);
    return this.#needle ? this.#compare(changes) : this.#follow(before, changes);
  }

  /** A window may go along with rows that came or went, or be in another place. */
  #slide(before, changes, isElsewhere) {
    const delta = this.#compare(changes);
    // The rows that are held have other numbers then.
    if (isElsewhere) for (const section of [this.sections.at(0), this.sections.at(-1)]) if (section) delta.touched.add(section.id);
    delta.sectionsMoved ||= before.length !== this.sections.length || before.some(({ id }, index) => id !== this.sections[index].id);
    if (!changes.isAnew) return delta;
    // Rows that come into reach are no news, and those that others have changed meanwhile are not told of.
    delta.left = delta.removed;
    delta.changed = new Set(this.sectionOf.keys()).difference(delta.inserted);
    delta.reconfigured = new Set(this.sections.map(({ id }) => id));
    [delta.inserted, delta.removed, delta.properties] = [new Set(), new Set(), true];
    return delta;
  }

  /** Shows the rows with a text in one of their strings. @param {string} text All rows if empty. @returns {Delta} */
  select(text) {
    this.#needle = comparable(text);
    this.#look();
    return this.#compare({});
  }

  #look() {
    const { sections, start, total } = this.list.getSnapshot();
    this.isWindow = total !== undefined;
    const matches = (item) => textOf(item).includes(this.#needle);
    // The server has found the rows of a window.
    if (this.isWindow) this.#lookAround(sections, start, total);
    else this.sections = this.#needle ? sections.map((one) => ({ ...one, items: one.items.filter(matches) })) : sections;
  }

  /** Sections without rows are shown where all rows beside them are held. */
  #lookAround(sections, start, total) {
    const held = sections.reduce((sum, { items }) => sum + items.length, 0);
    this.above = start;
    this.below = Math.max(0, total - start - held);
    const isFilled = ({ items }) => items.length > 0;
    const first = start === 0 ? 0 : sections.findIndex(isFilled);
    const last = this.below === 0 ? sections.length : sections.findLastIndex(isFilled) + 1;
    this.sections = sections.slice(first, last);
  }

  #enterAll() {
    this.sectionOf = new Map();
    for (const { id, items } of this.sections) for (const item of items) this.sectionOf.set(item.id, id);
  }

  /** The list tells of shown rows only. */
  #follow(before, { sections = {}, items = {}, properties }) {
    const delta = emptyDelta(), now = this.sections;
    const touch = (section) => delta.touched.add(section.id);
    const leave = (id) => {
      delta.removed.add(id);
      this.sectionOf.delete(id);
    };
    const enter = (id, section) => {
      delta.inserted.add(id);
      this.sectionOf.set(id, section.id);
    };
    for (const { index } of sections.deleted ?? []) for (const { id } of before[index].items) leave(id);
    for (const { id, section } of items.deleted ?? []) {
      leave(id);
      touch(before[section]);
    }
    for (const { section } of sections.inserted ?? []) {
      for (const { id } of section.items) enter(id, section);
      touch(section);
    }
    for (const { item, section } of items.inserted ?? []) {
      enter(item.id, now[section]);
      touch(now[section]);
    }
    for (const { id, from, to } of items.moved ?? []) {
      delta.moved.add(id);
      this.sectionOf.set(id, now[to.section].id);
      touch(before[from.section]);
      touch(now[to.section]);
    }
    for (const { item } of [...items.reconfigured ?? [], ...items.reloaded ?? []]) delta.changed.add(item.id);
    return noteSections(delta, sections, properties);
  }

  /** Of what the list tells only a part is shown, or another text has been chosen. */
  #compare({ sections = {}, items = {}, properties }) {
    const delta = emptyDelta(), before = this.sectionOf;
    this.#enterAll();
    for (const [id, section] of this.sectionOf) {
      const old = before.get(id);
      if (old === section) continue;
      delta[old === undefined ? "inserted" : "moved"].add(id);
      delta.touched.add(section).add(old ?? section);
    }
    for (const [id, section] of before) {
      if (this.sectionOf.has(id)) continue;
      delta.removed.add(id);
      delta.touched.add(section);
    }
    for (const { id } of items.moved ?? []) {
      const section = this.sectionOf.get(id);
      if (section === undefined) continue;
      delta.moved.add(id);
      delta.touched.add(section);
    }
    for (const { item } of [...items.reconfigured ?? [], ...items.reloaded ?? []]) delta.changed.add(item.id);
    return noteSections(delta, sections, properties);
  }
}

/** @param {Delta} delta */
function noteSections(delta, { deleted = [], inserted = [], moved = [], reconfigured = [] }, properties) {
  delta.sectionsMoved = deleted.length + inserted.length + moved.length > 0;
  delta.properties = properties !== undefined;
  for (const { section } of reconfigured) delta.reconfigured.add(section.id);
  return delta;
}

// MARK: Search

/** Case does not count, nor how a letter is written; an accent does. The server's filter finds the same. */
function comparable(text) {
  return text.normalize("NFC").toLowerCase();
}

/** @type {WeakMap<Item, string>} */
const texts = new WeakMap();

/** The strings in the content of an item. */
function textOf(item) {
  let text = texts.get(item);
  if (text === undefined) texts.set(item, text = strings(item.content).map(comparable).join("\0"));
  return text;
}

/** The string leaves of a value. @returns {string[]} */
function strings(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(strings) : [];
}
