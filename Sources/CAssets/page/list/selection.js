// Several rows at once, and the menu of a row: by shift, ctrl and a long press, or by keys.

import { menuPlace, openDialog, openMenu } from "../base/dialog.js";
import { announce, el, isolated, setAttribute, toast } from "../base/dom.js";
import { hashOf } from "../base/routes.js";
import { symbol } from "../base/symbols.js";
import { editJSON, editTitle } from "../item/itemedit.js";
import { goneOf } from "../server/writes.js";

const longPressMilliseconds = 550;
const slop = 8;

export class Selection {
  /** @type {Set<string>} */ ids = new Set();
  /**
   * By id, what was last seen of the selected rows of a window, and of those above them: the window leaves them behind.
   * @type {Map<string, import("../rows/model.js").Item>}
   */
  #seen = new Map();
  /** How many items the list had at its last change. */ #itemCount = 0;
  /** Whether some of the rows that are left behind may be gone, and whether the server is asked about that. */ #isInDoubt = false;
  #isAsking = false;
  /** Where a range begins. */ #anchor = "";
  #timer = 0;
  #start = { x: 0, y: 0 };
  /** The click that ends a long press selects nothing. */ #isPressed = false;
  /** What the long press has selected that goes on. */ #pressed = "";
  /** Whether the last press was that of a finger. */ #isTouch = false;
  #observer = new MutationObserver(() => this.#paint());

  /** @param {import("./actions.js").Actions} actions @param {string} list */
  constructor(actions, list) {
    this.actions = actions;
    this.list = list;
    this.collection = actions.collection;
    this.count = el("span", { class: "selection-count", role: "status" });
    const tool = (text, picture, keys, onclick) => el("button",
      { class: "quiet-button", type: "button", "aria-keyshortcuts": keys, onclick }, symbol(picture), el("span", {}, text));
    // A finger has no other way to the menu of a row.
    this.more = el("button", {
      class: "quiet-button", type: "button", "aria-haspopup": "menu",
      onclick: (event) => this.openMenu([...this.ids][0], menuPlace(event, this.more)),
    }, "More");
    this.bar = el("div", { class: "selection-bar", role: "region", "aria-label": "Selected items", hidden: true },
      el("span", { id: "is-selected", hidden: true }, "Selected"), this.count, this.starTool = tool("Star", "star", "S", () => this.star()), tool("Move", "reorder", "M", () => this.openMove([...this.ids])),
      tool("Delete", "trash", "Delete", () => this.delete()), this.more, tool("Done", "checkmark", "Escape", () => this.clear()));
    const { content } = this.collection;
    content.addEventListener("click", (event) => this.#click(event), true);
    content.addEventListener("dblclick", (event) => this.#doubleClick(event));
    content.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    content.addEventListener("contextmenu", (event) => this.#contextMenu(event));
    content.addEventListener("keydown", (event) => this.#keyBefore(event), true);
    content.addEventListener("keydown", (event) => this.#keyAfter(event));
    content.addEventListener("pointerdown", (event) => this.#press(event));
    content.addEventListener("pointermove", (event) => {
      if (Math.hypot(event.clientX - this.#start.x, event.clientY - this.#start.y) > slop) this.#noteWay();
    });
    for (const name of ["pointerup", "pointercancel"]) content.addEventListener(name, () => clearTimeout(this.#timer));
  }

  close() {
    this.#observer.disconnect();
    clearTimeout(this.#timer);
  }

  /**
   * Rows that are not shown any more, because they have gone or a search hides them, are not selected. Those that a window
   * has left behind are.
   */
  refresh() {
    const { model } = this.collection;
    for (const id of this.ids) if (!model.isWindow && !model.sectionOf.has(id)) this.ids.delete(id);
    this.#show();
    const count = model?.list.getSnapshot().counts.items ?? 0;
    if (count < this.#itemCount) this.#leaveOutGone();
    this.#itemCount = count;
  }

  /** A window does not tell which of the rows are gone that it has left behind, so the server is asked. */
  async #leaveOutGone() {
    this.#isInDoubt = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#isInDoubt) {
      this.#isInDoubt = false;
      const { model } = this.collection;
      const ids = [...this.ids].filter((id) => !model.sectionOf.has(id));
      if (ids.length === 0) break;
      const gone = await goneOf(this.list, ids);
      for (const id of gone) this.ids.delete(id);
      if (gone.length > 0) this.#show();
    }
    this.#isAsking = false;
  }

  clear() {
    if (this.ids.size === 0) return;
    this.ids.clear();
    this.#show();
    announce("Nothing is selected");
  }

  /** @param {string} id */
  toggle(id) {
    if (!this.ids.delete(id)) this.ids.add(id);
    this.#anchor = id;
    this.#show();
    announce(`${this.actions.name(id)} ${this.ids.has(id) ? "selected" : "not selected"}, ${this.ids.size} in all`);
  }

  all() {
    for (const id of this.#order()) this.ids.add(id);
    this.#show();
    const { count, isWindow } = this.collection.model;
    if (isWindow && this.ids.size < count) toast(`This list is too long to select all of it: ${this.ids.size} of ${count} rows are selected.`);
    else announce(`${this.ids.size} selected`);
  }

  /** From where the range began. @param {string} id */
  extend(id) {
    const order = this.#order();
    const [from, to] = [order.indexOf(this.#anchor), order.indexOf(id)];
    if (from < 0) return this.toggle(id);
    this.ids = new Set(order.slice(Math.min(from, to), Math.max(from, to) + 1));
    this.#show();
    return announce(`${this.ids.size} selected`);
  }

  // MARK: What can be done with several

  star() {
    const ids = [...this.ids];
    const isStarred = !ids.every((id) => this.#item(id)?.starred);
    this.#change((edits) => edits.star(ids, isStarred), isStarred ? "Star" : "Unstar")
      .then((status) => status === "refused" && this.#noteStars(ids, !isStarred));
    this.#noteStars(ids, isStarred);
    announce(`${ids.length} ${isStarred ? "starred" : "not starred"}`);
  }

  delete(ids = [...this.ids]) {
    const text = ids.length === 1 ? this.actions.name(ids[0]) : `${ids.length} items`;
    const { writes } = this.actions;
    const deletion = writes.change((edits) => edits.delete(this.#roots(ids)), "Delete");
    this.clear();
    toast(`${isolated(text)} deleted.`, { action: { label: "Undo", run: () => writes.undo(deletion) } });
  }

  /** @param {string[]} ids */
  openMove(ids) {
    const { sections } = this.collection.model.list.getSnapshot();
    const section = /** @type {HTMLSelectElement} */ (el("select", { id: "move-section" },
      ...sections.map((one) => el("option", { value: one.id }, textOf(one)))));
    const place = /** @type {HTMLSelectElement} */ (el("select", { id: "move-place" },
      el("option", { value: "first" }, "At the start"), el("option", { value: "last", selected: true }, "At the end")));
    openDialog(ids.length === 1 ? `Move ${this.actions.name(ids[0])}` : `Move ${ids.length} items`, [
      el("label", { for: "move-section" }, "Section"), section, el("label", { for: "move-place" }, "Place"), place,
    ], { action: "Move", onSubmit: () => {
      const chosen = new Set(ids);
      const held = this.#order().filter((id) => chosen.has(id)), isHeld = new Set(held);
      const roots = this.#roots([...held, ...ids.filter((id) => !isHeld.has(id))]);
      const isFirst = place.value === "first";
      this.#change((edits) => {
        for (const id of isFirst ? [...roots].reverse() : roots) edits.move(id, { section: section.value, at: isFirst ? "first" : "last" });
      }, "Move");
      announce(`${roots.length} moved to ${textOf(sections.find((one) => one.id === section.value))}`);
    } });
    section.focus();
  }

  async #change(make, label) {
    const { status } = await this.actions.writes.change(make, label);
    if (status !== "applied") this.#leaveOutGone();
    return status;
  }

  /** Nobody tells of rows that are left behind. */
  #noteStars(ids, isStarred) {
    for (const id of ids) {
      const item = this.#seen.get(id);
      if (item) this.#seen.set(id, { ...item, starred: isStarred || undefined });
    }
  }

  /** As it is, or as it was when the window left it behind. @param {string} id */
  #item(id) {
    return this.actions.item(id) ?? this.#seen.get(id);
  }

  /** Without what goes along with its parent. */
  #roots(ids) {
    const chosen = new Set(ids);
    return ids.filter((id) => {
      for (let parent = this.#item(id)?.parent; parent !== undefined; parent = this.#item(parent)?.parent) {
        if (chosen.has(parent)) return false;
      }
      return true;
    });
  }

  #order() {
    return this.collection.model.sections.flatMap((section) => section.items.map((item) => item.id));
  }

  // MARK: What shows it

  #show() {
    const { size } = this.ids;
    this.#note();
    // Rows come and go while they are selected.
    this.#observer.disconnect();
    if (size > 0) this.#observer.observe(this.collection.content, { childList: true, subtree: true });
    this.bar.hidden = size === 0;
    this.more.hidden = size !== 1;
    this.count.textContent = size === 0 ? "" : `${size} selected`;
    this.#paint();
  }

  /** The bar lies over the list, but not over the row that was chosen last. @param {string} id */
  #uncover(id) {
    const row = this.collection.rows.get(id);
    if (!row || this.bar.hidden) return;
    const over = row.getBoundingClientRect().bottom + 8 - this.bar.getBoundingClientRect().top;
    if (over > 0) this.collection.element.scrollTop += over;
  }

  #note() {
    if (this.ids.size === 0) this.#seen.clear();
    if (!this.collection.model?.isWindow) return;
    for (const id of this.ids) {
      for (let item = this.actions.item(id); item; item = this.actions.item(item.parent ?? "")) this.#seen.set(item.id, item);
    }
  }

  #paint() {
    for (const [id, row] of this.collection.rows) mark(row, this.ids.has(id));
    const isFew = this.ids.size > 0 && this.ids.size <= 1_000; // Each scroll paints.
    this.starTool.ariaPressed = String(isFew && [...this.ids].every((id) => this.#item(id)?.starred));
  }

  // MARK: Events

  #click(event) {
    const id = this.collection.rowOf(event.target)?.dataset.id;
    const { isEditing } = this.actions;
    const isButton = event.target.closest("button") !== null;
    const isTouch = event.pointerType === "touch" && !(isEditing && isButton);
    if (id === undefined || !this.actions.mayWrite) return;
    // A menu presses buttons, too.
    if (this.#isPressed && event.isTrusted) this.#isPressed = false;
    else if (event.shiftKey) this.extend(id);
    else if (event.ctrlKey || event.metaKey || (isTouch && this.ids.size > 0) || this.#isForCircle(event, id)) this.toggle(id);
    else if (isEditing) return undefined;
    else {
      this.#anchor = id;
      return this.clear();
    }
    event.preventDefault();
    event.stopPropagation();
    this.#uncover(id);
    const row = this.collection.rows.get(id);
    if (row && event.shiftKey) this.collection.focus(row);
    return undefined;
  }

  /** Whether a click is for the circle of a row: on it, or on the row while the list is edited. */
  #isForCircle(event, id) {
    const circle = this.collection.rows.get(id)?.querySelector('[data-action="select"]');
    if (!circle?.checkVisibility()) return false;
    return circle.contains(event.target) || (this.actions.isEditing && !event.target.closest("button"));
  }

  #doubleClick(event) {
    const row = this.collection.rowOf(event.target);
    // Fingers tap again and again; theirs is the menu.
    if (!row || this.#isTouch || event.target.closest("button, [data-handle]")) return;
    getSelection()?.removeAllRanges();
    editTitle(this.actions, row.dataset.id ?? "");
  }

  #press(event) {
    clearTimeout(this.#timer);
    const id = this.collection.rowOf(event.target)?.dataset.id;
    [this.#isPressed, this.#pressed] = [false, ""];
    this.#isTouch = event.pointerType === "touch";
    if (event.pointerType === "mouse" || !event.isPrimary || id === undefined || event.target.closest("button, [data-handle]")) return;
    if (!this.actions.mayWrite) return;
    this.#start = { x: event.clientX, y: event.clientY };
    this.#timer = setTimeout(() => {
      this.#isPressed = true;
      this.toggle(id);
      this.#pressed = this.ids.has(id) ? id : "";
    }, longPressMilliseconds);
  }

  /** A finger that goes on after a long press drags, and so selects nothing. */
  #noteWay() {
    clearTimeout(this.#timer);
    if (this.#pressed && this.ids.has(this.#pressed)) this.toggle(this.#pressed);
    this.#pressed = "";
  }

  #contextMenu(event) {
    const row = this.collection.rowOf(event.target);
    if (!row || event.defaultPrevented) return;
    event.preventDefault();
    if (event.pointerType === "touch") return;
    this.collection.focus(row);
    this.openMenu(row.dataset.id ?? "", menuPlace(event, row));
  }

  /** @param {string} id @param {{x: number, y: number}} place */
  openMenu(id, place) {
    const { actions } = this;
    if (!actions.item(id)) return;
    const isOne = !this.ids.has(id) || this.ids.size < 2;
    const many = [...this.ids];
    const address = `${location.origin}${location.pathname}${hashOf(this.list, { item: id })}`;
    const copy = {
      label: "Copy link",
      run: () => navigator.clipboard.writeText(address).then(() => toast("Copied."), () => toast(address, { stays: true })),
    };
    if (!actions.mayWrite) {
      const show = { label: "Show as JSON", keys: "E", run: () => editJSON(actions, this.list, id) };
      return openMenu(actions.name(id), [show, copy], place);
    }
    return openMenu(isOne ? actions.name(id) : `${many.length} items`, isOne ? [
      ...actions.extras(this.collection.rows.get(id)),
      { label: "Edit title", keys: "F2", run: () => editTitle(actions, id) },
      { label: "Edit as JSON…", keys: "E", run: () => editJSON(actions, this.list, id) },
      { label: actions.item(id)?.starred ? "Unstar" : "Star", keys: "S", run: () => actions.star(id) },
      { label: "Move…", keys: "M", run: () => this.openMove([id]) },
      { label: this.ids.has(id) ? "Deselect" : "Select", keys: "X", run: () => this.toggle(id) },
      copy, { label: "Delete", isDangerous: true, run: () => this.delete([id]) },
    ] : [
      { label: "Star", keys: "S", run: () => this.star() }, { label: "Move…", keys: "M", run: () => this.openMove(many) },
      { label: "Deselect all", keys: "Escape", run: () => this.clear() },
      { label: "Delete", keys: "Delete", isDangerous: true, run: () => this.delete() },
    ], place);
  }

  /** Keys that mean something else where rows are selected, or nothing to the list alone. */
  #keyBefore(event) {
    const row = this.collection.rowOf(event.target);
    const id = row?.dataset.id;
    if (!row || id === undefined || event.target !== row || event.altKey || row.classList.contains("lifted")) return;
    if (!this.#does(event, row, id)) return;
    if (this.ids.has(id)) this.#uncover(id);
    event.preventDefault();
    event.stopPropagation();
  }

  #does(event, row, id) {
    const isMany = this.ids.size > 0;
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return done(this.openMenu(id, menuPlace(event, row)));
    if (event.key === "e" && !isCommand) return done(editJSON(this.actions, this.list, id));
    if (!this.actions.mayWrite) return false;
    if (isCommand && event.key === " ") return done(this.toggle(id));
    if (isCommand && event.key.toLowerCase() === "a") return done(this.all());
    if (isCommand) return false;
    const isPlain = !this.actions.item(id)?.childCount && !this.actions.primary(row);
    switch (event.key) {
      case "x": return done(this.toggle(id));
      case "m": return done(this.openMove(isMany ? [...this.ids] : [id]));
      case "F2": return done(editTitle(this.actions, id));
      case "Enter": return isPlain && done(editTitle(this.actions, id));
      case "Escape": return isMany && done(this.clear());
      case "s": return isMany && done(this.star());
      case "Delete": case "Backspace": return isMany && done(this.delete());
      default: return false;
    }
  }

  /** The arrows have moved the focus already. */
  #keyAfter(event) {
    if (!event.key.startsWith("Arrow")) return;
    const id = this.collection.rowOf(document.activeElement)?.dataset.id;
    const from = this.collection.rowOf(event.target)?.dataset.id;
    if (!this.actions.mayWrite || !event.shiftKey || event.altKey || id === undefined) return;
    if (this.ids.size === 0 && from !== undefined) this.#anchor = from;
    this.extend(id);
    this.#uncover(id);
  }
}

function done(_) {
  return true;
}

function mark(row, isSelected) {
  if (row.classList.contains("is-selected") !== isSelected) row.classList.toggle("is-selected", isSelected);
  setAttribute(row, "aria-describedby", isSelected ? "is-selected" : null);
  const circle = row.querySelector('[data-action="select"]');
  if (circle) setAttribute(circle, "aria-checked", String(isSelected));
}

function textOf(section) {
  return typeof section?.header === "string" ? section.header : section?.title ?? section?.id ?? "";
}
