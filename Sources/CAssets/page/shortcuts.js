// What keys do, for whoever presses "?".

import { openDialog } from "./dialog.js";
import { el } from "./dom.js";

const groups = [
  ["All lists", [
    ["↑ ↓", "Go through the lists of the sidebar"], ["Enter", "Open a list"], ["F2", "Rename a list"],
    ["Delete", "Delete a list"], ["Menu, Shift F10", "Menu of a list or an item"],
  ]],
  ["A list", [
    ["/, Ctrl F", "Search"], ["N", "Add an item"], ["Ctrl Z", "Take the last edit back"], ["Ctrl Shift Z", "Bring it again"],
    ["H", "History"], ["I", "Inspect"], ["?", "This list of keys"],
  ]],
  ["An item", [
    ["↑ ↓ ← →", "Go through items, open and close branches"], ["Enter", "Do what a click does, or edit the title"], ["F2", "Edit the title"], ["E", "Edit all of it as JSON"],
    ["S", "Star"], ["Delete", "Delete"], ["Space", "Lift it; arrows move it, Space puts it down"],
    ["Alt ↑ ↓", "Move it by one place"], ["Menu, Shift F10", "Menu of the item"],
    ["Escape", "Leave what is lifted or dragged where it was"],
  ]],
  ["Several items", [
    ["Ctrl Space, X", "Select, or not"], ["Shift ↑ ↓", "Select more"], ["Ctrl A", "Select all"], ["M", "Move"],
    ["S, Delete", "Star, delete"], ["Escape", "Select none"],
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
