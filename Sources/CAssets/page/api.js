// Requests to the server, its problems as errors, and each write as a line for a shell.

/** @typedef {{method: string, path: string, body?: any}} Sent */

/** What the server refused, in its own words (RFC 9457). */
export class Refused extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem ?? {};
  }
}

/** Nothing came back. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached. Nothing was changed.");
  }
}

/**
 * @param {string} method
 * @param {string} path With its query.
 * @param {{body?: any, signal?: AbortSignal}} [options]
 * @returns {Promise<any>} The JSON of the answer; null if it has none.
 * @throws {Refused | Unreachable}
 */
export async function ask(method, path, { body, signal } = {}) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  const text = await response.text();
  const json = parsed(text);
  if (!response.ok) throw new Refused(response.status, json);
  return json;
}

/** All pages of a collection. @param {string} path @param {string} name Of the member that holds the elements. */
export async function askAll(path, name) {
  const elements = [];
  let next = path;
  while (next) {
    const response = await fetch(next, { headers: { Accept: "application/json" }, cache: "no-store" });
    const json = parsed(await response.text());
    if (!response.ok) throw new Refused(response.status, json);
    elements.push(...(json[name] ?? []));
    next = /<([^>]*)>\s*;\s*rel="next"/.exec(response.headers.get("Link") ?? "")?.[1] ?? "";
  }
  return elements;
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
  if (body !== undefined) words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  words.push(quoted(origin + path));
  return words.join(" ");
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
