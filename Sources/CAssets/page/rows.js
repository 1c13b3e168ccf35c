// The document of a list: one element for one id, changed where the list changed and nowhere else.
//
// Rows are made, and go, in slices of frames; their cells are dresser.js's.

import { el, setAttribute } from "./dom.js";
import { Dresser } from "./dresser.js";
import { resolve } from "./layout.js";
import { emptyDelta, merge } from "./model.js";
import { capture, play } from "./motion.js";
import { dressSection } from "./sections.js";
import { Slices } from "./slices.js";

/**
 * @typedef {import("./model.js").ListModel} ListModel
 * @typedef {import("./model.js").Section} Section
 * @typedef {import("./model.js").Item} Item
 *
 * `next` is the index from which on rows may be missing, `stop` the row that Tab leads to, `isMeasured` whether the
 * height of rows without a cell is that of a row with one.
 * @typedef {{element: HTMLElement, list: HTMLElement, number: number, isAcross: boolean, isTree: boolean,
 *   hasMany: boolean, willBeTree: boolean, isMeasured: boolean, next: number, stop: HTMLElement | null, resolved: import("./layout.js").Resolved,
 *   stamp: string}} SectionView
 */

/** From here on a row keeps what happens inside it from the others. */
const manyRows = 150;
const blankRow = el("li", { class: "row", tabindex: "-1", role: "listitem" });

export class CollectionView {
  /** @type {ListModel} */ model;
  /** @type {Map<string, SectionView>} */ views = new Map();
  /** @type {Map<string, HTMLElement>} */ rows = new Map();
  /** How much was done so far, for whoever measures: steps over rows, rows made and cells made. */
  work = { steps: 0, rows: 0, cells: 0 };
  /** Ids of rows that are gone and whose elements are still there. @type {Set<string>} */ #leaving = new Set();
  /** Ids of rows that may stand where they stood before. @type {Set<string>} */ #moving = new Set();
  /** Ids of sections with rows that are missing or not in order. @type {Set<string>} */ #incomplete = new Set();
  /** Rows that say, or once said, more than a blank one. @type {WeakSet<HTMLElement>} */ #marked = new WeakSet();
  #pending = emptyDelta();
  #isFirst = true;
  #awaited = "";
  #slices = new Slices(() => this.#flush());
  #size = { width: 0, height: 0 };
  #sections = 0;

  /** @param {HTMLElement} element That scrolls. @param {HTMLElement} content Inside it. */
  constructor(element, content) {
    this.element = element;
    this.content = content;
    this.dresser = new Dresser(this);
    // Where a test finds it.
    Object.assign(content, { work: this.work });
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(element);
    // In the frame in which it is seen; captured, because rows of rows scroll as well.
    element.addEventListener("scroll", () => this.dresser.dressInSight(), { passive: true, capture: true });
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
    this.#slices.schedule();
  }

  /** @param {Element | null} node @returns {HTMLElement | null} */
  rowOf(node) {
    return node?.closest?.(".row") ?? null;
  }

  /** @param {string} id @returns {{section: Section, index: number} | null} */
  find(id) {
    const owner = this.model.sectionOf.get(id);
    const section = this.model.sections.find((one) => one.id === owner);
    const index = section?.items.findIndex((item) => item.id === id) ?? -1;
    return section && index >= 0 ? { section, index } : null;
  }

  /** The view of the section in which a row is. @param {string} id @returns {SectionView | undefined} */
  viewOf(id) {
    return this.views.get(this.model.sectionOf.get(id) ?? "");
  }

  // MARK: Frames

  #flush() {
    const delta = this.#pending;
    this.#pending = emptyDelta();
    const focused = this.rowOf(document.activeElement);
    const place = focused ? this.#neighbours(focused) : [];
    // Rows that only come late stand where nothing else moves.
    const isSeen = !this.#isFirst && (delta.touched.size > 0 || delta.removed.size > 0 || delta.sectionsMoved);
    const before = isSeen ? capture(this.element, this.content) : null;
    this.#isFirst = false;
    this.#slices.begin();
    this.#removeRows(delta.removed);
    if (delta.sectionsMoved || delta.properties) this.#placeSections();
    this.#configureSections(delta);
    this.#placeRows(delta);
    for (const id of delta.changed) this.#update(id);
    this.dresser.dressInSight();
    this.#refocus(focused, place);
    play(before, this.element, this.content, (row) => {
      const id = row.dataset.id ?? "";
      return { isNew: delta.inserted.has(id), isMoved: delta.moved.has(id) };
    });
    this.dresser.dressLater();
    this.#report();
  }

  #report() {
    const isBusy = this.#leaving.size > 0 || this.#incomplete.size > 0;
    setAttribute(this.content, "aria-busy", String(isBusy));
    setAttribute(this.content, "data-version", this.model.version);
    this.#slices.end(isBusy);
  }

  #isLate() {
    this.work.steps += 1;
    return this.#slices.isLate();
  }

  /** Many rows go in slices, too. @param {Set<string>} removed */
  #removeRows(removed) {
    for (const id of removed) this.#leaving.add(id);
    for (const id of this.#leaving) {
      if (this.#isLate()) return;
      this.#leaving.delete(id);
      if (this.model.sectionOf.has(id)) continue;
      const row = this.rows.get(id);
      if (!row) continue;
      row.remove();
      this.dresser.forget(row);
      this.rows.delete(id);
    }
  }

  // MARK: Sections

  #placeSections() {
    const wanted = new Set(this.model.sections.map((section) => section.id));
    for (const [id, view] of this.views) {
      if (wanted.has(id)) continue;
      view.element.remove();
      this.views.delete(id);
      this.#incomplete.delete(id);
    }
    let next = this.content.firstElementChild;
    for (const section of this.model.sections) {
      const view = this.views.get(section.id) ?? this.#makeSection(section);
      if (view.element === next) next = next.nextElementSibling;
      else this.content.insertBefore(view.element, next);
    }
    // A section that went may have held rows that live elsewhere now; one that came may be new in all.
    this.content.style.setProperty("--section-spacing", `${Number(this.model.layout?.interSectionSpacing ?? 0)}px`);
  }

  /** @returns {SectionView} */
  #makeSection(section) {
    const list = el("ul", { class: "rows", role: "list" });
    const element = el("section", { class: "section", "data-id": section.id }, list);
    const view = {
      element, list, number: this.#sections++, isAcross: false, isTree: false, hasMany: false, willBeTree: false, isMeasured: false, next: 0, stop: null,
      resolved: null, stamp: "",
    };
    this.views.set(section.id, view);
    this.#incomplete.add(section.id);
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
    const hasMany = section.items.length >= manyRows;
    const stamp = JSON.stringify([layout, this.#size, isEmpty, hasMany, section.title, section.header, section.footer]);
    if (view.stamp === stamp) return;
    const isOther = view.stamp !== "" && JSON.stringify(JSON.parse(view.stamp)[0]) !== JSON.stringify(layout);
    view.stamp = stamp;
    view.hasMany = hasMany;
    view.resolved = resolve(layout, this.#size, isEmpty);
    dressSection(section, view);
    if (isOther) for (const item of section.items) this.#update(item.id, true);
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
  }

  // MARK: The order of rows

  #placeRows(delta) {
    for (const ids of [delta.moved, delta.inserted]) {
      for (const id of ids) if (this.rows.has(id)) this.#moving.add(id);
    }
    for (const id of delta.touched) {
      const view = this.views.get(id);
      if (!view) continue;
      view.next = 0;
      this.#incomplete.add(id);
    }
    if (this.#incomplete.size === 0) return;
    for (const section of this.model.sections) {
      if (this.#incomplete.has(section.id)) this.#fill(section, this.views.get(section.id));
    }
  }

  /**
   * Brings the elements of a section into the order of its rows, and makes those that are missing as long as there is
   * time. Rows that are not said to move are in order already. Each walk begins where the last one had to leave rows out;
   * the first one after a change sees all, so that nothing that is there stands in a wrong place.
   */
  #fill(section, view) {
    const { items: rows } = section;
    const isWhole = view.next === 0;
    let last = isWhole ? null : this.rows.get(rows[view.next - 1].id);
    let missing = -1;
    const made = document.createDocumentFragment();
    for (let index = view.next; index < rows.length; index += 1) {
      const { id } = rows[index];
      let row = this.rows.get(id);
      if (row) {
        this.work.steps += 1;
        const isMoved = this.#moving.delete(id);
        if (isMoved || made.firstChild) last = this.#insert(made, view, last);
        if (isMoved) this.#put(row, view, last);
      } else if (missing < 0 && !this.#isLate()) {
        made.append(this.#makeRow(rows[index], view));
        continue;
      } else {
        if (missing < 0) missing = index;
        if (!isWhole) break;
        continue;
      }
      last = row;
    }
    this.#insert(made, view, last);
    view.next = Math.max(missing, 0);
    if (missing < 0) this.#incomplete.delete(section.id);
    if (view.willBeTree) this.#becomeTree(section, view);
  }

  /** Puts rows that were made behind another. @returns {HTMLElement | null} The last row then. */
  #insert(made, view, last) {
    const end = made.lastElementChild;
    if (!end) return last;
    view.list.insertBefore(made, this.#behind(last, view));
    return end;
  }

  /** The first element behind a row, or of all, that stays. */
  #behind(row, view) {
    let next = row ? row.nextElementSibling : view.list.firstElementChild;
    while (next && this.#isLeaving(next.getAttribute("data-id"))) next = next.nextElementSibling;
    return next;
  }

  #isLeaving(id) {
    return this.#leaving.has(id) && !this.model.sectionOf.has(id);
  }

  /** Puts a row that is there behind another. */
  #put(row, view, last) {
    const next = this.#behind(last, view);
    if (next === row) return;
    const isForeign = row.parentElement !== null && row.parentElement !== view.list;
    if (row.isConnected && "moveBefore" in view.list) view.list.moveBefore(row, next);
    else view.list.insertBefore(row, next);
    if (isForeign) this.#update(row.dataset.id ?? "", true);
  }

  // MARK: Rows

  #makeRow(item, view) {
    const row = /** @type {HTMLElement} */ (blankRow.cloneNode());
    row.setAttribute("data-id", item.id);
    this.rows.set(item.id, row);
    this.work.rows += 1;
    this.#mark(row, item, view);
    this.dresser.refresh(row, item, view, true);
    return row;
  }

  /** @param {string} id @param {boolean} [isForced] Whether the cell is another although the item is the same. */
  #update(id, isForced = false) {
    const row = this.rows.get(id);
    const item = this.model.item(id);
    const view = this.viewOf(id);
    if (!row || !item || !view?.resolved) return;
    this.#mark(row, item, view);
    this.dresser.refresh(row, item, view, isForced);
  }

  /** What a row says of its item without a cell. */
  #mark(row, item, view) {
    const level = item.level ?? 0;
    const isParent = (item.childCount ?? 0) > 0;
    const isPlain = !view.isTree && level === 0 && !isParent && !item.starred;
    if (isPlain && !this.#marked.has(row)) return;
    this.#marked.add(row);
    if (level > 0) row.style.setProperty("--level", String(level));
    else if (row.style.length > 0) row.style.removeProperty("--level");
    setClass(row, "is-expanded", isParent && item.expanded === true);
    setClass(row, "is-starred", item.starred === true);
    setAttribute(row, "role", view.isTree ? "treeitem" : "listitem");
    setAttribute(row, "aria-level", view.isTree ? String(level + 1) : null);
    setAttribute(row, "aria-expanded", view.isTree && isParent ? String(item.expanded === true) : null);
    if (!view.isTree && (level > 0 || isParent)) view.willBeTree = true;
  }

  #becomeTree(section, view) {
    view.willBeTree = false;
    if (view.isTree) return;
    view.isTree = true;
    view.list.setAttribute("role", "tree");
    for (const item of section.items) {
      const row = this.rows.get(item.id);
      if (row) this.#mark(row, item, view);
    }
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
    const awaited = this.rows.get(this.#awaited);
    if (awaited) {
      this.#awaited = "";
      this.focus(awaited);
    } else if (focused) {
      const row = focused.isConnected ? focused : place.map((id) => this.rows.get(id)).find((one) => one?.isConnected);
      if (row && !row.contains(document.activeElement)) this.focus(row);
    }
    for (const view of this.views.values()) {
      if (view.stop?.parentElement !== view.list) this.#stopAt(view, view.list.firstElementChild);
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
    this.dresser.dressNow(row);
    if (document.activeElement !== row) row.focus({ preventScroll: false });
  }
}

/** Without an empty write, which a browser takes for a change. */
function setClass(row, name, isOn) {
  if (row.classList.contains(name) !== isOn) row.classList.toggle(name, isOn);
}
