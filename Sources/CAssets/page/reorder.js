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
 * @returns {{orders: Map<string, string[]>, block: Set<string>} | null} The ids of each changed section in their new
 *   order, and those that travelled.
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
    return { orders: new Map([[source.id, rest]]), block: new Set(block) };
  }
  const others = target.rows.map((item) => item.id);
  others.splice(index, 0, ...block);
  return { orders: new Map([[source.id, rest], [target.id, others]]), block: new Set(block) };
}

/**
 * The coded form of Swift's `CollectionDifference<String>` between two orders: of all that would do, the one that names
 * the rows that travelled.
 *
 * @param {string[]} before
 * @param {string[]} after
 * @param {Set<string>} block
 */
export function difference(before, after, block) {
  const changes = (ids, others) => {
    const places = new Map(others.map((id, index) => [id, index]));
    return ids.map((element, offset) => ({ offset, element, associatedOffset: places.get(element) ?? null }))
      .filter(({ element }) => block.has(element));
  };
  return { insertions: changes(after, before), removals: changes(before, after) };
}

/**
 * The body of `POST …/reorders`.
 *
 * @param {Section[]} sections
 * @param {{orders: Map<string, string[]>, block: Set<string>}} move
 * @param {"difference" | "final"} form
 * @param {string} base
 */
export function reorderBody(sections, { orders, block }, form, base) {
  const entries = [...orders].map(([id, order]) => {
    const before = sections.find((section) => section.id === id).rows.map((item) => item.id);
    return [id, form === "final" ? { final: order } : { difference: difference(before, order, block) }];
  });
  return { base, view: "visible", label: "Move", sections: Object.fromEntries(entries) };
}
