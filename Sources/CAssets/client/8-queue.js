// The edits that the server has not answered yet. Those of a list are sent in order, one write at a time. When many
// wait, the oldest of them go together as one write, which takes as long as one edit.

/** Of edits that are sent together: the most operations and characters. So many of the newest edits go one by one. */
const operationsMax = 250, charactersMax = 256 * 1024, newest = 32;

/** How a write is sent, so that the server does it once however often it comes. The first of its edits says how. */
const sending = {
  path: ([{ list, undo }]) => pathOf(list, undo ? "undo" : "transactions"),
  /** On a base that the server has no longer, edits are done as their ids say then. */
  body(write) {
    const [{ undo, base, label, animated }] = write, operations = write.flatMap((one) => one.operations);
    return undo ? { transaction: undo, label } : { operations, base, onLostBase: base && "reapply", label, animated };
  },
};

/** The outcome of an edit. */
function outcomeOf({ version, changed, operations = [], warnings }, together) {
  const status = ["applied", "dropped"].find((all) => operations.every((one) => one.status === all)) ?? "adjusted";
  return { status, version, changed, operations, warnings, ...(together && { together }) };
}

/** The outcomes of the edits of a write. Whether a single one of several has changed something, nobody says. */
function outcomesOf(write, answer) {
  if (write.length === 1) return [outcomeOf(answer)];
  const { operations = [] } = answer;
  return write.map((one) => {
    const own = operations.splice(0, one.operations.length), outcome = outcomeOf({ ...answer, operations: own }, true);
    return { ...outcome, changed: outcome.status !== "dropped" };
  });
}

function refusal(code) {
  return { status: "refused", problem: { code } };
}

class Queue {
  /** In order. @type {any[]} */ entries = [];
  #ready;
  #order = 0;
  #isClosed = false;
  /** By list that has edits: what keeps the first of them from being sent. */ #lanes = new Map();
  #settle = new Map();

  /**
   * `most` is how many edits may be sent together: only one if others have the same store and may send them, too.
   *
   * @param {{most: number, onAdopted: any, onSettled: any, onTrouble: () => void, onRefused?: any}} options
   */
  constructor(wire, store, tab, options, adoptAll) {
    Object.assign(this, { wire, store, tab, options });
    // Those of a page that has ended come before those of the page that it has become.
    this.#ready = adoptAll(this);
    this.#ready.catch((error) => console.error("Edits of before cannot be read.", error));
  }

  /** Takes over what others have left behind. @param {(entry: any) => boolean} isLeft */
  async adopt(isLeft) {
    await this.#load(isLeft);
  }

  /** The reason why the first edit of a list is not sent; "" if there is none. */
  troubleOf(list) {
    return this.#lanes.get(list)?.trouble ?? "";
  }

  async #load(isWanted) {
    const known = new Set(this.entries.map(({ key }) => key)), all = await this.store.all();
    // Edits that were sent together belong to whoever has the first of them, and come before those that were not sent.
    const firsts = new Map(all.flatMap((first) => (first.together ?? []).map((key) => [key, first])));
    const found = all.filter((entry) => isWanted(firsts.get(entry.key) ?? entry) && !known.has(entry.key));
    found.sort((a, b) => !a.isSent - !b.isSent || a.order - b.order);
    this.#order = found.reduce((most, { order }) => Math.max(most, order), this.#order);
    const fresh = this.entries.filter(({ isStored }) => !isStored);
    this.entries = [...this.entries.filter(({ isStored }) => isStored), ...found, ...fresh];
    for (const entry of found) entry.isStored = true;
    this.options.onAdopted(found);
    for (const entry of found) if (entry.tab !== this.tab) await this.#keep(Object.assign(entry, { tab: this.tab }));
    for (const { list } of found) this.#run(list);
  }

  /** @returns {Promise<any>} What became of it. */
  add(entry) {
    this.entries.push(entry);
    const settled = new Promise((resolve) => this.#settle.set(entry.key, resolve));
    entry.kept = this.#ready.catch(() => {}).then(() => {
      entry.order = this.#order += 1;
      entry.tab = this.tab;
      return this.#keep(entry);
    }).catch((error) => console.error("An edit cannot be kept, and is lost if the page ends.", error))
      .then(() => (entry.isStored = true));
    this.#run(entry.list);
    return settled;
  }

  wake(isEnd = false) {
    for (const { patience } of this.#lanes.values()) patience.wake(isEnd);
  }

  close() {
    this.#isClosed = true;
    this.wake(true);
  }

  #keep({ key, list, operations, undo, of, label, animated, base, order, tab, isSent, together }) {
    return this.store.put({ key, list, operations, undo, of, label, animated, base, order, tab, isSent, together });
  }

  async #run(list) {
    if (this.#lanes.has(list)) return;
    const patience = new Patience(), lane = { patience, trouble: "", most: this.options.most };
    const say = (trouble) => {
      if (lane.trouble === trouble) return;
      lane.trouble = trouble;
      this.options.onTrouble();
    };
    this.#lanes.set(list, lane);
    // Edits of the store come first.
    await this.#ready.catch(() => {});
    while (!this.#isClosed) {
      const entry = this.entries.find((one) => one.list === list);
      if (!entry) break;
      await entry.kept;
      try {
        await this.#send(this.#next(list, lane), lane);
        patience.reset();
        say("");
      } catch (error) {
        if (this.#isClosed) break;
        say(error.status === 401 ? "unauthorized" : "offline");
        patience.wanted = error.retryAfter ?? 0;
        await patience.pause();
      }
    }
    this.#lanes.delete(list);
  }

  /** The edits of a list that are sent next. Those in one write stay together, in this order, until it is answered. */
  #next(list, { most }) {
    const queued = this.entries.filter((one) => one.list === list), [first] = queued, write = [];
    if (first.isSent) return [first, ...queued.filter(({ key }) => first.together?.includes(key))];
    const undone = new Set(queued.map(({ of }) => of));
    let count = 0, characters = 0;
    for (const one of queued.slice(0, Math.max(Math.min(most, queued.length - newest), 1))) {
      const { key, operations } = one;
      count += operations.length;
      characters += JSON.stringify(operations).length;
      const isAlike = ["base", "label", "animated"].every((name) => one[name] === first[name]);
      // An edit that is undone needs a version of its own, and an undo is a request of its own.
      const fits = isAlike && operations.length > 0 && !undone.has(key) && count <= operationsMax &&
        characters <= charactersMax && one.isStored && !one.isSent && !(one.order <= write.at(-1)?.order);
      if (fits || write.length === 0) write.push(one);
      if (!fits) break;
    }
    return write;
  }

  /** @throws If it is not known what became of the edits, or it may go well later. */
  async #send(write, lane) {
    const [first, ...others] = write, { isSent } = first;
    if (!isSent) {
      if (first.of && !first.undo) return this.#end(write, [refusal("nothing_to_undo")]);
      // From here on the write is always sent as it is now: the server compares. One entry says all of it.
      this.#mark(first, others.map(({ key }) => key));
      try {
        await this.#keep(first);
      } catch {
        // After the end of the page nobody would know what was sent together.
        if (others.length > 0) {
          lane.most = 1;
          return this.#mark(first, null);
        }
      }
    }
    try {
      const options = { body: sending.body(write), key: first.key, isMinimal: others.length > 0 };
      const answer = await this.wire.ask("POST", sending.path(write), options);
      if (!this.#isClosed) await this.#end(write, outcomesOf(write, answer));
    } catch (error) {
      if (!(error instanceof Refused) || error.mayPass || error.status === 401) throw error;
      const { problem, status } = error, refused = { status: "refused", problem };
      // Keys are random: somebody who shares the store has sent this very edit, on another base; or the page has ended
      // between the answer to a write of several edits and the removal of the last of them.
      if (problem.code === "key_reused" && (isSent || others.length === 0)) {
        await this.#end(write, outcomesOf(write, { changed: false }));
      } else if (others.length === 0 || status === 404) await this.#end(write, write.map(() => refused));
      else {
        // Nothing was done. All wait again but the one that is the reason; if the server names none, fewer go together.
        let place = problem.op;
        const reason = write.find(({ operations }) => (place -= operations.length) < 0);
        await this.#keep({ ...first, isSent: false, together: null });
        this.#mark(first, null);
        if (reason) await this.#end([reason], [refused]);
        else lane.most = write.length >> 1;
      }
    }
  }

  /** Notes which edits are sent with this one; null if it waits again. */
  #mark(first, together) {
    first.isSent = together !== null;
    first.together = together;
  }

  /** Edits of one write have their outcomes. */
  async #end(write, outcomes) {
    const { onRefused, onSettled } = this.options, [{ version, changed }] = outcomes, [first, ...others] = write;
    this.entries = this.entries.filter((other) => !write.includes(other));
    // Only what was sent alone, and has changed something, has a version of its own, which may be taken back.
    const undoing = changed && others.length === 0 ? this.entries.filter(({ of }) => of === first.key) : [];
    for (const other of undoing) other.undo = version;
    onSettled(write, outcomes[0]);
    for (const other of undoing) {
      await other.kept;
      await this.#keep(other).catch(() => {});
    }
    // The first goes last, because it knows what was sent together.
    const removed = Promise.all(others.map(({ key }) => this.store.remove(key)));
    await removed.then(() => this.store.remove(first.key)).catch(() => {});
    write.forEach(({ key, list, label, operations }, index) => {
      const settle = this.#settle.get(key), outcome = outcomes[index];
      settle?.(outcome);
      this.#settle.delete(key);
      if (!["refused", "dropped"].includes(outcome.status)) return;
      if (onRefused) callBack(onRefused, { list, label, operations }, outcome);
      else if (!settle) console.warn(`An edit of ${list} that was kept is ${outcome.status}.`, operations, outcome);
    });
  }
}

// MARK: Stores, in which edits wait, so that they survive the end of the page or process.

/** The stores have the three functions of `Store` in client.d.ts. */
function openStore(kind, name) {
  if (kind === "indexeddb") return databaseStore(name);
  if (kind?.folder) return folderStore(kind.folder);
  if (kind?.all) return kind;
  if (kind !== "memory") throw new TypeError("store is memory, indexeddb, { folder } or a Store of client.d.ts.");
  const entries = new Map();
  return {
    all: async () => [...entries.values()],
    put: async (entry) => void entries.set(entry.key, entry),
    remove: async (key) => void entries.delete(key),
  };
}

/** IndexedDB. */
function databaseStore(name) {
  const answer = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const opening = indexedDB.open(`liststate ${name}`, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("edits", { keyPath: "key" });
  const opened = answer(opening);
  const inStore = async (mode, work) => {
    const transaction = (await opened).transaction("edits", mode, { durability: "strict" });
    const result = await answer(work(transaction.objectStore("edits")));
    if (mode === "readwrite") await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    return result;
  };
  return {
    all: () => inStore("readonly", (edits) => edits.getAll()),
    put: (entry) => inStore("readwrite", (edits) => edits.put(entry)),
    remove: (key) => inStore("readwrite", (edits) => edits.delete(key)),
  };
}

const isTooMany = ({ code }) => ["EMFILE", "ENFILE"].includes(code);
/** The ends of the last works with a file: 16 run at a time in a process. */ const fileEnds = Array(16).fill(Promise.resolve());
let fileTurn = 0;

/** Works with a file when it is its turn, and again as long as the process has too many files open. */
function withFile(work) {
  fileTurn = (fileTurn + 1) % fileEnds.length;
  const done = fileEnds[fileTurn].then(async () => {
    while (true) {
      try {
        return await work();
      } catch (error) {
        if (!isTooMany(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  });
  fileEnds[fileTurn] = done.catch(() => {});
  return done;
}

/** A folder, in Node: one file for each edit. A file is whole or not there. */
function folderStore(folder) {
  const opened = import("node:fs/promises").then(async (fs) => {
    await fs.mkdir(folder, { recursive: true });
    return fs;
  });
  return {
    async all() {
      const fs = await opened;
      const names = (await withFile(() => fs.readdir(folder))).filter((name) => name.endsWith(".json"));
      const entries = await Promise.all(names.map((name) => withFile(async () => {
        try {
          return JSON.parse(await fs.readFile(`${folder}/${name}`, "utf8"));
        } catch (error) {
          if (isTooMany(error)) throw error;
          // Another process may have removed it meanwhile.
          if (error.code !== "ENOENT") console.error(`${folder}/${name} is no edit.`, error);
        }
      })));
      return entries.filter((entry) => entry?.key);
    },
    async put(entry) {
      const fs = await opened, path = `${folder}/${entry.key}.json`;
      await withFile(async () => {
        const file = await fs.open(`${path}.new`, "w");
        try {
          await file.writeFile(JSON.stringify(entry));
          await file.sync();
        } finally {
          await file.close();
        }
        await fs.rename(`${path}.new`, path);
      });
    },
    remove: async (key) => (await opened).rm(`${folder}/${key}.json`, { force: true }),
  };
}
