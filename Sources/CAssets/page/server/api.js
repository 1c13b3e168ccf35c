// Requests of the page itself: the lists of the server, its samples, and the reason why a list is missing.

import { askForToken, authorization, heldToken, isSignedInSince, noteRefusal } from "./token.js";

/** @typedef {{method: string, path: string, body?: any, status?: number, milliseconds?: number}} Sent */

/** Between two attempts at a write; with the last one it is over. */
const delays = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];
/** The longest wait between two attempts at what is only read. */
const readDelayMax = 8_000;
/** An answer that takes longer is taken for lost. */
const answerMilliseconds = 20_000;

/** What the server refused, in its own words (RFC 9457). */
export class Refused extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(status === 401 ? "Sign in to do this." : problem?.detail || problem?.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem ?? {};
  }

  /** Whether the server, or a proxy before it, is busy or stops, or still does what was sent before. */
  get mayPass() {
    return this.problem.code === "key_in_flight" || [408, 429, 500, 502, 503, 504].includes(this.status);
  }

  /** Whether what was asked for may have been done. */
  get isInDoubt() {
    return this.mayPass && this.status !== 429;
  }
}

/** Nothing came back, or not all of it. What was asked for may have been done. */
export class Unreachable extends Error {
  mayPass = true;
  isInDoubt = true;

  constructor() {
    super("The server cannot be reached.");
  }
}

/** A person has stopped it. What was asked for may have been done. */
export class Stopped extends Error {
  mayPass = false;
  isInDoubt = true;

  constructor() {
    super("Stopped.");
  }
}

/** Whether the server gives somebody else another answer, so that signing in, or out, changes something. */
export let usesTokens = false;

/**
 * @param {string} method
 * @param {string} path With its query.
 * @param {{key?: string, token?: string, body?: any, signal?: AbortSignal}} [options] The key makes a write safe to be sent
 *   again. A token that is given is only tried.
 * @returns {Promise<any>} The JSON of the answer; null if it has none.
 * @throws {Refused | Unreachable | Stopped}
 */
export async function ask(method, path, options = {}) {
  return (await answerOf(method, path, options)).json;
}

/**
 * The elements of a collection, page by page.
 * @param {string} path
 * @param {string} name Of the member that holds the elements.
 * @returns {Promise<any[]>}
 */
export async function askAll(path, name) {
  const elements = [];
  for (let next = path; next;) {
    const { json, link } = await answerOf("GET", next, {});
    elements.push(...(json?.[name] ?? []));
    next = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1] ?? "";
  }
  return elements;
}

/**
 * The first page of a collection, unless it is as it was.
 * @param {string} path @param {string} tag Of an answer of before; empty if there is none. @param {string} token
 * @returns {Promise<{json: any, tag: string, isWhole: boolean} | null>} Null if it is as it was.
 */
export async function askAnew(path, tag, token) {
  const answer = await answerOf("GET", path, { token, tag });
  return answer.status === 304 ? null : { json: answer.json, tag: answer.tag, isWhole: !/rel="next"/.test(answer.link) };
}

async function answerOf(method, path, { key, token, body, signal, tag }) {
  const sent = token ?? heldToken();
  const headers = { Accept: "application/json", ...authorization(sent) };
  if (tag) headers["If-None-Match"] = tag;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  const late = AbortSignal.timeout(answerMilliseconds), ends = signal ? AbortSignal.any([late, signal]) : late;
  let response, text;
  try {
    const content = body === undefined ? undefined : JSON.stringify(body);
    response = await fetch(path, { method, headers, signal: ends, cache: "no-store", body: content });
    text = await response.text();
  } catch {
    throw signal?.aborted ? new Stopped() : new Unreachable();
  }
  usesTokens ||= response.status === 401 || /(^|,) *private/.test(response.headers.get("Cache-Control") ?? "");
  if (response.status === 401 && token === undefined) noteUnknown(method, sent);
  const { status } = response;
  if (!response.ok && (status !== 304 || !tag)) throw new Refused(status, parsed(text));
  return { status, json: parsed(text), link: response.headers.get("Link") ?? "", tag: response.headers.get("ETag") ?? "" };
}

/**
 * Without a token one may go on looking at what everybody may see, unless a window waits for the answer.
 * @param {string} method @param {string} token With which the request was sent. Of another one, this says nothing.
 */
export function noteUnknown(method, token) {
  if (token !== heldToken()) return;
  if (method === "GET") noteRefusal();
  else if (heldToken() || document.querySelector("dialog[open]")) askForToken();
}

/** Does it again once somebody has signed in, if the server wants that. @template T @param {() => Promise<T>} attempt @returns {Promise<T>} */
export async function withSignIn(attempt) {
  for (;;) {
    const token = heldToken();
    try {
      return await attempt();
    } catch (error) {
      if (error.status !== 401 || !await isSignedInSince(token)) throw error;
    }
  }
}

export function parsed(text) {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Sends a write until its answer is known, each time with the same key: the server does it once however often it comes.
 * @param {string} path
 * @param {() => void} onDoubt Called when an answer is lost and the write is about to be sent again.
 * @param {{method?: string, body?: any, key?: string, signal?: AbortSignal, send?: typeof ask}} [write] POST without a body
 *   if left out. The key is that of an earlier attempt at the same write.
 * @returns {Promise<any>} The JSON of the answer.
 * @throws {Refused | Unreachable | Stopped} It may have been done if the error says `isInDoubt`.
 */
export async function deliver(path, onDoubt, { method = "POST", body, key = makeKey(), signal, send = ask } = {}) {
  let isLost = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await withSignIn(() => send(method, path, { key, body, signal }));
    } catch (error) {
      isLost ||= error.isInDoubt;
      if (!error.mayPass || attempt === delays.length) throw isLost && isAhead(error) ? Object.assign(error, { leavesDoubt: true }) : error;
    }
    onDoubt();
    await pause(delays[attempt] * (0.75 + Math.random() / 2), signal);
  }
}

/** Whether the server has said this before it looked for an earlier attempt. */
export function isAhead(error) {
  return [401, 403, 429].includes(error.status);
}

/** One that no other write has. */
export function makeKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Reads until it goes well, as long as what fails may go well later.
 * @param {() => Promise<any>} attempt
 * @param {{isWanted: () => boolean, onFailure: (text: string, error: any) => void}} options
 */
export async function persist(attempt, { isWanted, onFailure }) {
  for (let delay = 500; isWanted(); delay = Math.min(delay * 2, readDelayMax)) {
    try {
      return void await attempt();
    } catch (error) {
      if (!isWanted()) return;
      onFailure(error.mayPass ? `${error.message} Trying again.` : error.message, error);
      if (!error.mayPass) return;
    }
    await pause(delay);
  }
}

/** Until the time is over or the network is back, or somebody stops it. @param {number} milliseconds @param {AbortSignal} [signal] */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal?.removeEventListener("abort", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
    signal?.addEventListener("abort", end);
  });
}

/** @param {string} list */
export function pathOf(list) {
  return `/v1/lists/${encodeURIComponent(list)}`;
}

/**
 * The request as a line for a POSIX shell, which takes what stands in single quotes as it is.
 * @param {Sent} sent
 * @param {string} origin
 */
export function curlLine({ method, path, body }, origin) {
  const words = ["curl", "-X", method];
  // The shell puts it in, so that a line that is shown to others has no secret.
  if (heldToken()) words.push("-H", '"Authorization: Bearer $LISTSTATE_TOKEN"');
  if (body !== undefined) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  words.push(quoted(origin + path));
  return words.join(" ");
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
