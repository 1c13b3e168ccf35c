// The document of a list: one element for one id, changed where the list changed and nowhere else.

import { colour, makeCell, nameOf, paint } from "./cells.js";
import { el, setAttribute } from "./dom.js";
import { resolve } from "./layout.js";
import { emptyDelta, merge } from "./model.js";
import { capture, play } from "./motion.js";
import { symbol } from "./symbols.js";

/**
 * @typedef {import("./model.js").ListModel} ListModel
 * @typedef {import("./model.js").Section} Section
 * @typedef {{element: HTMLElement, list: HTMLElement, isAcross: boolean, isTree: boolean, isComplete: boolean,
 *   resolved: import("./layout.js").Resolved, stamp: string}} SectionView
 */

/** Making rows takes no longer than this of a frame; the others follow in the next. */
const sliceMilliseconds = 6;
/** From here on a row keeps what happens inside it from the others. */
const manyRows = 150;

export class CollectionView {
  /** @type {ListModel} */ model;
  /** @type {Map<string, SectionView>} */ views = new Map();
  /** @type {Map<string, HTMLElement>} */ rows = new Map();
  /** Ids of rows that are gone and whose elements are still there. @type {Set<string>} */ #leaving = new Set();
  #pending = emptyDelta();
  #isScheduled = false;
  #isFirst = true;
  #size = { width: 0, height: 0 };

  /** @param {HTMLElement} element That scrolls. @param {HTMLElement} content Inside it. */
  constructor(element, content) {
    this.element = element;
    this.content = content;
    this.observer = new ResizeObserver(() => this.#resize());
    this.observer.observe(element);
  }

  close() {
    this.observer.disconnect();
  }

  /** Everything may be other than it was; what has the same id stays. @param {ListModel} model */
  reset(model) {
    this.model = model;
    const all = emptyDelta();
    all.sectionsMoved = true;
    all.properties = true;
    for (const section of model.sections) {
      all.touched.add(section.id);
      all.reconfigured.add(section.id);
    }
    for (const id of this.rows.keys()) {
      for (const set of model.byId.has(id) ? [all.moved, all.changed] : [all.removed]) set.add(id);
    }
    merge(this.#pending, all);
    this.#measure();
    this.#flush();
  }

  /** @param {import("./model.js").Delta} delta */
  apply(delta) {
    merge(this.#pending, delta);
    this.#schedule();
  }

  /** @param {Element | null} node @returns {HTMLElement | null} */
  rowOf(node) {
    return node?.closest?.(".row") ?? null;
  }

  /** @param {string} id @returns {{section: Section, index: number} | null} */
  find(id) {
    const owner = this.rows.get(id)?.closest(".section")?.getAttribute("data-id");
    const sections = [...this.model.sections].sort((one) => (one.id === owner ? -1 : 0));
    for (const section of sections) {
      const index = section.rows.findIndex((item) => item.id === id);
      if (index >= 0) return { section, index };
    }
    return null;
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    let isDone = false;
    const run = () => {
      if (isDone) return;
      isDone = true;
      this.#isScheduled = false;
      this.#flush();
    };
    requestAnimationFrame(run);
    // A tab in the background gets no frames.
    setTimeout(run, 100);
  }

  #flush() {
    const delta = this.#pending;
    this.#pending = emptyDelta();
    const focused = this.rowOf(document.activeElement);
    const place = focused ? this.#neighbours(focused) : [];
    // Rows that only come late stand where nothing else moves.
    const isSeen = !this.#isFirst && (delta.touched.size > 0 || delta.removed.size > 0 || delta.sectionsMoved);
    const before = isSeen ? capture(this.element, this.views.values()) : null;
    this.#isFirst = false;
    const deadline = performance.now() + sliceMilliseconds;
    this.#removeRows(delta.removed, deadline);
    if (delta.sectionsMoved || delta.properties) this.#placeSections();
    this.#configureSections(delta);
    const moving = new Set([...delta.moved, ...delta.inserted].filter((id) => this.rows.has(id)));
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      if (delta.touched.has(section.id)) view.isComplete = false;
      if (!view.isComplete) this.#fill(section, view, moving, deadline);
    }
    for (const id of delta.changed) this.#update(id);
    this.#refocus(focused, place);
    play(before, this.element, this.views.values(), (row) => {
      const id = row.dataset.id ?? "";
      return { isNew: delta.inserted.has(id), isMoved: delta.moved.has(id) };
    });
    const isBusy = this.#leaving.size > 0 || this.model.sections.some((section) => !this.views.get(section.id).isComplete);
    this.content.setAttribute("aria-busy", String(isBusy));
    this.content.dataset.version = this.model.version;
    if (isBusy) this.#schedule();
  }

  /** Many rows go in slices, too. @param {Set<string>} removed @param {number} deadline */
  #removeRows(removed, deadline) {
    for (const id of removed) this.#leaving.add(id);
    let count = 0;
    for (const id of this.#leaving) {
      if (count++ % 8 === 7 && performance.now() > deadline) return;
      this.#leaving.delete(id);
      if (this.model.byId.has(id)) continue;
      this.rows.get(id)?.remove();
      this.rows.delete(id);
    }
  }

  // MARK: Sections

  #placeSections() {
    const wanted = new Set(this.model.sections.map((section) => section.id));
    for (const [id, view] of this.views) {
      if (wanted.has(id)) continue;
      view.element.remove();
      this.views.delete(id);
    }
    let next = this.content.firstElementChild;
    for (const section of this.model.sections) {
      const view = this.views.get(section.id) ?? this.#makeSection(section);
      if (view.element === next) next = next.nextElementSibling;
      else this.content.insertBefore(view.element, next);
    }
    // A section that went may have held rows that live elsewhere now; one that came may be new in all.
    this.content.style.setProperty("--section-spacing", `${Number(this.model.layout?.interSectionSpacing ?? 0)}px`);
  }

  /** @returns {SectionView} */
  #makeSection(section) {
    const list = el("ul", { class: "rows", role: "list" });
    const element = el("section", { class: "section", "data-id": section.id }, list);
    const view = { element, list, isAcross: false, isTree: false, isComplete: false, resolved: null, stamp: "" };
    this.views.set(section.id, view);
    return view;
  }

  #configureSections(delta) {
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      const isStale = delta.reconfigured.has(section.id) || delta.properties || delta.touched.has(section.id);
      if (isStale || !view.resolved) this.#configure(section, view, delta);
    }
  }

  /** @param {Section} section @param {SectionView} view */
  #configure(section, view, delta) {
    const layout = section.layout ?? this.model.layout;
    const isEmpty = section.rows.length === 0;
    const many = section.rows.length >= manyRows;
    const stamp = JSON.stringify([layout, this.#size, isEmpty, many, section.title, section.header, section.footer]);
    if (view.stamp === stamp) return;
    const isOther = view.stamp !== "" && JSON.stringify(JSON.parse(view.stamp)[0]) !== JSON.stringify(layout);
    view.stamp = stamp;
    const resolved = resolve(layout, this.#size, isEmpty);
    view.resolved = resolved;
    view.isAcross = resolved.kind === "orthogonal";
    const names = ["section", `kind-${resolved.kind}`];
    if (resolved.kind === "list") names.push(`appearance-${resolved.appearance}`);
    if (resolved.kind === "list" && resolved.headerMode === "firstItemInSection") names.push("first-is-header");
    if (isEmpty) names.push("is-empty");
    if (many && resolved.kind === "list") names.push("has-many");
    view.element.className = names.join(" ");
    view.list.className = `rows ${resolved.name}`.trim();
    for (const edge of ["top", "bottom", "leading", "trailing"]) {
      view.element.style.setProperty(`--inset-${edge}`, `${Number(resolved.insets[edge])}px`);
    }
    this.#decorate(section, view);
    if (isOther) for (const item of section.rows) delta.changed.add(item.id);
  }

  /** Headers, footers and what stands behind the rows. */
  #decorate(section, view) {
    for (const old of view.element.querySelectorAll(":scope > :not(.rows)")) old.remove();
    const { resolved } = view;
    const header = section.header ?? section.title ?? "";
    const wanted = [...resolved.supplementaries];
    if (resolved.headerMode === "supplementary") wanted.unshift({ kind: "header", alignment: "top", ofList: true });
    if (resolved.footerMode === "supplementary") wanted.push({ kind: "footer", alignment: "bottom", ofList: true });
    let labelled = "";
    for (const one of wanted) {
      const text = one.kind === "header" ? header : section.footer ?? "";
      if (text === "" && !one.accessories?.length) continue;
      const made = supplementary(one, text, section.id);
      if (one.kind === "header" && !labelled) {
        labelled = `section-title-${[...this.views.keys()].indexOf(section.id)}`;
        made.firstElementChild?.setAttribute("id", labelled);
      }
      if (one.alignment.startsWith("bottom") || one.alignment === "trailing") view.element.append(made);
      else view.element.insertBefore(made, view.list);
    }
    for (const one of resolved.decorations) view.element.prepend(decoration(one));
    setAttribute(view.element, "aria-labelledby", labelled || null);
    setAttribute(view.list, "aria-labelledby", labelled || null);
    setAttribute(view.element, "aria-label", labelled ? null : header || section.id);
    setAttribute(view.list, "aria-label", labelled ? null : header || section.id);
  }

  /** Whether the size is another. */
  #measure() {
    const [width, height] = [this.content.clientWidth, this.element.clientHeight];
    if (width === this.#size.width && height === this.#size.height) return false;
    this.#size = { width, height };
    return true;
  }

  #resize() {
    if (!this.#measure() || !this.model) return;
    const delta = emptyDelta();
    for (const section of this.model.sections) {
      const view = this.views.get(section.id);
      if (view?.resolved) this.#configure(section, view, delta);
    }
    for (const id of delta.changed) this.#update(id);
  }

  // MARK: Rows

  /**
   * Brings the elements of a section into the order of its rows, and makes those that are missing.
   * @param {Set<string>} moving Ids of rows that stand where they stood before; the others are in order already.
   */
  #fill(section, view, moving, deadline) {
    let next = view.list.firstElementChild;
    let isLate = false;
    section.rows.forEach((item, index) => {
      let row = this.rows.get(item.id);
      if (!row && (isLate || (isLate = index % 8 === 0 && performance.now() > deadline))) return;
      row ??= this.#makeRow(item, view);
      while (next && next !== row && this.#standsBeside(next, moving)) next = next.nextElementSibling;
      if (next === row) next = next.nextElementSibling;
      else this.#put(row, view, next);
      moving.delete(item.id);
    });
    view.isComplete = !isLate;
    const isTree = view.isTree || section.rows.some((item) => item.level || item.childCount);
    if (isTree !== view.isTree) this.#becomeTree(section, view);
  }

  /** Whether a row is not where it is to be, or is to be nowhere. */
  #standsBeside(row, moving) {
    const id = row.getAttribute("data-id") ?? "";
    return moving.has(id) || this.#leaving.has(id) && !this.model.byId.has(id);
  }

  #put(row, view, next) {
    const isForeign = row.parentElement !== null && row.parentElement !== view.list;
    if (row.isConnected && "moveBefore" in view.list) view.list.moveBefore(row, next);
    else view.list.insertBefore(row, next);
    if (isForeign) this.#update(row.dataset.id ?? "");
  }

  #makeRow(item, view) {
    const row = el("li", { class: "row", "data-id": item.id, tabindex: "-1" });
    this.rows.set(item.id, row);
    this.#show(row, item, view);
    return row;
  }

  /** @param {string} id */
  #update(id) {
    const row = this.rows.get(id);
    const item = this.model.byId.get(id);
    const view = this.views.get(row?.closest(".section")?.getAttribute("data-id") ?? "");
    if (row && item && view) this.#show(row, item, view);
  }

  #show(row, item, view) {
    const level = item.level ?? 0;
    if (level > 0) row.style.setProperty("--level", String(level));
    else row.style.removeProperty("--level");
    const isParent = (item.childCount ?? 0) > 0;
    row.classList.toggle("is-expanded", isParent && item.expanded === true);
    row.classList.toggle("is-starred", item.starred === true);
    setAttribute(row, "role", view.isTree ? "treeitem" : "listitem");
    setAttribute(row, "aria-level", view.isTree ? String(level + 1) : null);
    setAttribute(row, "aria-expanded", view.isTree && isParent ? String(item.expanded === true) : null);
    const cell = makeCell(item, view.resolved);
    if (!cell.querySelector(".primary")?.textContent) setAttribute(row, "aria-label", nameOf(view.resolved.cells, item));
    const old = row.querySelector(":scope > .cell");
    if (!old) return row.prepend(cell);
    const action = old.contains(document.activeElement) ? document.activeElement?.getAttribute("data-action") : null;
    old.replaceWith(cell);
    if (action) cell.querySelector(`[data-action="${action}"]`)?.focus();
  }

  #becomeTree(section, view) {
    view.isTree = true;
    view.list.setAttribute("role", "tree");
    for (const item of section.rows) this.#update(item.id);
  }

  // MARK: Focus

  /** The ids of the rows around one, the nearest first, for when it goes. */
  #neighbours(row) {
    const around = [row.nextElementSibling, row.previousElementSibling];
    return around.map((one) => one?.getAttribute("data-id")).filter(Boolean);
  }

  #refocus(focused, place) {
    if (focused) {
      const row = focused.isConnected ? focused : place.map((id) => this.rows.get(id)).find((one) => one?.isConnected);
      if (row && !row.contains(document.activeElement)) this.focus(row);
    }
    for (const { list } of this.views.values()) {
      if (!list.querySelector(':scope > [tabindex="0"]')) list.firstElementChild?.setAttribute("tabindex", "0");
    }
  }

  /** One row of a section is in the order of Tab, the others are reached by arrow keys. @param {HTMLElement} row */
  focus(row) {
    for (const other of row.parentElement.querySelectorAll(':scope > [tabindex="0"]')) other.setAttribute("tabindex", "-1");
    row.setAttribute("tabindex", "0");
    if (document.activeElement !== row) row.focus({ preventScroll: false });
  }
}

function supplementary(one, text, section) {
  const name = `supplementary ${one.kind} at-${one.alignment}${one.pinned ? " pinned" : ""}${one.ofList ? " of-list" : ""}`;
  const title = el(one.kind === "header" ? "h2" : "p", { class: "supplementary-text" }, text);
  const add = one.accessories?.includes("add") && el("button", {
    class: "accessory-button add", type: "button", "data-action": "add", "data-section": section,
    "aria-label": `Add to ${text || section}`,
  }, symbol("plus"));
  const element = el("div", { class: name }, title, add);
  if (one.followsInsets === false) element.classList.add("edge-to-edge");
  if (one.zIndex !== undefined) element.style.zIndex = String(Number(one.zIndex));
  const height = one.height?.absolute ?? one.height?.estimated;
  if (height !== undefined) element.style.minHeight = `${Number(height)}px`;
  return element;
}

function decoration(one) {
  const element = el("div", { class: "decoration", "aria-hidden": "true" });
  const { top = 0, leading = 0, bottom = 0, trailing = 0 } = one.insets ?? {};
  element.style.inset = `${Number(top)}px ${Number(trailing)}px ${Number(bottom)}px ${Number(leading)}px`;
  if (one.background) paint(element, one.background);
  else element.style.backgroundColor = colour("secondarySystemBackground", true);
  if (one.zIndex !== undefined) element.style.zIndex = String(Number(one.zIndex));
  return element;
}
