// What can be done with a row, whatever asks for it: pointer, finger or key.

import { menuPlace, openMenu } from "../base/dialog.js";
import { announce, isolated, toast } from "../base/dom.js";
import { hashOf } from "../base/routes.js";
import { blockLength, targetAtLevel, targetBeside, targetOf } from "../hand/places.js";
import { showDetail } from "../item/detail.js";
import { accessoryNames, nameOf, openedList, optionsOf, registration, titleMember } from "../rows/cells.js";
import { makeKey } from "../server/api.js";
import { askToDelete, editTitleWhenThere } from "./editing.js";

/**
 * @typedef {import("../rows/rows.js").CollectionView} CollectionView
 * @typedef {{section: string, before: string | null, into?: string, steps?: number}} Target Before a row, or at the end of
 *   the section; or as the last child of a row. With `steps` so many levels deeper in an outline, as far as they fit there.
 * @typedef {import("../rows/layout.js").SwipeAction} SwipeAction
 */

export class Actions {
  /** Whether the caller may change the list, as far as is known. */
  mayWrite = true;
  /** Whether the list is in its edit mode. */
  isEditing = false;

  /**
   * @param {CollectionView} collection
   * @param {import("../server/writes.js").Writes} writes
   * @param {() => string} filter What is searched for, if anything.
   */
  constructor(collection, writes, filter) {
    this.collection = collection;
    this.writes = writes;
    this.filter = filter;
  }

  /** @param {string} id */
  item(id) {
    return this.collection.model.item(id);
  }

  /** The section and the index of a row among those that are held. One in the document knows its index. @param {string} id */
  find(id) {
    const { model, rows } = this.collection;
    return model.find(id, Number(rows.get(id)?.dataset.index ?? -1));
  }

  /** Calls back when the row is another one. @returns {() => void} Ends that. */
  onChange(id, listener) {
    return this.collection.model.list.subscribeRow(id, listener);
  }

  /** @param {string} id */
  name(id) {
    const item = this.item(id);
    if (item) return nameOf(this.#layout(id)?.cells ?? {}, item);
    return this.#carried(id)?.querySelector(".primary")?.textContent || id;
  }

  /** How kinds are shown where the row is. @param {string} id */
  cells(id) {
    return this.#layout(id)?.cells ?? {};
  }

  /** What a swipe, a pressed button or a key may do to the row. @param {string} id @returns {("star" | "delete")[]} */
  offers(id) {
    const item = this.item(id);
    const layout = this.#layout(id);
    if (!item || !layout || !this.mayWrite) return [];
    const swipes = [...layout.swipes.leading, ...layout.swipes.trailing].map(({ action }) => action);
    const accessories = accessoryNames(registration(layout.cells, item), layout.appearance, this.isEditing);
    return ["star", "delete"].filter((action) => swipes.includes(action) || accessories.includes(action));
  }

  /** The actions that a swipe from an edge of the row offers, as it is now. @param {string} id @param {"leading" | "trailing"} edge */
  swipes(id, edge) {
    const isStarred = this.item(id)?.starred === true;
    const actions = (this.mayWrite && !this.isEditing && this.#layout(id)?.swipes[edge]) || [];
    return actions.map(({ whenStarred, ...one }) => (isStarred ? { ...one, ...whenStarred } : one));
  }

  /** All that is offered beside the row: what swipes offer, and what accessories say. @param {string} id @returns {SwipeAction[]} */
  buttons(id) {
    if (this.isEditing) return [];
    const swipes = [...this.swipes(id, "leading"), ...this.swipes(id, "trailing")];
    const offered = this.offers(id).map((action) => swipes.find((one) => one.action === action) ?? { action });
    return [...offered, ...swipes.filter(({ action }) => action === "custom")];
  }

  /** @param {string} action @param {string} id @param {HTMLElement} [button] What asks for it, if there is one. */
  perform(action, id, button) {
    // While the list is edited its rows lead nowhere.
    if (this.isEditing && action !== "toggle" && button?.classList.contains("cell")) return undefined;
    switch (action) {
      case "star": return this.star(id);
      case "delete": return this.delete(id);
      case "toggle": return this.toggle(id);
      case "switch": case "check": return this.flip(id, button?.dataset.field ?? "");
      case "detail": return showDetail(this, id);
      case "ask": return this.#ask(id);
      case "insert": return this.insert(id);
      case "choose": return button && this.choose(id, button);
      case "open": return this.open(id);
      default: return undefined;
    }
  }

  star(id) {
    const isStarred = !this.item(id)?.starred;
    this.writes.star(id, isStarred);
    announce(`${this.name(id)} ${isStarred ? "starred" : "not starred"}`);
  }

  delete(id) {
    const name = this.name(id);
    const deletion = this.writes.delete(id);
    toast(`${isolated(name)} deleted.`, { action: { label: "Undo", run: () => this.#bringBack(id, deletion) } });
  }

  /** Undoes a deletion; the row gets the focus, which the button had that asked for it. */
  async #bringBack(id, deletion) {
    this.collection.focusWhenThere(id);
    if ((await this.writes.undo(deletion))?.changed) announce(`${this.name(id)} is back`);
  }

  toggle(id) {
    const item = this.item(id);
    if (!item?.childCount) return;
    const isExpanded = !item.expanded;
    this.writes.setExpanded(id, isExpanded);
    announce(`${this.name(id)} ${isExpanded ? "expanded" : "collapsed"}`);
  }

  /**
   * The element that Enter presses: the cell if a tap on it does something, else the first button that is shown.
   * @param {HTMLElement} row @returns {HTMLElement | undefined}
   */
  primary(row) {
    const cell = /** @type {HTMLElement | null} */ (row.querySelector(":scope > .cell[data-action]"));
    if (cell && (!this.isEditing || cell.dataset.action === "toggle")) return cell;
    const buttons = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".cell [data-action]")]).filter((one) => one.checkVisibility());
    return buttons.find((one) => one.dataset.action !== "ask") ?? buttons[0];
  }

  /**
   * Entries for the menu of a row that press its accessories: by keys there is no other way to them.
   * @param {HTMLElement | undefined} row @returns {import("../base/dialog.js").Entry[]}
   */
  extras(row) {
    if (!row || !this.mayWrite) return [];
    const id = row.dataset.id ?? "";
    const buttons = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".cell [data-action]")]).filter((one) => one.checkVisibility());
    return buttons.flatMap((one) => {
      const { action = "", field = "" } = one.dataset;
      const isOn = one.getAttribute("aria-checked") === "true";
      const label = { check: `${isOn ? "Unmark" : "Mark"} ${field}`, switch: `Turn ${field} ${isOn ? "off" : "on"}`,
        choose: `Choose ${field}…`, detail: "Details…", insert: "Add behind it" }[action];
      const find = () => this.collection.rows.get(id)?.querySelector(`.cell [data-action="${action}"]`);
      return label ? [{ label, run: () => (one.isConnected ? one : find())?.click() }] : [];
    });
  }

  #ask(id) {
    const row = this.collection.rows.get(id);
    if (row && this.mayWrite) askToDelete(row, this.name(id));
  }

  /** Adds an item of the same kind behind a row, and asks for its title. @param {string} id */
  insert(id) {
    const item = this.item(id);
    if (!item || !this.mayWrite) return;
    const made = { id: crypto.randomUUID?.() ?? makeKey(), kind: item.kind, content: { [titleMember(this.cells(id), item)]: "New" } };
    this.writes.change((edits) => edits.add(made, { after: id }), "Insert");
    announce("New added");
    editTitleWhenThere(this, made.id);
  }

  /** @param {string} id @param {string} field The member of the content that a switch or a mark shows. */
  flip(id, field) {
    if (!this.mayWrite) return;
    const isOn = this.item(id)?.content?.[field] !== true;
    this.writes.setContent(id, { [field]: isOn });
    announce(`${this.name(id)} ${isOn ? "on" : "off"}`);
  }

  /** Lets the user choose the value of a member of the content. @param {string} id @param {HTMLElement} button */
  choose(id, button) {
    const item = this.item(id);
    const field = button.dataset.field ?? "";
    if (!item || !this.mayWrite) return;
    const set = (text) => {
      this.writes.setContent(id, { [field]: text });
      announce(`${this.name(id)}: ${text}`);
    };
    const entries = optionsOf(this.cells(id), item, field).map((text) => ({ label: text, run: () => set(text) }));
    openMenu(this.name(id), entries, menuPlace(new Event("click"), button));
  }

  /** Leads to the list that the row opens. */
  open(id) {
    const item = this.item(id);
    if (item) location.hash = hashOf(openedList(this.cells(id), item));
  }

  /** Why a row stays where it is; empty if it may be moved. @param {string} id */
  whyFixed(id) {
    const place = this.find(id);
    const item = this.item(id);
    if ((!place || !item) && !this.#carried(id)) return "It is gone.";
    if (!this.mayWrite) return "You may only read this list.";
    if (this.filter()) return "Clear the search to reorder.";
    if (!place || !item) return "";
    if (item.reorderable === false || place.section.reorderable === false) return `${this.name(id)} cannot be moved.`;
    const isHeader = place.index === 0 && this.collection.model.offsetOf(place.section) === 0 && this.#layout(id)?.headerMode === "firstItemInSection";
    return isHeader ? `${this.name(id)} is the header of its section.` : "";
  }

  /** The place one step on, over what stands next to it; null if none is held. @param {string} id @param {1 | -1} step @param {Target} [from] */
  neighbour(id, step, from) {
    const sections = this.collection.model.sections;
    const own = this.find(id);
    if (!own && !from) return null;
    const start = from ? this.#resolve(from) : { section: sections.indexOf(own.section), index: own.index };
    let { section, index } = start;
    const least = (at) => Number(this.#hasHeader(sections[at]));
    const length = own ? blockLength(own.section.items, own.index) : 0;
    const isOwn = sections[section] === own?.section && index >= own.index && index <= own.index + length;
    if (isOwn) index = step > 0 ? own.index + length : own.index;
    index += step;
    if (index < least(section) || index > sections[section].items.length) {
      section += step;
      if (!sections[section]) return null;
      index = step > 0 ? least(section) : sections[section].items.length;
    }
    return { section: sections[section].id, before: sections[section].items[index]?.id ?? null };
  }

  /** @param {string} id @param {Target} target */
  move(id, target) {
    const reason = this.whyFixed(id);
    if (reason) return announce(reason);
    const place = this.placeOf(id, target);
    if (!place) return undefined;
    const [name, parent] = [this.name(id), place.parent && this.name(place.parent)];
    this.writes.move(id, place);
    const now = this.find(id);
    return announce(`${name} moved ${now || !parent ? `to ${now ? this.#placeText(now) : "another place"}` : `into ${parent}`}`);
  }

  /** The edit that a drop there means. @param {string} id @param {Target} target @returns {import("../../client.js").Target | null} Null if the row stays. */
  placeOf(id, target) {
    if (target.into) return this.mayTake(target.into, id) ? { parent: target.into } : null;
    const { model } = this.collection, from = this.find(id);
    // The window has gone on, and left that row behind.
    if (model.isWindow && target.before !== null && !model.sectionOf.has(target.before)) return { before: target.before, section: target.section };
    const { section, index } = this.#resolve(target), to = { section: model.sections[section], index };
    // Behind the last row of a window the section may go on.
    const isCut = model.below > 0 && section === model.sections.length - 1 && index === to.section.items.length;
    if (!from) return targetBeside(to);
    if (isCut) {
      const isOwn = from.section === to.section && from.index + blockLength(to.section.items, from.index) >= index;
      return isOwn ? null : targetBeside(to);
    }
    return target.steps ? targetAtLevel(from, to, target.steps) : targetOf(from, to);
  }

  /** Whether a row may become the child of another one: of none that travels with it. @param {string} parent @param {string} id */
  mayTake(parent, id) {
    for (let at = parent; at !== undefined; at = this.item(at)?.parent) if (at === id) return false;
    return true;
  }

  #hasHeader(section) {
    const { id, items } = section, { model, views } = this.collection;
    return items.length > 0 && model.offsetOf(section) === 0 && views.get(id)?.resolved.headerMode === "firstItemInSection";
  }

  /** @param {Target} target @returns {{section: number, index: number}} At the end if the row has gone. */
  #resolve({ section, before }) {
    const index = Math.max(0, this.collection.model.sections.findIndex((one) => one.id === section));
    const own = this.collection.model.sections[index];
    const place = before === null ? null : this.find(before);
    return { section: index, index: place?.section === own ? place.index : own.items.length };
  }

  /** Says where a row would come to stand. @param {Target} target */
  describe(target) {
    const { section, index } = this.#resolve(target);
    return this.#placeText({ section: this.collection.model.sections[section], index });
  }

  #placeText({ section, index }) {
    const name = section.header ?? section.title ?? section.id;
    const offset = this.collection.model.offsetOf(section);
    return offset === null ? `a place in ${name}` : `place ${offset + index + 1} of ${name}`;
  }

  /** The row that is held by a pointer, or has the focus, while the window has gone on. @param {string} id */
  #carried(id) {
    const { model, rows } = this.collection;
    return model.isWindow && !model.sectionOf.has(id) ? rows.get(id) : undefined;
  }

  #layout(id) {
    return this.collection.viewOf(id)?.resolved;
  }
}
