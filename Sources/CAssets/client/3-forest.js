// The rows of a list, and the steps that change them. Each step can be taken back.

const chunkMax = 128;

/**
 * All rows that are held. `isWhole` says that they are all rows of their sections, in which case levels, numbers of
 * children and what is hidden follow from the parents; else they are as the server has sent them.
 */
class Forest {
  rows = new Map();
  sections = [];
  properties = {};
  turn = 1;
  touched = [];
  touchedSections = [];
  opened = [];
  /** Sections that may be shown otherwise now, with the values that were shown. */ outdated = [];
  oldSections = [];
  oldProperties = {};
  /** Functions that take back each step since the log was set. @type {(() => void)[] | null} */ log = null;
  #gone = new Map();
  #goneSections = new Map();
  #affected = [];
  #mark = 0;

  constructor(isWhole, showsHidden) {
    this.isWhole = isWhole;
    this.showsHidden = showsHidden;
  }

  /** What `work` changes is one turn. */
  begin() {
    this.turn += 1;
    this.touched = [];
    this.touchedSections = [];
    this.opened = [];
    this.outdated = [];
    this.oldSections = this.sections;
    this.oldProperties = this.properties;
    this.#gone.clear();
    this.#goneSections.clear();
  }

  // MARK: Steps

  /** The row of this id, which is not in the list. One that was there in this turn is the same row. */
  make(id) {
    return this.#gone.get(id) ?? new Row(id);
  }

  makeSection(values) {
    const section = this.#goneSections.get(values.id);
    if (!section) return new Section(values);
    this.setValues(section, values);
    return section;
  }

  enter(row) {
    row.isHere = true;
    this.rows.set(row.id, row);
    this.log?.push(() => this.leave(row));
  }

  leave(row) {
    this.#touch(row);
    row.isHere = false;
    this.rows.delete(row.id);
    this.#gone.set(row.id, row);
    this.log?.push(() => this.enter(row));
  }

  /** Puts a row behind another one, or first. */
  put(row, section, left) {
    this.#touch(row).isPlaced = true;
    this.#touchSection(section);
    let chunk = left ? left.chunk : section.chunks[0];
    if (!chunk) {
      chunk = new Chunk(section);
      section.chunks.push(chunk);
    }
    const at = left ? chunk.rows.indexOf(left) + 1 : 0;
    this.#open(chunk, at, at);
    chunk.rows.splice(at, 0, row);
    if (!row.isHidden) chunk.count += 1;
    row.chunk = chunk;
    if (chunk.rows.length > chunkMax) this.#split(chunk);
    this.#count(row);
    this.#affected.push(row);
    this.log?.push(() => this.take(row));
  }

  take(row) {
    this.#touch(row).isPlaced = true;
    const { chunk, section } = row;
    this.#touchSection(section);
    const at = chunk.rows.indexOf(row);
    this.#open(chunk, at, at + 1);
    const left = at > 0 ? chunk.rows[at - 1] : this.#lastBefore(chunk);
    chunk.rows.splice(at, 1);
    if (!row.isHidden) chunk.count -= 1;
    if (chunk.rows.length === 0) section.chunks.splice(section.chunks.indexOf(chunk), 1);
    row.chunk = null;
    this.#count(row);
    this.log?.push(() => this.put(row, section, left));
  }

  drop(row) {
    this.take(row);
    this.leave(row);
  }

  dropSection(section) {
    for (let row = section.last; row; row = section.last) this.drop(row);
    this.setSections(this.sections.filter((other) => other !== section));
  }

  setItem(row, item) {
    if (row.item === item) return;
    this.#touch(row);
    const old = row.item;
    row.item = item;
    if (old) this.log?.push(() => this.setItem(row, old));
    if (!this.isWhole) {
      row.level = item.level ?? 0;
      return;
    }
    this.#count(row);
    if (old?.parent !== item.parent || !old?.expanded !== !item.expanded) this.#affected.push(row);
  }

  setSections(sections) {
    const old = this.sections;
    this.log?.push(() => this.setSections(old));
    const present = new Set(sections);
    for (const section of this.sections) if (!present.has(section)) this.#goneSections.set(section.id, section);
    this.sections = sections;
  }

  setValues(section, values) {
    if (isEqual(section.values, values)) return;
    this.#touchSection(section);
    const old = section.values;
    this.log?.push(() => this.setValues(section, old));
    section.values = values;
  }

  setProperties(properties) {
    const old = this.properties;
    this.log?.push(() => this.setProperties(old));
    this.properties = properties;
  }

  /** Takes back all steps of a log, the last one first. */
  rewind(log) {
    this.log = null;
    for (let i = log.length - 1; i >= 0; i -= 1) log[i]();
  }

  // MARK: Looking around

  /** The row at an index that counts hidden rows, too. */
  at(section, index) {
    for (const { rows } of section.chunks) {
      if (index < rows.length) return rows[index];
      index -= rows.length;
    }
    return null;
  }

  before(row) {
    const at = row.chunk.rows.indexOf(row);
    return at > 0 ? row.chunk.rows[at - 1] : this.#lastBefore(row.chunk);
  }

  /** The row and all below it, in order. */
  subtree(row) {
    const found = [row];
    this.#follow(row, (next) => next.level > row.level && found.push(next));
    return found;
  }

  lastOfSubtree(row) {
    let last = row;
    this.#follow(row, (next) => next.level > row.level && (last = next));
    return last;
  }

  /** Visits the rows behind one until `visit` has had enough. */
  #follow(row, visit) {
    if (this.isWhole && row.kids === 0) return;
    const { chunks } = row.section;
    let at = row.chunk.rows.indexOf(row) + 1;
    for (let c = chunks.indexOf(row.chunk); c < chunks.length; c += 1, at = 0) {
      const { rows } = chunks[c];
      for (; at < rows.length; at += 1) if (!visit(rows[at])) return;
    }
  }

  #lastBefore(chunk) {
    const { chunks } = chunk.section;
    return chunks[chunks.indexOf(chunk) - 1]?.rows.at(-1) ?? null;
  }

  // MARK: What follows from parents

  /** Gives every row whose place, parent or parent's flag has changed its level, and hides or shows it. */
  settle() {
    if (!this.isWhole) this.#affected.length = 0;
    for (const row of this.#affected) {
      if (!row.chunk) continue;
      this.#derive(row);
      if (row.kids === 0) continue;
      const mark = this.#mark += 1;
      row.mark = mark;
      this.#follow(row, (next) => {
        if (this.rows.get(next.item.parent)?.mark !== mark) return false;
        next.mark = mark;
        this.#derive(next);
        return true;
      });
    }
    this.#affected.length = 0;
  }

  #derive(row) {
    const parent = row.item.parent === undefined ? null : this.rows.get(row.item.parent) ?? null;
    const level = parent ? parent.level + 1 : 0;
    const isHidden = !this.showsHidden && parent !== null && (parent.isHidden || !parent.item.expanded);
    if (row.level !== level) this.#touch(row).level = level;
    if (row.isHidden === isHidden) return;
    this.#touch(row).isPlaced = true;
    this.#touchSection(row.section);
    this.#open(row.chunk);
    row.isHidden = isHidden;
    row.chunk.count += isHidden ? -1 : 1;
  }

  /** Counts a row among the kids of its parent, as long as it has a place. */
  #count(row) {
    if (!this.isWhole) return;
    const parent = row.chunk && row.item.parent !== undefined ? this.rows.get(row.item.parent) ?? null : null;
    if (parent === row.above) return;
    if (row.above) this.#touch(row.above).kids -= 1;
    if (parent) this.#touch(parent).kids += 1;
    row.above = parent;
  }

  // MARK: What was there before the turn

  #touch(row) {
    if (row.turn !== this.turn) {
      const isThere = row.chunk !== null && row.isHere;
      row.turn = this.turn;
      row.isPlaced = false;
      row.isRenewed = row.isReloaded = false;
      row.oldChunk = isThere && row.chunk.turn === this.turn && row.chunk.origin || row.chunk;
      row.oldSection = isThere ? row.section : null;
      row.wasShown = isThere && !row.isHidden;
      row.oldShown = isThere ? this.shown(row) : null;
      this.touched.push(row);
      if (isThere) this.#outdate(row.section);
    }
    return row;
  }

  #outdate(section) {
    if (!section.value) return;
    this.outdated.push([section, section.value]);
    section.value = null;
  }

  #touchSection(section) {
    this.#outdate(section);
    if (section.turn === this.turn) return;
    section.turn = this.turn;
    section.oldChunks = section.chunks;
    section.oldValues = section.values;
    section.chunks = [...section.chunks];
    this.touchedSections.push(section);
  }

  /** Before rows of a chunk change: those from an index on and before another one go, or others come there. */
  #open(chunk, from = chunk.rows.length, to = 0) {
    if (chunk.turn !== this.turn) {
      chunk.turn = this.turn;
      this.opened.push(chunk);
      chunk.oldRows = chunk.rows;
      chunk.oldCount = chunk.count;
      chunk.origin = null;
      chunk.head = chunk.tail = chunk.rows.length;
      chunk.rows = chunk.rows.slice();
    }
    chunk.head = Math.min(chunk.head, from);
    chunk.tail = Math.min(chunk.tail, chunk.rows.length - to);
  }

  #split(chunk) {
    const half = new Chunk(chunk.section);
    half.turn = this.turn;
    half.origin = chunk.origin ?? chunk;
    half.rows = chunk.rows.splice(chunkMax / 2);
    chunk.tail = 0;
    for (const row of half.rows) row.chunk = half;
    half.count = half.rows.reduce((count, row) => count + (row.isHidden ? 0 : 1), 0);
    chunk.count -= half.count;
    const { chunks } = chunk.section;
    chunks.splice(chunks.indexOf(chunk) + 1, 0, half);
  }

  // MARK: What is shown

  /** The row as it is shown: the same object until something of it has changed. */
  shown(row) {
    if (!this.isWhole || this.showsHidden) return row.item;
    const { item, level, kids } = row;
    if (row.shownItem !== item || row.shownLevel !== level || row.shownKids !== kids) {
      row.shown = kids > 0 ? { ...item, level, childCount: kids } : { ...item, level };
      row.shownItem = item;
      row.shownLevel = level;
      row.shownKids = kids;
    }
    return row.shown;
  }

  /** A section as it is shown: the same object until something of it has changed. */
  shownSection(section) {
    if (section.value) return section.value;
    for (const chunk of section.chunks) {
      if (chunk.list) continue;
      chunk.list = [];
      for (const row of chunk.rows) if (!row.isHidden) chunk.list.push(this.shown(row));
    }
    // All rows in one array take a while where there are many, so they are put there once somebody reads them.
    const lists = section.chunks.map(({ list }) => list);
    let items = null;
    section.value = { ...section.values, get items() { return items ??= [].concat(...lists.splice(0)); } };
    return section.value;
  }
}
