// The feeds of a client. All tabs of a browser share those of one tab, their leader.

const recentMax = 64;
/** Of one stream, and of its address. */
const listsMax = 100, bytesMax = 5_000;
/** A browser has six connections to a server that speaks HTTP/1.1, and writes need one. */
const streamsMax = 4;
/** In which other tabs say what they want. */
const tabsMax = 1_000;

class Feeds {
  /** By view. @type {Map<string, Feed[]>} */ #feeds = new Map();
  /** By view and list: what in this tab wants the events. @type {Map<string, Set<any>>} */ #takers = new Map();
  /** By view and list: the newest events, which a tab that comes late may have missed. */ #recent = new Map();
  /** By view and list: what is dropped if no tab says that it wants it. */ #leaving = new Map();
  #channel = null;
  #isLeader = true;
  #end = () => {};

  /** @param {string | null} name Of what the tabs share; null to share nothing. */
  constructor(wire, name, onLeader) {
    this.wire = wire;
    if (name === null) return;
    this.#isLeader = false;
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    navigator.locks.request(name, () => new Promise((resolve) => {
      this.#end = resolve;
      this.#isLeader = true;
      // The others say what they want, too.
      this.#channel.postMessage({ kind: "leader" });
      this.#wantAll();
      onLeader();
    })).catch(() => {});
  }

  /** @param {{list: string, view: string, version: string, take: (event: any) => void, onState: any}} taker */
  follow(taker) {
    const key = `${taker.view} ${taker.list}`;
    if (!this.#takers.has(key)) this.#takers.set(key, new Set());
    this.#takers.get(key).add(taker);
    this.#want(taker);
    return () => {
      this.#takers.get(key).delete(taker);
      if (this.#takers.get(key).size > 0) return;
      this.#takers.delete(key);
      const { view, list } = taker;
      if (!this.#channel) this.#drop(view, list);
      else if (this.#isLeader) this.#release(view, list);
      else this.#channel.postMessage({ kind: "left", view, list });
    };
  }

  /** The leader drops what neither it nor, after it has asked, another tab wants. */
  #release(view, list) {
    const key = `${view} ${list}`;
    clearTimeout(this.#leaving.get(key));
    if (this.#takers.has(key)) return;
    // Windows follow each other fast, and each is a connection. Another tab that has the same one asks for it again.
    if (view.includes("around=")) this.#drop(view, list);
    else this.#leaving.set(key, setTimeout(() => this.#takers.has(key) || this.#drop(view, list), tabsMax));
    this.#channel.postMessage({ kind: "asks", view, list });
  }

  #drop(view, list) {
    const feeds = this.#feeds.get(view) ?? [];
    for (const feed of feeds) feed.drop(list);
    this.#feeds.set(view, feeds.filter(({ lists }) => lists.size > 0));
    this.#recent.delete(`${view} ${list}`);
    this.#leaving.delete(`${view} ${list}`);
  }

  /** The network is back. */
  wake() {
    for (const feed of [...this.#feeds.values()].flat()) if (feed.state !== "live") feed.connect();
  }

  close() {
    for (const feed of [...this.#feeds.values()].flat()) feed.close();
    this.#channel?.close();
    this.#end();
  }

  #wantAll() {
    for (const takers of this.#takers.values()) for (const taker of takers) this.#want(taker);
  }

  #want({ view, list, version }) {
    if (this.#isLeader) this.#join(view, list, version);
    else this.#channel.postMessage({ kind: "want", view, list, version });
  }

  /** Tells of a list from a version on; of the past as far as it is known here. */
  #join(view, list, version) {
    clearTimeout(this.#leaving.get(`${view} ${list}`));
    const feed = this.#feedOf(view, list);
    this.#spread({ kind: "state", view, state: feed.state });
    // A stream that has told that a list is gone tells nothing of it when it is back.
    if ((feed.lists.get(list) ?? null) === null) return feed.follow(list, version);
    const recent = this.#recent.get(`${view} ${list}`) ?? [];
    const at = version ? recent.findIndex(({ since }) => since === version) : -1;
    if (at < 0) this.#spread({ kind: "event", view, list, name: "have", to: feed.lists.get(list) }, true);
    else for (const event of recent.slice(at)) this.#spread(event, true);
  }

  /** The feed that tells of a list, or may. The server sends windows only of one list at a time. */
  #feedOf(view, list) {
    const feeds = this.#feeds.get(view) ?? [];
    this.#feeds.set(view, feeds);
    const hasRoom = ({ lists }) => lists.size < (view.includes("around=") ? 1 : listsMax) &&
      [...lists.keys()].join("").length + 40 * lists.size < bytesMax;
    const found = feeds.find(({ lists }) => lists.has(list)) ?? feeds.find(hasRoom);
    if (found) return found;
    const feed = new Feed(this.wire, view, (event) => this.#spread({ kind: "event", view, ...event }),
      (state) => this.#spread({ kind: "state", view, state }));
    feeds.push(feed);
    if (globalThis.document && [...this.#feeds.values()].flat().length === streamsMax + 1) {
      console.warn("More than 4 streams: with HTTP/1.1 a browser has 6 connections (docs/javascript.md, Views).");
    }
    return feed;
  }

  /** To this tab and to the others. */
  #spread(message, isOld = false) {
    if (message.kind === "event" && !isOld) {
      const key = `${message.view} ${message.list}`;
      const recent = this.#recent.get(key) ?? [];
      recent.push(message);
      if (recent.length > recentMax) recent.shift();
      this.#recent.set(key, message.name === "change" || message.name === "id" ? recent : []);
    }
    this.#channel?.postMessage(message);
    this.#deliver(message);
  }

  #hear(message) {
    const { kind, view, list } = message;
    if (kind === "leader") this.#wantAll();
    else if (kind === "want") this.#isLeader && this.#join(view, list, message.version);
    else if (kind === "left") this.#isLeader && this.#release(view, list);
    else if (kind === "asks") for (const taker of this.#takers.get(`${view} ${list}`) ?? []) this.#want(taker);
    else this.#deliver(message);
  }

  #deliver(message) {
    for (const takers of [...this.#takers.values()]) {
      for (const taker of [...takers]) {
        if (taker.view !== message.view) continue;
        if (message.kind === "state") taker.onState(message.state);
        else if (taker.list === message.list) taker.take(message);
      }
    }
  }
}
