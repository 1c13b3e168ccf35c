// The parts around the rows of a list: the bar, the title, the search, buttons, and words where there are no rows.

import { el } from "../base/dom.js";
import { symbol } from "../base/symbols.js";
import { waysOn } from "../gallery/missing.js";

/**
 * @typedef {{undo: () => void, redo: () => void, add: () => void, toggleHistory: () => void,
 *   toggleInspector: () => void, setLayout: (layout: any) => void}} Hooks
 */

export class Frame {
  /** @param {HTMLElement} app @param {HTMLElement[]} asides Beside the rows. @param {Hooks} hooks */
  constructor(app, asides, hooks) {
    this.hooks = hooks;
    const tool = (label, picture, onclick, more = {}) =>
      el("button", { class: "bar-button", type: "button", "aria-label": label, title: label, onclick, ...more }, symbol(picture));
    this.undoButton = tool("Undo", "undo", hooks.undo, { disabled: true, "aria-keyshortcuts": "Control+Z Meta+Z" });
    this.redoButton = tool("Redo", "redo", hooks.redo,
      { disabled: true, "aria-keyshortcuts": "Control+Shift+Z Meta+Shift+Z" });
    this.historyButton = tool("History", "history", hooks.toggleHistory,
      { "aria-expanded": "false", "aria-controls": "history", "aria-keyshortcuts": "H" });
    this.inspectButton = tool("Inspect", "inspect", hooks.toggleInspector,
      { "aria-expanded": "false", "aria-controls": "inspector", "aria-keyshortcuts": "I" });
    this.state = el("span", { class: "state", role: "status" });
    this.pending = el("span", { class: "pending" });
    this.barTitle = el("span", { class: "bar-title", dir: "auto" });
    this.title = el("h1", { tabindex: "-1", dir: "auto" }, "…");
    this.searchField = el("input", {
      type: "search", placeholder: "Search", "aria-label": "Search this list", autocomplete: "off", spellcheck: "false",
      disabled: true, "aria-keyshortcuts": "/ Control+F Meta+F",
    });
    this.addButton = el("button", {
      class: "quiet-button add-item", type: "button", "aria-keyshortcuts": "N", onclick: hooks.add,
    }, symbol("plus"), "Add");
    this.editButton = el("button", { class: "quiet-button edit-list", type: "button", hidden: true }, "Edit");
    this.tools = el("div", { class: "tools" }, this.addButton, this.editButton);
    /** Begins and ends the edit mode. @type {import("./editing.js").Editing | null} */
    this.editing = null;
    this.content = el("div", { class: "collection", id: "collection" });
    this.failure = el("p", { class: "failure", role: "alert", hidden: true });
    this.ways = el("div", { class: "ways-on", hidden: true });
    this.empty = el("p", { class: "empty", hidden: true });
    this.scroller = el("main", { class: "scroller" },
      el("div", { class: "heading" }, this.title,
        el("div", { class: "controls" },
          el("label", { class: "search" }, symbol("search"), this.searchField), this.tools)),
      this.failure, this.ways, this.empty, this.content);
    app.append(
      el("header", { class: "bar" },
        el("a", { class: "back", href: "#/" }, symbol("chevron.left"), "Lists"), this.barTitle,
        el("span", { class: "bar-tools" }, this.pending, this.state, this.undoButton, this.redoButton, this.historyButton,
          this.inspectButton)),
      el("div", { class: "panes" }, this.scroller, ...asides));
    const watch = new IntersectionObserver(([entry]) => this.barTitle.classList.toggle("shown", !entry.isIntersecting));
    watch.observe(this.title);
  }

  /** @param {import("../rows/model.js").ListModel} model */
  showProperties(model) {
    document.title = model.title;
    this.title.textContent = model.title;
    this.barTitle.textContent = model.title;
    this.scroller.classList.toggle("is-narrow", isListOnly(model));
    this.#showAppearances(model.layout);
    this.editing?.show(model);
  }

  #showAppearances(layout) {
    this.tools.querySelector(".appearances")?.remove();
    if (!layout?.appearances) return;
    const options = layout.appearances.map((one) =>
      el("option", { value: one, selected: one === layout.appearance }, spaced(one)));
    const onchange = (event) => this.hooks.setLayout({ ...layout, appearance: event.target.value });
    this.tools.prepend(el("span", { class: "appearances" }, el("select", { "aria-label": "Appearance", onchange }, ...options)));
  }

  /** Says what to do where there are no rows. @param {number} count @param {{search: string, mayWrite: boolean}} why */
  showEmpty(count, { search, mayWrite }) {
    this.empty.hidden = count > 0;
    if (count > 0) this.empty.textContent = "";
    else if (search) this.empty.textContent = `Nothing was found for “${search}”. Try fewer letters, or clear the search.`;
    else this.empty.textContent = mayWrite ? `This list is empty. Add the first item with Add${hasKeys() ? ", or the key N" : ""}.`
      : "This list is empty. What others add shows here at once.";
  }

  /**
   * @param {string} text @param {string} id A title until there is one.
   * @param {boolean} isMissing Whether there is no such list, so that one goes elsewhere.
   */
  fail(text, id, isMissing) {
    const isKnown = this.failure.textContent === text && !this.failure.hidden;
    this.failure.textContent = text;
    this.failure.hidden = false;
    if (this.title.textContent === "…") this.title.textContent = id;
    if (isMissing && !isKnown) this.ways.replaceChildren(waysOn(id));
    this.ways.hidden = !isMissing;
    this.scroller.classList.toggle("is-missing", isMissing);
  }

  /** The list is there. */
  endFailure() {
    this.failure.hidden = true;
    this.ways.hidden = true;
    this.scroller.classList.remove("is-missing");
  }

  /** @param {boolean} isInert Whether the rows can only be looked at. */
  setInert(isInert) {
    if (isInert) this.editing?.end();
    for (const element of [this.content, this.tools]) element.inert = isInert;
    this.searchField.disabled = isInert;
  }

  /** Only edits that are allowed are offered. @param {boolean} mayWrite */
  setRights(mayWrite) {
    this.scroller.classList.toggle("is-read-only", !mayWrite);
    for (const one of [this.undoButton, this.redoButton, this.tools]) one.hidden = !mayWrite;
  }
}

/** A phone has none. */
const hasKeys = () => !matchMedia("(hover: none)").matches;

/** A list of rows alone reads better in a column. */
function isListOnly(model) {
  return model.sections.every((section) => ((section.layout ?? model.layout)?.kind ?? "list") === "list");
}

/** "insetGrouped" as words. */
function spaced(name) {
  const words = name.replace(/([A-Z])/g, " $1").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
