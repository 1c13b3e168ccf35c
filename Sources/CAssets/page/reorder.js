// What a drag means, as pure functions: the rows that travel, where they come to stand, and the two forms in which a
// reorder is told to the server.

/** @typedef {import("./model.js").Section} Section */
/** @typedef {{section: string, index: number}} Place An index among the rows as they stand now. */

/**
 * How many rows travel with the row at `index`: it and what is visible below it.
 * @param {import("./model.js").Item[]} rows
 */
export function blockLength(rows, index) {
  const level = rows[index].level ?? 0;
  let end = index + 1;
  while (end < rows.length && (rows[end].level ?? 0) > level) end += 1;
  return end - index;
}

/**
 * The orders of the sections that a move changes; null if it changes nothing or a row would land inside itself.
 *
 * @param {Section[]} sections
 * @param {Place} from
 * @param {Place} to Before the row at this index.
 * @returns {Map<string, string[]> | null} The ids of each changed section, in their new order.
 */
export function moved(sections, from, to) {
  const source = sections.find((section) => section.id === from.section);
  const target = sections.find((section) => section.id === to.section);
  if (!source || !target || !source.rows[from.index]) return null;
  const count = blockLength(source.rows, from.index);
  if (source === target && to.index >= from.index && to.index <= from.index + count) return null;
  const block = source.rows.slice(from.index, from.index + count).map((item) => item.id);
  const rest = source.rows.map((item) => item.id);
  rest.splice(from.index, count);
  const index = source === target && to.index > from.index ? to.index - count : to.index;
  if (source === target) {
    rest.splice(index, 0, ...block);
    return new Map([[source.id, rest]]);
  }
  const others = target.rows.map((item) => item.id);
  others.splice(index, 0, ...block);
  return new Map([[source.id, rest], [target.id, others]]);
}

/**
 * The coded form of Swift's `CollectionDifference<String>` between two orders that differ by one block.
 *
 * @param {string[]} before
 * @param {string[]} after
 */
export function difference(before, after) {
  const stay = longestCommon(before, after);
  const placesBefore = new Map(before.map((id, index) => [id, index]));
  const placesAfter = new Map(after.map((id, index) => [id, index]));
  const changes = (ids, own, other) => ids.map((id, offset) => ({ id, offset })).filter(({ id }) => !stay.has(id))
    .map(({ id, offset }) => ({ offset, element: id, associatedOffset: other.get(id) ?? null }));
  return {
    insertions: changes(after, placesAfter, placesBefore),
    removals: changes(before, placesBefore, placesAfter),
  };
}

/** The ids that stay: all but the shorter of the two runs that change places. */
function longestCommon(before, after) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const outside = [...before.slice(0, start), ...before.slice(before.length - end)];
  const middle = before.slice(start, before.length - end);
  const other = after.slice(start, after.length - end);
  // A block that moved down leaves the others as a run at the start of what is after it, one that moved up at its end.
  let down = 0;
  const first = middle.indexOf(other[0]);
  while (first >= 0 && first + down < middle.length && middle[first + down] === other[down]) down += 1;
  const second = other.indexOf(middle[0]);
  let up = 0;
  while (second >= 0 && second + up < other.length && other[second + up] === middle[up]) up += 1;
  const run = down >= up ? other.slice(0, down) : middle.slice(0, up);
  return new Set([...outside, ...run]);
}

/**
 * The body of `POST …/reorders`.
 *
 * @param {Section[]} sections
 * @param {Map<string, string[]>} orders
 * @param {"difference" | "final"} form
 * @param {string} base
 */
export function reorderBody(sections, orders, form, base) {
  const entries = [...orders].map(([id, order]) => {
    const before = sections.find((section) => section.id === id).rows.map((item) => item.id);
    return [id, form === "final" ? { final: order } : { difference: difference(before, order) }];
  });
  return { base, view: "visible", label: "Move", sections: Object.fromEntries(entries) };
}
