// The looks and the words of a row: its cell, its level, its state, its place.

import { el, setAttribute } from "../base/dom.js";
import { makeCell, nameOf } from "./cells.js";

/**
 * @typedef {import("./model.js").Item} Item
 * @typedef {import("./rows.js").SectionView} SectionView
 */

const blankRow = el("li", { class: "row", tabindex: "-1", role: "listitem" });

export class Dresser {
  /** How much was done so far, for whoever measures: rows made and cells made. */
  work = { rows: 0, cells: 0 };
  /** The items that the cells show. @type {WeakMap<HTMLElement, Item>} */ #shown = new WeakMap();

  /** @param {Item} item @param {SectionView} view @returns {HTMLElement} */
  make(item, view) {
    const row = /** @type {HTMLElement} */ (blankRow.cloneNode());
    row.setAttribute("data-id", item.id);
    this.work.rows += 1;
    this.#dress(row, item, view);
    return row;
  }

  /**
   * The row shows what its item is now.
   * @param {boolean} isForced Whether the cell is another although the item is the same.
   */
  refresh(row, item, view, isForced) {
    const shown = this.#shown.get(row);
    this.mark(row, item, view, Number(row.dataset.index));
    if (isForced || shown !== item && JSON.stringify(shown) !== JSON.stringify(item)) this.#dress(row, item, view);
  }

  /** Gives a row the cell of its item. */
  #dress(row, item, view) {
    this.work.cells += 1;
    this.#shown.set(row, item);
    const cell = makeCell(item, view.resolved);
    const isNameless = !cell.querySelector(".primary")?.textContent;
    // A tree item is named by all that it shows, so also by its buttons, which say its name again.
    setAttribute(row, "aria-label", isNameless || view.isTree ? spokenName(cell, nameOf(view.resolved.cells, item)) : null);
    put(cell, row);
  }

  /** The words of a row about its item, and about its place beside the cell. @param {number} index In its section. */
  mark(row, item, view, index) {
    const level = item.level ?? 0;
    const isParent = (item.childCount ?? 0) > 0;
    if (level > 0) row.style.setProperty("--level", String(level));
    else if (row.style.length > 0) row.style.removeProperty("--level");
    setClass(row, "is-expanded", isParent && item.expanded === true);
    setClass(row, "is-starred", item.starred === true);
    // A window begins and ends within sections.
    setClass(row, "is-first", index === 0 && view.offset === 0);
    setClass(row, "is-last", index === view.items.length - 1 && view.count === view.items.length + view.offset);
    setAttribute(row, "data-index", String(index));
    setAttribute(row, "role", view.isTree ? "treeitem" : "listitem");
    setAttribute(row, "aria-level", view.isTree ? String(level + 1) : null);
    setAttribute(row, "aria-expanded", view.isTree && isParent ? String(item.expanded === true) : null);
    view.siblings ??= siblingsOf(view);
    const [place, count] = view.siblings.subarray(2 * index, 2 * index + 2);
    const isKnown = view.offset === 0 && view.count === view.items.length || !view.isTree && view.offset !== null;
    setAttribute(row, "aria-posinset", isKnown ? String(view.isTree ? place : place + view.offset) : null);
    setAttribute(row, "aria-setsize", isKnown ? String(view.isTree ? count : view.count ?? -1) : null);
  }
}

/** The texts of a cell, but those of its buttons, for whoever hears them. @param {HTMLElement} cell @param {string} name */
function spokenName(cell, name) {
  const texts = [...cell.querySelectorAll(":is(.secondary, .label, .badge, .star > .hidden-text)")].map((one) => one.textContent);
  return [cell.querySelector(".primary")?.textContent || name, ...texts].filter(Boolean).join(", ");
}

/** In the place of the cell that the row has, if it has one; the focus stays on the same button. */
function put(cell, row) {
  const old = row.querySelector(":scope > .cell");
  if (!old) return row.prepend(cell);
  const action = old.contains(document.activeElement) ? document.activeElement?.getAttribute("data-action") : null;
  old.replaceWith(cell);
  if (action) cell.querySelector(`[data-action="${action}"]`)?.focus();
}

/** The place of each row among those of the same parent, and how many these are. @param {SectionView} view */
function siblingsOf({ items, isTree }) {
  const places = new Int32Array(2 * items.length);
  /** The indexes of the siblings so far, by level. @type {number[][]} */
  const open = [];
  const close = (level) => {
    for (const all of open.splice(level)) for (const index of all) places[2 * index + 1] = all.length;
  };
  items.forEach((item, index) => {
    const level = isTree ? item.level ?? 0 : 0;
    close(level + 1);
    while (open.length <= level) open.push([]);
    open[level].push(index);
    places[2 * index] = open[level].length;
  });
  close(0);
  return places;
}

/** Without an empty write, which a browser takes for a change. */
function setClass(row, name, isOn) {
  if (row.classList.contains(name) !== isOn) row.classList.toggle(name, isOn);
}
