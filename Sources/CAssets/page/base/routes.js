// The addresses of the page: `#/` is the gallery, `#/lists/ID` a list, `#/search` a search in all lists. A list may have
// an item, a text to search for, or a version behind a question mark.

/**
 * @typedef {{view: "gallery" | "list" | "search", list: string, item: string, search: string, version: string}} Place
 */

const parts = ["item", "search", "version"];

/** @param {string} hash @returns {Place} */
export function placeOf(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const given = new URLSearchParams(query);
  const [item, search, version] = parts.map((name) => given.get(name) ?? "");
  const list = /^\/lists\/([^/]+)$/.exec(path)?.[1];
  const view = list !== undefined ? "list" : path === "/search" ? "search" : "gallery";
  return { view, list: decoded(list ?? ""), item, search, version };
}

/** Whether a list can have this id. @param {string} id */
export function mayBeList(id) {
  return /^[a-z0-9][a-z0-9._-]{0,127}$/.test(id);
}

/** @param {string} list @param {{item?: string, search?: string, version?: string}} [more] */
export function hashOf(list, more = {}) {
  return `#/lists/${encodeURIComponent(list)}${queryOf(more)}`;
}

/** @param {string} text */
export function searchHash(text) {
  return `#/search${queryOf({ search: text })}`;
}

/** The address says what is shown, so that it can be kept or sent. The page stays as it is. @param {string} hash */
export function noteAddress(hash) {
  if (location.hash === hash) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // A browser takes only so many addresses at a time. The next one is told again.
  }
}

function queryOf(more) {
  const query = parts.filter((name) => more[name]).map((name) => `${name}=${encodeURIComponent(more[name])}`).join("&");
  return query && `?${query}`;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
