// The lists of the server as they are now, for the sidebar and the gallery. No stream tells of lists that come and go, so
// the page asks again and again, as long as somebody looks, and less often where there are many.

import { Unreachable, ask, askAnew } from "./api.js";
import { heldToken, noteRefusal } from "./token.js";

/**
 * @typedef {{id: string, title: string, counts?: any, summary?: string, isSample?: boolean}} Entry
 * @typedef {{entries: Entry[], absent: Entry[], isKnown: boolean, isWhole: boolean, failure: string}} Lists Own lists come
 *   first. `absent` are samples that the server could have. There may be more lists if they are not whole.
 */

/** Between two looks; after a first failure, and at most after others. */
const lookMilliseconds = 5_000;
const retryMilliseconds = 500;
const delayMax = 8_000;
/** So many lists are looked at, and so much longer is a wait for each of them. */
const listsMax = 1_000;
const listMilliseconds = 20;

/** @type {Lists} */
let lists = none();
/** @type {Set<(lists: Lists) => void>} */
const listeners = new Set();
let samples = null;
/** The newest answer, by whose tag the next look asks whether it still holds; null if there is none. */
let held = null;
let seen = "";
let timer = 0;
let delay = lookMilliseconds;
let away = false;
/** A look that has begun. @type {Promise<void> | null} */
let look = null;

/** @param {(lists: Lists) => void} listener Is called at once, and with each change. @returns {() => void} Ends that. */
export function followLists(listener) {
  listeners.add(listener);
  listener(lists);
  refreshLists();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearTimeout(timer);
  };
}

export const knownLists = () => lists;

/** The lists, as soon as it is known which there are; without any if that cannot be found out. @returns {Promise<Lists>} */
export async function foundLists() {
  if (!lists.isKnown) await (look ?? refreshLists());
  return lists;
}

/** Forgets what somebody else was shown. */
export function forgetLists() {
  seen = "";
  held = null;
  lists = none();
}

/** @returns {Lists} */
function none() {
  return { entries: [], absent: [], isKnown: false, isWhole: true, failure: "" };
}

/** Looks now. @returns {Promise<void>} Ends with an answer that was asked for after this call, or a failure. */
export async function refreshLists() {
  await look;
  look ??= lookNow().finally(() => {
    look = null;
    wait();
  });
  return look;
}

/** While the server cannot be reached there is nothing to see. @param {boolean} isAway */
export function noteAway(isAway) {
  if (isAway === away) return;
  away = isAway;
  if (away) clearTimeout(timer);
  else if (listeners.size > 0) refreshLists();
}

function wait() {
  clearTimeout(timer);
  if (!away && listeners.size > 0 && !document.hidden) timer = setTimeout(refreshLists, delay);
}

async function lookNow() {
  const token = heldToken();
  try {
    const [all, known] = await Promise.all([
      askAnew(`/v1/lists?limit=${listsMax}`, held?.tag ?? "", token),
      samples ?? ask("GET", "/v1/samples", { token }).then((answer) => answer.samples),
    ]);
    if (token !== heldToken()) return;
    samples = known;
    held = all ?? held;
    const elements = held?.json?.lists ?? [];
    delay = Math.max(lookMilliseconds, elements.length * listMilliseconds);
    take(arranged({ elements, isWhole: held?.isWhole ?? true }, known));
  } catch (error) {
    if (token !== heldToken()) return;
    delay = lists.failure ? Math.min(delay * 2, delayMax) : retryMilliseconds;
    const text = error instanceof Unreachable || error.mayPass ? `${error.message} Trying again.` : error.message;
    take({ ...lists, failure: text });
    if (error.status === 401 && listeners.size > 0) noteRefusal();
  }
}

function take(now) {
  const text = JSON.stringify(now);
  if (text === seen) return;
  seen = text;
  lists = now;
  for (const listener of [...listeners]) listener(lists);
}

/** Samples in their own order, with what they say of themselves, behind the other lists. @returns {Lists} */
function arranged({ elements, isWhole }, known) {
  const byId = new Map(elements.map(({ id, title, counts }) => [id, { id, title, counts }]));
  const isSample = new Set(known.map((sample) => sample.id));
  const installed = known.filter(({ id }) => byId.has(id))
    .map(({ id, summary }) => ({ ...byId.get(id), summary, isSample: true }));
  return {
    entries: [...[...byId.values()].filter(({ id }) => !isSample.has(id)), ...installed],
    absent: isWhole ? known.filter(({ id }) => !byId.has(id)) : [], isKnown: true, isWhole, failure: "",
  };
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else if (listeners.size > 0) refreshLists();
});
