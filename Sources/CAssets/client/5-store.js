// Where edits wait until the server has them, so that they survive the end of the page or process.

/** @typedef {{all: () => Promise<any[]>, put: (entry: any) => Promise<void>, remove: (key: string) => Promise<void>}} Store */

/** @returns {Store} */
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
