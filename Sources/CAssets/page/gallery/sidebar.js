// All lists beside the one that is shown. On a phone the gallery has their place.

import { menuPlace } from "../base/dialog.js";
import { el, setAttribute } from "../base/dom.js";
import { hashOf, placeOf, searchHash } from "../base/routes.js";
import { symbol } from "../base/symbols.js";
import { followLists } from "../server/catalogue.js";
import { may } from "../server/rights.js";
import { openListMenu, openNewList, remove, rename } from "./listactions.js";

/** @typedef {import("../server/catalogue.js").Entry} Entry */

const emptyText = "No lists of your own yet. New list makes the first.";

export class Sidebar {
  /** By the id of a list. @type {Map<string, HTMLElement>} */ #links = new Map();
  #end = () => {};
  /** Whether the list that is shown has yet to be brought into sight. */ #isSought = true;

  constructor() {
    this.own = el("ul", { class: "side-list", "aria-labelledby": "side-own" });
    this.samples = el("ul", { class: "side-list", "aria-labelledby": "side-samples" });
    this.empty = el("p", { class: "side-note", hidden: true }, emptyText);
    this.newButton = el("button", {
      class: "bar-button new-list", type: "button", "aria-label": "New list", title: "New list", onclick: openNewList,
    }, symbol("plus"));
    const field = el("input", {
      type: "text", inputmode: "search", placeholder: "Search all lists", "aria-label": "Search all lists",
      autocomplete: "off", spellcheck: "false", maxlength: "200",
    });
    const find = (event) => {
      event.preventDefault();
      if (field.value.trim()) location.hash = searchHash(field.value.trim());
    };
    this.more = el("p", { class: "side-note", hidden: true }, "Not all lists are shown here. Search finds the others.");
    this.samplesTitle = el("p", { class: "side-title", id: "side-samples" }, "Samples");
    this.element = el("nav", { class: "sidebar", "aria-label": "All lists", hidden: true },
      el("div", { class: "side-bar" }, el("a", { class: "side-home", href: "#/" }, "ListState"), this.newButton),
      el("form", { class: "side-search", role: "search", onsubmit: find }, el("label", { class: "search" }, symbol("search"), field)),
      el("div", { class: "side-lists" },
        el("p", { class: "side-title", id: "side-own" }, "Lists"), this.empty, this.own, this.samplesTitle, this.samples, this.more),
      el("p", { class: "side-foot" }, el("a", { href: "/docs" }, "For programmers")));
    addEventListener("hashchange", () => this.mark());
  }

  /** Follows the lists until it is hidden. */
  show() {
    this.hide();
    this.element.hidden = false;
    this.#end = followLists((lists) => this.#show(lists));
    this.mark();
  }

  hide() {
    this.#end();
    this.#end = () => {};
    this.element.hidden = true;
  }

  /** Says which list is shown. @param {boolean} isNew Whether it is another one than before. */
  mark(isNew = true) {
    const { list } = placeOf(location.hash);
    for (const [id, item] of this.#links) setAttribute(item.firstElementChild, "aria-current", id === list ? "page" : null);
    this.#isSought ||= isNew;
    const item = this.#links.get(list);
    if (!item || !this.#isSought) return;
    item.scrollIntoView({ block: "nearest" });
    this.#isSought = false;
  }

  /** @param {import("../server/catalogue.js").Lists} lists */
  async #show({ entries, isKnown, isWhole }) {
    const own = entries.filter((one) => !one.isSample);
    const samples = entries.filter((one) => one.isSample);
    const before = new Set(this.#links.keys());
    const focused = document.activeElement;
    for (const [place, some] of /** @type {[HTMLElement, Entry[]][]} */ ([[this.own, own], [this.samples, samples]])) {
      some.forEach((entry, index) => {
        before.delete(entry.id);
        const item = this.#item(entry);
        if (place.children[index] !== item) place.insertBefore(item, place.children[index] ?? null);
      });
    }
    for (const id of before) {
      this.#links.get(id)?.remove();
      this.#links.delete(id);
    }
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    this.empty.hidden = !isKnown || own.length > 0;
    this.samplesTitle.hidden = samples.length === 0;
    this.more.hidden = isWhole;
    this.mark(false);
    this.newButton.hidden = !await may("create");
    this.empty.textContent = this.newButton.hidden ? "There are no other lists that you may see." : emptyText;
  }

  /** @param {Entry} entry */
  #item(entry) {
    const known = this.#links.get(entry.id);
    const title = entry.title || entry.id;
    if (known) {
      // @ts-expect-error It belongs to the element.
      known.entry = entry;
      const text = known.querySelector(".side-text");
      if (text && text.textContent !== title) text.textContent = title;
      const count = known.querySelector(".side-count");
      if (count) count.textContent = String(entry.counts?.items ?? "");
      setAttribute(known.querySelector(".side-more"), "aria-label", `Menu of ${title}`);
      return known;
    }
    const item = el("li", { class: "side-item", "data-id": entry.id });
    const now = () => /** @type {any} */ (item).entry;
    const more = el("button", {
      class: "side-more", type: "button", "aria-label": `Menu of ${title}`, "aria-haspopup": "menu",
      onclick: (event) => openListMenu(now(), menuPlace(event, more)),
    }, "⋯");
    item.append(
      el("a", { href: hashOf(entry.id) }, el("span", { class: "side-text", dir: "auto" }, title),
        el("span", { class: "side-count", "aria-hidden": "true" }, String(entry.counts?.items ?? ""))),
      more);
    item.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      openListMenu(now(), menuPlace(event, item));
    });
    item.addEventListener("keydown", (event) => {
      const links = [...this.element.querySelectorAll(".side-item > a")];
      const at = links.indexOf(item.firstElementChild);
      if (event.key === "F2") rename(now());
      else if (event.key === "Delete" && !event.repeat) remove(now());
      else if (event.key === "ArrowDown") links[at + 1]?.focus();
      else if (event.key === "ArrowUp") links[at - 1]?.focus();
      else return;
      event.preventDefault();
    });
    Object.assign(item, { entry });
    this.#links.set(entry.id, item);
    return item;
  }
}
