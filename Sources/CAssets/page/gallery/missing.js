// No list where the address says: the reason, and ways on.

import { el } from "../base/dom.js";
import { mayBeList, searchHash } from "../base/routes.js";
import { symbol } from "../base/symbols.js";
import { ask, usesTokens } from "../server/api.js";
import { may } from "../server/rights.js";
import { askForToken, heldToken } from "../server/token.js";
import { restore } from "./listactions.js";

/** A page for an id that no list can have. @param {HTMLElement} app @param {string} id @returns {() => void} Ends it. */
export function showNoList(app, id) {
  document.title = "No such list";
  app.append(
    el("header", { class: "bar" }, el("a", { class: "back", href: "#/" }, symbol("chevron.left"), "Lists")),
    el("main", { class: "gallery" }, el("h1", { tabindex: "-1" }, "No such list"),
      el("p", { class: "failure", role: "alert" }, "There is no such list: ", el("q", { dir: "auto" }, id),
        " cannot be the id of a list. Ids have small letters, digits, dots and dashes only."),
      el("div", { class: "ways-on" }, waysOn(id))));
  return () => {};
}

/** Of an id of which the server says that it has no such list. */
export function missingText() {
  return heldToken() ? "There is no such list, or your token may not see it." : "There is no such list.";
}

/** To all lists, to a search, and to the list itself if it was deleted. @param {string} id @returns {HTMLElement} */
export function waysOn(id) {
  const ways = el("div", { class: "chips ways" },
    el("a", { class: "quiet-button", href: "#/" }, "Show all lists"),
    el("a", { class: "quiet-button", href: searchHash(id) }, symbol("search"), "Search for it"));
  if (mayBeList(id)) offerMore(ways, id);
  return ways;
}

async function offerMore(ways, id) {
  const path = `/v1/lists?deleted=true&limit=1000&filter=${encodeURIComponent(id)}`;
  const deleted = await ask("GET", path, { token: heldToken() }).catch(() => ({ lists: [] }));
  const list = deleted.lists.find((one) => one.id === id);
  if (list && await may("restore", id)) {
    ways.prepend(
      el("p", {}, `It was deleted on ${dayOf(list.deletedAt)}, and can be restored until ${dayOf(list.restorableUntil)}.`),
      el("button", { class: "main-button", type: "button", onclick: () => restore(list) }, `Restore ${list.title || id}`));
  } else if (usesTokens) {
    ways.append(el("button", { class: "quiet-button", type: "button", onclick: askForToken },
      heldToken() ? "Sign in with another token" : "Sign in"));
  }
}

function dayOf(time) {
  return new Date(time).toLocaleDateString("en", { day: "numeric", month: "long" });
}
