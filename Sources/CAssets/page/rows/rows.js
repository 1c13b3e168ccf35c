// The document of a list: one element for one id, changed where the list changed and nowhere else.
//
// Only rows near the window are in it: range.js says which.

import { lead, move, setAttribute } from "../base/dom.js";
import { Dresser } from "./dresser.js";
import { resolve } from "./layout.js";
import { emptyDelta, merge } from "./model.js";
import { capture, play } from "./motion.js";
import { makeSpace, measure, rangeOf, scrollTo, setLines } from "./range.js";
import { dressSection, makeView } from "./sections.js";
import { anchorIn, firstInSight, hold } from "./sight.js";
import { placeStops } from "./stops.js";

/**
 * @typedef {import("./model.js").ListModel} ListModel
 * @typedef {import("./model.js").Section} Section
 * @typedef {import("./model.js").Item} Item
 *
 * Of a window, `offset` is how many rows of the section are above `items`, and `count` how many it has; null if that is not
 * known. The rows from index `first` to before `end` are in the document; `stop` is the row that Tab leads to, `sizes` has what
 * rows of a list turned out to take, by id, and `estimate` what to take the others for, if that is known.
 * @typedef {{element: HTMLElement, list: HTMLElement, number: number, isAcross: boolean, isTree: boolean,
 *   items: readonly Item[], offset: number | null, count: number | null, first: number, end: number, lines: import("./lines.js").Lines, sizes: Map<string, number>,
 *   estimate: number, height: number, isStale: boolean, isFilled: boolean, siblings: Int32Array | null, stop: HTMLElement | null,
 *   resolved: import("./layout.js").Resolved, stamp: string}} SectionView
 */

/** How often the window is looked at until nothing changes. */
const roundsMax = 4;
/** @type {Set<string>} */
const noIds = new Set();

export class CollectionView {
  /** @type {ListModel} */ model;
  /** @type {Map<string, SectionView>} */ views = new Map();
  /** @type {Map<string, HTMLElement>} */ rows = new Map();
  dresser = new Dresser();
  /** Space for rows beside a window. @type {import("./reach.js").Reach | null} */ reach = null;
  /** Rows that another window has no longer. @type {Set<string>} */ #left = noIds;
  #pending = emptyDelta();
  #isFirst = true;
  #awaited = "";
  #isScheduled = false;
  #size = { width: 0, height: 0 };
  #sections = 0;

  /** @param {HTMLElement} element That scrolls. @param {HTMLElement} content Inside it. */
  constructor(element, content) {
    this.element = element;
    this.content = content;
    // Where a test finds it.
    Object.assign(content, { work: this.dresser.work });
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(element);
    // In the frame in which it is seen; captured, because rows of rows scroll as well.
    element.addEventListener("scroll", () => this.#look(), { passive: true, capture: true });
  }

  close() {
    this.observer.disconnect();
  }

  /** Everything may be other than it was; what has the same id stays. @param {ListModel} model */
  reset(model) {
    this.model = model;
    const all = emptyDelta();
    all.sectionsMoved = true;
    all.properties = true;
    for (const section of model.sections) {
      all.touched.add(section.id);
      all.reconfigured.add(section.id);
    }
    for (const id of this.rows.keys()) {
      for (const set of model.sectionOf.has(id) ? [all.moved, all.changed] : [all.removed]) set.add(id);
    }
    merge(this.#pending, all);
    this.#measure();
    this.#flush();
  }

  /** @param {import("./model.js").Delta} delta */
  apply(delta) {
    merge(this.#pending, delta);
    setAttribute(this.content, "aria-busy", "true");
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = () => this.#isScheduled && this.#flush();
    requestAnimationFrame(run);
    // A tab in the background gets no frames.
    setTimeout(run, 100);
  }

  /** @param {Element | null} node @returns {HTMLElement | null} */
  rowOf(node) {
    return node?.closest?.(".row") ?? null;
  }

  /** The view of the section in which a row is. @param {string} id @returns {SectionView | undefined} */
  viewOf(id) {
    return this.views.get(this.model.sectionOf.get(id) ?? "");
  }

  // MARK: Frames

  #flush() {
    this.#isScheduled = false;
    const delta = this.#pending;
    this.#pending = emptyDelta();
    const focused = this.rowOf(document.activeElement);
    const place = focused ? this.#neighbours(focused) : [];
    const isSeen = !this.#isFirst && (delta.touched.size > 0 || delta.removed.size > 0 || delta.sectionsMoved);
    const before = isSeen ? capture(this.element, this.content) : null;
    const stays = (id) => this.model.sectionOf.has(id) && (delta.sectionsMoved || !delta.moved.has(id));
    const anchor = anchorIn(this.element, this.content, stays);
    const number = anchor ? null : this.reach?.number() ?? null;
    this.#isFirst = false;
    this.#left = delta.left;
    if (delta.sectionsMoved || delta.properties) this.#placeSections();
    this.#configureSections(delta);
    this.#follow(anchor);
    this.reach?.fit();
    this.#fill(delta.moved);
    for (const id of delta.changed) this.#update(id);
    if (number !== null) this.reach.goTo(number);
    this.#settle(anchor);
    // By now it is known how high rows are.
    if (this.reach?.fit()) this.#settle(anchor);
    this.#refocus(focused, place);
    play(before, this.element, this.content, (row) => {
      const id = row.dataset.id ?? "";
      return { isNew: delta.inserted.has(id), isMoved: delta.moved.has(id) };
    });
    setAttribute(this.content, "aria-busy", "false");
    setAttribute(this.content, "data-version", this.model.version);
    this.reach?.look();
  }

  // MARK: What is near the window

  /** The window has moved, or has another size. */
  #look() {
    if (!this.model || this.#isFirst) return;
    const focused = this.rowOf(document.activeElement);
    this.#settle(anchorIn(this.element, this.content, (id) => this.model.sectionOf.has(id)));
    this.#refocus(focused, []);
  }

  /**
   * Brings into the document what is near the window. Rows turn out to be higher or lower than they were taken for: what
   * is seen stays where it is, and the rest is looked at again.
   */
  #settle(anchor) {
    for (let round = 0; round < roundsMax; round += 1) {
      const sight = this.element.getBoundingClientRect();
      const isOther = this.#measureLines();
      hold(anchor, this.element);
      let isMoved = false;
      for (const view of this.views.values()) {
        const [first, end] = rangeOf(view, sight);
        if (first === view.first && end === view.end) continue;
        [view.first, view.end, isMoved] = [first, end, true];
      }
      if (isMoved) this.#fill(noIds);
      else if (!isOther) return;
    }
  }

  #measureLines() {
    const others = [...this.views.values()].filter(measure);
    others.forEach(makeSpace);
    return others.length > 0;
  }

  /** After a change, the same rows are near the window as before, as far as they are there. */
  #follow(anchor) {
    const wasAt = Number(anchor?.row.dataset.index);
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      const [offset, count] = [this.model.offsetOf(section), this.model.countOf(section)];
      if (offset !== view.offset || count !== view.count) view.isStale = true;
      [view.offset, view.count] = [offset, count];
      if (view.items === section.items && view.lines) continue;
      const id = anchor?.row.dataset.id ?? "";
      const isAnchored = this.model.sectionOf.get(id) === section.id;
      const shift = isAnchored ? section.items.findIndex((item) => item.id === id) - wasAt : 0;
      const { period } = view.resolved;
      view.items = section.items;
      const held = section.items.length;
      const length = view.end - view.first;
      view.first = Math.max(0, Math.min(view.first + shift, held - length));
      view.first -= view.first % period;
      view.end = length > 0 ? Math.min(held, view.first + Math.ceil(length / period) * period) : 0;
      if (view.end === 0) view.first = 0;
      this.#noteTree(section, view);
      setLines(view, held);
      view.isStale = true;
    }
  }

  /** Makes the rows of the ranges, and drops all others. @param {Set<string>} moved Ids of rows that change places. */
  #fill(moved) {
    const wanted = new Set();
    for (const { items, first, end } of this.views.values()) {
      for (let index = first; index < end; index += 1) wanted.add(items[index].id);
    }
    for (const [id, row] of this.rows) if (!wanted.has(id)) this.#drop(id, row);
    for (const view of this.views.values()) {
      if (view.end > 0 || view.isStale || view.isFilled) this.#place(view, moved);
    }
  }

  /** Takes a row away, unless it has the focus, or is held by a pointer or lifted: such a one waits out of sight. */
  #drop(id, row) {
    const isHeld = row.contains(document.activeElement) || row.matches(".dragged, .lifted");
    const isAway = this.model.isWindow && (this.#left.has(id) || row.classList.contains("kept"));
    const list = this.viewOf(id)?.list ?? (isAway ? row.parentElement : null);
    if (isHeld && list) {
      row.classList.add("kept");
      if (row.parentElement !== list) move(row, list, null);
      return;
    }
    row.remove();
    this.rows.delete(id);
  }

  /** @param {SectionView} view */
  #place(view, moved) {
    const { list, items, first, end } = view;
    let at = list.firstElementChild;
    for (let index = first; index < end; index += 1) {
      const item = items[index];
      let row = this.rows.get(item.id);
      const isNew = !row;
      row ??= this.dresser.make(item, view);
      this.rows.set(item.id, row);
      const wasKept = row.classList.contains("kept");
      if (wasKept) row.classList.remove("kept");
      const isForeign = row.parentElement !== list;
      while (at && at !== row && moved.has(at.getAttribute("data-id"))) at = at.nextElementSibling;
      if (at === row) at = row.nextElementSibling;
      else if (isForeign || !row.contains(document.activeElement)) move(row, list, at);
      else at = lead(row, at);
      if (isNew || wasKept || view.isStale || isForeign) this.dresser.mark(row, item, view, index);
      if (isForeign && !isNew) this.#update(item.id, true);
    }
    [view.isStale, view.isFilled] = [false, end > 0];
    setAttribute(list, "data-count", String(items.length));
    makeSpace(view);
    placeStops(view);
  }

  // MARK: Sections

  #placeSections() {
    const wanted = new Set(this.model.sections.map((section) => section.id));
    for (const [id, view] of this.views) {
      if (wanted.has(id)) continue;
      view.element.remove();
      this.views.delete(id);
    }
    let next = this.content.firstElementChild;
    for (const section of this.model.sections) {
      const view = this.views.get(section.id) ?? this.#makeSection(section);
      if (view.element === next) next = next.nextElementSibling;
      else this.content.insertBefore(view.element, next);
    }
    this.content.style.setProperty("--section-spacing", `${Number(this.model.layout?.interSectionSpacing ?? 0)}px`);
  }

  #makeSection(section) {
    const view = makeView(section, this.#sections++);
    this.views.set(section.id, view);
    return view;
  }

  #configureSections(delta) {
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      const isStale = delta.reconfigured.has(section.id) || delta.properties || delta.touched.has(section.id);
      if (isStale || !view.resolved) this.#configure(section, view);
    }
  }

  /** @param {Section} section @param {SectionView} view */
  #configure(section, view) {
    const layout = section.layout ?? this.model.layout;
    const isEmpty = section.items.length === 0;
    const stamp = JSON.stringify([layout, this.#size, isEmpty, section.title, section.header, section.footer]);
    if (view.stamp === stamp) return;
    const isOther = view.stamp !== "" && JSON.stringify(JSON.parse(view.stamp)[0]) !== JSON.stringify(layout);
    view.stamp = stamp;
    view.resolved = resolve(layout, this.#size, isEmpty);
    dressSection(section, view);
    // Lines are others, and measured anew.
    view.sizes.clear();
    [view.estimate, view.lines] = [0, null];
    if (isOther) for (const row of view.list.children) this.#update(row.getAttribute("data-id") ?? "", true);
  }

  /** Whether the size is another. */
  #measure() {
    const [width, height] = [this.content.clientWidth, this.element.clientHeight];
    if (width === this.#size.width && height === this.#size.height) return false;
    this.#size = { width, height };
    return true;
  }

  #resize() {
    if (!this.#measure() || !this.model) return;
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      if (view?.resolved) this.#configure(section, view);
    }
    this.#flush();
  }

  // MARK: Rows

  /** @param {string} id @param {boolean} [isForced] Whether the cell is another although the item is the same. */
  #update(id, isForced = false) {
    const row = this.rows.get(id);
    const item = this.model.item(id);
    const view = this.viewOf(id);
    if (row && item && view?.resolved) this.dresser.refresh(row, item, view, isForced);
  }

  #noteTree(section, view) {
    view.siblings = null;
    view.isTree = section.items.some(({ level, childCount }) => level > 0 || childCount > 0);
    setAttribute(view.list, "role", view.isTree ? "tree" : "list");
  }

  // MARK: Focus

  /** The ids of the rows around one, the nearest first, for when it goes. */
  #neighbours(row) {
    const around = [row.nextElementSibling, row.previousElementSibling];
    return around.map((one) => one?.getAttribute("data-id")).filter(Boolean);
  }

  /** The row gets the focus as soon as it is there. @param {string} id */
  focusWhenThere(id) {
    this.#awaited = id;
  }

  #refocus(focused, place) {
    if (this.model.sectionOf.has(this.#awaited)) {
      const id = this.#awaited;
      this.#awaited = "";
      this.focusItem(id);
    } else if (focused) {
      const beside = place.map((id) => this.rows.get(id)).find((one) => one?.isConnected);
      const row = focused.isConnected ? focused : beside ?? firstInSight(this.element, this.content);
      if (row && !row.contains(document.activeElement)) this.focus(row);
    }
    for (const view of this.views.values()) {
      if (view.stop?.parentElement !== view.list) this.#stopAt(view, view.list.firstElementChild);
      // Without a row it is the section that Tab leads to, and on to a row.
      setAttribute(view.list, "tabindex", view.stop || view.items.length === 0 ? null : "0");
    }
  }

  /** One row of a section is in the order of Tab, the others are reached by arrow keys. */
  #stopAt(view, row) {
    if (view.stop === row) return;
    view.stop?.setAttribute("tabindex", "-1");
    row?.setAttribute("tabindex", "0");
    view.stop = row;
  }

  /** @param {HTMLElement} row */
  focus(row) {
    const view = this.viewOf(row.dataset.id ?? "");
    if (view) this.#stopAt(view, row);
    if (document.activeElement !== row) row.focus({ preventScroll: row.classList.contains("kept") });
  }

  /** @param {string | undefined} id Of a row wherever it is. */
  focusItem(id) {
    const row = id === undefined ? null : this.reveal(id);
    if (!row) return;
    this.focus(row);
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Brings a row near the window, and so into the document. @param {string} id @returns {HTMLElement | null} */
  reveal(id) {
    const there = () => (this.rows.get(id)?.classList.contains("kept") === false ? this.rows.get(id) : undefined);
    const index = this.model.find(id)?.index;
    const view = this.viewOf(id);
    // Rows on the way turn out to be higher or lower.
    for (let round = 0; round < roundsMax && !there() && view && index !== undefined; round += 1) {
      scrollTo(view, index, this.element);
      this.#settle(null);
    }
    return there() ?? null;
  }
}
