// The feeds of a client. All tabs of a browser share those of one tab, their leader.

const recentMax = 64;

class Feeds {
  #feeds = new Map();
  /** By view and list: what in this tab wants the events. @type {Map<string, Set<any>>} */ #takers = new Map();
  /** By view and list: the newest events, which a tab that comes late may have missed. */ #recent = new Map();
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
      // Other tabs may still want it. It is dropped when another tab leads.
      if (this.#channel) return;
      const feed = this.#feeds.get(feedKey(taker));
      feed?.drop(taker.list);
      if (feed?.lists.size === 0) this.#feeds.delete(feedKey(taker));
    };
  }

  /** The network is back. */
  wake() {
    for (const feed of this.#feeds.values()) if (feed.state !== "live") feed.connect();
  }

  close() {
    for (const feed of this.#feeds.values()) feed.close();
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
    const key = feedKey({ view, list });
    if (!this.#feeds.has(key)) {
      this.#feeds.set(key, new Feed(this.wire, view, (event) => this.#spread({ kind: "event", view, ...event }),
        (state) => this.#spread({ kind: "state", view, state })));
    }
    const feed = this.#feeds.get(key);
    this.#spread({ kind: "state", view, state: feed.state });
    if (!feed.lists.has(list)) return feed.follow(list, version);
    const recent = this.#recent.get(`${view} ${list}`) ?? [];
    const missed = recent.slice(recent.findIndex(({ since }) => since === version)).filter(() => version);
    const isKnown = recent.some(({ since }) => since === version);
    if (isKnown && missed.length > 0) for (const event of missed) this.#spread(event, true);
    else this.#spread({ kind: "event", view, list, name: "have", to: feed.lists.get(list) }, true);
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
    if (message.kind === "leader") this.#wantAll();
    else if (message.kind === "want") this.#isLeader && this.#join(message.view, message.list, message.version);
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

/** The server sends windows only of one list at a time. */
function feedKey({ view, list }) {
  return view.includes("around=") ? `${view} ${list}` : view;
}
