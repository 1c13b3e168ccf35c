// One list, live.

import { Actions } from "./actions.js";
import { ask } from "./api.js";
import { registration } from "./cells.js";
import { persist } from "./deliver.js";
import { announce, el, toast } from "./dom.js";
import { Drag } from "./drag.js";
import { Inspector } from "./inspector.js";
import { Keyboard } from "./keyboard.js";
import { CollectionView } from "./rows.js";
import { Search } from "./search.js";
import { ListSession } from "./session.js";
import { Swipe } from "./swipe.js";
import { symbol } from "./symbols.js";
import { askForToken, heldToken } from "./token.js";
import { Writes } from "./writes.js";

/** A hidden page lets go of its stream after this. */
const hiddenMilliseconds = 60_000;
const stateTexts = { connecting: "Connecting", live: "Live", waiting: "Reconnecting", ended: "Ended" };

/** @param {HTMLElement} app @param {string} id @returns {() => void} Ends it. */
export function showList(app, id) {
  const page = new ListPage(app, id);
  page.open();
  return () => page.close();
}

class ListPage {
  constructor(app, id) {
    this.id = id;
    this.session = new ListSession(id, {
      onReset: (model) => this.#show(model),
      onDelta: (delta) => {
        this.collection.apply(delta);
        this.search.refresh();
        if (delta.properties) this.#showProperties();
        this.inspector.update();
      },
      onChangeSet: (changeSet) => this.inspector.showChangeSet(changeSet),
      onGone: () => this.#close(
        heldToken() ? "This list was deleted, or your token may not see it any more." : "This list was deleted."),
      onState: (state) => this.#showState(state),
    });
    this.writes = new Writes(this.session, {
      onSent: (sent) => this.inspector.showRequest(sent),
      onNews: (message, stays, status) => toast(message, {
        stays, action: status === 401 ? { label: "Sign in", run: askForToken } : undefined,
      }),
      onHistory: () => this.#showHistory(),
    });
    this.inspector = new Inspector(this.session);
    this.#build(app);
    this.collection = new CollectionView(this.scroller, this.content);
    this.search = new Search(this.session, this.collection, this.searchField);
    this.actions = new Actions(this.collection, this.writes, () => this.search.text);
    this.drag = new Drag(this.actions);
    this.swipe = new Swipe(this.actions, this.drag);
    this.keyboard = new Keyboard(this.actions);
    this.hiddenTimer = 0;
    this.isPaused = false;
    this.isClosed = false;
    document.addEventListener("visibilitychange", this.#onVisibility);
    document.addEventListener("keydown", this.#onKey);
    addEventListener("pagehide", this.#pause);
    addEventListener("pageshow", this.#resume);
  }

  async open() {
    this.inspector.showRequest({ method: "GET", path: `/v1/lists/${encodeURIComponent(this.id)}?view=visible` });
    const isOpen = await persist(() => this.session.open(), {
      isWanted: () => !this.isClosed,
      onFailure: (text, error) => this.#fail(error.status === 404 ? unseenText() : text),
    });
    if (isOpen) this.#askForSample();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.hiddenTimer);
    document.removeEventListener("visibilitychange", this.#onVisibility);
    document.removeEventListener("keydown", this.#onKey);
    removeEventListener("pagehide", this.#pause);
    removeEventListener("pageshow", this.#resume);
    this.drag.close();
    this.collection.close();
    this.session.close();
  }

  // MARK: What stands around the list

  #build(app) {
    const tool = (label, picture, onclick, more = {}) =>
      el("button", { class: "bar-button", type: "button", "aria-label": label, title: label, onclick, ...more }, symbol(picture));
    this.undoButton = tool("Undo", "undo", () => this.writes.undo(), { disabled: true });
    this.redoButton = tool("Redo", "redo", () => this.writes.redo(), { disabled: true });
    this.inspectButton = tool("Inspect", "inspect", () => this.#toggleInspector(),
      { "aria-expanded": "false", "aria-controls": "inspector" });
    this.state = el("span", { class: "state", role: "status" });
    this.barTitle = el("span", { class: "bar-title" });
    this.title = el("h1", { tabindex: "-1" }, "…");
    this.searchField = el("input", {
      type: "search", placeholder: "Search", "aria-label": "Search this list", autocomplete: "off", spellcheck: "false",
    });
    this.tools = el("div", { class: "tools" });
    this.content = el("div", { class: "collection", id: "collection" });
    this.failure = el("p", { class: "failure", role: "alert", hidden: true });
    this.scroller = el("main", { class: "scroller" },
      el("div", { class: "heading" }, this.title,
        el("div", { class: "controls" },
          el("label", { class: "search" }, symbol("search"), this.searchField), this.#reorderSwitch(), this.tools)),
      this.failure, this.content);
    app.append(
      el("header", { class: "bar" },
        el("a", { class: "back", href: "#/" }, symbol("chevron.left"), "Lists"), this.barTitle,
        el("span", { class: "bar-tools" }, this.state, this.undoButton, this.redoButton, this.inspectButton)),
      el("div", { class: "panes" }, this.scroller, this.inspector.element));
    const watch = new IntersectionObserver(([entry]) => this.barTitle.classList.toggle("shown", !entry.isIntersecting));
    watch.observe(this.title);
  }

  #reorderSwitch() {
    const choice = (value, text, isChecked) => el("label", {},
      el("input", {
        type: "radio", name: "reorder-form", value, checked: isChecked,
        onchange: () => {
          this.writes.reorderForm = value;
        },
      }), el("span", {}, text));
    return el("fieldset", { class: "segments" }, el("legend", { class: "hidden-text" }, "How a move is sent"),
      choice("difference", "Difference", true), choice("final", "Final order", false));
  }

  /** @param {import("./model.js").ListModel} model */
  #show(model) {
    this.failure.hidden = true;
    this.#showProperties();
    this.collection.reset(model);
    this.search.refresh();
    this.inspector.update();
    this.content.addEventListener("click", this.#onClick);
  }

  #showProperties() {
    const { model } = this.session;
    document.title = model.title;
    this.title.textContent = model.title;
    this.barTitle.textContent = model.title;
    this.scroller.classList.toggle("is-narrow", isListOnly(model));
    this.#showAppearances(model.layout);
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

  #showState(state) {
    this.state.textContent = stateTexts[state];
    this.state.className = `state ${state}`;
    if (state === "live") this.search.resume();
  }

  #showHistory() {
    this.undoButton.disabled = this.writes.done.length === 0;
    this.redoButton.disabled = this.writes.undone.length === 0;
  }

  #toggleInspector() {
    this.inspector.toggle();
    this.inspectButton.setAttribute("aria-expanded", String(!this.inspector.element.hidden));
  }

  /** The rows stay to be read, and nothing more can be done with them. */
  #close(text) {
    this.#fail(text);
    this.drag.cancel();
    for (const element of [this.content, this.tools]) element.inert = true;
    for (const control of [this.searchField, this.undoButton, this.redoButton]) control.disabled = true;
    if (document.activeElement === document.body) this.title.focus();
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
    const section = this.session.model.sections.find((one) => one.id === sectionId);
    const cells = (section?.layout ?? this.session.model.layout)?.cells ?? {};
    const kind = section?.rows[0]?.kind ?? Object.keys(cells)[0];
    const text = registration(cells, { id: "", kind, content: {} }).text ?? "title";
    const random = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const title = `New ${(section?.rows.length ?? 0) + 1}`;
    this.writes.add(sectionId, { id: `${sectionId}.new-${random}`, kind, content: { [text]: title } })
      .then((result) => result && announce(`${title} added`));
  }

  #onKey = (event) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const isTyping = event.target instanceof HTMLInputElement && event.target.type !== "radio";
    if (isCommand && event.key.toLowerCase() === "z" && !isTyping) {
      event.preventDefault();
      if (event.shiftKey) this.writes.redo();
      else this.writes.undo();
    } else if (event.key === "/" && !isTyping && !isCommand) {
      event.preventDefault();
      this.searchField.focus();
    }
  };

  #onVisibility = () => {
    clearTimeout(this.hiddenTimer);
    if (document.hidden) this.hiddenTimer = setTimeout(this.#pause, hiddenMilliseconds);
    else this.#resume();
  };

  /** Lets go of the stream: a browser that keeps the page for a way back would keep the connection too. */
  #pause = () => {
    this.isPaused = true;
    this.session.pause();
  };

  #resume = () => {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.session.resume();
  };
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
