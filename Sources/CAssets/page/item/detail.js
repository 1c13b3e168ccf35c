// All that an item says, for whoever follows a row or its button for details.

import { openDialog } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { isSymbol, symbol } from "../base/symbols.js";
import { nameOf, registration } from "../rows/cells.js";
import { editJSON } from "./itemedit.js";

/** @param {import("../list/actions.js").Actions} actions @param {string} id */
export function showDetail(actions, id) {
  const item = actions.item(id);
  if (!item) return;
  const body = el("div", { class: "detail" });
  const render = () => body.replaceChildren(...contentOf(actions, id));
  render();
  const edit = () => {
    window_.close();
    editJSON(actions, actions.collection.model.list.id, id);
  };
  const button = el("button", { class: "quiet-button", type: "button", onclick: edit },
    actions.mayWrite ? "Edit as JSON" : "Show as JSON");
  const window_ = openDialog(actions.name(id), [body, el("p", {}, button)], {});
  window_.element.scrollTop = 0;
  const end = actions.onChange(id, render);
  window_.element.addEventListener("close", end);
}

/** @returns {Node[]} */
function contentOf(actions, id) {
  const item = actions.item(id);
  if (!item) return [el("p", {}, "This item is gone, or a closed branch has it.")];
  const cell = registration(actions.cells(id), item);
  const content = item.content ?? {};
  const text = cell.text === undefined ? "" : String(content[cell.text] ?? "");
  const image = cell.image === undefined ? "" : String(content[cell.image] ?? "");
  const picture = image && isSymbol(image) ? symbol(image) : text !== nameOf(actions.cells(id), item) ? text : "";
  const members = Object.entries({ ...content, ...(item.starred ? { starred: true } : {}) });
  return [
    ...(picture ? [el("p", { class: "detail-picture", dir: "auto" }, picture)] : []),
    el("dl", { class: "members" }, ...members.flatMap(([name, value]) =>
      [el("dt", { dir: "auto" }, name), el("dd", { dir: "auto" }, wordsFor(value))])),
  ];
}

function wordsFor(value) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return JSON.stringify(value, null, 1);
}
