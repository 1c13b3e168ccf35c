// Reordering by a pointer: a mouse drags at once, a finger on the handle at once and elsewhere after a long press.

import { announce } from "./dom.js";

const slop = 6;
const longPressMilliseconds = 320;
const edge = 56;

/**
 * @typedef {import("./actions.js").Actions} Actions
 * @typedef {import("./actions.js").Target} Target
 */

export class Drag {
  #row = null;
  #ghost = null;
  #marker = null;
  #start = { x: 0, y: 0 };
  #last = { x: 0, y: 0 };
  /** @type {Target | null} */ #target = null;
  #timer = 0;
  #frame = 0;

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.collection = actions.collection;
    const element = this.collection.content;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.cancel());
    // A finger that drags must not scroll as well.
    element.addEventListener("touchmove", (event) => this.isDragging && event.preventDefault(), { passive: false });
    element.addEventListener("contextmenu", (event) => (this.isDragging || this.#timer) && event.preventDefault());
    element.addEventListener("dragstart", (event) => event.preventDefault());
    document.addEventListener("keydown", this.#onKey);
  }

  get isDragging() {
    return this.#ghost !== null;
  }

  close() {
    this.cancel();
    document.removeEventListener("keydown", this.#onKey);
  }

  #onKey = (event) => {
    if (event.key !== "Escape" || !this.isDragging) return;
    announce("Not moved");
    this.cancel();
  };

  #down(event) {
    const row = this.collection.rowOf(event.target);
    if (!row || event.button !== 0 || !event.isPrimary || event.target.closest("button")) return;
    this.#row = row;
    this.#start = this.#last = { x: event.clientX, y: event.clientY };
    const isHandle = event.target.closest("[data-handle]") !== null;
    if (event.pointerType === "mouse") return;
    if (isHandle) this.#begin(event);
    else this.#timer = setTimeout(() => this.#begin(event), longPressMilliseconds);
  }

  #move(event) {
    if (!this.#row) return;
    this.#last = { x: event.clientX, y: event.clientY };
    const distance = Math.hypot(this.#last.x - this.#start.x, this.#last.y - this.#start.y);
    if (this.isDragging) this.#follow();
    else if (event.pointerType === "mouse" && distance > slop) this.#begin(event);
    else if (event.pointerType !== "mouse" && distance > slop) this.#forget();
  }

  #begin(event) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const id = this.#row?.dataset.id;
    const reason = id === undefined ? "It is gone." : this.actions.whyFixed(id);
    if (reason) {
      announce(reason);
      return this.#forget();
    }
    this.collection.content.setPointerCapture(event.pointerId);
    const box = this.#row.getBoundingClientRect();
    const ghost = this.#row.cloneNode(true);
    for (const name of ["id", "tabindex", "role", "data-id"]) ghost.removeAttribute(name);
    ghost.className = "row ghost";
    ghost.setAttribute("aria-hidden", "true");
    Object.assign(ghost.style, { width: `${box.width}px`, height: `${box.height}px`, left: `${box.left}px`, top: `${box.top}px` });
    const host = document.createElement("div");
    const section = this.#row.closest(".section");
    host.className = `ghost-host ${section.className}`;
    host.append(ghost);
    document.body.append(host);
    this.#ghost = host;
    this.#marker = document.createElement("div");
    this.#marker.className = "marker";
    document.body.append(this.#marker);
    this.#row.classList.add("dragged");
    announce(`Dragging ${this.actions.name(id)}`);
    this.#follow();
    this.#scroll();
  }

  #follow() {
    this.#ghost.style.transform = `translate(${this.#last.x - this.#start.x}px, ${this.#last.y - this.#start.y}px)`;
    this.#aim();
  }

  /** Where the row would come to stand, and a line that shows it. */
  #aim() {
    const { x, y } = this.#last;
    const under = document.elementFromPoint(x, y);
    const row = this.collection.rowOf(under);
    const section = under?.closest(".section");
    if (!section || !this.collection.content.contains(section)) return;
    const id = section.getAttribute("data-id") ?? "";
    const isFlow = !section.classList.contains("kind-list");
    const list = this.collection.views.get(id)?.list;
    const anchor = row ?? list?.lastElementChild;
    if (!anchor) {
      this.#target = { section: id, before: null };
      return this.#mark(list ?? section, false, isFlow);
    }
    const box = anchor.getBoundingClientRect();
    const isAfter = isFlow ? x > box.left + box.width / 2 : y > box.top + box.height / 2;
    const before = isAfter ? anchor.nextElementSibling : anchor;
    this.#target = { section: id, before: before?.getAttribute("data-id") ?? null };
    this.#mark(anchor, isAfter, isFlow);
  }

  #mark(anchor, isAfter, isFlow) {
    const box = anchor.getBoundingClientRect();
    const style = isFlow
      ? { left: isAfter ? box.right : box.left, top: box.top, width: 3, height: box.height }
      : { left: box.left, top: isAfter ? box.bottom : box.top, width: box.width, height: 3 };
    for (const [name, value] of Object.entries(style)) this.#marker.style[name] = `${value - (value === style.left && isFlow ? 1.5 : 0)}px`;
  }

  /** Near an edge the collection scrolls on, as long as the pointer stays there. */
  #scroll() {
    const { element } = this.collection;
    const box = element.getBoundingClientRect();
    const { y } = this.#last;
    const speed = y < box.top + edge ? y - box.top - edge : y > box.bottom - edge ? y - box.bottom + edge : 0;
    if (speed !== 0) {
      element.scrollBy(0, speed / 3);
      this.#aim();
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #up() {
    const [id, target, isDragging] = [this.#row?.dataset.id, this.#target, this.isDragging];
    this.cancel();
    if (!isDragging || id === undefined || !target) return;
    const row = this.collection.rows.get(id);
    if (row) this.collection.focus(row);
    this.actions.move(id, target);
  }

  cancel() {
    cancelAnimationFrame(this.#frame);
    this.#ghost?.remove();
    this.#marker?.remove();
    this.#row?.classList.remove("dragged");
    [this.#ghost, this.#marker, this.#target] = [null, null, null];
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#row = null;
  }
}
