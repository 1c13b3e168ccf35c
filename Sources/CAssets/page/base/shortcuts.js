// What keys do, for whoever presses "?".

import { openDialog } from "./dialog.js";
import { el } from "./dom.js";

const groups = [
  ["All lists", [
    ["↑ ↓", "Go through the lists of the sidebar"], ["Enter", "Open a list"], ["F2", "Rename a list"],
    ["Delete", "Delete a list"], ["Menu, Shift F10", "Menu of a list or an item"],
  ]],
  ["A list", [
    ["/, Ctrl F", "Search"], ["N", "Add an item"], ["Ctrl Z", "Undo your last change"], ["Ctrl Shift Z", "Do it again"],
    ["H", "History: who changed what"], ["I", "Inspect: what goes between page and server"], ["?", "This list of keys"],
  ]],
  ["An item", [
    ["↑ ↓ ← →", "Go through items, open and close those with items below"], ["Enter", "Do what a click does, or edit the title"],
    ["F2", "Edit the title"], ["E", "Edit all of it as JSON"], ["S", "Star"], ["Delete", "Delete"],
    ["Space", "Pick it up; arrows move it, Space puts it down"], ["Alt ↑ ↓", "Move it by one place"],
    ["Menu, Shift F10", "Menu of the item"], ["Escape", "Leave it where it was, if it is picked up or dragged"],
  ]],
  ["Several items", [
    ["Ctrl Space, X", "Select it, or deselect it"], ["Shift ↑ ↓", "Select more"], ["Ctrl A", "Select all"], ["M", "Move"],
    ["S, Delete", "Star, delete"], ["Escape", "Deselect all"],
  ]],
];

export function openShortcuts() {
  const { element } = openDialog("Keys", [el("div", { class: "shortcuts" }, ...groups.map(([name, rows]) => el("section", {},
    el("h3", {}, name),
    el("dl", {}, ...rows.flatMap(([keys, what]) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, what)])))))],
  { isWide: true });
  // The focus is on the button below, and one begins to read above.
  element.scrollTop = 0;
}
