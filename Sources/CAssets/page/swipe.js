// Swipes of a finger, and the same actions as buttons for whoever points or tabs to a row.

import { el } from "./dom.js";
import { symbol } from "./symbols.js";

const slop = 10;
/** From here on a swipe acts when it is let go. */
const actionDistance = 72;

export class Swipe {
  #row = null;
  #cell = null;
  #action = "";
  #start = { x: 0, y: 0 };
  #x = 0;

  /** @param {import("./actions.js").Actions} actions @param {import("./drag.js").Drag} drag */
  constructor(actions, drag) {
    this.actions = actions;
    this.drag = drag;
    const element = actions.collection.content;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", () => this.#up());
    element.addEventListener("pointercancel", () => this.#end());
    element.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.#offer(event.target));
    element.addEventListener("focusin", (event) => this.#offer(event.target));
    element.addEventListener("click", (event) => this.#click(event));
  }

  #down(event) {
    const row = actionsRow(event);
    if (!row || event.pointerType === "mouse" || !event.isPrimary) return;
    this.#row = row;
    this.#start = { x: event.clientX, y: event.clientY };
  }

  #move(event) {
    if (!this.#row || this.drag.isDragging) return this.#end();
    const [x, y] = [event.clientX - this.#start.x, event.clientY - this.#start.y];
    if (!this.#cell) {
      if (Math.abs(y) > slop) return this.#end();
      if (Math.abs(x) < slop) return;
      const action = this.#actionFor(x);
      if (!action) return this.#end();
      this.#begin(action);
    }
    this.#x = x;
    this.#cell.style.transform = `translateX(${this.#actionFor(x) === this.#action ? x : 0}px)`;
    this.#row.classList.toggle("will-act", Math.abs(x) > actionDistance);
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

  #up() {
    const [id, action] = [this.#row?.dataset.id, this.#action];
    const acts = this.#cell && Math.abs(this.#x) > actionDistance;
    this.#end();
    if (acts && id !== undefined) this.actions.perform(action, id);
  }

  #end() {
    if (this.#cell) this.#cell.style.transform = "";
    this.#row?.classList.remove("swiped", "swiped-star", "swiped-delete", "will-act");
    [this.#row, this.#cell, this.#action, this.#x] = [null, null, "", 0];
  }

  /** Puts the buttons into the row under the pointer or with the focus; there is one set of them. */
  #offer(target) {
    const row = this.actions.collection.rowOf(target);
    const id = row?.dataset.id;
    if (!row || id === undefined || row.querySelector(":scope > .row-actions")) return;
    const offers = this.actions.offers(id);
    for (const old of this.actions.collection.content.querySelectorAll(".row-actions")) {
      if (!old.contains(document.activeElement)) old.remove();
    }
    if (offers.length === 0) return;
    row.append(el("span", { class: "row-actions" }, ...offers.map((action) => this.#button(action, id))));
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
    this.actions.perform(button.dataset.action, id).then(() => {
      if (button.dataset.action !== "star" || !button.isConnected || !button.closest(".row-actions")) return;
      // The button says what is so now.
      const again = this.#button("star", id);
      const hadFocus = document.activeElement === button;
      button.replaceWith(again);
      if (hadFocus) again.focus();
    });
  }
}

function actionsRow(event) {
  return event.target.closest("button, [data-handle]") ? null : event.target.closest(".row");
}
