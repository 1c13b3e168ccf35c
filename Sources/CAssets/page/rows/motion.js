// Animation of what moves: first, last, invert, play. Only rows in sight are measured.

import { prefersReducedMotion } from "../base/dom.js";
import { rowsInSight } from "./sight.js";

/** More than that is a crowd in which nobody follows one row. */
const rowsMax = 300;
const duration = 320;
const easing = "cubic-bezier(0.3, 0.9, 0.3, 1)";

/** @typedef {Map<HTMLElement, DOMRect>} Places */

/**
 * The rows in sight and where they are.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} content
 * @returns {Places | null} Null if nobody would see anything move.
 */
export function capture(scroller, content) {
  if (document.hidden || prefersReducedMotion()) return null;
  return placesInSight(scroller, content);
}

function placesInSight(scroller, content) {
  /** @type {Places} */
  const places = new Map();
  for (const [row, place] of rowsInSight(scroller, content)) {
    if (places.size >= rowsMax) break;
    places.set(row, place);
  }
  return places;
}

/** @type {WeakMap<HTMLElement, Animation>} */
const running = new WeakMap();

/**
 * Lets rows travel from where they were to where they are, and new ones appear.
 * @param {Places | null} before
 * @param {HTMLElement} scroller
 * @param {HTMLElement} content
 * @param {(row: HTMLElement) => {isNew: boolean, isMoved: boolean}} fate
 */
export function play(before, scroller, content, fate) {
  if (!before) return;
  for (const row of before.keys()) running.get(row)?.cancel();
  for (const [row, now] of placesInSight(scroller, content)) {
    // Its picture travels.
    if (row.classList.contains("landing")) continue;
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
