// ListState's client: lists that are live, are edited at once, and keep edits until the server has them.
//
//   import { connect } from "/client.js";
//   const list = connect({ url: "", store: "indexeddb" }).list("groceries");
//   list.subscribe(() => render(list.getSnapshot()));
//   list.edit((e) => e.move("bee", { before: "fox" }));
//
// The types are in client.d.ts. Nothing here needs a package; it runs in browsers and in Node 18.

// Node 18 has it in a module only.
const webCrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

/** The epoch and the revision of a version. */
function partsOf(version) {
  const dash = version.lastIndexOf("-");
  return [version.slice(0, dash), Number(version.slice(dash + 1))];
}

/** Whether `version` is at or before `held`. Versions of two epochs do not compare. */
function isKnown(version, held) {
  if (!version || !held) return false;
  const [epoch, revision] = partsOf(version);
  const [heldEpoch, heldRevision] = partsOf(held);
  return epoch === heldEpoch && revision <= heldRevision;
}

/** Whether two values of JSON are equal. */
function isEqual(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}

/** As JSON says it, and of its own. @throws {TypeError} If JSON cannot say it. */
function copyOf(value) {
  return JSON.parse(JSON.stringify(value));
}

/** Calls what the application has given. An error in it is told as such, and stops nothing here. */
function callBack(listener, ...given) {
  try {
    listener(...given);
  } catch (error) {
    (globalThis.reportError ?? console.error)(error);
  }
}

/** A JSON merge patch (RFC 7396). */
function merged(target, patch) {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  // Maps, because a member may be called __proto__.
  const members = new Map(isObject ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** 128 random bits, also where `crypto.randomUUID` is kept from pages without TLS. */
function makeKey() {
  const bytes = webCrypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Which of the elements may stay where they are: a heaviest part that is in ascending order of ranks. */
function heaviestOrder(ranks, weights) {
  const size = ranks.reduce((most, rank) => Math.max(most, rank), 0) + 1;
  // A Fenwick tree: the best end of a part below a rank.
  const ends = new Int32Array(size + 1).fill(-1);
  const sums = new Float64Array(ranks.length), before = new Int32Array(ranks.length);
  let best = -1;
  for (let i = 0; i < ranks.length; i += 1) {
    let end = -1;
    for (let at = ranks[i]; at > 0; at -= at & -at) {
      if (ends[at] >= 0 && (end < 0 || sums[ends[at]] > sums[end])) end = ends[at];
    }
    before[i] = end;
    sums[i] = weights[i] + (end < 0 ? 0 : sums[end]);
    if (best < 0 || sums[i] > sums[best]) best = i;
    for (let at = ranks[i] + 1; at <= size; at += at & -at) {
      if (ends[at] < 0 || sums[i] > sums[ends[at]]) ends[at] = i;
    }
  }
  const stays = new Uint8Array(ranks.length);
  for (; best >= 0; best = before[best]) stays[best] = 1;
  return stays;
}
