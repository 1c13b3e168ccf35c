// Reordering by a pointer: a mouse drags at once, a finger on the handle at once and elsewhere after a long press.

import { announce } from "../base/dom.js";
import { aimAt } from "./aim.js";
import { land } from "./landing.js";

const slop = 6;
const longPressMilliseconds = 320;
const edge = 56;
/** Over a closed parent for so long, the row waits to go in. */
const openMilliseconds = 650;

/**
 * @typedef {import("../list/actions.js").Actions} Actions
 * @typedef {import("./aim.js").Aim} Aim
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
  /** The place to which the row would go, and the time since when. @type {Aim | null} */ #aim = null;
  #aimedAt = 0;
  /** Parents that the drag has opened. @type {string[]} */ #opened = [];
  #timer = 0;
  #frame = 0;
  /** Ends what is seen of the drag before. */ #endLanding = () => {};

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.collection = actions.collection;
    const element = this.collection.content;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => event.pointerId === this.#pointer && this.#takeBack());
    // A finger that drags must not scroll as well. If the browser scrolls with it already, it takes it away from the drag.
    const mustKeep = (event) => this.isDragging && event.cancelable;
    element.addEventListener("touchmove", (event) => mustKeep(event) && event.preventDefault(), { passive: false });
    element.addEventListener("contextmenu", (event) => (this.isDragging || this.#timer) && event.preventDefault());
    element.addEventListener("dragstart", (event) => event.preventDefault());
    document.addEventListener("keydown", this.#onKey, true);
  }

  get isDragging() {
    return this.#ghost !== null;
  }

  close() {
    this.cancel();
    document.removeEventListener("keydown", this.#onKey, true);
  }

  /** Before anybody else hears of the key: it means the drag alone. */
  #onKey = (event) => {
    if (event.key !== "Escape" || !this.isDragging) return;
    event.preventDefault();
    event.stopPropagation();
    announce("Not moved");
    for (const id of this.#opened) if (this.actions.item(id)?.expanded) this.actions.toggle(id);
    this.#takeBack();
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
    if (event.buttons === 0) return this.#takeBack();
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
    this.#endLanding();
    this.collection.content.setPointerCapture(this.#pointer);
    this.#ghost = this.#makeGhost();
    this.#marker = document.createElement("div");
    this.#marker.className = "marker";
    this.#marker.hidden = true;
    document.body.append(this.#marker);
    this.#row.classList.add("dragged");
    this.#opened = [];
    announce(`Dragging ${this.actions.name(id)}`);
    this.#follow();
    this.#scroll(performance.now());
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
    this.#look();
  }

  /** The place that the row would get, and the mark that shows it; the last one if nothing is known. */
  #look() {
    const id = this.#row?.dataset.id;
    const aim = id === undefined ? null : aimAt(this.actions, id, this.#last, this.#last.x - this.#start.x);
    if (!aim) return;
    if (aim.key !== this.#aim?.key) this.#aimedAt = performance.now();
    this.#aim = aim;
    const { mark, shape } = aim;
    this.#marker.hidden = !mark;
    if (!mark) return;
    this.#marker.className = `marker is-${shape}`;
    const sight = this.collection.element.getBoundingClientRect();
    const [left, top] = [Math.max(mark.left, sight.left), Math.max(mark.top, sight.top)];
    const [right, bottom] = [Math.min(mark.left + mark.width, sight.right), Math.min(mark.top + mark.height, sight.bottom)];
    const box = { left, top, width: Math.max(3, right - left), height: Math.max(3, bottom - top) };
    for (const [name, value] of Object.entries(box)) this.#marker.style[name] = `${value}px`;
  }

  /** Near an edge what is under the pointer scrolls on, and a closed parent opens, as long as the pointer stays there. */
  #scroll(now) {
    const { element } = this.collection;
    const { x, y } = this.#last;
    const under = document.elementFromPoint(x, y)?.closest(".kind-orthogonal > .rows");
    if (under) this.#glideOn(under);
    const box = element.getBoundingClientRect();
    const rail = this.#rail?.getBoundingClientRect();
    const isOnRail = rail && y >= rail.top && y <= rail.bottom;
    const across = isOnRail ? pull(x, Math.max(rail.left, box.left), Math.min(rail.right, box.right)) : 0;
    element.scrollBy(0, pull(y, box.top, box.bottom));
    this.#rail?.scrollBy(across, 0);
    // Rows move under a pointer that rests, because something scrolls, or because somebody else moves them.
    this.#look();
    this.#openParent(now);
    this.#frame = requestAnimationFrame((then) => this.#scroll(then));
  }

  #openParent(now) {
    const into = this.#aim?.target?.into;
    if (!into || this.actions.item(into)?.expanded || now - this.#aimedAt < openMilliseconds) return;
    this.#opened.push(into);
    this.#aimedAt = now;
    this.actions.toggle(into);
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
    const [row, id, isDragging] = [this.#row, this.#row?.dataset.id, this.isDragging];
    if (!isDragging || id === undefined) return this.#forget();
    this.#last = { x: event.clientX, y: event.clientY };
    this.#follow();
    const target = this.#aim?.target;
    const ghost = this.#letGo();
    this.#land(ghost, row, id, target?.into);
    if (!target) return;
    // Not where it was: it may have come a long way.
    this.collection.rows.get(target.into && !this.actions.item(target.into)?.expanded ? target.into : id)?.focus({ preventScroll: true });
    this.actions.move(id, target);
  }

  /** The picture goes back to the row, which stays where it is. */
  #takeBack() {
    const [row, id] = [this.#row, this.#row?.dataset.id];
    if (!this.isDragging || id === undefined) return this.#forget();
    return this.#land(this.#letGo(), row, id);
  }

  /** @param {string} [parent] In which the row is not to be seen if it is closed. */
  #land(ghost, row, id, parent) {
    const { collection } = this;
    row.classList.add("landing");
    this.#endLanding = land(ghost, {
      isReady: () => collection.content.getAttribute("aria-busy") !== "true",
      placeOf: () => {
        const now = collection.rows.get(id);
        if (now?.isConnected && !now.classList.contains("kept")) return now.getBoundingClientRect();
        return middleOf(collection.rows.get(parent ?? ""));
      },
      onEnd: () => {
        this.#endLanding = () => {};
        row.classList.remove("landing");
      },
    });
  }

  /** Ends the drag but for its picture. @returns {HTMLElement} */
  #letGo() {
    const ghost = this.#ghost;
    this.#ghost = null;
    this.cancel();
    return ghost;
  }

  /** Ends the drag, and what is seen of it. */
  cancel() {
    cancelAnimationFrame(this.#frame);
    this.#endLanding();
    this.#ghost?.remove();
    this.#marker?.remove();
    this.#row?.classList.remove("dragged");
    this.#glideOn(null);
    [this.#ghost, this.#marker, this.#aim] = [null, null, null];
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#row = null;
  }
}

/** A speck in the middle of a row, into which the picture goes. @param {HTMLElement | undefined} row */
function middleOf(row) {
  if (!row?.isConnected) return null;
  const { left, top, width, height } = row.getBoundingClientRect();
  return new DOMRect(left + width / 2 - 20, top + height / 2 - 4, 40, 8);
}

/** How far to scroll in a frame with the pointer at a place between two edges. */
function pull(place, start, end) {
  const speed = place < start + edge ? place - start - edge : place > end - edge ? place - end + edge : 0;
  return Math.min(edge, Math.max(-edge, speed)) / 3;
}
