// A client: what its lists share.

class Client {
  lists = new Set();
  #isClosed = false;
  #tab = "";
  #end = () => {};
  #timer = 0;
  #onOnline = () => {
    this.feeds.wake();
    this.queue.wake();
  };

  constructor({ url = "", token, store = "memory", name = "default", onRefused, fetch }) {
    const place = `liststate ${url} ${name}`;
    const isShared = store === "indexeddb" && Boolean(globalThis.navigator?.locks && globalThis.BroadcastChannel);
    this.wire = new Wire(url, token, fetch);
    if (isShared) {
      this.#tab = makeKey();
      const until = new Promise((resolve) => (this.#end = resolve));
      navigator.locks.request(`${place} ${this.#tab}`, () => until).catch(() => {});
    }
    this.queue = new Queue(this.wire, openStore(store, `${url} ${name}`), this.#tab, {
      // Without locks all tabs send what is in the store, so that each edit keeps its own key.
      most: store === "indexeddb" && !isShared ? 1 : operationsMax,
      onAdopted: (found) => this.lists.forEach((list) => list.adopt(found)),
      onSettled: (write, outcome) => this.listsOf(write[0].list).forEach((list) => list.settle(write, outcome)),
      onTrouble: () => this.lists.forEach((list) => list.noteStatus()),
      onRefused,
    }, (queue) => (isShared ? this.#adoptOrphans(queue, place) : queue.adopt(() => true)));
    this.feeds = new Feeds(this.wire, isShared ? place : null, () => this.#goOnAdopting(place));
    globalThis.addEventListener?.("online", this.#onOnline);
  }

  list(id, options = {}) {
    if (this.#isClosed) throw new Error("This client is closed.");
    const isID = typeof id === "string" && /^[a-z0-9][a-z0-9._-]{0,127}$/.test(id);
    if (!isID) throw new TypeError(`${id} is no id of a list: a-z, 0-9, ".", "_" and "-".`);
    const list = new List(this, id, options);
    this.lists.add(list);
    return list;
  }

  listsOf(id) {
    return [...this.lists].filter((list) => list.id === id);
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const list of [...this.lists]) list.close();
    clearTimeout(this.#timer);
    globalThis.removeEventListener?.("online", this.#onOnline);
    this.queue.close();
    this.feeds.close();
    this.#end();
  }

  /** Takes over what tabs have left behind that are closed: those whose lock is free. */
  async #adoptOrphans(queue, place) {
    const tabs = new Set((await queue.store.all()).map(({ tab }) => tab ?? ""));
    tabs.delete(this.#tab);
    for (const tab of tabs) {
      await navigator.locks.request(`${place} ${tab}`, { ifAvailable: true },
        (lock) => lock && queue.adopt((entry) => (entry.tab ?? "") === tab));
    }
  }

  /** The leader does so from time to time, for tabs that have closed meanwhile. */
  async #goOnAdopting(place) {
    await this.#adoptOrphans(this.queue, place).catch((error) => console.error("Edits of closed tabs cannot be read.", error));
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#goOnAdopting(place), delayMax);
  }
}

/** A client of the server at `url`: the types in client.d.ts say what it takes and has. */
export function connect(options = {}) {
  return new Client(options);
}
