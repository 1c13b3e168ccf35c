// Swipes of a finger, and the same actions as buttons for whoever points or tabs to a row.

import { el } from "./dom.js";
import { symbol } from "./symbols.js";

const slop = 10;
/** From here on a swipe acts when it is let go. */
const actionDistance = 72;
/** Between the buttons and the accessories or the edge of the row. */
const gap = 8;
/** How far beside a button a pointer still counts as on it; a browser gives a finger to the nearest one. */
const reachOf = (event) => (event.pointerType === "mouse" ? gap : 32);

export class Swipe {
  #row = null;
  #cell = null;
  #action = "";
  #start = { x: 0, y: 0 };
  #x = 0;
  #pointer = 0;
  /** The buttons, in the one row that has them. @type {HTMLElement | null} */ #buttons = null;
  #stopListening = () => {};

  /** @param {import("./actions.js").Actions} actions @param {import("./drag.js").Drag} drag */
  constructor(actions, drag) {
    this.actions = actions;
    this.drag = drag;
    const element = actions.collection.content;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#end());
    element.addEventListener("pointerover", (event) => this.#point(event));
    element.addEventListener("pointermove", (event) => this.#point(event));
    element.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#withdraw());
    element.addEventListener("focusin", (event) => this.#focus(event.target));
    element.addEventListener("focusout", (event) => this.#isOver(event.relatedTarget) || this.#withdraw());
    element.addEventListener("click", (event) => this.#click(event));
  }

  #down(event) {
    const row = actionsRow(event);
    if (!row || event.pointerType === "mouse" || !event.isPrimary) return;
    this.#row = row;
    this.#pointer = event.pointerId;
    this.#start = { x: event.clientX, y: event.clientY };
  }

  #move(event) {
    if (!this.#row || event.pointerId !== this.#pointer) return undefined;
    if (this.drag.isDragging) return this.#end();
    const [x, y] = [event.clientX - this.#start.x, event.clientY - this.#start.y];
    if (!this.#cell) {
      if (Math.abs(y) > slop) return this.#end();
      if (Math.abs(x) < slop) return undefined;
      const action = this.#actionFor(x);
      if (!action) return this.#end();
      this.#begin(action);
    }
    this.#x = x;
    this.#cell.style.transform = `translateX(${this.#actionFor(x) === this.#action ? x : 0}px)`;
    this.#row.classList.toggle("will-act", this.#acts());
    return undefined;
  }

  /** Whether the swipe is long enough, to the side on which it began. */
  #acts() {
    return this.#cell !== null && Math.abs(this.#x) > actionDistance && this.#actionFor(this.#x) === this.#action;
  }

  /** A swipe to the right shows the leading actions. */
  #actionFor(x) {
    const section = this.#row.closest(".section")?.getAttribute("data-id") ?? "";
    const swipes = this.actions.collection.views.get(section)?.resolved.swipes;
    return (x > 0 ? swipes?.leading[0] : swipes?.trailing[0]) ?? "";
  }

  #begin(action) {
    this.#action = action;
    this.#cell = this.#row.querySelector(".cell");
    this.#row.classList.add("swiped", `swiped-${action}`);
  }

  #up(event) {
    const [row, action, isSwipe, acts] = [this.#row, this.#action, this.#cell !== null, this.#acts()];
    const id = row?.dataset.id;
    this.#end();
    if (acts && id !== undefined) this.actions.perform(action, id);
    else if (row && !isSwipe && event.pointerType !== "mouse") this.#show(row, event);
  }

  #end() {
    if (this.#cell) this.#cell.style.transform = "";
    this.#row?.classList.remove("swiped", "swiped-star", "swiped-delete", "will-act");
    [this.#row, this.#cell, this.#action, this.#x] = [null, null, "", 0];
  }

  // MARK: Buttons

  /** A mouse shows the buttons of the row that it points at. */
  #point(event) {
    if (event.pointerType !== "mouse" || event.buttons !== 0 || this.drag.isDragging) return;
    const row = this.actions.collection.rowOf(event.target);
    if (row) this.#show(row, event);
    else this.#withdraw();
  }

  /** Whoever comes by a key gets the buttons of the row; a pointer that brings the focus has its own way. */
  #focus(target) {
    const row = this.actions.collection.rowOf(target);
    if (row && target.matches(":focus-visible")) this.#show(row, null);
  }

  /**
   * Shows the buttons, unless they would come to lie under the pointer: a click there was meant for the row.
   * @param {HTMLElement} row
   * @param {PointerEvent | null} event Of the pointer, if there is one.
   */
  #show(row, event) {
    const buttons = this.#offer(row);
    if (!buttons || !buttons.hidden) return;
    buttons.hidden = false;
    if (!event) return;
    const { left, right } = buttons.getBoundingClientRect();
    const own = row.getBoundingClientRect();
    const reach = reachOf(event);
    // All of the height counts: the row itself may slide under a pointer that rests.
    buttons.hidden = left < own.left || right > own.right || event.clientX > left - reach && event.clientX < right + reach;
  }

  /** Puts the buttons into a row, hidden; there is one set of them. @returns {HTMLElement | null} Null if it has none. */
  #offer(row) {
    if (this.#buttons?.parentElement === row) return this.#buttons;
    this.#withdraw();
    if (this.#buttons) return null;
    const id = row.dataset.id ?? "";
    const offers = this.actions.offers(id);
    if (offers.length === 0) return null;
    this.#buttons = el("span", { class: "row-actions", hidden: true }, ...offers.map((action) => this.#button(action, id)));
    this.#stopListening = this.actions.onChange(id, () => this.#renew(id));
    this.#buttons.style.insetInlineEnd = `${this.#margin(row)}px`;
    row.append(this.#buttons);
    return this.#buttons;
  }

  /** The buttons stand beside the accessories, which stay where they are and within reach. */
  #margin(row) {
    const accessories = row.querySelector(":scope > .cell > .accessories");
    if (!accessories) return gap;
    const [own, taken] = [row.getBoundingClientRect(), accessories.getBoundingClientRect()];
    const isRightToLeft = getComputedStyle(row).direction === "rtl";
    return gap + (isRightToLeft ? taken.right - own.left : own.right - taken.left);
  }

  /** Takes the buttons away, unless a key has brought the focus to them or to their row. */
  #withdraw() {
    const row = this.#buttons?.parentElement;
    if (row?.isConnected && (row.matches(":focus-visible") || row.querySelector(".row-actions :focus-visible"))) return;
    const buttons = this.#buttons;
    const hadFocus = buttons?.contains(document.activeElement);
    this.#stopListening();
    // First forgotten: what goes with the focus tells of its loss, and that leads here again.
    this.#buttons = null;
    buttons?.remove();
    if (hadFocus) row?.focus({ preventScroll: true });
  }

  #isOver(target) {
    const row = this.#buttons?.parentElement;
    return Boolean(row && (row.contains(target) || row.matches(":hover")));
  }

  #button(action, id) {
    const isStarred = this.actions.item(id)?.starred === true;
    const verb = action === "delete" ? "Delete" : "Star";
    return el("button", {
      class: `accessory-button ${action}`, type: "button", "data-action": action,
      "aria-pressed": action === "star" ? String(isStarred) : null, "aria-label": `${verb} ${this.actions.name(id)}`,
    }, symbol(action === "delete" ? "trash" : isStarred ? "star.fill" : "star"));
  }

  #click(event) {
    const button = event.target.closest("[data-action]");
    const id = this.actions.collection.rowOf(button)?.dataset.id;
    if (!button || id === undefined) return;
    this.actions.perform(button.dataset.action, id);
  }

  /** The button for the star says what is so now. */
  #renew(id) {
    const button = this.#buttons?.querySelector("[data-action=star]");
    if (!button) return;
    const again = this.#button("star", id);
    const hadFocus = document.activeElement === button;
    button.replaceWith(again);
    if (hadFocus) again.focus();
  }
}

function actionsRow(event) {
  return event.target.closest("button, [data-handle]") ? null : event.target.closest(".row");
}
