// Requests to the server, its problems as errors, and each write as a line for a shell.

import { askForToken, authorization, heldToken } from "./token.js";

/** @typedef {{method: string, path: string, body?: any}} Sent */

/** What the server refused, in its own words (RFC 9457). */
export class Refused extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(status === 401 ? "This takes a token." : problem?.detail || problem?.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem ?? {};
  }
}

/** Nothing came back, or not all of it. What was asked for may have been done. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

/** Whether the server gives somebody else another answer, so that signing in, or out, changes something. */
export let usesTokens = false;

/**
 * @param {string} method
 * @param {string} path With its query.
 * @param {{body?: any, key?: string, signal?: AbortSignal, token?: string}} [options] The key makes a write safe to be sent
 *   again. A token other than that of the page is only tried.
 * @returns {Promise<any>} The JSON of the answer; null if it has none.
 * @throws {Refused | Unreachable}
 */
export async function ask(method, path, options = {}) {
  return (await answerOf(method, path, options)).json;
}

/** All pages of a collection. @param {string} path @param {string} name Of the member that holds the elements. */
export async function askAll(path, name) {
  const elements = [];
  let next = path;
  while (next) {
    const { json, link } = await answerOf("GET", next, {});
    elements.push(...(json?.[name] ?? []));
    next = /<([^>]*)>\s*;\s*rel="next"/.exec(link)?.[1] ?? "";
  }
  return elements;
}

async function answerOf(method, path, { body, key, signal, token }) {
  const headers = { Accept: "application/json", ...authorization(token) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  const data = body === undefined ? undefined : JSON.stringify(body);
  let response, text;
  try {
    response = await fetch(path, { method, headers, body: data, signal, cache: "no-store" });
    text = await response.text();
  } catch {
    throw new Unreachable();
  }
  const json = parsed(text);
  usesTokens ||= response.status === 401 || /(^|,) *private/.test(response.headers.get("Cache-Control") ?? "");
  if (response.status === 401 && token === undefined) noteUnknown(method);
  if (!response.ok) throw new Refused(response.status, json);
  return { json, link: response.headers.get("Link") ?? "" };
}

/** Without a token one may go on looking at what everybody may see, also if a write was refused. */
function noteUnknown(method) {
  if (method === "GET" || heldToken()) askForToken();
}

function parsed(text) {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} list @param {...string} segments */
export function pathOf(list, ...segments) {
  return ["/v1/lists", list, ...segments].map((part, index) => index === 0 ? part : encodeURIComponent(part)).join("/");
}

/** A query; members that are undefined are left out. @param {Object<string, string | undefined>} members */
export function queryOf(members) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.append(name, value);
  const text = query.toString();
  return text ? `?${text}` : "";
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
