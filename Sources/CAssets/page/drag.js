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
  #pointer = 0;
  #ghost = null;
  #marker = null;
  #start = { x: 0, y: 0 };
  #last = { x: 0, y: 0 };
  /** Where in the row the pointer went down, from its corner. */ #grip = { x: 0, y: 0 };
  /** The row of rows under the pointer that scrolls across. @type {HTMLElement | null} */ #rail = null;
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
    element.addEventListener("pointercancel", (event) => event.pointerId === this.#pointer && this.cancel());
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
    if (this.isDragging) return;
    this.#row = row;
    this.#pointer = event.pointerId;
    this.#start = this.#last = { x: event.clientX, y: event.clientY };
    const box = row.getBoundingClientRect();
    this.#grip = { x: event.clientX - box.left, y: event.clientY - box.top };
    const isHandle = event.target.closest("[data-handle]") !== null;
    if (event.pointerType === "mouse") return;
    if (isHandle) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), longPressMilliseconds);
  }

  #move(event) {
    if (!this.#row || event.pointerId !== this.#pointer) return;
    // The button was let go of where the collection does not hear of it.
    if (event.buttons === 0) return this.cancel();
    this.#last = { x: event.clientX, y: event.clientY };
    const distance = Math.hypot(this.#last.x - this.#start.x, this.#last.y - this.#start.y);
    if (this.isDragging) this.#follow();
    else if (event.pointerType === "mouse" && distance > slop) this.#begin();
    else if (event.pointerType !== "mouse" && distance > slop) this.#forget();
  }

  #begin() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const id = this.#row?.dataset.id;
    const reason = id === undefined ? "It is gone." : this.actions.whyFixed(id);
    if (reason) {
      announce(reason);
      return this.#forget();
    }
    this.collection.content.setPointerCapture(this.#pointer);
    this.#ghost = this.#makeGhost();
    this.#marker = document.createElement("div");
    this.#marker.className = "marker";
    document.body.append(this.#marker);
    this.#row.classList.add("dragged");
    announce(`Dragging ${this.actions.name(id)}`);
    this.#follow();
    this.#scroll();
  }

  /** A picture of the row, fixed to the window whatever scrolls, in a host that gives it the looks of its section. */
  #makeGhost() {
    const box = this.#row.getBoundingClientRect();
    const ghost = this.#row.cloneNode(true);
    for (const name of ["id", "tabindex", "role", "data-id"]) ghost.removeAttribute(name);
    for (const one of ghost.querySelectorAll(":scope > :is(.row-actions, .swipe-tray)")) one.remove();
    ghost.className = "row ghost";
    Object.assign(ghost.style, { width: `${box.width}px`, height: `${box.height}px` });
    const host = document.createElement("div");
    host.className = `ghost-host ${this.#row.closest(".section").className}`;
    host.setAttribute("aria-hidden", "true");
    host.append(ghost);
    document.body.append(host);
    return host;
  }

  #follow() {
    const [x, y] = [this.#last.x - this.#grip.x, this.#last.y - this.#grip.y];
    // Not the host: it makes no box that could be moved.
    this.#ghost.firstElementChild.style.transform = `translate(${x}px, ${y}px)`;
    this.#aim();
  }

  /** Where the row would come to stand, and a line that shows it. */
  #aim() {
    const { x, y } = this.#last;
    const view = this.collection.element.getBoundingClientRect();
    // Beyond an edge, the row at the edge is meant.
    const under = document.elementFromPoint(x, Math.min(Math.max(y, view.top + 1), view.bottom - 1));
    const row = this.collection.rowOf(under);
    const section = under?.closest(".section");
    if (!section || !this.collection.content.contains(section)) return;
    const id = section.getAttribute("data-id") ?? "";
    const isFlow = !section.classList.contains("kind-list");
    const list = this.collection.views.get(id)?.list;
    const { collection } = this;
    const last = collection.views.get(id)?.items.at(-1)?.id;
    const anchor = row ?? collection.rows.get(last ?? "");
    if (!anchor) {
      this.#target = { section: id, before: null };
      return this.#mark(list ?? section, false, isFlow);
    }
    const box = anchor.getBoundingClientRect();
    const isAfter = isFlow ? x > box.left + box.width / 2 : y > box.top + box.height / 2;
    const own = anchor.dataset.id ?? "";
    const items = collection.views.get(id)?.items ?? [];
    const behind = items[items.findIndex((item) => item.id === own) + 1]?.id ?? null;
    this.#target = { section: id, before: isAfter ? behind : own };
    this.#mark(anchor, isAfter, isFlow);
  }

  #mark(anchor, isAfter, isFlow) {
    const box = anchor.getBoundingClientRect();
    const style = isFlow
      ? { left: isAfter ? box.right : box.left, top: box.top, width: 3, height: box.height }
      : { left: box.left, top: isAfter ? box.bottom : box.top, width: box.width, height: 3 };
    for (const [name, value] of Object.entries(style)) this.#marker.style[name] = `${value - (value === style.left && isFlow ? 1.5 : 0)}px`;
  }

  /** Near an edge what is under the pointer scrolls on, as long as the pointer stays there. */
  #scroll() {
    const { element } = this.collection;
    const { x, y } = this.#last;
    const under = document.elementFromPoint(x, y)?.closest(".kind-orthogonal > .rows");
    if (under) this.#glideOn(under);
    const box = element.getBoundingClientRect();
    const rail = this.#rail?.getBoundingClientRect();
    const isOnRail = rail && y >= rail.top && y <= rail.bottom;
    const across = isOnRail ? pull(x, Math.max(rail.left, box.left), Math.min(rail.right, box.right)) : 0;
    const was = [element.scrollTop, this.#rail?.scrollLeft];
    element.scrollBy(0, pull(y, box.top, box.bottom));
    this.#rail?.scrollBy(across, 0);
    if (element.scrollTop !== was[0] || this.#rail?.scrollLeft !== was[1]) this.#aim();
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /** @param {HTMLElement | null} rail What scrolls across from now on; it comes to rest when the drag leaves it. */
  #glideOn(rail) {
    if (rail === this.#rail) return;
    this.#rail?.classList.remove("gliding");
    rail?.classList.add("gliding");
    this.#rail = rail;
  }

  #up(event) {
    if (event.pointerId !== this.#pointer) return;
    const [id, target, isDragging] = [this.#row?.dataset.id, this.#target, this.isDragging];
    this.cancel();
    if (!isDragging || id === undefined || !target) return;
    const row = this.collection.rows.get(id);
    // Not where it was: it may have come a long way.
    row?.focus({ preventScroll: true });
    this.actions.move(id, target);
  }

  cancel() {
    cancelAnimationFrame(this.#frame);
    this.#ghost?.remove();
    this.#marker?.remove();
    this.#row?.classList.remove("dragged");
    this.#glideOn(null);
    [this.#ghost, this.#marker, this.#target] = [null, null, null];
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#row = null;
  }
}

/** How far to scroll in a frame with the pointer at a place between two edges. */
function pull(place, start, end) {
  const speed = place < start + edge ? place - start - edge : place > end - edge ? place - end + edge : 0;
  return Math.min(edge, Math.max(-edge, speed)) / 3;
}
