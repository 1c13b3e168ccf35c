// The collection by keys: arrows walk, Space lifts a row and puts it down, Alt with an arrow moves it by one place.

import { announce } from "../base/dom.js";

/** @typedef {import("../list/actions.js").Target} Target */

export class Keyboard {
  /**
   * The lifted row, the place that it would get, and the row beside that place.
   * @type {{id: string, target: Target | null, at: string} | null}
   */
  #lifted = null;
  /** Whether a step waits for a window. */ #isWaiting = false;
  /** The row that shows where that would be. @type {HTMLElement | null} */ #marked = null;

  /** @param {import("../list/actions.js").Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.collection = actions.collection;
    this.collection.content.addEventListener("keydown", (event) => this.#down(event));
    this.collection.content.addEventListener("focusin", (event) => {
      const row = this.collection.rowOf(event.target);
      if (row && event.target === row) this.collection.focus(row);
      // A section of which no row is near the window.
      if (event.target.matches(".rows")) {
        this.collection.focusItem(this.collection.views.get(event.target.parentElement.dataset.id)?.items[0]?.id);
      }
    });
    this.collection.content.addEventListener("focusout", (event) => {
      // Rows that the server moves lose the focus for a moment; what is lifted stays lifted.
      if (this.#lifted && event.relatedTarget && !this.collection.rowOf(event.relatedTarget)) this.#letGo("Not moved");
    });
  }

  #down(event) {
    const row = this.collection.rowOf(event.target);
    const id = row?.dataset.id;
    if (!row || id === undefined || event.ctrlKey || event.metaKey || event.target !== row) return;
    const handled = this.#lifted ? this.#carry(event) : event.altKey ? this.#nudge(event, id) : this.#walk(event, row, id);
    if (handled) event.preventDefault();
  }

  /** @returns {boolean} Whether the key means something here. */
  #walk(event, row, id) {
    const item = this.actions.item(id);
    // A row that waits out of sight comes back before one goes on from it, if need be with another window.
    if (event.key.startsWith("Arrow") && !item && this.collection.model.isWindow) {
      return this.#seek({ item: id }, event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : -1);
    }
    if (event.key.startsWith("Arrow")) row = this.collection.reveal(id) ?? row;
    const isFlow = !row.closest(".section").classList.contains("kind-list");
    switch (event.key) {
      case "ArrowDown": return this.#go((isFlow && below(row, 1)) || this.collection.model.beside(id, 1));
      case "ArrowUp": return this.#go((isFlow && below(row, -1)) || this.collection.model.beside(id, -1));
      case "ArrowRight":
        if (item?.childCount && !item.expanded) this.actions.toggle(id);
        else this.#go(this.collection.model.beside(id, 1));
        return true;
      case "ArrowLeft":
        if (item?.childCount && item.expanded) this.actions.toggle(id);
        else this.#go(this.actions.item(item?.parent ?? "") ? item.parent : this.collection.model.beside(id, -1));
        return true;
      case "Home": return this.collection.model.above > 0 ? this.#seek({ row: 0 }) : this.#go(filled(this.collection.model.sections).at(0)?.items.at(0).id);
      case "End": return this.collection.model.below > 0 ? this.#seek({ row: this.collection.model.count - 1 }) : this.#go(filled(this.collection.model.sections).at(-1)?.items.at(-1).id);
      case " ": return this.#lift(id);
      case "Enter":
        if (item?.childCount) this.actions.toggle(id);
        else this.actions.primary(row)?.click();
        return true;
      case "s": if (this.actions.offers(id).includes("star")) this.actions.star(id); return true;
      case "Delete": case "Backspace":
        if (this.actions.offers(id).includes("delete")) this.actions.delete(id);
        return true;
      default: return false;
    }
  }

  #seek(wish, step) {
    this.collection.reach?.focus(wish, step);
    return true;
  }

  #go(id) {
    this.collection.focusItem(id);
    return true;
  }

  #nudge(event, id) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return false;
    this.#step({ id, target: null, at: id }, step, (target) => {
      if (target) this.actions.move(id, target);
      else announce(`${this.actions.name(id)} is at the ${step > 0 ? "end" : "start"}`);
    });
    return true;
  }

  /** Hands on the place one step on, with another window if the rows there are not held; null if there is none. */
  async #step({ id, target: from, at }, step, take) {
    if (this.#isWaiting) return;
    const { collection: { content, reach }, actions } = this;
    /** Undefined if it is not held. */
    const look = () => {
      const { model } = this.collection, isHeld = model.sectionOf.has(at);
      const place = isHeld || !model.isWindow ? actions.neighbour(id, step, from ?? undefined) : null;
      const isCut = step > 0 ? model.below > 0 && isEnd(place, model) : model.above > 0 && place === null;
      return model.isWindow && (!isHeld || isCut) ? undefined : place;
    };
    let place = look();
    if (place === undefined) {
      this.#isWaiting = true;
      await reach?.bring({ item: at });
      while (content.isConnected && content.getAttribute("aria-busy") === "true") await new Promise(requestAnimationFrame);
      this.#isWaiting = false;
      place = look();
    }
    if (place === undefined) announce("The rows beyond cannot be shown now.");
    else take(place);
  }

  // MARK: Lifting

  #lift(id) {
    const reason = this.actions.whyFixed(id);
    if (reason) {
      announce(reason);
      return true;
    }
    this.#lifted = { id, target: null, at: id };
    this.collection.rows.get(id)?.classList.add("lifted");
    announce(`${this.actions.name(id)} lifted. Arrow keys move it, Space puts it down, Escape leaves it where it was.`);
    return true;
  }

  #carry(event) {
    const lifted = this.#lifted;
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) {
      this.#step(lifted, step, (target) => target && this.#lifted === lifted && this.#aim(target));
      return true;
    }
    if (event.key === "Escape") this.#letGo("Not moved");
    else if (event.key === " " || event.key === "Enter") {
      const { id, target } = lifted;
      this.#letGo("");
      if (target && !this.actions.item(id)) this.collection.focusWhenThere(id);
      if (target) this.actions.move(id, target);
      else announce("Put down where it was");
    }
    return true;
  }

  #aim(target) {
    this.#lifted.target = target;
    this.#unmark();
    const isLast = target.before === null;
    const id = isLast ? this.collection.views.get(target.section)?.items.at(-1)?.id : target.before;
    this.#lifted.at = id ?? this.#lifted.at;
    this.#marked = id === undefined ? null : this.collection.reveal(id);
    this.#marked?.classList.add(isLast ? "drop-after" : "drop-before");
    // The focus was left behind with its section.
    if (this.#marked && !this.collection.rowOf(document.activeElement)) this.collection.focus(this.#marked);
    this.#marked?.scrollIntoView({ block: "nearest" });
    announce(`Before ${target.before === null ? "the end" : this.actions.name(target.before)}, ${this.actions.describe(target)}`);
  }

  #letGo(text) {
    if (this.#lifted) this.collection.rows.get(this.#lifted.id)?.classList.remove("lifted");
    this.#lifted = null;
    this.#unmark();
    if (text) announce(text);
  }

  #unmark() {
    this.#marked?.classList.remove("drop-before", "drop-after");
    this.#marked = null;
  }
}

/** Whether a place is behind all rows that are held. */
function isEnd(place, { sections }) {
  return !place || place.before === null && place.section === sections.at(-1)?.id;
}

const filled = (sections) => sections.filter(({ items }) => items.length > 0);

/** The id of the row of a grid that stands below or above. */
function below(row, step) {
  const own = row.getBoundingClientRect();
  let next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  for (; next; next = step > 0 ? next.nextElementSibling : next.previousElementSibling) {
    const box = next.getBoundingClientRect();
    const isBeyond = step > 0 ? box.top >= own.bottom - 1 : box.bottom <= own.top + 1;
    if (isBeyond && box.left < own.right && box.right > own.left) return next.dataset.id;
  }
  return null;
}
