// The surroundings of a window: space for all other rows, and the wish for another window when one comes near it.

import { el } from "../base/dom.js";
import { rowsInSight } from "./sight.js";

/** @typedef {import("../server/held.js").Wish} Wish */

/** Another window is asked for with fewer rows than that ahead. */
const ahead = 160;
/** Higher elements are not shown by browsers; in a longer list the space for rows is less than they would take. */
const heightMax = 12_000_000;
/** One who leaps on will not look at what is there. */
const leapMilliseconds = 60;
const retryMilliseconds = 1_000;

export class Reach {
  /** How high a row is taken for. */ #stride = 0;
  /** Numbers of rows, as there is space for them now. */ #spaced = { above: 0, below: 0, count: 0 };
  /** The numbers of the rows that are on their way. @type {[number, number] | null} */ #coming = null;
  #timer = 0;
  #isClosed = false;

  /**
   * @param {import("./rows.js").CollectionView} collection
   * @param {(wish: Wish) => Promise<string>} seek Brings a window, and says the id of its row; empty if it could not.
   */
  constructor(collection, seek) {
    this.collection = collection;
    this.seek = seek;
    this.scroller = collection.element;
    const beyond = () => el("div", { class: "beyond", "aria-hidden": "true", hidden: true });
    [this.above, this.below] = [beyond(), beyond()];
    collection.content.before(this.above);
    collection.content.after(this.below);
    this.note = el("p", { class: "row-number", "aria-hidden": "true", hidden: true });
    this.scroller.addEventListener("scroll", () => this.look(), { passive: true });
    collection.reach = this;
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  // MARK: Space

  /** Makes space for the rows that are not held. @returns {boolean} Whether it is another now. */
  fit() {
    const { model, views } = this.collection;
    const { isWindow, above, below, count } = model;
    this.#measure([...views.values()]);
    this.#spaced = { above, below, count };
    const share = Math.min(1, heightMax / (count * this.#stride));
    let isOther = false;
    for (const [element, rows] of [[this.above, above], [this.below, below]]) {
      const height = `${Math.round(rows * this.#stride * share)}px`;
      if (element.style.height === height) continue;
      element.style.height = height;
      element.style.setProperty("--stride", `${this.#stride}px`);
      element.hidden = rows === 0;
      isOther = true;
    }
    this.note.hidden = !isWindow;
    if (isWindow) this.#say();
    return isOther;
  }

  /** A height that is about right stays, because else all space would change. @param {import("./rows.js").SectionView[]} views */
  #measure(views) {
    const known = views.filter(({ lines, estimate, resolved }) => lines && (estimate > 0 || resolved.kind !== "list"));
    const counted = known.length > 0 ? known : views.filter(({ lines }) => lines);
    const rows = counted.reduce((sum, { items }) => sum + items.length, 0);
    const stride = rows > 0 ? counted.reduce((sum, { lines }) => sum + lines.total, 0) / rows : 46;
    if (Math.abs(stride / this.#stride - 1) > 0.1 || this.#stride === 0) this.#stride = Math.round(stride);
  }

  /**
   * The number of the row at the upper edge of the window, where none that is held is there.
   * @returns {number | null} With a fraction; null if a held one is there, or what stands above all rows.
   */
  number() {
    if (this.scroller.scrollTop <= 0) return null;
    const { above, below, count } = this.#spaced;
    const { top } = this.scroller.getBoundingClientRect();
    const start = this.above.getBoundingClientRect(), end = this.below.getBoundingClientRect();
    const part = (box, rows) => Math.min(Math.max(0, (top - box.top) / box.height * rows), rows - 1);
    if (above > 0 && top < start.bottom) return top < start.top ? null : part(start, above);
    return below > 0 && top >= end.top ? count - below + part(end, below) : null;
  }

  /** Scrolls to the row of a number, held or not. @param {number} number */
  goTo(number) {
    const { model } = this.collection;
    const { top } = this.scroller.getBoundingClientRect();
    const index = Math.min(Math.floor(number), model.count - 1);
    const id = idAt(model, index - model.above);
    const row = id === undefined ? null : this.collection.reveal(id);
    if (row) {
      const box = row.getBoundingClientRect();
      this.scroller.scrollTop += box.top + (number - index) * box.height - top;
      return;
    }
    const [element, from, count] = index < model.above ? [this.above, 0, model.above] : [this.below, model.count - model.below, model.below];
    const box = element.getBoundingClientRect();
    if (count > 0) this.scroller.scrollTop += box.top + (number - from) / count * box.height - top;
  }

  // MARK: Other windows

  /** Asks for another window if the end of this one is near. */
  look() {
    const { model, content } = this.collection;
    if (!model?.isWindow || this.#isClosed) return;
    this.#say();
    const sight = this.scroller.getBoundingClientRect();
    const held = content.getBoundingClientRect();
    const reach = ahead * this.#stride;
    const isNear = model.above > 0 && sight.top - held.top < reach || model.below > 0 && held.bottom - sight.bottom < reach;
    if (!isNear) return;
    const item = this.first();
    const number = item ? numberOf(model, item) : this.number() ?? 0;
    if (this.#coming && this.#coming[0] <= number && number <= this.#coming[1]) return;
    clearTimeout(this.#timer);
    if (item) this.#ask({ item }, number);
    else this.#timer = setTimeout(() => this.#ask({ row: Math.floor(this.number() ?? 0) }, number), leapMilliseconds);
  }

  /** One at a time: a second wish ends the first. */
  async #ask(wish, number) {
    const coming = this.#coming = [number - ahead, number + ahead];
    const id = await this.seek(wish);
    // One may have gone on meanwhile, which is seen once these rows are shown.
    if (this.#coming !== coming) return;
    this.#coming = null;
    if (!id && !this.#isClosed) this.#timer = setTimeout(() => this.look(), retryMilliseconds);
  }

  /** The id of the first row in sight; empty if there is none. */
  first() {
    const [found] = rowsInSight(this.scroller, this.collection.content);
    return found?.[0].dataset.id ?? "";
  }

  /** Brings a window, whatever is in sight. @param {Wish} wish @returns {Promise<string>} As `seek` does. */
  async bring(wish) {
    clearTimeout(this.#timer);
    this.#coming = [-Infinity, Infinity];
    const id = await this.seek(wish);
    this.#coming = null;
    return id;
  }

  /** Gives a row the focus that may not be held, or the one beside it. @param {Wish} wish @param {-1 | 0 | 1} [step] */
  async focus(wish, step = 0) {
    const id = await this.bring(wish);
    const { model } = this.collection;
    if (id) this.collection.focusWhenThere((step !== 0 && model.beside(id, step)) || id);
  }

  /** Says at which row one is. */
  #say() {
    const { model } = this.collection, item = this.first();
    const number = item ? numberOf(model, item) : Math.floor(this.number() ?? 0);
    const text = model.count === 0 ? "" : `Row ${words(number + 1)} of ${words(model.count)}`;
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}

const words = (number) => number.toLocaleString("en");

/** The id of a row by its index among all that are held. @returns {string | undefined} */
function idAt({ sections }, index) {
  if (index < 0) return undefined;
  for (const { items } of sections) {
    if (index < items.length) return items[index].id;
    index -= items.length;
  }
  return undefined;
}

/** The number of a held row among all rows of the list. */
function numberOf(model, id) {
  let number = model.above;
  for (const section of model.sections) {
    if (section.id === model.sectionOf.get(id)) return number + Math.max(0, section.items.findIndex((item) => item.id === id));
    number += section.items.length;
  }
  return number;
}
