// The cells of rows. Of many rows those in sight get theirs at once, the others a little later, or, of very many,
// when they come into sight: until then a row is an empty element in its place.

import { makeCell, nameOf } from "./cells.js";
import { setAttribute } from "./dom.js";
import { rowsInSight } from "./sight.js";

/**
 * Lists with more rows keep those that were never in sight without cells, because a cell is most of the time that a
 * browser takes to make, lay out and remove a row.
 */
const dressedMax = 2_000;
/** The others get their cells once nothing has changed for so long, because whoever types may soon take them away. */
const pauseMilliseconds = 250;
/** They are made for so long at once, with so long a pause for whatever else there is to do, in milliseconds. */
const sliceMilliseconds = 8;
const betweenMilliseconds = 16;
/** Rows this near to the edges of what is seen get their cells as if they were in sight, in points. */
const margin = 400;

export class Dresser {
  /** Rows whose cell is missing or shows what was. @type {Set<HTMLElement>} */ #stale = new Set();
  #timer = 0;
  /** What the cells show. @type {WeakMap<HTMLElement, import("./model.js").Item>} */ #shown = new WeakMap();

  /** @param {import("./rows.js").CollectionView} collection */
  constructor(collection) {
    this.collection = collection;
  }

  /**
   * The row shows its item, now or when it is seen.
   * @param {boolean} isForced Whether the cell is another although the item is the same.
   */
  refresh(row, item, view, isForced) {
    const shown = this.#shown.get(row);
    if (!isForced && shown && (shown === item || JSON.stringify(shown) === JSON.stringify(item))) return;
    this.#stale.add(row);
    if (!view.hasMany) this.dressNow(row);
  }

  /** @param {HTMLElement} row That has gone. */
  forget(row) {
    this.#stale.delete(row);
  }

  dressInSight() {
    if (this.#stale.size === 0) return;
    const { element, content } = this.collection;
    const seen = [...rowsInSight(element, content, margin)].map(([row]) => row).filter((row) => this.#stale.has(row));
    for (const row of seen) this.dressNow(row);
    if (seen.length > 0) this.#measure(seen[0]);
  }

  /** The cells of rows that nobody sees. */
  dressLater(milliseconds = pauseMilliseconds) {
    clearTimeout(this.#timer);
    if (this.#stale.size === 0 || this.collection.model.sectionOf.size > dressedMax) return;
    this.#timer = setTimeout(() => this.#dressOthers(), milliseconds);
  }

  #dressOthers() {
    this.dressInSight();
    const end = performance.now() + sliceMilliseconds;
    for (const row of this.#stale) {
      if (performance.now() > end) break;
      this.dressNow(row);
    }
    this.dressLater(betweenMilliseconds);
  }

  /** Gives a row the cell of its item, unless it has it. @param {HTMLElement} row */
  dressNow(row) {
    const id = row.dataset.id ?? "";
    const item = this.collection.model.item(id);
    const view = this.collection.viewOf(id);
    // A row whose item went may get it back before it has gone.
    if (!item || !view?.resolved || !this.#stale.delete(row)) return;
    this.collection.work.cells += 1;
    this.#shown.set(row, item);
    const cell = makeCell(item, view.resolved);
    const isNameless = !cell.querySelector(".primary")?.textContent;
    setAttribute(row, "aria-label", isNameless ? nameOf(view.resolved.cells, item) : null);
    put(cell, row);
  }

  /** Rows without a cell are as high as the first one that has got one. */
  #measure(row) {
    const view = this.collection.viewOf(row.dataset.id ?? "");
    if (!view?.hasMany || view.isMeasured) return;
    view.isMeasured = true;
    view.list.style.setProperty("--bare-height", `${row.getBoundingClientRect().height}px`);
  }
}

/** In the place of the cell that the row has, if it has one; the focus stays on the same button. */
function put(cell, row) {
  const old = row.querySelector(":scope > .cell");
  if (!old) return row.prepend(cell);
  const action = old.contains(document.activeElement) ? document.activeElement?.getAttribute("data-action") : null;
  old.replaceWith(cell);
  if (action) cell.querySelector(`[data-action="${action}"]`)?.focus();
}
