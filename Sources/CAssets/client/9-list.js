// A list as the application sees it: the server's state, with the edits on top that the server has not answered yet.

/** How many edits of a list can be taken back without their versions. */ const undoMax = 100;
/** A list works for a small part of the time, as long as that makes no rest longer than the longest. */
const restFactor = 24, restMin = 8, restMax = 1_000;

class List {
  #client;
  #options;
  #view;
  #forest;
  #stop;
  #isClosed = false;
  #version = ""; #isGone = false;
  #counts = { sections: 0, items: 0, visibleItems: 0 };
  /** The place of a window among all rows. */ #place = {};
  #feedState = "connecting";
  /** Edits on top, in order. @type {{entry: any, log: any[], version?: string}[]} */ #pending = [];
  #listeners = new Set();
  #rowListeners = new Map();
  #snapshot = null;
  #isCatchingUp = false;
  /** Events of the server that are not taken yet. */ #waiting = [];
  #rest = 0;
  #isInTurn = false;
  #isStill = false;
  #untold = [];
  /** The newest own edits, which `undo` takes back. @type {{key: string, version?: string}[]} */ #done = [];

  constructor(client, id, { view = "visible", ...options }) {
    const isWhole = Object.keys(options).every((name) => name === "section" || options[name] === undefined);
    this.id = id;
    this.#client = client;
    // None expanded is another view than all that are.
    const expanded = options.expanded?.length === 0 ? "" : options.expanded;
    this.#options = { view, ...options, expanded };
    this.#view = queryOf({ ...this.#options, view: isWhole ? undefined : view });
    this.#forest = new Forest(isWhole, view === "items");
    for (const entry of client.queue.entries) if (entry.list === id) this.show(entry);
    const list = this;
    this.#stop = client.feeds.follow({
      list: id, view: this.#view, take: (event) => this.#take(event), onState: (state) => this.#setState(state),
      get version() { return list.#version; },
    });
  }

  // MARK: Reading

  // These may be handed on without their list, as React wants it.
  subscribe = (listener) => {
    // Of its own, because the same one may come twice.
    const own = (told) => listener(told);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  };

  getSnapshot = () => {
    this.#snapshot ??= {
      id: this.id, ...this.#forest.properties, version: this.#version, counts: this.#currentCounts(), ...this.#place,
      sections: this.#forest.sections.map((section) => this.#forest.shownSection(section)),
      status: this.status, pending: this.#unanswered,
    };
    return this.#snapshot;
  };

  /** As in client.d.ts. */
  get status() {
    if (this.#isClosed) return "closed";
    if (this.#isGone) return "gone";
    const state = this.#client.queue.troubleOf(this.id) || this.#feedState;
    return state === "live" && !this.#version ? "connecting" : state;
  }

  row(id) {
    const row = this.#forest.rows.get(id);
    return row && this.#forest.shown(row);
  }

  subscribeRow(id, listener) {
    if (!this.#rowListeners.has(id)) this.#rowListeners.set(id, new Set());
    const own = () => listener();
    this.#rowListeners.get(id).add(own);
    return () => {
      const listeners = this.#rowListeners.get(id);
      listeners?.delete(own);
      if (listeners?.size === 0) this.#rowListeners.delete(id);
    };
  }

  async history({ limit } = {}) {
    return (await this.#client.wire.ask("GET", pathOf(this.id, "transactions") + queryOf({ limit }))).transactions;
  }

  at(version) {
    return this.#client.wire.ask("GET", pathOf(this.id) + queryOf({ ...this.#options, at: version }));
  }

  close() {
    if (this.#isClosed) return;
    clearTimeout(this.#rest);
    this.#stop();
    this.#client.lists.delete(this);
    this.#isClosed = true;
    this.#tellStatus();
  }

  // MARK: Writing

  /** @returns {{settled: Promise<any>}} */
  edit(make, { label, animated } = {}) {
    const edits = new Edits(this);
    make(edits);
    // A copy: what is shown and sent is as it is now, whatever becomes of the objects.
    const operations = copyOf(edits.operations);
    if (operations.length > 0) return this.#send({ operations, label, animated, base: this.#version || undefined });
    return { settled: Promise.resolve({ status: "applied", changed: false, operations }) };
  }

  /** Takes back the transaction that made a version, or the newest edit of this list that is not taken back. */
  undo(version, { label = "Undo" } = {}) {
    const own = version ? { version } : this.#done.pop();
    if (own) return this.#send({ operations: [], undo: own.version, of: own.key, label });
    return { settled: Promise.resolve(refusal("nothing_to_undo")) };
  }

  #send(members) {
    if (this.#isClosed) return { settled: Promise.resolve(refusal("closed")) };
    const entry = { key: makeKey(), list: this.id, ...members };
    if (entry.operations.length > 0) this.#done = [...this.#done, { key: entry.key }].slice(-undoMax);
    const settled = this.#client.queue.add(entry);
    for (const list of this.#client.listsOf(this.id)) list.show(entry);
    return { settled };
  }

  /** Where rows stand, as ranks; -1 for one that is not there. */
  placesOf(ids) {
    const { rows, sections } = this.#forest;
    const placed = ids.map((id) => rows.get(id)).filter((row) => row?.chunk).map(({ id, section, chunk }) => ({
      id, place: [sections.indexOf(section), section.chunks.indexOf(chunk), chunk.rows.indexOf(rows.get(id))],
    }));
    placed.sort(({ place: a }, { place: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const ranks = new Map(placed.map(({ id }, rank) => [id, rank]));
    return ids.map((id) => ranks.get(id) ?? -1);
  }

  /** The first row in a section or below a parent, if it is known and what is added there may not move. */
  fixedFirst({ section, parent }, items) {
    const row = this.#forest.rows.get(parent), place = row?.section ?? sectionOf(this.#forest, section);
    const isFixed = [place?.values, ...items].some((one) => one?.reorderable === false);
    if (isFixed && this.#forest.isWhole) return (row ? this.#forest.subtree(row)[1] : place?.chunks[0]?.rows[0])?.id;
  }

  // MARK: Edits on top

  /** Shows an edit that is not answered. */
  show(entry) {
    if (this.#pending.some((edit) => edit.entry === entry)) return;
    this.#forest.begin();
    const log = [];
    perform(this.#forest, entry.operations, log);
    this.#pending.push({ entry, log });
    this.#tell(this.#version, entry.animated);
  }

  /** Edits of before this page, which come before those of this page. */
  adopt(found) {
    const own = found.filter(({ list }) => list === this.id).map((entry) => ({ entry, log: [] }));
    const places = new Map(this.#client.queue.entries.map((entry, place) => [entry, place]));
    const place = ({ entry }) => places.get(entry) ?? -1, all = [...this.#pending, ...own];
    if (own.length > 0) this.#again(() => (this.#pending = all.sort((a, b) => place(a) - place(b))));
  }

  /** The server has answered the edits of a write. They stay on top until its version is here. */
  settle(write, { version = "", changed }) {
    const keys = new Set(write.map(({ key }) => key)), edits = this.#pending.filter(({ entry }) => keys.has(entry.key));
    for (const own of this.#done) if (keys.has(own.key)) own.version = version;
    // Edits that were sent together have no version of their own.
    if (!changed || write.length > 1) this.#done = this.#done.filter(({ key }) => !keys.has(key));
    if (edits.length === 0) return;
    for (const edit of edits) edit.version = version;
    if (version === "" || isKnown(version, this.#version)) this.#again(() => {});
    else this.#tellStatus();
  }

  /** Takes back all edits, does `work`, and does those edits again that the server has not told of. */
  #again(work, animated) {
    if (this.#isInTurn) {
      this.#isStill ||= animated === false;
      return void work();
    }
    this.#isStill = animated === false;
    const forest = this.#forest, start = performance.now();
    forest.begin();
    for (const { log } of [...this.#pending].reverse()) forest.rewind(log);
    forest.settle();
    const before = this.#version;
    this.#isInTurn = true;
    try {
      work();
    } finally {
      this.#isInTurn = false;
    }
    const isElsewhere = this.#version === "" || before !== "" && partsOf(before)[0] !== partsOf(this.#version)[0];
    this.#pending = this.#pending.filter(({ version }) =>
      version === undefined || version !== "" && !isElsewhere && !isKnown(version, this.#version));
    for (const edit of this.#pending) {
      edit.log = [];
      const { entry } = edit;
      const isClean = perform(forest, entry.operations, edit.log);
      // As long as all is there that it names, it may as well have been made now.
      if (isClean && forest.isWhole && !entry.isSent && this.#version) entry.base = this.#version;
    }
    const rest = Math.min(restFactor * (performance.now() - start), restMax);
    if (rest > restMin && this.#pending.length > 0) this.#rest ||= setTimeout(() => this.#endRest(), rest);
    this.#tell(before, this.#isStill ? false : undefined);
  }

  /** Takes the events that came meanwhile in one turn: a turn takes as long as doing all pending edits again. */
  #endRest() {
    this.#rest = 0;
    if (this.#isClosed || this.#isCatchingUp) return;
    const events = this.#waiting.splice(0).filter(({ name, to }) => name === "gone" || !isKnown(to, this.#version));
    if (events.length > 0) this.#again(() => events.forEach((event) => this.#take(event)));
  }

  /** What an application that is told of changes, hears. */
  #tell(from = this.#version, animated) {
    const { changes, ids } = difference(this.#forest);
    this.#snapshot = null;
    const { version, counts, status, pending } = this.getSnapshot();
    const mark = animated === false && { animated };
    const told = { list: this.id, from, to: version, ...changes, ...mark, counts, ...this.#place, status, pending };
    // A listener may edit. What comes of that is told to all once they have heard of this.
    this.#untold.push([told, ids, [...this.#listeners]]);
    if (this.#untold.length > 1) return;
    for (const [one, rows, listeners] of this.#untold) {
      for (const listener of listeners) if (this.#listeners.has(listener)) callBack(listener, one);
      if (this.#rowListeners.size === 0) continue;
      for (const id of rows) for (const listener of [...(this.#rowListeners.get(id) ?? [])]) callBack(listener);
    }
    this.#untold = [];
  }

  get #unanswered() {
    return this.#pending.reduce((count, { version }) => count + (version === undefined ? 1 : 0), 0);
  }

  #currentCounts() {
    const { isWhole, showsHidden, sections, rows } = this.#forest;
    if (!isWhole || showsHidden || this.#options.section !== undefined) return this.#counts;
    const visibleItems = sections.flatMap(({ chunks }) => chunks).reduce((sum, { count }) => sum + count, 0);
    return { sections: sections.length, items: rows.size, visibleItems };
  }

  // MARK: The server's state

  /** docs/contract.md section 9, own echo: only events come here, each with the version before it on its stream. */
  #take(event) {
    if (this.#isClosed) return;
    if (this.#isCatchingUp || this.#rest) return void this.#waiting.push(event);
    const { name, data, since, to } = event;
    if (name === "gone") return this.#lose();
    if (name === "reset") return this.#version && isKnown(to, this.#version) ? undefined : this.#reset(data);
    if (to === "" || isKnown(to, this.#version)) return;
    // A stream has no gap: from `since` to `from` nothing has changed that shows.
    const isBetween = isKnown(since, this.#version) && (!data || isKnown(this.#version, data.from));
    const follows = since === this.#version || isBetween;
    if (name === "have" || !follows || !this.#version) this.#catchUp();
    else if (name === "id") this.#advance(() => {}, to);
    else this.#advance(() => applyChanges(this.#forest, data), to, data, data.animated);
  }

  #reset({ snapshot, to }) {
    this.#isGone = false;
    this.#advance(() => replaceAll(this.#forest, snapshot), to, snapshot);
  }

  #advance(work, to, whole, animated) {
    let isLost = false;
    this.#again(() => {
      try {
        work();
        this.#version = to;
        if (whole) [this.#counts, this.#place] = [whole.counts, whole.total >= 0 ? { start: whole.start, total: whole.total } : {}];
      } catch (error) {
        console.error(`${this.id}: ${error.message}`);
        this.#version = "";
        isLost = true;
      }
    }, animated);
    if (isLost) this.#catchUp(isLost);
  }

  #lose() {
    this.#isGone = true;
    this.#again(() => {
      this.#version = "";
      replaceAll(this.#forest, {});
    });
  }

  /** Asks for what leads on from the version that is held; after a while, if what has come does not fit. */
  async #catchUp(isLost) {
    this.#isCatchingUp = true;
    const patience = new Patience();
    await (isLost ? patience.pause() : null);
    while (!this.#isClosed) {
      try {
        const since = this.#version && `${this.#view ? "&" : "?"}since=${this.#version}`;
        const path = pathOf(this.id, "changes") + this.#view + since;
        const data = await this.#client.wire.ask("GET", path);
        this.#waiting.unshift({ name: data.reset ? "reset" : "change", data, since: data.from, to: data.to });
        break;
      } catch (error) {
        if (error.mayPass === false && error.status !== 401) {
          if (error.status === 404) this.#lose();
          else this.#setState("refused");
          break;
        }
        patience.wanted = error.retryAfter ?? 0;
        await patience.pause();
      }
    }
    this.#isCatchingUp = false;
    if (!this.#rest) this.#endRest();
  }

  #setState(state) {
    if (this.#feedState === state) return;
    this.#feedState = state;
    if (state === "live") this.#client.queue.wake();
    this.noteStatus();
  }

  noteStatus() {
    if (this.#snapshot?.status !== this.status) this.#tellStatus();
  }

  #tellStatus() {
    this.#forest.begin();
    this.#tell();
  }
}
