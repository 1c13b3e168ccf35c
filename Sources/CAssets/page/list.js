// One list, live.

import { Actions } from "./actions.js";
import { ask, makeKey, pathOf, persist } from "./api.js";
import { noteAway, refreshLists } from "./catalogue.js";
import { nameOf, registration } from "./cells.js";
import { announce, el, setAttribute, toast } from "./dom.js";
import { Drag } from "./drag.js";
import { History, marksOf, pastList } from "./history.js";
import { Inspector } from "./inspector.js";
import { Keyboard } from "./keyboard.js";
import { editTitle, leaveTitle } from "./itemedit.js";
import { isShared, openList } from "./lists.js";
import { ListModel } from "./model.js";
import { CollectionView } from "./rows.js";
import { Search } from "./search.js";
import { may } from "./rights.js";
import { hashOf, noteAddress } from "./routes.js";
import { Selection } from "./selection.js";
import { Swipe } from "./swipe.js";
import { symbol } from "./symbols.js";
import { askForToken, heldToken } from "./token.js";
import { Writes } from "./writes.js";

/** A hidden page lets go of a stream of its own after this. */
const hiddenMilliseconds = 60_000;
const stateTexts = {
  connecting: "Connecting", live: "Live", offline: "Offline", unauthorized: "Not signed in", refused: "Refused",
  gone: "Gone", closed: "Paused",
};

/** @param {HTMLElement} app @param {import("./routes.js").Place} place @returns {() => void} Ends it. */
export function showList(app, place) {
  const page = new ListPage(app, place);
  page.open();
  return () => page.close();
}

class ListPage {
  /** @type {import("../client.js").List} */ list;
  /** @type {ListModel} */ model;
  /** Whether the rows are those of a list that is there. */ #isShown = false;
  #status = "";
  /** The version of the past that is shown, if any. */ #past = "";
  /** What made that version did to rows. @type {Map<string, string>} */ marks = new Map();

  /** @param {HTMLElement} app @param {import("./routes.js").Place} place */
  constructor(app, place) {
    this.id = place.list;
    this.place = place;
    this.writes = new Writes(() => this.list, {
      onNews: (message, { stays, status } = {}) => toast(message, {
        stays, action: status === 401 ? { label: "Sign in", run: askForToken } : undefined,
      }),
      onHistory: () => this.#showHistory(),
    });
    this.inspector = new Inspector();
    this.history = new History(this.id, {
      list: () => this.list, nameOf: (item) => this.#nameOf(item), mayWrite: () => this.actions.mayWrite && this.#isShown,
      takeBack: (version) => this.writes.takeBack(version), onPast: (past, changes) => this.#showPast(past, changes), onNow: () => this.#showNow(),
    });
    this.#build(app);
    this.collection = new CollectionView(this.scroller, this.content);
    this.painter = new MutationObserver(() => this.#paintMarks());
    this.painter.observe(this.content, { childList: true, subtree: true, attributeFilter: ["data-version"] });
    this.search = new Search(this.searchField, (text) => {
      this.collection.apply(this.model.select(text));
      noteAddress(hashOf(this.id, { search: text }));
      this.#showEmpty();
      return this.model.sectionOf.size;
    });
    this.actions = new Actions(this.collection, this.writes, () => this.search.text);
    this.drag = new Drag(this.actions);
    this.swipe = new Swipe(this.actions, this.drag);
    this.keyboard = new Keyboard(this.actions);
    this.selection = new Selection(this.actions, this.id);
    this.scroller.after(this.selection.bar);
    this.hiddenTimer = 0;
    this.isClosed = false;
    this.content.addEventListener("click", this.#onClick);
    document.addEventListener("keydown", this.#onKey);
    if (!isShared) document.addEventListener("visibilitychange", this.#onVisibility);
  }

  open() {
    this.inspector.showRequest({ method: "GET", path: pathOf(this.id) });
    this.#follow();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.hiddenTimer);
    document.removeEventListener("visibilitychange", this.#onVisibility);
    document.removeEventListener("keydown", this.#onKey);
    this.drag.close();
    this.collection.close();
    this.selection.close();
    this.painter.disconnect();
    leaveTitle();
    noteAway(false);
    this.list.close();
  }

  // MARK: The list

  #follow() {
    this.list = openList(this.id, (sent) => this.inspector.showRequest(sent));
    this.#isShown = false;
    const { list } = this;
    list.subscribe((changes) => this.list === list && this.#take(changes));
    const { status } = list;
    // An edit that had no token is tried again with the one that there is now.
    if (status === "unauthorized") this.#status = status;
    this.#showStatus(list.getSnapshot());
  }

  /** Follows the list anew. The rows that are shown stay until others are there. */
  #followAgain() {
    if (this.isClosed) return;
    this.list.close();
    this.#follow();
  }

  /** @param {import("../client.js").Changes} changes */
  #take(changes) {
    if (this.isClosed) return;
    const { status, to, properties } = changes;
    // The rows from before it went can still be read.
    if (this.#isShown && status !== "gone" && !this.#past) {
      const delta = this.model.take(changes);
      if (!isEmpty(delta)) this.collection.apply(delta);
      if (properties) this.#showProperties();
    } else if (to && !this.#past) this.#showAll();
    if (to) this.history.refresh();
    if (to) this.inspector.show(changes);
    this.#showEmpty();
    if (!this.#past) this.selection.refresh();
    this.#showStatus(changes);
  }

  /** The list is there, for the first time or again. */
  #showAll() {
    if (!this.model) {
      this.#askForSample();
      this.#askForRights();
    }
    this.model = new ListModel(this.list);
    if (this.search.text) this.model.select(this.search.text);
    this.#isShown = true;
    this.failure.hidden = true;
    this.#setInert(false);
    this.#showProperties();
    this.#takePlace();
    this.collection.reset(this.model);
  }

  /** What the address asks for beside the list, once. */
  #takePlace() {
    const { search, item, version } = this.place;
    this.place = { ...this.place, search: "", item: "", version: "" };
    if (version) {
      this.historyButton.setAttribute("aria-expanded", "true");
      this.history.open(version);
    }
    if (search) {
      this.searchField.value = search;
      this.search.text = search;
      this.model.select(search);
    }
    if (item && this.model.item(item)) this.collection.focusWhenThere(item);
    else if (item) toast("This item is gone, or a closed branch has it.");
  }

  #showStatus({ status, pending }) {
    this.pending.textContent = pending > 0 ? `${pending} pending` : "";
    if (status === this.#status) return;
    this.#status = status;
    noteAway(status === "offline");
    this.inspector.showState(stateTexts[status]);
    this.state.textContent = stateTexts[status];
    this.state.className = `state ${status}`;
    if (status === "unauthorized") this.#noteUnauthorized();
    else if (status === "gone") this.#noteGone();
    else if (status === "refused") this.#fail("The server refuses this list.");
    else if (status === "offline" && !this.#isShown) this.#fail("The server cannot be reached. Trying again.");
  }

  /** Without a token one may go on looking at what everybody may see; the edit waits for one. */
  #noteUnauthorized() {
    if (heldToken() || !this.#isShown) askForToken();
    else toast("This takes a token.", { stays: true, action: { label: "Sign in", run: askForToken } });
  }

  #noteGone() {
    if (!this.#isShown) return this.#askWhy();
    this.#isShown = false;
    this.#fail(heldToken() ? "This list was deleted, or your token may not see it any more." : "This list was deleted.");
    this.drag.cancel();
    this.#setInert(true);
    if (document.activeElement === document.body) this.title.focus();
    return undefined;
  }

  /** A stream says of a list that one may not see that there is none. */
  #askWhy() {
    persist(() => ask("GET", `${pathOf(this.id)}?limit=1`).then(() => this.#isShown || this.#followAgain()), {
      isWanted: () => !this.isClosed,
      onFailure: (text, error) => this.#fail(error.status === 404 ? unseenText() : text),
    });
  }

  // MARK: What stands around the list

  #build(app) {
    const tool = (label, picture, onclick, more = {}) =>
      el("button", { class: "bar-button", type: "button", "aria-label": label, title: label, onclick, ...more }, symbol(picture));
    this.undoButton = tool("Undo", "undo", () => this.writes.undo(), { disabled: true });
    this.redoButton = tool("Redo", "redo", () => this.writes.redo(), { disabled: true });
    this.historyButton = tool("History", "history", () => this.#toggleHistory(),
      { "aria-expanded": "false", "aria-controls": "history", "aria-keyshortcuts": "H" });
    this.inspectButton = tool("Inspect", "inspect", () => this.#toggleInspector(),
      { "aria-expanded": "false", "aria-controls": "inspector" });
    this.state = el("span", { class: "state", role: "status" });
    this.pending = el("span", { class: "pending" });
    this.barTitle = el("span", { class: "bar-title" });
    this.title = el("h1", { tabindex: "-1" }, "…");
    this.searchField = el("input", {
      type: "search", placeholder: "Search", "aria-label": "Search this list", autocomplete: "off", spellcheck: "false",
      disabled: true,
    });
    this.addButton = el("button", { class: "quiet-button add-item", type: "button", "aria-keyshortcuts": "N", onclick: () => this.#addFirst() },
      symbol("plus"), "Add");
    this.tools = el("div", { class: "tools" }, this.addButton);
    this.content = el("div", { class: "collection", id: "collection" });
    this.failure = el("p", { class: "failure", role: "alert", hidden: true });
    this.empty = el("p", { class: "empty", hidden: true });
    this.scroller = el("main", { class: "scroller" },
      el("div", { class: "heading" }, this.title,
        el("div", { class: "controls" },
          el("label", { class: "search" }, symbol("search"), this.searchField), this.tools)),
      this.failure, this.empty, this.content);
    app.append(
      el("header", { class: "bar" },
        el("a", { class: "back", href: "#/" }, symbol("chevron.left"), "Lists"), this.barTitle,
        el("span", { class: "bar-tools" }, this.pending, this.state, this.undoButton, this.redoButton, this.historyButton,
          this.inspectButton)),
      el("div", { class: "panes" }, this.scroller, this.history.element, this.inspector.element));
    const watch = new IntersectionObserver(([entry]) => this.barTitle.classList.toggle("shown", !entry.isIntersecting));
    watch.observe(this.title);
  }

  #showProperties() {
    const { model } = this;
    document.title = model.title;
    this.title.textContent = model.title;
    this.barTitle.textContent = model.title;
    this.scroller.classList.toggle("is-narrow", isListOnly(model));
    this.#showAppearances(model.layout);
  }

  /** Says what to do where there is nothing. */
  #showEmpty() {
    const count = this.#isShown ? this.model.sectionOf.size : 1;
    this.empty.hidden = count > 0;
    this.empty.textContent = count > 0 ? "" : this.search.text ? `Nothing here says “${this.search.text}”. Try fewer letters.`
      : "This list is empty. Add the first item with N or +.";
  }

  #showAppearances(layout) {
    this.tools.querySelector(".appearances")?.remove();
    if (!layout?.appearances) return;
    const options = layout.appearances.map((one) =>
      el("option", { value: one, selected: one === layout.appearance }, spaced(one)));
    const select = el("select", {
      "aria-label": "Appearance", onchange: (event) => this.writes.setLayout({ ...layout, appearance: event.target.value }),
    }, ...options);
    this.tools.prepend(el("span", { class: "appearances" }, select));
  }

  /** A sample can be reset, and some can be moved on. */
  async #askForSample() {
    let samples;
    try {
      samples = (await ask("GET", "/v1/samples")).samples;
    } catch {
      return;
    }
    const sample = samples.find((one) => one.id === this.id);
    if (!sample) return;
    const tool = (text, picture, onclick) =>
      el("button", { class: "quiet-button", type: "button", onclick }, symbol(picture), text);
    if (sample.moves) this.tools.append(tool("Step", "step", () => this.writes.step(this.id)));
    this.tools.append(tool("Reset", "reset", () => this.writes.resetSample(this.id)));
  }

  /** What one may not do is not offered. */
  async #askForRights() {
    await refreshLists();
    this.actions.mayWrite = await may("write", this.id);
    this.scroller.classList.toggle("is-read-only", !this.actions.mayWrite);
    for (const one of [this.undoButton, this.redoButton, this.tools]) one.hidden = !this.actions.mayWrite;
  }

  #showHistory() {
    this.undoButton.disabled = this.content.inert || this.writes.done.length === 0;
    this.redoButton.disabled = this.content.inert || this.writes.undone.length === 0;
  }

  /** One of the two is beside the list. */
  #toggleInspector() {
    if (!this.history.element.hidden) this.#toggleHistory();
    this.inspector.toggle();
    this.inspectButton.setAttribute("aria-expanded", String(!this.inspector.element.hidden));
  }

  #toggleHistory() {
    if (!this.inspector.element.hidden) this.#toggleInspector();
    this.history.toggle();
    this.historyButton.setAttribute("aria-expanded", String(!this.history.element.hidden));
  }

  // MARK: The past

  #nameOf(id) {
    const section = this.model?.sections.find((one) => one.items.some((item) => item.id === id));
    const item = this.model?.item(id);
    return item ? nameOf((section?.layout ?? this.model.layout)?.cells ?? {}, item) : id;
  }

  /** The rows are those of a version, which one may look at. */
  #showPast(past, changes) {
    this.#past = past.version;
    this.drag.cancel();
    this.selection.clear();
    leaveTitle();
    noteAddress(hashOf(this.id, { version: past.version }));
    this.model = new ListModel(pastList(past));
    this.marks = marksOf(changes);
    this.scroller.classList.add("is-past");
    this.#setInert(true);
    this.#showProperties();
    this.collection.reset(this.model);
    this.#showEmpty();
  }

  #showNow() {
    if (!this.#past) return;
    this.#past = "";
    this.marks = new Map();
    noteAddress(hashOf(this.id));
    this.scroller.classList.remove("is-past");
    if (this.#isShown) this.#showAll();
  }

  #paintMarks() {
    for (const [id, row] of this.marks.size > 0 ? this.collection.rows : []) setAttribute(row, "data-past", this.marks.get(id) ?? null);
    if (this.marks.size === 0) for (const row of this.content.querySelectorAll("[data-past]")) row.removeAttribute("data-past");
  }

  #setInert(isInert) {
    for (const element of [this.content, this.tools]) element.inert = isInert;
    this.searchField.disabled = isInert;
    this.#showHistory();
  }

  #fail(text) {
    this.failure.textContent = text;
    this.failure.hidden = false;
    if (this.title.textContent === "…") this.title.textContent = this.id;
  }

  // MARK: Events

  #onClick = (event) => {
    const button = event.target.closest('[data-action="add"]');
    if (button) this.#add(button.dataset.section);
  };

  #add(sectionId) {
    const section = this.model.sections.find((one) => one.id === sectionId);
    const cells = (section?.layout ?? this.model.layout)?.cells ?? {};
    const kind = section?.items[0]?.kind ?? Object.keys(cells)[0];
    const text = registration(cells, { id: "", kind, content: {} }).text ?? "title";
    const title = `New ${(section?.items.length ?? 0) + 1}`;
    const id = crypto.randomUUID?.() ?? makeKey();
    this.writes.add(section && sectionId, { id, kind, content: { [text]: title } });
    announce(`${title} added`);
    return id;
  }

  /** Adds to the section of the row with the focus, or to the last one, and asks for the title. */
  #addFirst() {
    if (!this.#isShown || !this.actions.mayWrite) return;
    const { sections, sectionOf } = this.model;
    const row = this.collection.rowOf(document.activeElement)?.dataset.id ?? "";
    const section = sectionOf.get(row) ?? sections.at(-1)?.id;
    if (section === undefined) this.writes.change((edits) => edits.operation({ op: "appendSections", sections: ["items"] }), "Add");
    const id = this.#add(section ?? "items");
    this.collection.focusWhenThere(id);
    let attempts = 60;
    const edit = () => {
      const made = this.collection.rows.get(id);
      if (made && document.activeElement === made) editTitle(this.actions, id);
      else if (attempts-- > 0 && !this.isClosed) requestAnimationFrame(edit);
    };
    requestAnimationFrame(edit);
  }

  #onKey = (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const { target } = event;
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const isElsewhere = isTyping || isCommand || event.altKey || document.querySelector("dialog[open], .menu") !== null;
    if (isCommand && event.key.toLowerCase() === "z" && !isTyping) {
      event.preventDefault();
      if (event.shiftKey) this.writes.redo();
      else this.writes.undo();
    } else if (event.key === "/" && !isTyping && !isCommand) {
      event.preventDefault();
      this.searchField.focus();
    } else if (event.key === "n" && !isElsewhere) {
      event.preventDefault();
      this.#addFirst();
    } else if (event.key === "i" && !isElsewhere) this.#toggleInspector();
    else if (event.key === "h" && !isElsewhere) this.#toggleHistory();
  };

  #onVisibility = () => {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) this.hiddenTimer = setTimeout(() => this.list.close(), hiddenMilliseconds);
    else if (this.list.status === "closed") this.#followAgain();
  };
}

function isEmpty(delta) {
  return Object.values(delta).every((part) => part === false || part.size === 0);
}

function unseenText() {
  return heldToken() ? "There is no such list, or your token may not see it." : "There is no such list.";
}

/** A list of rows alone reads better in a column. */
function isListOnly(model) {
  return model.sections.every((section) => ((section.layout ?? model.layout)?.kind ?? "list") === "list");
}

/** "insetGrouped" as words. */
function spaced(name) {
  const words = name.replace(/([A-Z])/g, " $1").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
