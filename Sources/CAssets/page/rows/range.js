// Which rows of a section are in the document: those near the window. Space stands for the others.

import { Lines } from "./lines.js";

/** @typedef {import("./rows.js").SectionView} SectionView */

/** Rows this near to the edges of what is seen are there, in points; half of it is enough for what is there already. */
const margin = 400;

/** The section has other rows, or shows them otherwise. @param {SectionView} view @param {number} count */
export function setLines(view, count) {
  const { period, stride } = view.resolved;
  view.lines = new Lines(Math.ceil(count / period), view.estimate || stride);
  // A window leaves many rows behind.
  if (view.sizes.size > 2 * count + 1_000) {
    const held = new Set(view.items.map(({ id }) => id));
    for (const id of view.sizes.keys()) if (!held.has(id)) view.sizes.delete(id);
  }
  for (let line = 0; view.sizes.size > 0 && line < count; line += 1) {
    const size = view.sizes.get(view.items[line].id);
    if (size !== undefined) view.lines.measure(line, size);
  }
}

/**
 * The range of rows that belong into the document. It begins where a group begins, because rules for every k-th row
 * count elements.
 * @param {SectionView} view @param {DOMRect} sight Of the window. @returns {[number, number]}
 */
export function rangeOf(view, sight) {
  const { list, lines, items, isAcross, resolved: { period, stride, lead, pageWidth } } = view;
  const box = list.getBoundingClientRect();
  const { top, bottom } = sight;
  if (isAcross && view.end > 0) view.height = box.height;
  if (items.length === 0 || box.bottom < top - margin || box.top > bottom + margin) return [0, 0];
  const across = Math.abs(list.scrollLeft) - lead;
  const [start, end] = isAcross ? [across, across + list.clientWidth]
    : [top - box.top, bottom - box.top];
  // At rest on a page, one more group is there than the one across which the page begins: it stands for the page before.
  const before = pageWidth > 0 ? stride : 0;
  const range = (reach) =>
    [lines.at(start - reach - before) * period, Math.min(items.length, (lines.at(end + reach) + 1) * period)];
  const [first, last] = range(margin / 2);
  return view.end > 0 && view.first <= first && view.end >= last ? [view.first, view.end] : range(margin);
}

/** Scrolls until the row at an index of a section is in the upper part of the window. @param {SectionView} view @param {number} index @param {HTMLElement} scroller */
export function scrollTo(view, index, scroller) {
  const sight = scroller.getBoundingClientRect();
  const box = view.list.getBoundingClientRect();
  const line = view.lines.start(Math.floor(index / view.resolved.period));
  scroller.scrollTop += box.top + (view.isAcross ? 0 : line) - sight.top - sight.height / 3;
  if (!view.isAcross) return;
  const sign = getComputedStyle(view.list).direction === "rtl" ? -1 : 1;
  view.list.scrollLeft = sign * Math.max(0, line - box.width / 3);
}

/** Space for the rows that are not there. @param {SectionView} view */
export function makeSpace({ list, lines, first, end, isAcross, height, resolved: { period } }) {
  const [before, after] = end === 0 ? [0, lines.total]
    : [lines.start(first / period), lines.total - lines.start(Math.ceil(end / period))];
  // A row of rows stays as high as it was.
  const least = isAcross && end === 0 && height > 0 ? `${height}px` : "";
  if (list.style.minHeight !== least) list.style.minHeight = least;
  list.classList.toggle("is-cut", isAcross && after > 0.5);
  for (const [name, value] of [["--before", before], ["--after", after]]) {
    const text = `${Math.round(Math.max(0, value) * 100) / 100}px`;
    if (list.style.getPropertyValue(name) !== text) list.style.setProperty(name, text);
  }
}

/**
 * Measures the lines that are there, without what animations make of them.
 * @param {SectionView} view @returns {boolean} Whether the space for others is another now.
 */
export function measure(view) {
  const { list, items, first, end, resolved } = view;
  if (end === 0 || resolved.kind === "orthogonal" || resolved.isFixed) return false;
  return resolved.kind === "list" ? measureRows(view) : measureGroups(view, getComputedStyle(list), first / resolved.period,
    end === items.length);
}

function measureRows(view) {
  const { list, items, first, end } = view;
  const sizes = [];
  for (let index = first; index < end; index += 1) sizes.push(parseFloat(getComputedStyle(list.children[index - first]).height));
  // The first ones tell what to take the others for.
  const isFirst = view.estimate === 0;
  if (isFirst) {
    view.estimate = sizes.reduce((sum, one) => sum + one, 0) / sizes.length || view.resolved.stride;
    setLines(view, items.length);
  }
  let isOther = isFirst;
  sizes.forEach((size, index) => {
    if (!(size > 0) || !view.lines.measure(first + index, size)) return;
    isOther = true;
    view.sizes.set(items[first + index].id, size);
  });
  return isOther;
}

/** The tracks of a grid in which heights are estimated. */
function measureGroups(view, style, first, isAtEnd) {
  const { tracks } = view.resolved;
  const heights = style.gridTemplateRows.split(" ").map(parseFloat);
  const lines = Math.floor(heights.length / tracks);
  let isOther = false;
  for (let line = 0; line < lines; line += 1) {
    const size = heights.slice(line * tracks, (line + 1) * tracks).reduce((sum, one) => sum + one, 0);
    if (size > 0 && !(isAtEnd && line === lines - 1 && lines > 1)) isOther = view.lines.measure(first + line, size) || isOther;
  }
  return isOther;
}
