// The cells of rows. Of many rows those in sight get theirs at once, the others in the frames that follow, or, of very
// many, when they come into sight: until then a row is an empty element in its place.

import { makeCell, nameOf } from "./cells.js";
import { setAttribute } from "./dom.js";
import { rowsInSight } from "./sight.js";

/**
 * Lists with more rows keep those that were never in sight without cells, because a cell is most of the time that a
 * browser takes to make, lay out and remove a row.
 */
const dressedMax = 2_000;
/** Rows this near to the edges of what is seen get their cells as if they were in sight, in points. */
const margin = 400;

export class Dresser {
  /** Rows whose cell is missing or shows what was. @type {Set<HTMLElement>} */ #stale = new Set();
  /** What the cells show. @type {WeakMap<HTMLElement, import("./model.js").Item>} */ #shown = new WeakMap();

  /** @param {import("./rows.js").CollectionView} collection */
  constructor(collection) {
    this.collection = collection;
  }

  /** Whether rows that nobody sees are still to get their cells. */
  get hasMore() {
    return this.#stale.size > 0 && this.collection.model.byId.size <= dressedMax;
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

  /** @param {() => boolean} isLate */
  dressOthers(isLate) {
    if (!this.hasMore) return;
    for (const row of this.#stale) {
      if (isLate()) return;
      this.dressNow(row);
    }
  }

  /** Gives a row the cell of its item, unless it has it. @param {HTMLElement} row */
  dressNow(row) {
    if (!this.#stale.delete(row)) return;
    const id = row.dataset.id ?? "";
    const item = this.collection.model.byId.get(id);
    const view = this.collection.viewOf(id);
    if (!item || !view?.resolved) return;
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
