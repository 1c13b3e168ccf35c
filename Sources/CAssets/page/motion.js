// Animation of what moves: first, last, invert, play. Only rows in sight are measured.

import { prefersReducedMotion } from "./dom.js";

/** More than that is a crowd in which nobody follows one row. */
const rowsMax = 300;
const duration = 320;
const easing = "cubic-bezier(0.3, 0.9, 0.3, 1)";

/** @typedef {Map<HTMLElement, DOMRect>} Places */

/**
 * The rows in sight and where they are.
 * @param {HTMLElement} collection
 * @param {Iterable<{list: HTMLElement, isAcross: boolean}>} sections
 * @returns {Places | null} Null if nothing is to move, or nobody would see it.
 */
export function capture(collection, sections) {
  if (document.hidden || prefersReducedMotion()) return null;
  return placesInSight(collection, sections);
}

function placesInSight(collection, sections) {
  /** @type {Places} */
  const places = new Map();
  const view = collection.getBoundingClientRect();
  for (const { list, isAcross } of sections) {
    const box = list.getBoundingClientRect();
    if (box.bottom < view.top || box.top > view.bottom || places.size >= rowsMax) continue;
    const rows = /** @type {HTMLCollectionOf<HTMLElement>} */ (list.children);
    const [start, end] = isAcross ? [box.left, box.right] : [Math.max(box.top, view.top), Math.min(box.bottom, view.bottom)];
    const side = (row) => (isAcross ? row.getBoundingClientRect().right : row.getBoundingClientRect().bottom);
    for (let index = firstIndex(rows, (row) => side(row) >= start); index < rows.length; index += 1) {
      const place = rows[index].getBoundingClientRect();
      if ((isAcross ? place.left : place.top) > end || places.size >= rowsMax) break;
      places.set(rows[index], place);
    }
  }
  return places;
}

/** The index of the first row that is far enough, of rows in order. */
function firstIndex(rows, isFarEnough) {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFarEnough(rows[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @type {WeakMap<HTMLElement, Animation>} */
const running = new WeakMap();

/**
 * Lets rows travel from where they were to where they are, and new ones appear.
 * @param {Places | null} before
 * @param {HTMLElement} collection
 * @param {Iterable<{list: HTMLElement, isAcross: boolean}>} sections
 * @param {(row: HTMLElement) => {isNew: boolean, isMoved: boolean}} fate
 */
export function play(before, collection, sections, fate) {
  if (!before) return;
  for (const row of before.keys()) running.get(row)?.cancel();
  for (const [row, now] of placesInSight(collection, sections)) {
    const was = before.get(row);
    const { isNew, isMoved } = fate(row);
    if (was) slide(row, was.left - now.left, was.top - now.top, isMoved);
    else if (isNew || isMoved) appear(row);
  }
}

function slide(row, x, y, isMoved) {
  if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) return;
  const animation = row.animate(
    [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration, easing });
  running.set(row, animation);
  if (!isMoved) return;
  row.classList.add("moving");
  const land = () => row.classList.remove("moving");
  animation.finished.then(land, land);
}

function appear(row) {
  running.set(row, row.animate(
    [{ opacity: 0, transform: "scale(0.96)" }, { opacity: 1, transform: "none" }], { duration: 220, easing: "ease-out" }));
}
