// Edits: what the application says, the operations that are sent, and what they do to the rows that are held.

/** Writes down what an edit does. Everything is named by ids and anchors. */
class Edits {
  /** As in docs/contract.md section 4. @type {any[]} */ operations = [];

  constructor(list) {
    this.list = list;
  }

  /** @param {string} item @param {any} place `{before}`, `{after}`, or `{section}` or `{parent}` with `at`. */
  move(item, place) {
    this.operation({ op: "moveItem", item, ...place });
  }

  /** Adds an item, or several, and returns the id, or the ids. */
  add(items, place = {}) {
    const named = [items].flat().map((item) => typeof item === "string" || item.id ? item : { id: makeKey(), ...item });
    const { at, ...container } = place;
    const isFirst = at === "first" && (container.section ?? container.parent) !== undefined;
    // A row that may not move is put beside the first row, if that is known here.
    const fixed = isFirst && this.list.fixedFirst(container, named);
    const target = fixed ? { before: fixed } : container;
    const op = target.before !== undefined || target.after !== undefined ? "insertItems" : "appendItems";
    this.operation({ op, items: named, ...target });
    if (isFirst && !fixed) {
      const roots = named.filter(({ parent }) => parent === undefined || parent === null).reverse();
      for (const item of roots) this.move(item.id ?? item, place);
    }
    const ids = named.map((item) => item.id ?? item);
    return Array.isArray(items) ? ids : ids[0];
  }

  /** Gives an item members. Its content is merged (RFC 7396), unless the edit says `replace`. */
  update(item, { replace = false, ...members }) {
    const merge = members.content !== undefined && !replace ? { merge: true } : {};
    this.operation({ op: "updateItem", item, ...members, ...merge });
  }

  delete(items) {
    this.operation({ op: "deleteItems", items: [items].flat() });
  }

  star(items, isStarred = true) {
    this.operation({ op: isStarred ? "starItems" : "unstarItems", items: [items].flat() });
  }

  expand(items, isExpanded = true) {
    this.operation({ op: isExpanded ? "expandItems" : "collapseItems", items: [items].flat() });
  }

  /** Gives rows this order, by as few moves as do. Those that are new in this edit, or not held, move in any case. */
  reorder(items) {
    const places = this.list.placesOf(items), held = places.filter((place) => place >= 0);
    const order = heaviestOrder(held, held.map(() => 1));
    let next = 0;
    const stays = places.map((place) => place >= 0 && order[next++] === 1);
    const first = Math.max(stays.indexOf(true), 0);
    items.forEach((item, index) => {
      if (stays[index] || index === first) return;
      this.move(item, index < first ? { before: items[first] } : { after: items[index - 1] });
    });
  }

  /** Any operation of the contract. One that is not known here shows once the server has done it. */
  operation(operation) {
    this.operations.push(operation);
  }
}

/** What an operation has made of an item, so that doing it again makes the same object. */
const made = new WeakMap();

function remembered(operation, item, id, parent, make) {
  let memory = made.get(operation);
  if (!memory) made.set(operation, memory = new Map());
  const known = memory.get(id);
  if (known && known.from === item && known.parent === parent) return known.to;
  const wanted = make(), to = isEqual(item, wanted) ? item : wanted;
  memory.set(id, { from: item, parent, to });
  return to;
}

/**
 * Does the operations of an edit, and writes into `log` what takes them back.
 * @returns {boolean} Whether all that they name is there. What is not there is passed over.
 */
function perform(forest, operations, log) {
  forest.log = log;
  let isClean = true;
  for (const operation of operations) {
    const act = Object.hasOwn(acts, operation.op) ? acts[operation.op] : null;
    if (act?.(forest, operation) === false) isClean = false;
    forest.settle();
  }
  forest.log = null;
  return isClean;
}

const acts = {
  appendItems: placeItems,
  insertItems: placeItems,
  moveItem(forest, operation) {
    const row = forest.rows.get(operation.item);
    const place = placeOf(forest, operation);
    return Boolean(row && place) && move(forest, operation, row, place);
  },
  deleteItems(forest, { items }) {
    return eachRow(forest, items, (row) => forest.subtree(row).reverse().forEach((each) => forest.drop(each)));
  },
  deleteAllItems(forest) {
    for (const section of [...forest.sections].reverse()) forest.dropSection(section);
  },
  updateItem(forest, operation) {
    return eachRow(forest, [operation.item], (row) => give(forest, operation, row, operation));
  },
  starItems: flag("starred", true),
  unstarItems: flag("starred", false),
  expandItems: flag("expanded", true),
  collapseItems: flag("expanded", false),
  appendSections: placeSections,
  insertSections: placeSections,
  deleteSections(forest, { sections }) {
    for (const id of sections) {
      const section = sectionOf(forest, id);
      if (section) forest.dropSection(section);
    }
  },
  moveSection(forest, { section: id, before, after }) {
    const section = sectionOf(forest, id), anchor = sectionOf(forest, before ?? after);
    if (!section || !anchor || section === anchor) return false;
    const others = forest.sections.filter((other) => other !== section);
    others.splice(others.indexOf(anchor) + (before === undefined ? 1 : 0), 0, section);
    if (others.some((other, index) => other !== forest.sections[index])) forest.setSections(others);
  },
  updateSection(forest, { op, section: id, ...members }) {
    const section = sectionOf(forest, id);
    if (!section) return false;
    const names = ["title", "layout", "header", "footer", "reorderable"];
    forest.setValues(section, withMembers(section.values, members, names));
  },
  updateList(forest, operation) {
    forest.setProperties(withMembers(forest.properties, operation, ["title", "layout"]));
  },
};

function flag(name, value) {
  return (forest, operation) =>
    eachRow(forest, operation.items, (row) => give(forest, operation, row, { [name]: value }));
}

/** @returns {boolean} Whether all of them are there. */
function eachRow(forest, ids, visit) {
  let areThere = true;
  for (const id of ids) {
    const row = forest.rows.get(id);
    if (row) visit(row);
    else areThere = false;
  }
  return areThere;
}

function sectionOf(forest, id) {
  return forest.sections.find((section) => section.id === id);
}

/** Members at their default are left out, as the server does. */
function withMembers(old, members, names) {
  const values = { ...old };
  const defaults = { starred: false, expanded: false, reorderable: true };
  for (const name of names) {
    if (members[name] === undefined) continue;
    if (members[name] === null || members[name] === defaults[name]) delete values[name];
    else values[name] = members[name];
  }
  return values;
}

/** Gives a row the members that an operation names. */
function give(forest, operation, row, members) {
  forest.setItem(row, remembered(operation, row.item, row.id, null, () => itemWith(row.item, members)));
}

function itemWith(old, { kind, content, merge, ...flags }) {
  const item = withMembers(old, flags, ["starred", "expanded", "reorderable"]);
  if (kind !== undefined) item.kind = kind ?? "item";
  if (content !== undefined) item.content = merge ? merged(item.content, content) : content ?? {};
  return item;
}

/** Whether an anchor is in the section, or below the parent, that is named beside it. Only whole lists know parents. */
function isGuarded({ isWhole }, anchor, { section = anchor.section.id, parent }) {
  return section === anchor.section.id && (!isWhole || parent === undefined || parent === anchor.item.parent);
}

/** Where an operation puts something: behind the row `left`, below `parent`. Null if what it names is not there. */
function placeOf(forest, { before, after, section, parent, at = "last" }) {
  const anchorID = before ?? after;
  if (anchorID !== undefined) {
    const anchor = forest.rows.get(anchorID);
    if (!anchor || !isGuarded(forest, anchor, { section, parent })) return null;
    const left = before !== undefined ? forest.before(anchor) : forest.lastOfSubtree(anchor);
    return { section: anchor.section, parent: anchor.item.parent, left, level: anchor.level };
  }
  if (parent !== undefined) {
    const row = forest.rows.get(parent);
    if (!row) return null;
    const left = at === "first" ? row : forest.lastOfSubtree(row);
    return { section: row.section, parent, left, level: row.level + 1 };
  }
  const target = section === undefined ? forest.sections.at(-1) : sectionOf(forest, section);
  return target ? { section: target, parent: undefined, left: at === "first" ? null : target.last, level: 0 } : null;
}

/** @returns {boolean} False for a place within the row itself. */
function move(forest, operation, row, { section, parent, left, level }) {
  const rows = forest.subtree(row);
  if (parent !== undefined && rows.some((each) => each.id === parent)) return false;
  const own = forest.before(row);
  const target = row.section === section && (left === row || rows.length > 1 && rows.includes(left)) ? own : left;
  const isInPlace = target === own && row.section === section;
  if (isInPlace && row.item.parent === parent) return true;
  if (!isInPlace) for (let i = rows.length - 1; i >= 0; i -= 1) forest.take(rows[i]);
  if (row.item.parent !== parent || !forest.isWhole) {
    const make = () => itemAt(row.item, parent, level, forest.isWhole);
    forest.setItem(row, remembered(operation, row.item, `place of ${row.id}`, above(forest, { parent, level }), make));
  }
  if (isInPlace) return true;
  let last = target;
  for (const each of rows) {
    forest.put(each, section, last);
    last = each;
  }
  return true;
}

function above({ isWhole }, { parent, level }) {
  return isWhole ? parent : level;
}

/** Rows that are not all there are no forest: they have the levels that the server sent. */
function itemAt({ parent: _, ...item }, parent, level, isWhole) {
  if (isWhole) return parent === undefined ? item : { ...item, parent };
  return item.level === undefined ? item : { ...item, level };
}

function placeItems(forest, operation) {
  const place = placeOf(forest, operation);
  return place !== null && placeForest(forest, operation, operation.items, place);
}

/** Each item at its place, or below the parent that it names; one that is there moves. */
function placeForest(forest, operation, items, place) {
  let last = null, isClean = true;
  for (const one of items) {
    const given = typeof one === "string" ? { id: one } : one, { id, parent } = given;
    const target = parent !== undefined && parent !== null ? placeOf(forest, { parent }) :
      last ? { ...place, left: forest.lastOfSubtree(last) } : place;
    let row = forest.rows.get(id);
    if (!target || (!row && given !== one)) {
      isClean = false;
      continue;
    }
    if (row) {
      isClean = move(forest, operation, row, target) && isClean;
      give(forest, operation, row, given);
    } else {
      row = forest.make(id);
      forest.enter(row);
      forest.setItem(row, remembered(operation, null, id, above(forest, target), () => newItem(forest, target, given)));
      forest.put(row, target.section, target.left);
    }
    forest.settle();
    if (parent === undefined || parent === null) last = row;
  }
  return isClean;
}

function newItem(forest, { parent, level }, { id, kind, content, ...flags }) {
  const item = { id, kind: kind ?? "item", content: content ?? {} };
  if (forest.isWhole && parent !== undefined) item.parent = parent;
  if (!forest.isWhole && level > 0) item.level = level;
  return withMembers(item, flags, ["starred", "expanded", "reorderable"]);
}

function placeSections(forest, operation) {
  const anchorID = operation.before ?? operation.after;
  const anchor = anchorID === undefined ? null : sectionOf(forest, anchorID);
  if (anchor === undefined) return false;
  let at = anchor ? forest.sections.indexOf(anchor) + (operation.before === undefined ? 1 : 0) : forest.sections.length;
  let isClean = true;
  for (const given of operation.sections) {
    const { items = [], ...values } = typeof given === "string" ? { id: given } : given;
    if (sectionOf(forest, values.id)) {
      isClean = false;
      continue;
    }
    const section = forest.makeSection(withMembers({ id: values.id }, values, Object.keys(values)));
    const sections = [...forest.sections];
    sections.splice(at, 0, section);
    forest.setSections(sections);
    at += 1;
    isClean = placeForest(forest, operation, items, { section, parent: undefined, left: null, level: 0 }) && isClean;
  }
  return isClean;
}
