// The rows of a list in chunks: a step changes a chunk, however long the list is.

/** A change set that does not fit the rows: one of both sides is wrong about them. */
class Mismatch extends Error {}

/** A row and what is known of it. The members behind `turn` are those before the changes of that turn. */
class Row {
  item = null;
  chunk = null;
  kids = 0;
  /** The row among whose kids it is counted. */ above = null;
  level = 0;
  isHidden = false;
  shown = null;
  shownItem = null;
  shownLevel = 0;
  shownKids = 0;
  isHere = false;
  mark = 0;
  rank = 0;
  turn = 0;
  isPlaced = false;
  isRenewed = false;
  isReloaded = false;
  isOther = false;
  wasShown = false;
  oldSection = null;
  oldChunk = null;
  at = 0;
  oldShown = null;
  oldIndex = 0;
  oldRest = 0;
  newIndex = 0;
  newRest = 0;

  constructor(id) {
    this.id = id;
  }

  get section() {
    return this.chunk?.section ?? null;
  }
}

class Chunk {
  rows = [];
  /** How many of the rows are not hidden. */
  count = 0;
  start = 0;
  list = null;
  turn = 0;
  oldRows = [];
  isSame = false;
  oldCount = 0;
  /** So many rows at the beginning, and at the end, were left alone in this turn. */ head = 0;
  tail = 0;
  /** Of one that was split from another in this turn. */ origin = null;
  leaving = [];
  coming = [];

  constructor(section) {
    this.section = section;
  }
}

class Section {
  chunks = [];
  oldChunks = [];
  turn = 0;
  startTurn = 0;
  value = null;
  oldAt = -1;
  newAt = -1;
  oldValues = null;
  /** Moves of rows that no step placed. */ carried = [];

  /** @param {any} values What it has besides its rows. */
  constructor(values) {
    this.values = values;
  }

  get id() {
    return this.values.id;
  }

  get last() {
    return this.chunks.at(-1)?.rows.at(-1) ?? null;
  }
}
