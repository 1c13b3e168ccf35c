// Transactions and change sets in words.

import { nameOf } from "../rows/cells.js";

const quoted = (text) => `“${text}”`;
const some = (count, name) => `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;

/** One of these is named, several are counted. */
function things(ids, name, noun) {
  return ids.length === 1 ? quoted(name(ids[0])) : some(ids.length, noun);
}

const ids = (elements) => (elements ?? []).map((one) => (typeof one === "string" ? one : one.id ?? nameOf({}, { id: "new", content: {}, ...one })));

/** By the name of an operation. @type {Object<string, (operation: any, item: (id: string) => string, section: (id: string) => string) => string>} */
const phrases = {
  appendSections: (op, _, section) => `Added the section ${things(ids(op.sections), section, "section")}`,
  insertSections: (op, _, section) => `Added the section ${things(ids(op.sections), section, "section")}`,
  deleteSections: (op, _, section) => `Deleted the section ${things(ids(op.sections), section, "section")}`,
  reloadSections: (op, _, section) => `Reloaded ${things(ids(op.sections), section, "section")}`,
  moveSection: (op, _, section) => `Moved the section ${quoted(section(op.section))}`,
  updateSection: (op, _, section) => `Changed the section ${quoted(section(op.section))}`,
  updateList: (op) => (op.title === undefined ? "Changed the layout" : `Renamed the list to ${quoted(op.title)}`),
  appendItems: (op, item) => `Added ${things(ids(op.items), item, "item")}`,
  insertItems: (op, item) => `Added ${things(ids(op.items), item, "item")}`,
  moveItem: (op, item) => `Moved ${quoted(item(op.item))}`,
  deleteItems: (op, item) => `Deleted ${things(ids(op.items), item, "item")}`,
  deleteAllItems: () => "Deleted everything",
  updateItem: (op, item) => `Changed ${quoted(item(op.item))}`,
  starItems: (op, item) => `Starred ${things(ids(op.items), item, "item")}`,
  unstarItems: (op, item) => `Took the star from ${things(ids(op.items), item, "item")}`,
  expandItems: (op, item) => `Opened ${things(ids(op.items), item, "item")}`,
  collapseItems: (op, item) => `Closed ${things(ids(op.items), item, "item")}`,
  reconfigureItems: (op, item) => `Refreshed ${things(ids(op.items), item, "item")}`,
  reloadItems: (op, item) => `Reloaded ${things(ids(op.items), item, "item")}`,
  replaceChildren: (op, item) => `Replaced what is below ${quoted(item(op.parent))}`,
  applySnapshot: () => "Replaced the whole list",
  applySectionSnapshot: (op, _, section) => `Replaced the section ${quoted(section(op.section ?? op.id ?? ""))}`,
  reorder: () => "Put rows into another order",
};

/** Names of items as transactions give them, for those that the list has no more. @param {readonly any[]} transactions */
export function namesIn(transactions) {
  const names = new Map();
  for (const { items, sections = [] } of transactions.flatMap(({ operations = [] }) => operations)) {
    const some = [items, ...(Array.isArray(sections) ? sections.map((section) => section?.items) : [])];
    for (const item of some.flat()) if (item?.id && !names.has(item.id)) names.set(item.id, nameOf({}, { content: {}, ...item }));
  }
  return names;
}

/** @param {any} transaction @param {(id: string) => string} item @param {(id: string) => string} section @returns {string} */
export function wordsOf(transaction, item, section) {
  if (transaction.undoes) return `Took a change back (${shortVersion(transaction.undoes)})`;
  if (transaction.redoes) return `Did a change again (${shortVersion(transaction.redoes)})`;
  if (transaction.restores) return `Went back to version ${shortVersion(transaction.restores)}`;
  const { operations = [] } = transaction;
  const said = operations.slice(0, 3).map((one) => {
    const phrase = Object.hasOwn(phrases, one.op) ? phrases[one.op] : () => one.op;
    return one.truncated ? `${one.op}, too long to show` : phrase(one, item, section);
  });
  if (said.length === 0) return "Made the list";
  const rest = operations.length - said.length;
  return said.join(". ") + (rest > 0 ? `. And ${some(rest, "change")} more` : "");
}

/** @param {any} changes A change set. @returns {string} */
export function changeWords({ properties, sections = {}, items = {}, reset }) {
  if (reset) return "Everything is new";
  const counts = [["added", "inserted"], ["deleted", "deleted"], ["moved", "moved"], ["changed", "reconfigured"], ["reloaded", "reloaded"]];
  const said = counts.flatMap(([word, name]) => [
    sections[name]?.length ? `${some(sections[name].length, "section")} ${word}` : "",
    items[name]?.length ? `${some(items[name].length, "item")} ${word}` : "",
  ]);
  if (properties) said.push("title or layout changed");
  return said.filter(Boolean).join(", ") || "Nothing that can be seen";
}

/** The number that people count versions by. @param {string} version */
export function shortVersion(version) {
  return version.slice(version.lastIndexOf("-") + 1);
}

/** @param {string} time @returns {string} */
export function timeWords(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString("en", isToday ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" });
}
