// The lists of this tab: one client of /client.js, which shares its stream with all tabs of the same token.

import { toast } from "../base/dom.js";
import { Held } from "./held.js";
import { heldToken, wantedToken } from "./token.js";
import { connect } from "/client.js";

/** @type {import("../../client.js").Client | null} */
let client = null;
/** Edits of this tab without an answer. */
let waiting = 0;
/** The list that is shown. */
let shown = "";
/** Hears of each write that is sent, and again of its answer. @type {(sent: import("./api.js").Sent) => void} */
let onSent = () => {};

/**
 * Follows a list. @param {string} id @param {typeof onSent} hear Of each write.
 * @param {{item?: string, search?: string}} place What is looked at first in a long list. @returns {Held}
 */
export function openList(id, hear, place) {
  shown = id;
  onSent = hear;
  client ??= begin();
  return new Held(client, id, place);
}

/** Counts an edit until it has its answer. @template T @param {Promise<T>} settled @returns {Promise<T>} */
export function counted(settled) {
  const owner = client;
  waiting += 1;
  return settled.finally(() => {
    if (owner === client) waiting -= 1;
  });
}

/** Lets go of the client: edits that it has not sent are kept for the next one of the same token. */
export function end() {
  client?.close();
  client = null;
  waiting = 0;
}

/** There is another token: edits that wait for one go on with it. */
export function takeToken() {
  if (waiting === 0) end();
}

/** Whether all tabs share one stream. Else each of them takes a connection, of which a browser has but six. */
export const isShared = Boolean(navigator.locks && globalThis.BroadcastChannel);

function begin() {
  const options = { name: markOf(heldToken()), token: wantedToken, onRefused: tell, fetch: send };
  try {
    return connect({ ...options, store: "indexeddb" });
  } catch {
    // A browser may keep nothing for pages.
    return connect(options);
  }
}

/** Tells tokens apart, and nothing of them. @param {string} token */
function markOf(token) {
  let mark = 0;
  for (const letter of token) mark = Math.imul(mark, 31) + (letter.codePointAt(0) ?? 0) | 0;
  return (mark >>> 0).toString(36);
}

async function send(path, options) {
  if (options.method !== "POST") return fetch(path, options);
  const sent = { method: "POST", path, body: JSON.parse(options.body) };
  onSent(sent);
  const begun = performance.now();
  const response = await fetch(path, options);
  onSent(Object.assign(sent, { status: response.status, milliseconds: performance.now() - begun }));
  return response;
}

/** An edit that will never be done, and does not show any more. */
function tell({ list }, { status, problem }) {
  const text = status === "dropped" ? "Nothing was changed: others have changed or deleted it."
    : `Refused: ${problem.detail ?? problem.title ?? problem.code}`;
  toast(list === shown ? text : `${list}: ${text}`);
}
