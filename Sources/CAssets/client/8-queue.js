// The edits that the server has not answered yet. Those of a list are sent one by one, in order, until it has.

/** How an edit is sent, so that the server does it once however often it comes. */
const sending = {
  path: ({ list, undo }) => pathOf(list, undo ? "undo" : "transactions"),
  /** On a base that the server has no longer, the edit is done as its ids say then. */
  body: ({ operations, undo, base, label, animated }) =>
    (undo ? { transaction: undo, label } : { operations, base, onLostBase: base && "reapply", label, animated }),
};

/** The outcome of an edit. */
function outcomeOf({ version, changed, operations = [], warnings }) {
  const status = ["applied", "dropped"].find((all) => operations.every((one) => one.status === all)) ?? "adjusted";
  return { status, version, changed, operations, warnings };
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

  /** @param {{onAdopted: (entry: any) => void, onSettled: any, onTrouble: () => void, onRefused?: any}} options */
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
    const known = new Set(this.entries.map(({ key }) => key));
    const found = (await this.store.all()).filter((entry) => isWanted(entry) && !known.has(entry.key));
    found.sort((a, b) => a.order - b.order);
    this.#order = found.reduce((most, { order }) => Math.max(most, order), this.#order);
    const fresh = this.entries.filter(({ isStored }) => !isStored);
    this.entries = [...this.entries.filter(({ isStored }) => isStored), ...found, ...fresh];
    for (const entry of found) {
      entry.isStored = true;
      if (entry.tab !== this.tab) await this.#keep(Object.assign(entry, { tab: this.tab }));
      this.options.onAdopted(entry);
    }
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

  #keep({ key, list, operations, undo, of, label, animated, base, order, tab, isSent }) {
    return this.store.put({ key, list, operations, undo, of, label, animated, base, order, tab, isSent });
  }

  async #run(list) {
    if (this.#lanes.has(list)) return;
    const patience = new Patience(), lane = { patience, trouble: "" };
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
        await this.#send(entry);
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

  /** @throws If it is not known what became of it, or it may go well later. */
  async #send(entry) {
    if (!entry.isSent) {
      if (entry.of && !entry.undo) return this.#end(entry, refusal("nothing_to_undo"));
      // From here on it is always sent as it is now: the server compares.
      entry.isSent = true;
      await this.#keep(entry).catch(() => {});
    }
    try {
      const answer = await this.wire.ask("POST", sending.path(entry), { body: sending.body(entry), key: entry.key });
      if (!this.#isClosed) await this.#end(entry, outcomeOf(answer));
    } catch (error) {
      if (!(error instanceof Refused) || error.mayPass || error.status === 401) throw error;
      const { problem } = error;
      // Keys are random: somebody who shares the store has sent this very edit, on another base.
      if (problem.code === "key_reused") await this.#end(entry, outcomeOf({ changed: false }));
      else await this.#end(entry, { status: "refused", problem });
    }
  }

  async #end(entry, outcome) {
    const { key, list, label, operations } = entry, { onRefused, onSettled } = this.options;
    const settle = this.#settle.get(key);
    this.entries = this.entries.filter((other) => other !== entry);
    // Only what has changed something has a version of its own, which may be taken back.
    const undoing = outcome.changed ? this.entries.filter(({ of }) => of === key) : [];
    for (const other of undoing) other.undo = outcome.version;
    onSettled(entry, outcome);
    for (const other of undoing) {
      await other.kept;
      await this.#keep(other).catch(() => {});
    }
    await this.store.remove(key).catch(() => {});
    settle?.(outcome);
    this.#settle.delete(key);
    if (!["refused", "dropped"].includes(outcome.status)) return;
    if (onRefused) callBack(onRefused, { list, label, operations }, outcome);
    else if (!settle) console.warn(`An edit of ${list} that was kept is ${outcome.status}.`, operations, outcome);
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

/** A folder, in Node: one file for each edit. A file is whole or not there. */
function folderStore(folder) {
  const opened = import("node:fs/promises").then(async (fs) => {
    await fs.mkdir(folder, { recursive: true });
    return fs;
  });
  return {
    async all() {
      const fs = await opened;
      const names = (await fs.readdir(folder)).filter((name) => name.endsWith(".json"));
      const entries = await Promise.all(names.map(async (name) => {
        try {
          return JSON.parse(await fs.readFile(`${folder}/${name}`, "utf8"));
        } catch (error) {
          console.error(`${folder}/${name} is no edit.`, error);
        }
      }));
      return entries.filter((entry) => entry?.key);
    },
    async put(entry) {
      const fs = await opened, path = `${folder}/${entry.key}.json`;
      const file = await fs.open(`${path}.new`, "w");
      await file.writeFile(JSON.stringify(entry));
      await file.sync();
      await file.close();
      await fs.rename(`${path}.new`, path);
    },
    remove: async (key) => (await opened).rm(`${folder}/${key}.json`, { force: true }),
  };
}
