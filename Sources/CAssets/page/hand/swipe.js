// Swipes of a finger, and the same actions as buttons for whoever points or tabs to a row.
//
// In a row of rows a finger scrolls across first. Where that goes no farther, or on a row that was tapped, it swipes.

import { el, prefersReducedMotion } from "../base/dom.js";
import { symbol } from "../base/symbols.js";
import { colour } from "../rows/cells.js";

/** @typedef {import("../rows/layout.js").SwipeAction} SwipeAction */

const slop = 10;
/** How wide an action is beside a row that is swiped. */
const actionWidth = 76;
/** A swipe that goes so much farther than all actions does the outermost one. */
const beyond = 44;
/** How far a row may be carried along before its open actions close. */
const drift = 4;
/** Back to rest. */
const closing = { duration: 200, easing: "cubic-bezier(0.3, 0.9, 0.3, 1)" };
const shortcuts = { star: "S", delete: "Delete" };
/** Between the buttons and the accessories or the edge of the row. */
const gap = 8;
/** How far beside a button a pointer still counts as on it; a browser gives a finger to the nearest one. */
const reachOf = (event) => (event.pointerType === "mouse" ? gap : 32);

export class Swipe {
  /** Under the finger. */ #row = null;
  #start = { x: 0, y: 0 };
  #pointer = 0;
  /** Whether the finger swipes. */ #isSwiping = false;
  /** The actions at the edge of the one row that is swiped or was left open. @type {HTMLElement | null} */ #tray = null;
  /** What the tray offers, the outermost first. @type {SwipeAction[]} */ #offered = [];
  /** Whether the press closes a tray, and so does nothing else. */ #isClosing = false;
  /** Where the row stood when its actions were left open. */ #openAt = { left: 0, top: 0 };
  /** 1 if the tray is at the left edge, -1 if at the right one. */ #side = 1;
  /** The buttons, in the one row that has them. @type {HTMLElement | null} */ #buttons = null;
  #stopListening = () => {};

  /** @param {import("../list/actions.js").Actions} actions @param {import("./drag.js").Drag} drag */
  constructor(actions, drag) {
    this.actions = actions;
    this.drag = drag;
    const element = actions.collection.content;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.#end());
    element.addEventListener("touchmove", (event) => this.#keep(event), { passive: false });
    element.addEventListener("pointerover", (event) => this.#point(event));
    element.addEventListener("pointermove", (event) => this.#point(event));
    element.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#withdraw());
    element.addEventListener("focusin", (event) => this.#focus(event.target));
    element.addEventListener("focusout", (event) => this.#isOver(event.relatedTarget) || this.#withdraw());
    element.addEventListener("click", (event) => this.#click(event));
  }

  // MARK: Swipes

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
    if (!this.#isSwiping) {
      if (Math.abs(y) > slop && Math.abs(y) > Math.abs(x)) return this.#end();
      if (Math.abs(x) < slop) return undefined;
      if (this.#scrolls(this.#row, x) || !this.#open(this.#row, Math.sign(x))) return this.#end();
      this.#isSwiping = true;
      this.#tray?.parentElement?.classList.add("is-swiping");
    }
    this.#show(x * this.#side);
    return undefined;
  }

  /** A finger that swipes must not scroll as well, and one that the browser scrolls with already must not swipe. */
  #keep(event) {
    if (!this.#isSwiping) return;
    if (event.cancelable) event.preventDefault();
    else this.#end();
  }

  /** Whether a finger that goes to the side scrolls what is under it. @param {HTMLElement} row @param {number} x To the right. */
  #scrolls(row, x) {
    const rail = row.closest(".kind-orthogonal > .rows");
    if (!rail || row === this.#buttons?.parentElement && !this.#buttons?.hidden) return false;
    const room = rail.scrollWidth - rail.clientWidth;
    const gone = getComputedStyle(rail).direction === "rtl" ? room + rail.scrollLeft : rail.scrollLeft;
    return x > 0 ? gone > 1 : gone < room - 1;
  }

  /** Puts the actions of a side into a row. @returns {boolean} Whether there are any. */
  #open(row, side) {
    const isRightToLeft = getComputedStyle(row).direction === "rtl";
    const id = row.dataset.id ?? "";
    this.#offered = this.actions.swipes(id, (side > 0) === isRightToLeft ? "trailing" : "leading");
    if (this.#offered.length === 0) return false;
    this.#withdraw();
    this.#side = side;
    this.#tray = el("span", { class: `swipe-tray at-${side > 0 ? "left" : "right"}` },
      ...this.#offered.map((offer) => this.#button(offer, id, titleOf(offer, this.actions.item(id)))));
    row.classList.add("swiped");
    row.append(this.#tray);
    document.addEventListener("pointerdown", this.#onPress, true);
    this.actions.collection.element.addEventListener("scroll", this.#onScroll, { passive: true, capture: true });
    return true;
  }

  /** @param {number} distance From the edge at which the actions are. */
  #show(distance) {
    const row = this.#tray?.parentElement;
    if (!row || !this.#tray) return;
    const width = Math.max(0, distance);
    row.style.setProperty("--swipe", `${width * this.#side}px`);
    this.#tray.style.width = `${width}px`;
    this.#tray.classList.toggle("will-act", this.#acts(width));
  }

  /** Whether the swipe is long enough for the outermost action. */
  #acts(distance) {
    return isKnown(this.#offered[0]) && distance > this.#offered.length * actionWidth + beyond;
  }

  #up(event) {
    const [row, wasSwiping] = [this.#row, this.#isSwiping];
    const id = row?.dataset.id;
    const distance = (event.clientX - this.#start.x) * this.#side;
    const [action, acts] = [this.#offered[0]?.action, wasSwiping && this.#acts(distance)];
    const width = this.#offered.length * actionWidth;
    [this.#row, this.#isSwiping] = [null, false];
    if (!wasSwiping) {
      if (row && event.pointerType !== "mouse") this.#offerTo(row, event);
    } else if (!acts && distance > width / 2) {
      // The actions stay, to be chosen from.
      row?.classList.remove("is-swiping");
      this.#show(width);
      if (row) this.#openAt = row.getBoundingClientRect();
    } else this.#close();
    if (acts && action && id !== undefined) this.actions.perform(action, id);
  }

  #end() {
    if (this.#isSwiping) this.#close();
    [this.#row, this.#isSwiping] = [null, false];
  }

  /** A press anywhere else closes what was left open, and does nothing else to rows. */
  #onPress = (event) => {
    this.#isClosing = !event.target.closest(".swipe-tray");
    if (this.#isClosing) this.#close();
  };

  /** So does scrolling, unless it keeps the row where it is. */
  #onScroll = () => {
    const row = this.#tray?.parentElement;
    if (!row || this.#isSwiping) return;
    const { left, top } = row.getBoundingClientRect();
    if (Math.hypot(left - this.#openAt.left, top - this.#openAt.top) > drift) this.#close();
  };

  /** Takes the actions of a swipe away. */
  #close() {
    const [tray, row] = [this.#tray, this.#tray?.parentElement];
    this.#tray = null;
    document.removeEventListener("pointerdown", this.#onPress, true);
    this.actions.collection.element.removeEventListener("scroll", this.#onScroll, { capture: true });
    if (!tray || !row) return;
    const from = row.style.getPropertyValue("--swipe");
    const width = tray.getBoundingClientRect().width;
    row.classList.remove("is-swiping");
    row.style.removeProperty("--swipe");
    const end = () => {
      tray.remove();
      if (!row.querySelector(":scope > :is(.swipe-tray, .swipe-leaving)")) row.classList.remove("swiped");
    };
    if (prefersReducedMotion() || !from) return end();
    // No more than a picture.
    tray.className = tray.className.replace("swipe-tray", "swipe-leaving");
    tray.inert = true;
    tray.style.width = "0";
    row.querySelector(":scope > .cell")?.animate([{ transform: `translateX(${from})` }, { transform: "none" }], closing);
    tray.animate([{ width: `${width}px` }, { width: "0" }], closing).finished.then(end, end);
    return undefined;
  }

  // MARK: Buttons

  /** A mouse shows the buttons of the row that it points at. */
  #point(event) {
    if (event.pointerType !== "mouse" || event.buttons !== 0 || this.drag.isDragging) return;
    const row = this.actions.collection.rowOf(event.target);
    if (row) this.#offerTo(row, event);
    else this.#withdraw();
  }

  /** Whoever comes by a key gets the buttons of the row; a pointer that brings the focus has its own way. */
  #focus(target) {
    const row = this.actions.collection.rowOf(target);
    if (row && target.matches(":focus-visible")) this.#offerTo(row, null);
  }

  /**
   * Shows the buttons, unless they would come to lie under the pointer: a click there was meant for the row.
   * @param {HTMLElement} row
   * @param {PointerEvent | null} event Of the pointer, if there is one.
   */
  #offerTo(row, event) {
    if (row === this.#tray?.parentElement) return;
    const buttons = this.#offer(row);
    if (!buttons || !buttons.hidden) return;
    buttons.hidden = false;
    const own = row.getBoundingClientRect();
    if (buttons.getBoundingClientRect().width > own.width / 2) buttons.classList.add("is-short");
    if (!event) return;
    const { left, right } = buttons.getBoundingClientRect();
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
    const offers = this.actions.buttons(id);
    if (offers.length === 0) return null;
    const made = offers.map((offer) => this.#button(offer, id, offer.title));
    this.#buttons = el("span", { class: "row-actions", hidden: true }, ...made);
    this.#stopListening = this.actions.onChange(id, () => this.#renew(id));
    this.#buttons.style.insetInlineEnd = `${this.#margin(row)}px`;
    row.append(this.#buttons);
    return this.#buttons;
  }

  /** The buttons stand beside the accessories, which stay where they are and within reach. */
  #margin(row) {
    const accessories = row.querySelector(":scope > .cell > .accessories:not(.when-editing)");
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

  /** @param {SwipeAction} offer @param {string} id @param {string | undefined} title What is shown beside the symbol. */
  #button(offer, id, title) {
    const { action, color } = offer;
    const item = this.actions.item(id);
    const name = this.actions.name(id);
    const isToggle = action === "star" && offer.title === undefined;
    const element = el("button", {
      class: `accessory-button ${action}`, type: "button", "data-action": action, disabled: !isKnown(offer),
      "aria-pressed": isToggle ? String(item?.starred === true) : null,
      "aria-label": `${isToggle ? "Star" : titleOf(offer, item)} ${name}`, "aria-keyshortcuts": shortcuts[action],
    }, symbol(symbolOf(offer, item)), title !== undefined && el("span", { class: "action-title" }, title));
    if (color) {
      element.classList.add("is-coloured");
      element.style.backgroundColor = colour(color, true);
    }
    return element;
  }

  #click(event) {
    const button = event.target.closest("[data-action]");
    const id = this.actions.collection.rowOf(button)?.dataset.id;
    if (!button || id === undefined) return;
    // A key makes clicks, too.
    const isClosing = this.#isClosing && event.detail > 0;
    this.#isClosing = false;
    if (isClosing) return;
    if (button.closest(".swipe-tray")) this.#close();
    this.actions.perform(button.dataset.action, id, button);
  }

  /** The button for the star says what is so now. */
  #renew(id) {
    const button = this.#buttons?.querySelector("[data-action=star]");
    const offer = this.actions.buttons(id).find(({ action }) => action === "star");
    if (!button || !offer) return;
    const again = this.#button(offer, id, offer.title);
    const hadFocus = document.activeElement === button;
    button.replaceWith(again);
    if (hadFocus) again.focus();
  }
}

/** Whether the page can do it. Others are what another client knows. @param {SwipeAction | undefined} offer */
const isKnown = (offer) => offer !== undefined && offer.action !== "custom";

/** @param {SwipeAction} offer @param {import("../rows/model.js").Item | null | undefined} item */
function titleOf({ action, name, title }, item) {
  if (title !== undefined) return title;
  if (action === "custom") return name ?? "";
  return action === "delete" ? "Delete" : item?.starred ? "Unstar" : "Star";
}

/** @param {SwipeAction} offer @param {import("../rows/model.js").Item | null | undefined} item */
function symbolOf({ action, symbol: given }, item) {
  if (given !== undefined) return given;
  if (action === "custom") return "circle";
  return action === "delete" ? "trash" : item?.starred ? "star.slash" : "star";
}

function actionsRow(event) {
  return event.target.closest("button, [data-handle]") ? null : event.target.closest(".row");
}
