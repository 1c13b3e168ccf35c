// The edits that the server has not answered yet. They are sent one by one, in order, until each has an answer.

/** How an edit is sent, so that the server does it once however often it comes. */
const sending = {
  path: ({ list, undo }) => pathOf(list, undo ? "undo" : "transactions"),
  body: ({ operations, undo, base, label }) => (undo ? { transaction: undo, label } : { operations, base, label }),
  /** Without a base that the server has no longer, the edit is done as its ids say now. Null for another refusal. */
  without: ({ base }, { problem }) => (base && problem.code === "unknown_base" ? { base: undefined } : null),
};

/** What became of an edit. */
function outcomeOf({ version, operations = [], warnings }) {
  const isAsAsked = operations.every(({ status }) => status === "applied");
  return { status: isAsAsked ? "applied" : "adjusted", version, operations, warnings };
}

class Queue {
  /** In order. @type {any[]} */ entries = [];
  /** What keeps the first of them from being sent: "" if nothing does. */ trouble = "";
  #ready;
  #order = 0;
  #isRunning = false;
  #isClosed = false;
  #patience = new Patience();
  #settle = new Map();
  /** The versions that edits have made, by their keys. */ #versions = new Map();

  /** @param {{onAdopted: (entry: any) => void, onSettled: any, onTrouble: () => void}} options */
  constructor(wire, store, tab, options) {
    Object.assign(this, { wire, store, tab, options });
    this.#ready = this.#load((entry) => !tab || entry.tab === tab);
    this.#ready.catch((error) => console.error("Edits of before cannot be read.", error));
  }

  /** Takes over what others have left behind. @param {(entry: any) => boolean} isLeft */
  async adopt(isLeft) {
    await this.#load(isLeft);
    this.#run();
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
    if (found.length > 0) this.#run();
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
    this.#run();
    return settled;
  }

  wake() {
    this.#patience.wake();
  }

  close() {
    this.#isClosed = true;
    this.#patience.wake();
  }

  #keep({ key, list, operations, undo, of, label, base, order, tab, isSent }) {
    return this.store.put({ key, list, operations, undo, of, label, base, order, tab, isSent });
  }

  async #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    await this.#ready.catch(() => {});
    while (this.entries.length > 0 && !this.#isClosed) {
      const entry = this.entries[0];
      await entry.kept;
      try {
        await this.#send(entry);
        this.#patience.reset();
        this.#say("");
      } catch (error) {
        if (this.#isClosed) break;
        this.#say(error.status === 401 ? "unauthorized" : "offline");
        this.#patience.wanted = error.retryAfter ?? 0;
        await this.#patience.pause();
      }
    }
    this.#isRunning = false;
  }

  /** @throws If it is not known what became of it, or it may go well later. */
  async #send(entry) {
    if (!entry.isSent) {
      if (entry.of) entry.undo = this.#versions.get(entry.of);
      if (entry.of && !entry.undo) return this.#end(entry, { status: "refused", problem: { code: "nothing_to_undo" } });
      // From here on it is always sent as it is now: the server compares.
      entry.isSent = true;
      await this.#keep(entry).catch(() => {});
    }
    try {
      const answer = await this.wire.ask("POST", sending.path(entry), { body: sending.body(entry), key: entry.key });
      if (this.#isClosed) return;
      this.#versions.set(entry.key, answer.version);
      await this.#end(entry, outcomeOf(answer));
    } catch (error) {
      if (!(error instanceof Refused) || error.mayPass || error.status === 401) throw error;
      const other = sending.without(entry, error);
      if (!other) return this.#end(entry, { status: "refused", problem: error.problem });
      Object.assign(entry, other);
      await this.#keep(entry).catch(() => {});
    }
  }

  async #end(entry, outcome) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.options.onSettled(entry, outcome);
    await this.store.remove(entry.key).catch(() => {});
    this.#settle.get(entry.key)?.(outcome);
    this.#settle.delete(entry.key);
  }

  #say(trouble) {
    if (this.trouble === trouble) return;
    this.trouble = trouble;
    this.options.onTrouble();
  }
}

// MARK: Where edits wait, so that they survive the end of the page or process.

/** The stores have the three functions of `Store` in client.d.ts. */
function openStore(kind, name) {
  if (kind === "indexeddb") return databaseStore(name);
  if (kind?.folder) return folderStore(kind.folder);
  if (kind?.all) return kind;
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
      return Promise.all(names.map(async (name) => JSON.parse(await fs.readFile(`${folder}/${name}`, "utf8"))));
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
