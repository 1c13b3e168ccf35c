// Cell registrations: what shows an item of one kind, made anew whenever the item changes.

import { el } from "../base/dom.js";
import { isSymbol, symbol } from "../base/symbols.js";

/** @typedef {import("./model.js").Item} Item */

/** What a kind without a registration gets. */
const defaultCell = { configuration: "cell", accessories: ["star", "outlineDisclosure"] };

const scalar = (value) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** @param {Item} item @param {string | undefined} name Of a member. */
const member = (item, name) => (name && Object.hasOwn(item.content ?? {}, name) ? scalar(item.content[name]) : "");

/** @param {Object<string, any>} cells @param {Item} item */
export function registration(cells, item) {
  return item.kind && Object.hasOwn(cells, item.kind) ? cells[item.kind] : defaultCell;
}

/** The text that a cell shows, which is also the item's name. @param {any} cell @param {Item} item */
function textOf(cell, item) {
  if (cell.text) return member(item, cell.text);
  const first = ["text", "title", "name"].map((name) => member(item, name)).find((text) => text !== "");
  return first ?? (cell === defaultCell ? fallbackName(item) : "");
}

const fallbackName = (item) => Object.values(item.content ?? {}).map(scalar).find((text) => text !== "") ?? item.id;

/** The name of the member whose text a cell shows. @param {Object<string, any>} cells @param {Item} item */
export function titleMember(cells, item) {
  return registration(cells, item).text ?? ["text", "title", "name"].find((name) => member(item, name) !== "") ?? "title";
}

/** Among what the user of a pop-up menu chooses. @param {Object<string, any>} cells @param {Item} item @param {string} field */
export function optionsOf(cells, item, field) {
  const accessories = registration(cells, item).accessories ?? [];
  return accessories.find((one) => one.accessory === "popUpMenu" && one.field === field)?.options ?? [];
}

/** A name for announcements and labels. @param {Object<string, any>} cells @param {Item} item */
export function nameOf(cells, item) {
  return member(item, "title") || textOf(registration(cells, item), item) || fallbackName(item);
}

/** The list to which whoever selects the item is led; empty if there is none. @param {Object<string, any>} cells @param {Item} item */
export function openedList(cells, item) {
  return member(item, registration(cells, item).opens);
}

/** Whether the item shows that it is starred. */
export function showsStar(cells, item, appearance) {
  return accessoryNames(registration(cells, item), appearance, false).includes("star");
}

/** @param {any} cell @param {string} appearance @param {boolean} isEditing Whether those of the edit mode count. */
export function accessoryNames(cell, appearance, isEditing) {
  const isShown = ({ displayed }) => isEditing || displayed !== "whenEditing";
  return accessoriesIn(cell, appearance).filter(isShown).map(({ accessory }) => accessory);
}

function accessoriesIn(cell, appearance) {
  return (cell.accessories ?? []).map((one) => (typeof one === "string" ? { accessory: one } : one))
    .filter(({ appearances }) => appearances?.includes(appearance) ?? true);
}

/** Whether some cells have what is shown only while the user edits the list. @param {Object<string, any>} [cells] */
export function haveEditMode(cells) {
  return Object.values(cells ?? {}).some(({ accessories }) => accessories?.some(({ displayed }) => displayed === "whenEditing"));
}

/**
 * The action of a tap on the cell, and of Enter: it leads on, opens a branch, or sets a mark.
 * @param {any} cell @param {Item} item @param {import("./layout.js").Resolved} layout @returns {{action?: string, field?: string}}
 */
function tapOf(cell, item, layout) {
  const accessories = accessoriesIn(cell, layout.appearance).filter(({ displayed }) => displayed !== "whenEditing");
  const has = (name) => accessories.some(({ accessory }) => accessory === name);
  if (openedList(layout.cells, item)) return { action: "open" };
  if (item.childCount && has("outlineDisclosure")) return { action: "toggle" };
  if (has("disclosure")) return { action: "detail" };
  const mark = accessories.find(({ accessory, field }) => accessory === "checkmark" && field);
  return mark ? { action: "check", field: mark.field } : {};
}

/**
 * @param {Item} item
 * @param {import("./layout.js").Resolved} layout
 * @returns {HTMLElement}
 */
export function makeCell(item, layout) {
  const cell = registration(layout.cells, item);
  const form = cell.configuration === "custom" ? `custom custom-${cell.name}` : cell.configuration;
  const element = el("div", { class: `cell ${form}${cell.alignment === "center" ? " centred" : ""}` });
  element.append(...accessoriesOf(cell, item, layout, true), ...contentOf(cell, item), ...accessoriesOf(cell, item, layout, false));
  if (cell.background) paint(element, cell.background, item);
  Object.assign(element.dataset, tapOf(cell, item, layout));
  if (cell.separators) element.dataset.separators = cell.separators;
  for (const badge of layout.badges) element.append(...badgeOf(badge, item));
  return element;
}

function contentOf(cell, item) {
  const text = textOf(cell, item);
  const secondary = member(item, cell.secondaryText);
  const image = member(item, cell.image);
  if (cell.configuration === "custom") return customContent(cell.name, item, { text, secondary, image });
  const picture = image ? [el("span", { class: "image" }, symbol(image))] : [];
  if (cell.configuration === "emoji") return [el("span", { class: "primary", dir: "auto" }, text)];
  return [...picture, words(text, cell.configuration === "cell" ? "" : secondary)];
}

function words(text, secondary) {
  return el("span", { class: "words" },
    el("span", { class: "primary", dir: "auto" }, text),
    secondary !== "" && el("span", { class: "secondary", dir: "auto" }, secondary));
}

function customContent(name, item, { text, secondary, image }) {
  const category = member(item, "category");
  switch (name) {
    case "symbol":
      return [el("span", { class: "image" }, symbol(image)), el("span", { class: "hidden-text" }, image)];
    case "category":
      return [
        el("span", { class: "image" }, symbol(image || category)), words(text, secondary),
        category && el("span", { class: "tag" }, symbol(category), el("bdi", {}, category)),
      ].filter(Boolean);
    case "video":
      return [el("span", { class: "picture" }, symbol("film")), words(text, secondary)];
    case "article":
      return [words(text, dateText(secondary)), el("span", { class: "body", dir: "auto" }, member(item, "body"))];
    default:
      return [...(image ? [el("span", { class: "image" }, symbol(image))] : []), words(text, secondary)];
  }
}

/** A day as people write it; anything else as it is. */
function dateText(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const date = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return text;
  return date.toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
}

// MARK: Accessories

/** Those that stand before what a cell shows. */
const leads = ["delete", "insert", "multiselect"];

/** @param {boolean} isLeading At which edge of the cell. */
function accessoriesOf(cell, item, layout, isLeading) {
  const all = accessoriesIn(cell, layout.appearance).filter(({ accessory }) => leads.includes(accessory) === isLeading);
  const isAlways = all.some(({ displayed }) => displayed !== "whenEditing");
  const shown = all.map((one) => {
    const made = accessoryOf(one, item, layout);
    if (one.displayed === "whenEditing") made?.classList.add("when-editing");
    return made;
  }).filter((one) => one !== null);
  if (shown.length === 0) return [];
  return [el("span", { class: `${isLeading ? "leads" : "accessories"}${isAlways ? "" : " when-editing"}` }, ...shown)];
}

function accessoryOf(accessory, item, layout) {
  const { field } = accessory;
  const title = () => nameOf(layout.cells, item);
  switch (accessory.accessory) {
    case "star":
      return item.starred ? el("span", { class: "star" }, symbol("star.fill"), el("span", { class: "hidden-text" }, "starred")) : null;
    case "outlineDisclosure":
      if (!item.childCount) return null;
      return button("toggle", `${item.expanded ? "Collapse" : "Expand"} ${title()}`, symbol("chevron.right"));
    case "switch": {
      const name = field ?? "enabled";
      const isOn = item.content?.[name] === true;
      return el("button", {
        class: "switch", type: "button", role: "switch", "aria-checked": String(isOn), "aria-label": title(),
        "data-action": "switch", "data-field": name, tabindex: "-1",
      });
    }
    case "label": {
      const text = member(item, field);
      return text === "" ? null : el("span", { class: "label", dir: "auto" }, text);
    }
    case "popUpMenu": {
      const text = member(item, field);
      return el("button", {
        class: "pop-up", type: "button", "aria-haspopup": "menu", "aria-label": `${title()}: ${text || "nothing chosen"}`,
        "data-action": "choose", "data-field": field, tabindex: "-1",
      }, el("span", { dir: "auto" }, text || "Choose"), symbol("chevron.up.down"));
    }
    case "delete": return button("ask", `Delete ${title()}`, symbol("minus"));
    case "disclosure": return el("span", { class: "disclosure" }, symbol("chevron.right"));
    case "reorder": return el("span", { class: "handle", "data-handle": "" }, symbol("reorder"));
    case "detail": return button("detail", `Details of ${title()}`, symbol("info"));
    case "checkmark": {
      if (!field) return el("span", { class: "checkmark" }, symbol("checkmark"));
      const made = button("check", title(), symbol("checkmark"));
      return checkbox(made, item.content?.[field] === true, field);
    }
    case "insert": return button("insert", `Add after ${title()}`, symbol("plus"));
    case "multiselect": return checkbox(button("select", `Select ${title()}`, symbol("checkmark")), false, "");
    case "custom": {
      // Other clients know more of it by its name.
      const { name } = accessory;
      return isSymbol(name) ? el("span", {}, symbol(name), el("span", { class: "hidden-text" }, name))
        : el("span", { class: "label" }, name);
    }
    default: return null;
  }
}

/** Out of the order of Tab, for its row has a key for it. */
function button(action, label, picture) {
  return el("button", {
    class: `accessory-button ${action}`, type: "button", "aria-label": label, "data-action": action, tabindex: "-1",
  }, picture);
}

function checkbox(element, isOn, field) {
  for (const [name, value] of [["role", "checkbox"], ["aria-checked", String(isOn)], ["data-field", field]]) {
    if (value) element.setAttribute(name, value);
  }
  return element;
}

// MARK: Backgrounds and badges

/** A colour by its role: a quiet one to stand behind text, or a strong one for lines. */
export function colour(name, isFill) {
  if (name === "clear") return "transparent";
  const role = String(name).replace(/^system(?=[A-Z])/, "").replace(/([A-Z])/g, "-$1").toLowerCase().replace(/^-/, "");
  return `var(--${isFill ? "fill" : "line"}-${role.replace(/[^a-z0-9-]/g, "")})`;
}

/** @param {HTMLElement} element @param {any} background @param {Item} [item] */
export function paint(element, background, item) {
  const hue = item && background.hue ? item.content?.[background.hue] : undefined;
  const style = element.style;
  if (typeof hue === "number") style.backgroundColor = `hsl(${hue * 360} var(--hue-saturation) var(--hue-lightness))`;
  else if (background.color) style.backgroundColor = colour(background.color, true);
  if (background.corner !== undefined) style.borderRadius = `${Number(background.corner)}px`;
  if (!background.stroke) return;
  const width = `${Number(background.strokeWidth ?? 1)}px`;
  style.border = `${width} solid ${colour(background.stroke, false)}`;
  // The line is drawn over the background, and moves no text.
  style.setProperty("--stroke", width);
}

/** Puts space between the edges of an element and what it shows. @param {HTMLElement} element @param {any} insets */
export function pad(element, insets) {
  if (!insets) return;
  const { top = 0, leading = 0, bottom = 0, trailing = 0 } = insets;
  element.style.paddingBlock = `${Number(top)}px ${Number(bottom)}px`;
  element.style.paddingInline = `${Number(leading)}px ${Number(trailing)}px`;
}

function badgeOf(badge, item) {
  const value = item.content?.[badge.field];
  if (value === 0 || value === "" || value === undefined || value === null) return [];
  const element = el("span", { class: "badge", dir: "auto" }, scalar(value));
  const style = element.style;
  if (badge.background) {
    element.classList.add("has-background");
    paint(element, badge.background, item);
  }
  pad(element, badge.insets);
  const has = (edge) => badge.edges.includes(edge);
  style.minWidth = `${badge.width.absolute ?? badge.width.estimated ?? 20}px`;
  style.height = `${badge.height.absolute ?? badge.height.estimated ?? 20}px`;
  style.top = has("top") ? "0" : has("bottom") ? "auto" : "50%";
  style.bottom = has("bottom") ? "0" : "auto";
  style.insetInlineEnd = has("trailing") ? "0" : has("leading") ? "auto" : "50%";
  style.insetInlineStart = has("leading") ? "0" : "auto";
  const { absolute, fractional } = badge.offset ?? {};
  if (absolute) style.transform = `translate(${Number(absolute.x)}px, ${Number(absolute.y)}px)`;
  else if (fractional) style.transform = `translate(${fractional.x * 100}%, ${fractional.y * 100}%)`;
  if (badge.zIndex !== undefined) style.zIndex = String(Number(badge.zIndex));
  return [element];
}
