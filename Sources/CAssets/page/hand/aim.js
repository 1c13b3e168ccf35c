// The place that a dragged row would be given, and the mark that shows it: a line before or after another row, as far
// from the edge as its level asks for, or a box around a parent or around a section without rows.

import { levelOf } from "./places.js";

/** How far the pointer goes across for each level of an outline. */
const levelStep = 24;
/** Of the height of a parent's row: the parts at its edges that mean before and after it. */
const edgePart = 0.28;
/** As collection.css has it: the words of a row of a list begin here, and each level so much farther. */
const [firstIndent, indent] = [16, 22];

/**
 * @typedef {import("../list/actions.js").Actions} Actions
 * @typedef {import("../list/actions.js").Target} Target
 * @typedef {import("../rows/rows.js").SectionView} SectionView
 * @typedef {{left: number, top: number, width: number, height: number}} Box
 * @typedef {{target: Target | null, key: string, shape: "line" | "bar" | "box", mark: Box | null}} Aim
 *
 * `target` and `mark` are null where the row would stay. `key` is the same for the same place.
 */

/**
 * @param {Actions} actions
 * @param {string} id Of the row that is dragged.
 * @param {{x: number, y: number}} pointer
 * @param {number} across How far the pointer has come to the side.
 * @returns {Aim | null} Null where nothing can be said, for something else is under the pointer.
 */
export function aimAt(actions, id, pointer, across) {
  const { collection } = actions;
  const sight = collection.element.getBoundingClientRect();
  // Beyond an edge, the row at the edge is meant.
  const x = within(pointer.x, sight.left + 1, sight.right - 1), y = within(pointer.y, sight.top + 1, sight.bottom - 1);
  const under = document.elementFromPoint(x, y);
  if (!under || !collection.element.contains(under)) return null;
  const section = /** @type {HTMLElement | null} */ (under.closest(".section")) ?? nearest(collection.views.values(), y);
  const view = collection.views.get(section?.dataset.id ?? "");
  if (!section || !view) return null;
  const name = section.dataset.id ?? "";
  if (view.items.length === 0) return around(section, { section: name, before: null }, `${name} `);
  const row = collection.rowOf(under) ?? rowBeside(view, under, x, y);
  if (!row) return null;
  const shape = section.classList.contains("kind-list") ? "line" : "bar";
  return beside(actions, { id, row, view, name, x, y, shape, across });
}

/** @returns {Aim} */
function beside(actions, { id, row, view, name, x, y, shape, across }) {
  const box = row.getBoundingClientRect();
  const index = indexOf(view, row);
  const item = view.items[index];
  const isRightToLeft = getComputedStyle(view.list).direction === "rtl";
  const part = shape === "line" ? (y - box.top) / box.height
    : isRightToLeft ? (box.right - x) / box.width : (x - box.left) / box.width;
  const isParent = shape === "line" && view.isTree && (item?.childCount ?? 0) > 0;
  if (isParent && part > edgePart && part < 1 - edgePart && actions.mayTake(item.id, id)) {
    return around(row, { section: name, before: null, into: item.id }, `${name} ${item.id} into`);
  }
  const isHeader = row.classList.contains("is-first") && view.resolved.headerMode === "firstItemInSection";
  const isAfter = isHeader || part > 0.5;
  const steps = view.isTree && shape === "line" ? Math.trunc((isRightToLeft ? -across : across) / levelStep) : 0;
  const target = { section: name, before: view.items[index + Number(isAfter)]?.id ?? null, steps };
  const key = `${name} ${item?.id} ${isAfter ? "after" : "before"} ${steps}`;
  const place = actions.placeOf(id, target);
  if (!place) return { target: null, key, shape, mark: null };
  const level = shape === "line" && view.isTree ? levelOf(place, (other) => actions.item(other)) : 0;
  return { target, key, shape, mark: markOf(box, shape, isAfter !== (shape === "bar" && isRightToLeft), level, isRightToLeft) };
}

/** @returns {Box} */
function markOf(box, shape, isEnd, level, isRightToLeft) {
  if (shape === "bar") return { left: (isEnd ? box.right : box.left) - 1.5, top: box.top, width: 3, height: box.height };
  const start = level > 0 ? Math.min(firstIndent + level * indent, box.width / 2) : 0;
  return {
    left: box.left + (isRightToLeft ? 0 : start), top: (isEnd ? box.bottom : box.top) - 1.5, width: box.width - start, height: 3,
  };
}

/** @returns {Aim} */
function around(element, target, key) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { target, key, shape: "box", mark: { left, top, width, height: Math.max(height, 12) } };
}

/** The section that is nearest to a height. @param {Iterable<SectionView>} views */
function nearest(views, y) {
  let [found, least] = [/** @type {HTMLElement | null} */ (null), Infinity];
  for (const { element } of views) {
    const { top, bottom } = element.getBoundingClientRect();
    const distance = Math.max(top - y, y - bottom, 0);
    if (distance >= least) continue;
    [found, least] = [element, distance];
  }
  return found;
}

/** Over a header the first row is meant, over a footer the last one, and between rows the nearest one. */
function rowBeside(view, under, x, y) {
  const rows = [...view.list.querySelectorAll(":scope > .row:not(.kept)")];
  const edge = under.closest(".supplementary");
  if (edge) return (edge.classList.contains("header") ? rows[0] : rows.at(-1)) ?? null;
  let [found, least] = [null, Infinity];
  for (const row of rows) {
    const { left, right, top, bottom } = row.getBoundingClientRect();
    const distance = Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0));
    if (distance >= least) continue;
    [found, least] = [row, distance];
  }
  return found;
}

function indexOf(view, row) {
  const index = Number(row.dataset.index);
  return view.items[index]?.id === row.dataset.id ? index : view.items.findIndex((item) => item.id === row.dataset.id);
}

const within = (value, least, most) => Math.min(Math.max(value, least), most);
