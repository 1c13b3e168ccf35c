// One list, live.

import { announce, toast } from "../base/dom.js";
import { hashOf, noteAddress } from "../base/routes.js";
import { missingText } from "../gallery/missing.js";
import { Drag } from "../hand/drag.js";
import { Keyboard } from "../hand/keyboard.js";
import { Swipe } from "../hand/swipe.js";
import { keepTitle, leaveTitle } from "../item/itemedit.js";
import { nameOf, registration } from "../rows/cells.js";
import { ListModel } from "../rows/model.js";
import { Reach } from "../rows/reach.js";
import { CollectionView } from "../rows/rows.js";
import { ask, makeKey, pathOf, persist } from "../server/api.js";
import { noteAway, refreshLists } from "../server/catalogue.js";
import { isShared, openList } from "../server/lists.js";
import { may } from "../server/rights.js";
import { askForToken, heldToken } from "../server/token.js";
import { Writes } from "../server/writes.js";
import { Actions } from "./actions.js";
import { Editing, editTitleWhenThere } from "./editing.js";
import { Frame } from "./frame.js";
import { History } from "./history.js";
import { Inspector } from "./inspector.js";
import { Past } from "./past.js";
import { SampleTools } from "./sampletools.js";
import { Search } from "./search.js";
import { Selection } from "./selection.js";

/** A hidden page lets go of a stream of its own after this. */
const hiddenMilliseconds = 60_000;
const stateTexts = {
  connecting: "Connecting", live: "Live", offline: "Offline", unauthorized: "Not signed in", refused: "Refused",
  gone: "Gone", closed: "Paused",
};

/** @param {HTMLElement} app @param {import("../base/routes.js").Place} place @returns {() => void} Ends it. */
export function showList(app, place) {
  const page = new ListPage(app, place);
  page.open();
  return () => page.close();
}

class ListPage {
  /** @type {import("../server/held.js").Held} */ list;
  /** @type {ListModel} */ model;
  /** Whether the rows are those of a list that is there. */ #isShown = false;
  #status = "";

  /** @param {HTMLElement} app @param {import("../base/routes.js").Place} place */
  constructor(app, place) {
    this.id = place.list;
    this.place = place;
    this.writes = new Writes(() => this.list, {
      onNews: (message, { status } = {}) => toast(message, {
        action: status === 401 ? { label: "Sign in", run: askForToken } : undefined,
      }),
      onHistory: () => this.#showUndo(),
    });
    this.inspector = new Inspector();
    this.history = new History(this.id, {
      list: () => this.list, nameOf: (item) => this.#nameOf(item),
      mayWrite: () => this.actions.mayWrite && this.#isShown, takeBack: (version) => this.writes.takeBack(version),
      onPast: (past, changes) => this.#showPast(past, changes), onNow: () => this.#showNow(),
    });
    this.frame = new Frame(app, [this.history.element, this.inspector.element], {
      undo: () => this.writes.undo(), redo: () => this.writes.redo(), add: () => this.#addFirst(),
      toggleHistory: () => this.#toggleHistory(), toggleInspector: () => this.#toggleInspector(),
      setLayout: (layout) => this.writes.setLayout(layout),
    });
    const { content, scroller, searchField, tools } = this.frame;
    this.sampleTools = new SampleTools(tools, this.id, this.writes);
    this.collection = new CollectionView(scroller, content);
    this.past = new Past(this.collection, this.id, (error) => this.history.lose(error));
    this.reach = new Reach(this.collection, (wish) => (this.past.version ? this.past.seek(wish, (model) => this.#reset(model)) : this.list.seek(wish)));
    this.search = new Search(searchField, (text) => this.#select(text));
    this.actions = new Actions(this.collection, this.writes, () => this.search.text);
    this.drag = new Drag(this.actions);
    this.swipe = new Swipe(this.actions, this.drag);
    this.keyboard = new Keyboard(this.actions);
    this.selection = new Selection(this.actions, this.id);
    scroller.after(this.selection.bar, this.reach.note);
    this.editing = new Editing(this.actions, this.selection, this.frame);
    this.hiddenTimer = 0;
    this.isClosed = false;
    content.addEventListener("click", this.#onClick);
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
    this.past.close();
    this.reach.close();
    keepTitle();
    this.editing.end();
    this.history.close();
    noteAway(false);
    this.list.close();
  }

  // MARK: The list

  #follow() {
    const { item, search } = { ...this.place, item: this.place.item || this.reach.first() };
    this.list = openList(this.id, (sent) => this.inspector.showRequest(sent), { item, search: this.search.text || search });
    this.#isShown = false;
    const { list } = this;
    list.subscribe((changes) => this.list === list && this.#take(changes));
    this.#showStatus({ ...list.getSnapshot(), isFirst: true });
  }

  /** Follows the list anew. The rows that are shown stay until others are there. */
  #followAgain() {
    if (this.isClosed) return;
    this.list.close();
    this.#follow();
  }

  /** @param {import("../../client.js").Changes} changes */
  #take(changes) {
    if (this.isClosed) return;
    const { status, to, properties } = changes;
    // The rows from before it went can still be read.
    if (this.#isShown && status !== "gone" && !this.past.version) {
      const delta = this.model.take(changes);
      if (!isEmpty(delta)) this.collection.apply(delta);
      this.sampleTools.noteRows(this.model);
      if (properties || changes.isAnew) this.frame.showProperties(this.model);
    } else if (to && !this.past.version) this.#showAll();
    if (to) this.history.refresh();
    if (to) this.inspector.show(changes);
    this.#showEmpty();
    if (!this.past.version) this.selection.refresh();
    this.#showStatus(changes);
  }

  /** The list is there, for the first time or again. */
  #showAll() {
    if (!this.model) {
      this.sampleTools.ask();
      this.#askForRights();
    }
    this.model = new ListModel(this.list);
    if (this.search.text) this.model.select(this.search.text);
    this.#isShown = true;
    this.frame.endFailure();
    this.#setInert(false);
    this.frame.showProperties(this.model);
    this.#takePlace();
    this.collection.reset(this.model);
  }

  /** What the address asks for beside the list, once. */
  #takePlace() {
    const { search, item, version } = this.place;
    this.place = { ...this.place, search: "", item: "", version: "" };
    if (version) {
      this.frame.historyButton.setAttribute("aria-expanded", "true");
      this.history.open(version);
    }
    if (search) {
      this.frame.searchField.value = search;
      this.search.text = search;
      this.model.select(search);
    }
    if (item && this.model.item(item)) this.collection.focusWhenThere(item);
    else if (item) toast("This item was deleted, or an item above it is closed.");
  }

  #showStatus({ status, pending, isFirst }) {
    // An edit that had no token is tried again with the one that there is now.
    if (isFirst && status === "unauthorized") this.#status = status;
    this.frame.pending.textContent = pending > 0 ? `${pending} pending` : "";
    if (status === this.#status) return;
    this.#status = status;
    noteAway(status === "offline");
    this.inspector.showState(stateTexts[status]);
    this.frame.state.textContent = stateTexts[status];
    this.frame.state.className = `state ${status}`;
    if (status === "unauthorized") this.#noteUnauthorized();
    else if (status === "gone") this.#noteGone();
    else if (status === "refused") this.#fail("The server refuses to show this list.", true);
    else if (status === "offline" && !this.#isShown) this.#fail("The server cannot be reached. Trying again.");
  }

  /** Without a token one may go on looking at what everybody may see; the edit waits for one. */
  #noteUnauthorized() {
    if (heldToken() || !this.#isShown) askForToken();
    else toast("Sign in to save this.", { stays: true, action: { label: "Sign in", run: askForToken } });
  }

  #noteGone() {
    if (!this.#isShown) return this.#askWhy();
    this.#isShown = false;
    this.#fail(heldToken() ? "This list was deleted, or your token may not see it any more." : "This list was deleted.", true);
    this.drag.cancel();
    this.selection.clear();
    this.#setInert(true);
    if (document.activeElement === document.body) this.frame.title.focus();
    return undefined;
  }

  /** A stream says of a list that one may not see that there is none. */
  #askWhy() {
    persist(() => ask("GET", `${pathOf(this.id)}?limit=1`).then(() => this.#isShown || this.#followAgain()), {
      isWanted: () => !this.isClosed,
      onFailure: (text, error) => this.#fail(error.status === 404 ? missingText() : text, error.status === 404),
    });
  }

  // MARK: What stands around the list

  async #askForRights() {
    // Its answer tells whether there are tokens.
    await refreshLists();
    this.actions.mayWrite = await may("write", this.id);
    this.frame.setRights(this.actions.mayWrite);
    this.#showEmpty();
  }

  /** Offers what can be taken back, and brought again. */
  #showUndo() {
    const { content, undoButton, redoButton } = this.frame;
    undoButton.disabled = content.inert || this.writes.done.length === 0;
    redoButton.disabled = content.inert || this.writes.undone.length === 0;
  }

  #setInert(isInert) {
    this.frame.setInert(isInert);
    this.#showUndo();
  }

  #showEmpty() {
    const { mayWrite } = this.actions;
    const count = this.#isShown ? this.model.count : 1;
    this.frame.showEmpty(count, { search: this.search.text, mayWrite: mayWrite && !this.past.version });
  }

  /** Shows the rows with a text. The server finds them in a long list. @returns {number | Promise<number | null>} How many. */
  #select(text) {
    noteAddress(hashOf(this.id, { search: text }));
    if (this.model.isWindow) {
      // Nobody deletes rows that are not seen any more.
      this.selection.clear();
      return this.list.search(text).then((isHere) => (isHere ? this.model.count : null));
    }
    this.collection.apply(this.model.select(text));
    this.#showEmpty();
    this.selection.refresh();
    return this.model.count;
  }

  #fail(text, isMissing = false) {
    this.frame.fail(text, this.id, isMissing);
  }

  /** One of the two is beside the list. */
  #toggleInspector() {
    if (!this.history.element.hidden) this.#toggleHistory();
    this.inspector.toggle();
    this.frame.inspectButton.setAttribute("aria-expanded", String(!this.inspector.element.hidden));
  }

  #toggleHistory() {
    if (!this.inspector.element.hidden) this.#toggleInspector();
    this.history.toggle();
    this.frame.historyButton.setAttribute("aria-expanded", String(!this.history.element.hidden));
  }

  // MARK: The past

  #nameOf(id) {
    const section = this.model?.sections.find((one) => one.id === this.model.sectionOf.get(id));
    const item = this.model?.item(id);
    return item ? nameOf((section?.layout ?? this.model.layout)?.cells ?? {}, item) : id;
  }

  /** The rows are those of a version, which one may look at. */
  #showPast(past, changes) {
    if (this.isClosed) return;
    this.drag.cancel();
    this.selection.clear();
    leaveTitle();
    noteAddress(hashOf(this.id, { version: past.version }));
    const model = this.past.show(past, changes);
    this.#setInert(true);
    this.frame.showProperties(model);
    this.#reset(model);
    this.#showEmpty();
  }

  #reset(model) {
    this.model = model;
    this.collection.reset(model);
  }

  #showNow() {
    if (!this.past.version || this.isClosed) return;
    this.past.end();
    noteAddress(hashOf(this.id));
    if (this.list.getSnapshot().version) this.#showAll();
  }

  // MARK: Events

  #onClick = (event) => {
    const button = event.target.closest('[data-action="add"]');
    if (button) this.#add(button.dataset.section);
  };

  /** @param {string | undefined} sectionId A first section is made if left out. @returns {string} The id of the item. */
  #add(sectionId) {
    const section = this.model.sections.find((one) => one.id === sectionId);
    const cells = (section?.layout ?? this.model.layout)?.cells ?? {};
    const kind = section?.items[0]?.kind ?? Object.keys(cells)[0];
    const text = registration(cells, { id: "", kind, content: {} }).text ?? "title";
    const title = `New ${(section ? this.model.countOf(section) ?? section.items.length : 0) + 1}`;
    const item = { id: crypto.randomUUID?.() ?? makeKey(), kind, content: { [text]: title } };
    if (section) this.writes.add(section.id, item);
    else this.writes.addFirst("items", item);
    announce(`${title} added`);
    return item.id;
  }

  /** Adds to the section of the row with the focus, or to the last one, and asks for the title. */
  #addFirst() {
    if (!this.#isShown || this.past.version || !this.actions.mayWrite) return;
    const { sections, sectionOf } = this.model;
    const row = this.collection.rowOf(document.activeElement)?.dataset.id ?? "";
    const id = this.#add(sectionOf.get(row) ?? sections.at(-1)?.id);
    if (this.model.isWindow) return void this.#goToNew(id);
    editTitleWhenThere(this.actions, id);
  }

  /** It may be far from here, which is known once the server has it. */
  async #goToNew(id) {
    const { status } = await this.writes.done.at(-1);
    if (this.isClosed || status === "refused") return;
    await this.reach.focus({ item: id });
    editTitleWhenThere(this.actions, id);
  }

  #onKey = (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const { target } = event;
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const isElsewhere = isTyping || isCommand || event.altKey || document.querySelector("dialog[open], .menu") !== null;
    if (isCommand && event.key.toLowerCase() === "z" && !isTyping && !this.frame.content.inert) {
      event.preventDefault();
      if (event.shiftKey) this.writes.redo();
      else this.writes.undo();
    } else if (this.#seeks(event, isCommand, isTyping)) {
      event.preventDefault();
      this.frame.searchField.focus();
      this.frame.searchField.select();
    } else if (event.key === "n" && !isElsewhere) {
      event.preventDefault();
      this.#addFirst();
    } else if (event.key === "i" && !isElsewhere) this.#toggleInspector();
    else if (event.key === "h" && !isElsewhere) this.#toggleHistory();
  };

  /** The browser's own search would find only the rows near the window: it is the second one that Ctrl+F leads to. */
  #seeks(event, isCommand, isTyping) {
    if (this.frame.searchField.disabled || event.shiftKey || event.altKey) return false;
    if (isCommand) return event.key.toLowerCase() === "f" && event.target !== this.frame.searchField;
    return event.key === "/" && !isTyping;
  }

  #onVisibility = () => {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) this.hiddenTimer = setTimeout(() => this.list.close(), hiddenMilliseconds);
    else if (this.list.status === "closed") this.#followAgain();
  };
}

function isEmpty(delta) {
  return Object.values(delta).every((part) => part === false || part.size === 0);
}
