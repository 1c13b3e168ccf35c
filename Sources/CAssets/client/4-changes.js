// Change sets of the server, and the difference that a turn has made in what is shown (docs/contract.md section 5).

/** Takes the rows of a snapshot in the place of all that were there. @param {Forest} forest */
function replaceAll(forest, snapshot) {
  forest.log = null;
  for (const section of [...forest.sections].reverse()) {
    for (let row = section.last; row; row = section.last) forest.drop(row);
  }
  const sections = (snapshot.sections ?? []).map(({ items, ...values }) => ({ items, values }));
  const old = new Map(forest.sections.map((section) => [section.id, section]));
  forest.setSections(sections.map(({ values }) => {
    const section = old.get(values.id);
    if (!section) return forest.makeSection(values);
    forest.setValues(section, values);
    return section;
  }));
  sections.forEach(({ items }, index) => fill(forest, forest.sections[index], items));
  const { title, layout } = snapshot;
  forest.setProperties(layout === undefined ? { title } : { title, layout });
  forest.settle();
}

function fill(forest, section, items = []) {
  let left = null;
  for (const item of items) left = putNew(forest, item, section, left);
}

function putNew(forest, item, section, left) {
  if (forest.rows.has(item.id)) throw new Mismatch(`${item.id} is there already.`);
  const row = forest.make(item.id);
  forest.enter(row);
  forest.setItem(row, item);
  forest.put(row, section, left);
  return row;
}

/** @param {Forest} forest As it is without pending edits. @param {any} changes A change set, no reset. */
function applyChanges(forest, { items = {}, sections = {}, properties }) {
  forest.log = null;
  const held = (id) => forest.rows.get(id) ?? raise(`There is no ${id}.`);
  const sectionAt = (index) => forest.sections[index] ?? raise(`There is no section ${index}.`);
  const moving = (items.moved ?? []).map(({ id, to }) => ({ ...to, row: held(id) }));
  for (const { id } of items.deleted ?? []) forest.drop(held(id));
  for (const { row } of moving) forest.take(row);
  rearrange(forest, sections);
  const coming = [...moving, ...(items.inserted ?? [])];
  for (const { section, index, item, row } of coming.sort((a, b) => a.section - b.section || a.index - b.index)) {
    const target = sectionAt(section);
    const left = index === 0 ? null : forest.at(target, index - 1) ?? raise(`There is no place ${index}.`);
    if (row) forest.put(row, target, left);
    else putNew(forest, item, target, left);
  }
  for (const { item } of items.reconfigured ?? []) renew(forest, held(item.id), item);
  for (const { item } of items.reloaded ?? []) reload(forest, held(item.id), item);
  for (const { index, section } of sections.reconfigured ?? []) forest.setValues(sectionAt(index), section);
  for (const { index, section: { items: rows = [], ...values } } of sections.reloaded ?? []) {
    forest.setValues(sectionAt(index), values);
    for (const item of rows) reload(forest, held(item.id), item);
  }
  if (properties) {
    const { title, layout } = { ...forest.properties, ...properties };
    forest.setProperties(layout === null || layout === undefined ? { title } : { title, layout });
  }
  forest.settle();
}

/** The row is shown anew although nothing in it has changed: somebody has asked for that. */
function renew(forest, row, item) {
  const isRenewed = isEqual(row.item, item);
  forest.setItem(row, item);
  row.isRenewed ||= isRenewed;
}

function reload(forest, row, item) {
  const isAsked = row.item.kind === item.kind;
  renew(forest, row, { ...item });
  row.isReloaded ||= isAsked;
}

function rearrange(forest, { deleted = [], moved = [], inserted = [] }) {
  if (deleted.length + moved.length + inserted.length === 0) return;
  const held = (id, index) =>
    forest.sections[index]?.id === id ? forest.sections[index] : raise(`Section ${index} is not ${id}.`);
  const leaving = new Set(), coming = [];
  for (const { id, index } of deleted) {
    const section = held(id, index);
    for (let row = section.last; row; row = section.last) forest.drop(row);
    leaving.add(section);
  }
  for (const { id, from, to } of moved) {
    leaving.add(held(id, from));
    coming.push({ index: to, section: held(id, from) });
  }
  const filled = inserted.map(({ index, section: { items, ...values } }) => {
    const section = forest.makeSection(values);
    coming.push({ index, section });
    return { section, items };
  });
  const sections = forest.sections.filter((section) => !leaving.has(section));
  for (const { index, section } of coming.sort((a, b) => a.index - b.index)) sections.splice(index, 0, section);
  forest.setSections(sections);
  for (const { section, items } of filled) fill(forest, section, items);
}

function raise(text) {
  throw new Mismatch(text);
}

/**
 * The changes that the turn has made to the rows that are shown: the parts `sections`, `items` and `properties` of a
 * change set, with the fewest moves; and the ids of the rows that are others now.
 *
 * @param {Forest} forest
 */
function difference(forest) {
  for (const chunk of forest.opened) {
    chunk.isSame = isSame(chunk);
    if (!chunk.isSame) chunk.list = null;
  }
  // First, because what is as it was keeps its object.
  for (const row of forest.touched) {
    row.isOther = row.wasShown && isShown(row) && hasOtherContent(forest, row);
    const isThere = isShown(row);
    if (row.chunk && (row.isOther || row.wasShown !== isThere)) row.chunk.list = null;
    // It was taken away and put back.
    if (row.wasShown === isThere && row.oldChunk === row.chunk && row.chunk?.isSame) row.isPlaced = false;
    if (!row.isPlaced) continue;
    if (row.wasShown) row.oldChunk.leaving.push(row);
    if (isThere) row.chunk.coming.push(row);
  }
  const parts = { sections: sectionParts(forest), items: {} };
  const isOld = (section) => section !== null && section.oldAt >= 0;
  const isNew = (section) => section !== null && section.newAt >= 0;
  for (const section of forest.touchedSections) if (isOld(section) && isNew(section)) scanBoth(forest, section);
  const deleted = [], inserted = [], moved = [], reconfigured = [], reloaded = [], ids = new Set(), others = new Set();
  for (const row of forest.touched) {
    const isThere = isShown(row);
    if (row.isPlaced && row.wasShown) row.oldChunk.leaving = [];
    if (row.isPlaced && isThere) row.chunk.coming = [];
    const { oldSection, section, isOther } = row;
    if (!isThere && !row.wasShown) ids.add(row.id);
    if (isThere === row.wasShown && !isOther && (!isThere || oldSection === section && row.mark >= 0)) continue;
    if (isOther || isThere !== row.wasShown) ids.add(row.id);
    const hasMoved = row.isPlaced && (oldSection !== section || row.mark < 0);
    if (isOther || hasMoved || isThere !== row.wasShown) others.add(isThere && section).add(row.wasShown && oldSection);
    const leaves = row.wasShown && isNew(oldSection), comes = isThere && isOld(section);
    if (leaves && comes) {
      const to = () => ({ section: section.newAt, index: row.isPlaced ? row.newIndex : shownIndex(forest, row) });
      if (hasMoved) moved.push({ id: row.id, from: { section: oldSection.oldAt, index: row.oldIndex }, to: to() });
      if (isOther) (row.isReloaded || row.oldShown.kind !== row.item.kind ? reloaded : reconfigured)
        .push({ ...to(), item: forest.shown(row) });
    } else if (leaves) {
      deleted.push({ id: row.id, section: oldSection.oldAt, index: row.oldIndex });
    } else if (comes) {
      inserted.push({ section: section.newAt, index: row.newIndex, item: forest.shown(row) });
    }
    if (row.mark < 0) row.mark = 0;
  }
  for (const section of forest.touchedSections) {
    for (const move of section.carried) moved.push(move);
    if (section.carried.length > 0 || !isEqual(section.values, section.oldValues)) others.add(section);
    section.carried = [];
  }
  for (const [section, value] of forest.outdated) if (!others.has(section)) section.value = value;
  const place = (entry) => entry.to ?? entry;
  const ascending = (a, b) => place(a).section - place(b).section || place(a).index - place(b).index;
  deleted.sort((a, b) => ascending(b, a));
  for (const [name, entries] of Object.entries({ deleted, inserted, moved, reconfigured, reloaded })) {
    if (entries.length > 0) parts.items[name] = name === "deleted" ? entries : entries.sort(ascending);
  }
  const changes = {};
  for (const name of ["sections", "items"]) if (Object.keys(parts[name]).length > 0) changes[name] = parts[name];
  const properties = propertyParts(forest);
  if (properties) changes.properties = properties;
  return { changes, ids };
}

function isSame({ rows, oldRows, head, tail }) {
  if (rows.length !== oldRows.length) return false;
  for (let i = head; i < rows.length - tail; i += 1) if (rows[i] !== oldRows[i]) return false;
  return true;
}

function isShown(row) {
  return row.isHere && !row.isHidden && row.chunk !== null;
}

/** Whether a row shows something else than before. If it was only made anew with equal members, the old object stays. */
function hasOtherContent(forest, row) {
  const shown = forest.shown(row);
  if (shown === row.oldShown) return false;
  if (row.isRenewed || row.isReloaded || !isEqual(shown, row.oldShown)) return true;
  if (shown === row.item) row.item = row.oldShown;
  else row.shown = row.oldShown;
  return false;
}

function propertyParts({ properties: { title, layout }, oldProperties: old }) {
  const changed = {};
  if (title !== old.title) changed.title = title;
  if (!isEqual(layout, old.layout)) changed.layout = layout ?? null;
  return Object.keys(changed).length > 0 ? changed : null;
}

function sectionParts(forest) {
  const { oldSections, sections } = forest;
  const parts = {};
  const add = (name, entry) => (parts[name] ??= []).push(entry);
  for (const section of forest.touchedSections) section.newAt = section.oldAt = -1;
  for (const section of [...oldSections, ...sections]) section.newAt = section.oldAt = -1;
  oldSections.forEach((section, index) => (section.oldAt = index));
  sections.forEach((section, index) => (section.newAt = index));
  if (oldSections !== sections) {
    const kept = sections.filter((section) => section.oldAt >= 0);
    const stays = heaviestOrder(kept.map((section) => section.oldAt), kept.map(() => 1));
    for (const section of oldSections) if (section.newAt < 0) add("deleted", { id: section.id, index: section.oldAt });
    parts.deleted?.reverse();
    for (const section of sections) {
      if (section.oldAt < 0) add("inserted", { index: section.newAt, section: forest.shownSection(section) });
    }
    kept.forEach((section, index) => {
      if (!stays[index]) add("moved", { id: section.id, from: section.oldAt, to: section.newAt });
    });
  }
  for (const section of sections) {
    if (section.oldAt < 0 || section.turn !== forest.turn || isEqual(section.values, section.oldValues)) continue;
    add("reconfigured", { index: section.newAt, section: section.values });
  }
  return parts;
}

/** The index of a row among those that are shown. */
function shownIndex(forest, row) {
  const { section } = row;
  if (section.startTurn !== forest.turn) {
    section.startTurn = forest.turn;
    let start = 0;
    for (const chunk of section.chunks) {
      chunk.start = start;
      start += chunk.count;
    }
  }
  let index = row.chunk.start;
  for (const other of row.chunk.rows) {
    if (other === row) return index;
    if (!other.isHidden) index += 1;
  }
  return index;
}

/**
 * Gives the rows of a section that were placed in this turn their indexes before and after, and marks with -1 those
 * that have moved. The rows between them stand in blocks, each as heavy as it has rows. So this takes as long as there are
 * placed rows, and not as there are rows.
 */
function scanBoth(forest, section) {
  const leaving = scan(forest, section, true), coming = scan(forest, section, false);
  let old = leaving.filter((row) => row.section === section && isShown(row));
  let now = coming.filter((row) => row.wasShown && row.oldSection === section);
  // Rows that are alike at both ends stay.
  let first = 0, last = now.length;
  const isAlike = (index) => old[index] === now[index] && now[index].oldRest === now[index].newRest;
  while (first < last && isAlike(first)) first += 1;
  while (last > first && isAlike(last - 1)) last -= 1;
  if (first === last) return;
  old = old.slice(first, last);
  now = now.slice(first, last);
  const rests = Float64Array.from([...old.map((row) => row.oldRest), ...now.map((row) => row.newRest)]).sort();
  const cuts = rests.filter((rest, index) => index === 0 || rest !== rests[index - 1]);
  const blockRanks = new Float64Array(cuts.length), elements = [], ranks = [], weights = [];
  for (let block = 0, at = 0, rank = 0; block < cuts.length; block += 1) {
    blockRanks[block] = rank++;
    for (; at < old.length && old[at].oldRest === cuts[block]; at += 1) old[at].rank = rank++;
  }
  for (let block = 0, at = 0; block < cuts.length; block += 1) {
    const size = block > 0 ? cuts[block] - cuts[block - 1] : 0;
    elements.push(block);
    ranks.push(blockRanks[block]);
    // Among equally few moves, rows that nobody has placed stay.
    weights.push(size * 2 ** 22 + size);
    for (; at < now.length && now[at].newRest === cuts[block]; at += 1) {
      elements.push(now[at]);
      ranks.push(now[at].rank);
      weights.push(2 ** 22);
    }
  }
  const stays = heaviestOrder(ranks, weights);
  const blocks = [];
  elements.forEach((element, index) => {
    if (stays[index]) return;
    if (typeof element !== "number") element.mark = -1;
    else if (element > 0) blocks.push([cuts[element - 1], cuts[element]]);
  });
  if (blocks.length > 0) section.carried = carriedRows(forest, section, blocks);
}

/** The rows of a section that were placed in this turn, in order, before or after. */
function scan(forest, section, isOld) {
  const placed = [];
  let start = 0;
  for (const chunk of isOld ? section.oldChunks : section.chunks) {
    const isOpened = isOld && chunk.turn === forest.turn, rows = isOpened ? chunk.oldRows : chunk.rows;
    const count = isOpened ? chunk.oldCount : chunk.count, own = isOld ? chunk.leaving : chunk.coming;
    if (own.length > 0) {
      if (count === rows.length) for (const row of own) row.at = rows.indexOf(row);
      else locate(forest, rows, isOld);
      own.sort((a, b) => a.at - b.at);
      for (const row of own) {
        const index = start + row.at, rest = index - placed.length;
        placed.push(row);
        if (isOld) row.oldIndex = index, row.oldRest = rest;
        else row.newIndex = index, row.newRest = rest;
      }
    }
    start += count;
  }
  return placed;
}

/** The indexes of the placed rows among those that are shown. */
function locate(forest, rows, isOld) {
  let at = 0;
  for (const row of rows) {
    row.at = at;
    if (isOld && row.turn === forest.turn && row.isPlaced ? row.wasShown : !row.isHidden) at += 1;
  }
}

/** Moves of rows that nobody placed: a long block was moved past them, so it is less to move them. */
function carriedRows(forest, section, blocks) {
  const moves = new Map();
  for (const isOld of [true, false]) {
    let index = 0, rest = 0;
    for (const chunk of isOld ? section.oldChunks : section.chunks) {
      for (const row of isOld && chunk.turn === forest.turn ? chunk.oldRows : chunk.rows) {
        const isPlaced = row.turn === forest.turn && row.isPlaced;
        if (isPlaced && isOld ? !row.wasShown : row.isHidden) continue;
        if (!isPlaced) {
          const at = rest;
          if (blocks.some(([from, to]) => from <= at && at < to)) {
            if (isOld) moves.set(row, { id: row.id, from: { section: section.oldAt, index } });
            else moves.get(row).to = { section: section.newAt, index };
          }
          rest += 1;
        }
        index += 1;
      }
    }
  }
  return [...moves.values()];
}
