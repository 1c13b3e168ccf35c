// All lists of the server, and the samples that it could have.

import { menuPlace } from "../base/dialog.js";
import { countText, el, toast } from "../base/dom.js";
import { hashOf } from "../base/routes.js";
import { symbol } from "../base/symbols.js";
import { ask, usesTokens } from "../server/api.js";
import { followLists, forgetLists, refreshLists } from "../server/catalogue.js";
import { deliverTelling, intentOf } from "../server/intent.js";
import { end } from "../server/lists.js";
import { forgetRights, may } from "../server/rights.js";
import { askForToken, heldToken, holdToken } from "../server/token.js";
import { openListMenu, openNewList, restore } from "./listactions.js";

/** @typedef {import("../server/catalogue.js").Entry} Entry */

/** @param {HTMLElement} app @returns {() => void} */
export function showGallery(app) {
  document.title = "Lists";
  let isShown = true;
  const grid = el("ul", { class: "cards", "aria-label": "Lists" });
  const note = el("p", { class: "note" }, "Loading…");
  const missing = el("section", { class: "missing", "aria-labelledby": "missing-title", hidden: true });
  const deleted = el("section", { class: "missing deleted", "aria-labelledby": "deleted-title", hidden: true });
  const signing = el("span", { class: "bar-tools" });
  const make = el("button", { class: "main-button new-list", type: "button", onclick: openNewList, hidden: true }, "New list");
  app.append(
    el("header", { class: "bar" }, el("span", { class: "bar-title always" }, "ListState"), signing),
    el("main", { class: "gallery" },
      el("h1", { tabindex: "-1" }, "Lists"),
      el("p", { class: "lead" }, "Each is shown live: open one in two windows, move a row, and watch the other."),
      el("p", { class: "gallery-tools" }, make, el("a", { class: "quiet-button", href: "#/search" }, symbol("search"), "Search all lists")),
      note, grid, missing, deleted,
      el("p", { class: "lead" }, el("a", { href: "/docs" }, "For programmers: all that this server can do"))));
  /** @type {Map<string, {text: string, item: HTMLElement}>} */
  const cards = new Map();
  let ids = "";

  const take = async ({ entries, absent, isKnown, isWhole, failure }) => {
    if (failure) note.textContent = failure;
    else if (!isKnown) note.textContent = "Loading…";
    else if (!isWhole) note.textContent = "Not all lists are shown here. Search finds the others.";
    else note.textContent = "";
    note.hidden = note.textContent === "";
    if (!isKnown) return;
    const mayCreate = may("create");
    showCards(grid, cards, entries);
    showSigning(signing);
    make.hidden = !await mayCreate;
    showMissing(missing, make.hidden ? [] : absent, refreshLists);
    if (isWhole && !failure && entries.length === 0) {
      note.textContent = make.hidden
        ? `There are no lists that you may see. ${heldToken() ? "Whoever runs the server can give your token the right to." : "Sign in to see yours."}`
        : "There are no lists yet. New list makes the first, or add a sample.";
      note.hidden = false;
    }
    const now = entries.map((one) => one.id).join();
    if (now === ids && !failure) return;
    ids = now;
    const gone = await ask("GET", "/v1/lists?deleted=true&limit=100", { token: heldToken() }).catch(() => ({ lists: [] }));
    const back = await Promise.all(gone.lists.map((one) => may("restore", one.id)));
    if (isShown) showDeleted(deleted, gone.lists.filter((_, index) => back[index]));
  };
  const unfollow = followLists(take);
  return () => {
    isShown = false;
    unfollow();
  };
}

/** A card that is as it was stays, with the focus that it may have. */
function showCards(grid, cards, entries) {
  const before = new Set(cards.keys());
  entries.forEach((entry, index) => {
    before.delete(entry.id);
    const text = JSON.stringify(entry);
    const known = cards.get(entry.id);
    let item = known?.item;
    if (known?.text !== text) {
      const made = card(entry);
      const isFocused = item?.contains(document.activeElement);
      item?.replaceWith(made);
      item = made;
      if (isFocused) made.querySelector("a")?.focus({ preventScroll: true });
      cards.set(entry.id, { text, item });
    }
    if (grid.children[index] !== item) grid.insertBefore(item, grid.children[index] ?? null);
  });
  for (const id of before) {
    cards.get(id)?.item.remove();
    cards.delete(id);
  }
  grid.dataset.count = String(entries.length);
}

/** Lists that can be brought back. */
function showDeleted(section, lists) {
  section.hidden = lists.length === 0;
  const day = (time) => new Date(time).toLocaleDateString("en", { day: "numeric", month: "long" });
  section.replaceChildren(el("h2", { id: "deleted-title" }, "Deleted lists"), el("ul", { class: "chips" }, ...lists.map((one) =>
    el("li", {}, el("button", {
      class: "quiet-button", type: "button", onclick: () => restore(one),
      title: one.restorableUntil ? `Can be restored until ${day(one.restorableUntil)}` : null,
    }, symbol("undo"), `Restore ${one.title || one.id}`)))));
}

/** A way in or out, where the server has tokens. @param {HTMLElement} place */
function showSigning(place) {
  const signOut = () => {
    end();
    holdToken("");
    forgetLists();
    forgetRights();
    askForToken();
  };
  const [text, onclick] = heldToken() ? ["Sign out", signOut] : ["Sign in", askForToken];
  place.replaceChildren(...(usesTokens ? [el("button", { class: "quiet-button", type: "button", onclick }, text)] : []));
}

/** @param {Entry} entry */
function card(entry) {
  const link = el("a", { class: "card", href: hashOf(entry.id) },
    glyph(entry),
    el("span", { class: "card-title" }, entry.title || entry.id),
    entry.summary && el("span", { class: "card-summary" }, entry.summary),
    entry.counts && el("span", { class: "card-counts" }, countText(entry.counts)));
  const more = el("button", {
    class: "side-more card-more", type: "button", "aria-label": `Menu of ${entry.title || entry.id}`, "aria-haspopup": "menu",
    onclick: (event) => openListMenu(entry, menuPlace(event, more)),
  }, "⋯");
  const item = el("li", { "data-id": entry.id }, link, more);
  item.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    openListMenu(entry, menuPlace(event, item));
  });
  return item;
}

const hues = [212, 248, 284, 326, 354, 22, 152, 184];

/** Initials on a colour, which are the same wherever the list is shown. */
function glyph(entry) {
  const words = (entry.title || entry.id).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  // As a title is written, small words do not count: Main and Sub is MS.
  const large = words.filter((word) => !/^\p{Ll}/u.test(word));
  const initials = (large.length > 0 ? large : words).slice(0, 2).map((word) => [...word][0].toUpperCase()).join("");
  const hash = [...entry.id].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  const element = el("span", { class: "glyph", "aria-hidden": "true" }, initials);
  element.style.setProperty("--hue", String(hues[hash % hues.length]));
  return element;
}

function showMissing(section, absent, refresh) {
  section.hidden = absent.length === 0;
  const install = (sample) => el("li", {}, el("button", {
    class: "quiet-button", type: "button",
    onclick: async () => {
      try {
        await intentOf(`sample ${sample.id}`).send(() => undefined,
          (write) => deliverTelling(`/v1/samples/${encodeURIComponent(sample.id)}`, write));
        await refresh();
      } catch (error) {
        toast(error.message, { action: error.status === 401 ? { label: "Sign in", run: askForToken } : undefined });
      }
    },
  }, symbol("plus"), sample.title));
  section.replaceChildren(
    el("h2", { id: "missing-title" }, "Samples that can be added"), el("ul", { class: "chips" }, ...absent.map(install)));
}
