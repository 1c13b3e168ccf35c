// The collection by keys: arrows walk, Space lifts a row and puts it down, Alt with an arrow moves it by one place.

import { announce } from "./dom.js";

/** @typedef {import("./actions.js").Target} Target */

export class Keyboard {
  /** What is lifted, and where it would be put down. @type {{id: string, target: Target | null} | null} */ #lifted = null;
  /** The row that shows where that would be. @type {HTMLElement | null} */ #marked = null;

  /** @param {import("./actions.js").Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.collection = actions.collection;
    this.collection.content.addEventListener("keydown", (event) => this.#down(event));
    this.collection.content.addEventListener("focusin", (event) => {
      const row = this.collection.rowOf(event.target);
      if (row && event.target === row) this.collection.focus(row);
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
    const isFlow = !row.closest(".section").classList.contains("kind-list");
    switch (event.key) {
      case "ArrowDown": return this.#go(isFlow ? below(row, 1) ?? this.#next(row, 1) : this.#next(row, 1));
      case "ArrowUp": return this.#go(isFlow ? below(row, -1) ?? this.#next(row, -1) : this.#next(row, -1));
      case "ArrowRight":
        if (item?.childCount && !item.expanded) this.actions.toggle(id);
        else this.#go(this.#next(row, 1));
        return true;
      case "ArrowLeft":
        if (item?.childCount && item.expanded) this.actions.toggle(id);
        else this.#go(item?.parent ? this.collection.rows.get(item.parent) : this.#next(row, -1));
        return true;
      case "Home": return this.#go(this.collection.content.querySelector(".row"));
      case "End": return this.#go([...this.collection.content.querySelectorAll(".section")].reverse()
        .map((section) => section.querySelector(".rows").lastElementChild).find(Boolean));
      case " ": return this.#lift(id);
      case "Enter":
        if (item?.childCount) this.actions.toggle(id);
        else row.querySelector(".cell [data-action]")?.click();
        return true;
      case "s": if (this.actions.offers(id).includes("star")) this.actions.star(id); return true;
      case "Delete": case "Backspace":
        if (this.actions.offers(id).includes("delete")) this.actions.delete(id);
        return true;
      default: return false;
    }
  }

  #go(row) {
    if (row) this.collection.focus(row);
    return true;
  }

  /** The row before or behind, also of the next section. */
  #next(row, step) {
    const sibling = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (sibling) return sibling;
    let section = row.closest(".section");
    do {
      section = step > 0 ? section.nextElementSibling : section.previousElementSibling;
      const list = section?.querySelector(".rows");
      const found = step > 0 ? list?.firstElementChild : list?.lastElementChild;
      if (found) return found;
    } while (section);
    return null;
  }

  #nudge(event, id) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return false;
    const target = this.actions.neighbour(id, step);
    if (target) this.actions.move(id, target);
    else announce(`${this.actions.name(id)} is at the ${step > 0 ? "end" : "start"}`);
    return true;
  }

  // MARK: Lifting

  #lift(id) {
    const reason = this.actions.whyFixed(id);
    if (reason) {
      announce(reason);
      return true;
    }
    this.#lifted = { id, target: null };
    this.collection.rows.get(id)?.classList.add("lifted");
    announce(`${this.actions.name(id)} lifted. Arrow keys move it, Space puts it down, Escape leaves it where it was.`);
    return true;
  }

  #carry(event) {
    const lifted = this.#lifted;
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) {
      const target = this.actions.neighbour(lifted.id, step, lifted.target ?? undefined);
      if (target) this.#aim(target);
      return true;
    }
    if (event.key === "Escape") this.#letGo("Not moved");
    else if (event.key === " " || event.key === "Enter") {
      const { id, target } = lifted;
      this.#letGo("");
      if (target) this.actions.move(id, target);
      else announce("Put down where it was");
    }
    return true;
  }

  #aim(target) {
    this.#lifted.target = target;
    this.#unmark();
    const row = target.before === null ? null : this.collection.rows.get(target.before);
    const last = this.collection.views.get(target.section)?.list.lastElementChild;
    this.#marked = row ?? last ?? null;
    this.#marked?.classList.add(row ? "drop-before" : "drop-after");
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

/** The row of a grid that stands below or above. */
function below(row, step) {
  const own = row.getBoundingClientRect();
  let next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  for (; next; next = step > 0 ? next.nextElementSibling : next.previousElementSibling) {
    const box = next.getBoundingClientRect();
    const isBeyond = step > 0 ? box.top >= own.bottom - 1 : box.bottom <= own.top + 1;
    if (isBeyond && box.left < own.right && box.right > own.left) return next;
  }
  return null;
}
