// What a section has beside its rows: classes, insets, headers, footers, and what stands behind the rows.

import { el, setAttribute } from "../base/dom.js";
import { symbol } from "../base/symbols.js";
import { colour, pad, paint } from "./cells.js";

/**
 * @typedef {import("./model.js").Section} Section
 * @typedef {import("./rows.js").SectionView} SectionView
 */

/** Elements for a section, without looks and rows. @param {Section} section @param {number} number Of no other. @returns {SectionView} */
export function makeView(section, number) {
  const list = el("ul", { class: "rows", role: "list" });
  const element = el("section", { class: "section", "data-id": section.id }, list);
  return {
    element, list, number, isAcross: false, isTree: false, items: [], offset: 0, count: 0, first: 0, end: 0, lines: null,
    sizes: new Map(), estimate: 0, height: 0, isStale: false, isFilled: false, siblings: null, stop: null, resolved: null, stamp: "",
  };
}

/** Gives the elements of a section the looks of its layout. @param {Section} section @param {SectionView} view */
export function dressSection(section, view) {
  const { resolved } = view;
  view.isAcross = resolved.kind === "orthogonal";
  const names = ["section", `kind-${resolved.kind}`];
  if (resolved.kind === "list") names.push(`appearance-${resolved.appearance}`);
  if (resolved.kind === "list" && resolved.headerMode === "firstItemInSection") names.push("first-is-header");
  if (section.items.length === 0) names.push("is-empty");
  view.element.className = names.join(" ");
  view.list.className = `rows ${resolved.name}`.trim();
  for (const edge of ["top", "bottom", "leading", "trailing"]) {
    view.element.style.setProperty(`--inset-${edge}`, `${Number(resolved.insets[edge])}px`);
  }
  decorate(section, view);
}

/** Headers, footers and what stands behind the rows. */
function decorate(section, view) {
  for (const old of [...view.element.children]) if (old !== view.list) old.remove();
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
      labelled = `section-title-${view.number}`;
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

function supplementary(one, text, section) {
  const name = `supplementary ${one.kind} at-${one.alignment}${one.pinned ? " pinned" : ""}${one.ofList ? " of-list" : ""}`;
  const title = el(one.kind === "header" ? "h2" : "p", { class: "supplementary-text", dir: "auto" }, text);
  const add = one.accessories?.includes("add") && el("button", {
    class: "accessory-button add", type: "button", "data-action": "add", "data-section": section,
    "aria-label": `Add to ${text || section}`,
  }, symbol("plus"));
  const element = el("div", { class: name }, title, add);
  if (one.followsInsets === false) element.classList.add("edge-to-edge");
  if (one.zIndex !== undefined) element.style.zIndex = String(Number(one.zIndex));
  if (one.background) {
    element.classList.add("has-background");
    paint(element, one.background);
  }
  pad(element, one.insets);
  const height = one.height?.absolute ?? one.height?.estimated;
  if (height !== undefined) element.style.minHeight = `${Number(height)}px`;
  return element;
}

function decoration(one) {
  const element = el("div", { class: "decoration", "aria-hidden": "true" });
  const { top = 0, leading = 0, bottom = 0, trailing = 0 } = one.insets ?? {};
  element.style.insetBlock = `${Number(top)}px ${Number(bottom)}px`;
  element.style.insetInline = `${Number(leading)}px ${Number(trailing)}px`;
  if (one.background) paint(element, one.background);
  else element.style.backgroundColor = colour("secondarySystemBackground", true);
  if (one.zIndex !== undefined) element.style.zIndex = String(Number(one.zIndex));
  return element;
}
