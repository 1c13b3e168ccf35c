// The state of a list in a view, and how a change set takes it to the next version.
//
// Pure: no document, no network, no clock. A model belongs to whoever made it and is changed in place.

/**
 * @typedef {{id: string, kind?: string, content: Object<string, any>, parent?: string, expanded?: boolean,
 *   starred?: boolean, reorderable?: boolean, level?: number, childCount?: number}} Item
 * @typedef {{id: string, title?: string, layout?: any, header?: string, footer?: string, reorderable?: boolean,
 *   rows: Item[]}} Section
 * @typedef {{id: string, title: string, layout?: any, version: string, sections: Section[],
 *   byId: Map<string, Item>, sectionOf: Map<string, string>}} ListModel
 *
 * What a change set did: ids of items that came, went, moved or have other content; ids of sections whose rows are
 * others or in another order, and of those with other properties.
 * @typedef {{inserted: Set<string>, removed: Set<string>, moved: Set<string>, changed: Set<string>,
 *   touched: Set<string>, reconfigured: Set<string>, sectionsMoved: boolean, properties: boolean}} Delta
 */

/** A change set that does not fit the state that it is applied to. */
export class Mismatch extends Error {}

/** @returns {Delta} */
export function emptyDelta() {
  return {
    inserted: new Set(), removed: new Set(), moved: new Set(), changed: new Set(),
    touched: new Set(), reconfigured: new Set(), sectionsMoved: false, properties: false,
  };
}

/** Adds what came later. @param {Delta} delta @param {Delta} later */
export function merge(delta, later) {
  for (const name of ["inserted", "removed", "moved", "changed", "touched", "reconfigured"]) {
    for (const id of later[name]) delta[name].add(id);
  }
  delta.sectionsMoved ||= later.sectionsMoved;
  delta.properties ||= later.properties;
}

/** @param {any} snapshot As served. @returns {ListModel} */
export function fromSnapshot(snapshot) {
  const sections = (snapshot.sections ?? []).map(makeSection);
  const model = {
    id: snapshot.id, title: snapshot.title ?? snapshot.id, layout: snapshot.layout, version: snapshot.version,
    sections, byId: new Map(), sectionOf: new Map(),
  };
  for (const section of sections) for (const item of section.rows) enter(model, section, item);
  return model;
}

/**
 * Takes the model from the version `changeSet.from` to `changeSet.to`.
 *
 * @param {ListModel} model Unchanged if this throws `Mismatch` for the versions; broken if for the rows.
 * @param {any} changeSet In the view of the model, and no reset.
 * @returns {Delta}
 */
export function applyChangeSet(model, changeSet) {
  if (changeSet.from !== model.version) {
    throw new Mismatch(`The change set is from ${changeSet.from}, the model at ${model.version}.`);
  }
  const delta = emptyDelta();
  const items = changeSet.items ?? {};
  const sections = changeSet.sections ?? {};
  const carried = takeOut(model, items, delta);
  rearrangeSections(model, sections, delta);
  putIn(model, items, carried, delta);
  changeContent(model, items, sections, delta);
  if (changeSet.properties) {
    for (const name of ["title", "layout"]) {
      if (name in changeSet.properties) model[name] = changeSet.properties[name] ?? undefined;
    }
    delta.properties = true;
  }
  model.version = changeSet.to;
  return delta;
}

/** @param {ListModel} model @param {Section} section @param {Item} item */
function enter(model, section, item) {
  model.byId.set(item.id, item);
  model.sectionOf.set(item.id, section.id);
}

/** @param {ListModel} model @param {string} id */
function leave(model, id) {
  model.byId.delete(id);
  model.sectionOf.delete(id);
}

/** @returns {Section} */
function makeSection({ items, ...rest }) {
  return { ...rest, rows: items ?? [] };
}

/** Deletes and moves out, in indexes of the old state. @returns {Map<string, Item>} What moves. */
function takeOut(model, items, delta) {
  const leaving = new Map();
  const note = (section, index, id) => {
    if (!leaving.has(section)) leaving.set(section, new Map());
    leaving.get(section).set(index, id);
  };
  for (const { id, section, index } of items.deleted ?? []) {
    note(section, index, id);
    delta.removed.add(id);
    leave(model, id);
  }
  for (const { id, from } of items.moved ?? []) {
    note(from.section, from.index, id);
    delta.moved.add(id);
  }
  const carried = new Map();
  for (const [index, ids] of leaving) {
    const section = at(model.sections, index);
    delta.touched.add(section.id);
    section.rows = section.rows.filter((item, row) => {
      const id = ids.get(row);
      if (id === undefined) return true;
      if (id !== item.id) throw new Mismatch(`Row ${row} of ${section.id} is ${item.id}, not ${id}.`);
      ids.delete(row);
      carried.set(id, item);
      return false;
    });
    if (ids.size > 0) throw new Mismatch(`${section.id} has no row ${[...ids.keys()].join(", ")}.`);
  }
  return carried;
}

function rearrangeSections(model, { deleted = [], inserted = [], moved = [] }, delta) {
  if (deleted.length + inserted.length + moved.length === 0) return;
  delta.sectionsMoved = true;
  const leaving = new Set();
  const arriving = [];
  for (const { id, index } of deleted) {
    leaving.add(index);
    for (const item of expectSection(model, id, index).rows) {
      delta.removed.add(item.id);
      leave(model, item.id);
    }
  }
  for (const { id, from, to } of moved) {
    leaving.add(from);
    arriving.push({ index: to, value: expectSection(model, id, from) });
  }
  for (const { index, section } of inserted) {
    const value = makeSection(section);
    arriving.push({ index, value });
    delta.touched.add(value.id);
    for (const item of value.rows) {
      delta.inserted.add(item.id);
      enter(model, value, item);
    }
  }
  model.sections = insert(model.sections.filter((_, index) => !leaving.has(index)), arriving);
}

/** Inserts and moves in, in indexes of the new state. */
function putIn(model, items, carried, delta) {
  const arriving = new Map();
  const note = (section, index, value) => {
    if (!arriving.has(section)) arriving.set(section, []);
    arriving.get(section).push({ index, value });
  };
  for (const { section, index, item } of items.inserted ?? []) {
    note(section, index, item);
    delta.inserted.add(item.id);
  }
  for (const { id, to } of items.moved ?? []) note(to.section, to.index, carried.get(id));
  for (const [index, placements] of arriving) {
    const section = at(model.sections, index);
    delta.touched.add(section.id);
    section.rows = insert(section.rows, placements);
    for (const { value } of placements) enter(model, section, value);
  }
}

/** Content goes last, in indexes of the new state. */
function changeContent(model, items, sections, delta) {
  for (const { section, index, item } of [...(items.reconfigured ?? []), ...(items.reloaded ?? [])]) {
    const rows = at(model.sections, section).rows;
    if (rows[index]?.id !== item.id) throw new Mismatch(`Row ${index} is ${rows[index]?.id}, not ${item.id}.`);
    rows[index] = item;
    model.byId.set(item.id, item);
    delta.changed.add(item.id);
  }
  for (const { index, section } of sections.reconfigured ?? []) {
    const rows = expectSection(model, section.id, index).rows;
    model.sections[index] = { ...section, rows };
    delta.reconfigured.add(section.id);
  }
  for (const { index, section } of sections.reloaded ?? []) {
    expectSection(model, section.id, index);
    model.sections[index] = makeSection(section);
    delta.reconfigured.add(section.id);
    delta.touched.add(section.id);
    for (const item of model.sections[index].rows) {
      enter(model, model.sections[index], item);
      delta.changed.add(item.id);
    }
  }
}

/** The values with others put in, each at the index that it is to have then. */
function insert(values, placements) {
  placements.sort((a, b) => a.index - b.index);
  const result = [];
  let next = 0;
  for (const { index, value } of placements) {
    while (result.length < index && next < values.length) result.push(values[next++]);
    if (result.length !== index) throw new Mismatch(`There is no place ${index}.`);
    result.push(value);
  }
  while (next < values.length) result.push(values[next++]);
  return result;
}

function expectSection(model, id, index) {
  const section = at(model.sections, index);
  if (section.id !== id) throw new Mismatch(`Section ${index} is ${section.id}, not ${id}.`);
  return section;
}

function at(sections, index) {
  const section = sections[index];
  if (!section) throw new Mismatch(`There is no section ${index}.`);
  return section;
}
