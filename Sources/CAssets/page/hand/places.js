// The meaning of a drop between two rows: the rows that travel, and the place that they are given.

/**
 * @typedef {import("../rows/model.js").Section} Section
 * @typedef {import("../rows/model.js").Item} Item
 * @typedef {{section: Section, index: number}} Place Before the row at this index, as the rows stand now.
 */

/**
 * How many rows travel with the row at `index`: it and what is visible below it.
 * @param {readonly Item[]} rows
 */
export function blockLength(rows, index) {
  const level = rows[index].level ?? 0;
  let end = index + 1;
  while (end < rows.length && (rows[end].level ?? 0) > level) end += 1;
  return end - index;
}

/**
 * The place of a move by ids, as docs/contract.md section 6 has it: a row between another row and the first child of
 * that row becomes the first child. Any other row keeps its parent if that tears no rows apart; otherwise it gets the
 * parent of the row above it.
 *
 * @param {Place} from
 * @param {Place} to
 * @returns {import("../../client.js").Target | null} Null if the row stays where it is.
 */
export function targetOf(from, to) {
  const rows = from.section.items, count = blockLength(rows, from.index);
  const { section: { id: section }, index } = to;
  if (from.section === to.section && index >= from.index && index <= from.index + count) return null;
  const { parent } = rows[from.index], { items } = to.section;
  const above = items[index - 1], below = items[index];
  const beside = () => ({ before: below.id, section });
  if (below && (below.parent === above?.id || below.parent === parent)) return beside();
  if (parent === undefined && !below) return { section };
  const isBelowParent = parent !== undefined && isWithin(items, index - 1, parent);
  if (isBelowParent && !(below && isWithin(items, index, parent))) return { parent };
  if (!above) return below ? beside() : { section };
  return below && below.parent === above.parent ? beside() : { after: above.id, section };
}

/**
 * The same for a row that is given another level than it would get: some levels fit between two rows, for instance below
 * the last row of a branch.
 *
 * @param {Place} from
 * @param {Place} to
 * @param {number} steps How many levels more than the row has now.
 * @returns {import("../../client.js").Target | null} Null if the row stays where it is.
 */
export function targetAtLevel(from, to, steps) {
  const all = from.section.items, count = blockLength(all, from.index), own = all[from.index].level ?? 0;
  const isSame = from.section === to.section;
  const isOwn = isSame && to.index >= from.index && to.index <= from.index + count;
  const rows = isSame ? [...all.slice(0, from.index), ...all.slice(from.index + count)] : to.section.items;
  const index = isOwn ? from.index : isSame && to.index > from.index ? to.index - count : to.index;
  const above = rows[index - 1], below = rows[index], section = to.section.id;
  const least = below?.level ?? 0;
  const most = !above || isChild(below, above) ? least : (above.level ?? 0) + Number(isOpen(above));
  const level = Math.min(Math.max(own + steps, least), Math.max(least, most));
  if (isOwn && level === own) return null;
  if (below && level === least) return { before: below.id, section };
  if (!above) return { section };
  if ((above.level ?? 0) < level) return { parent: above.id };
  const sibling = rows.slice(0, index).findLast((row) => (row.level ?? 0) === level);
  return { after: sibling?.id ?? above.id, section };
}

const isChild = (row, parent) => row?.parent !== undefined && row.parent === parent.id;

/** All that is below it travels, if nothing of it is to be seen. */
const isOpen = (row) => (row.childCount ?? 0) > 0 && row.expanded === true;

/** The level that a row gets at a place. @param {import("../../client.js").Target} target @param {(id: string) => Item | undefined} itemOf */
export function levelOf(target, itemOf) {
  const other = itemOf(target.before ?? target.after ?? target.parent ?? "");
  if (!other) return 0;
  return (other.level ?? 0) + Number(target.before === undefined && target.after === undefined);
}

/**
 * The same for a row that is not held any more, because the window has gone on: nobody knows its parent.
 * @param {Place} to @returns {import("../../client.js").Target}
 */
export function targetBeside({ section: { id: section, items }, index }) {
  const [above, below] = [items[index - 1], items[index]];
  if (below) return { before: below.id, section };
  return above ? { after: above.id, section } : { section };
}

/** Whether the row at an index is the parent, or stands below it. */
function isWithin(rows, index, parent) {
  const item = rows[index];
  if (!item || item.id === parent) return item !== undefined;
  let level = item.level ?? 0;
  for (let at = index - 1; at >= 0 && level > 0; at -= 1) {
    const other = rows[at].level ?? 0;
    if (other >= level) continue;
    if (rows[at].id === parent) return true;
    level = other;
  }
  return false;
}
