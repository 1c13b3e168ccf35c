// An item as a person changes it: its title in its place, or all of it as JSON.

import { openDialog } from "../base/dialog.js";
import { announce, el } from "../base/dom.js";
import { nameOf, titleMember } from "../rows/cells.js";
import { ask, pathOf, withSignIn } from "../server/api.js";
import { changesBetween, conflictsOf, membersOf, operationOf, valueAt } from "./itemchanges.js";
import { NoJSON, rangeOf, readJSON } from "./pointers.js";

/** Ends the edit of a title, if there is one. @type {(isKept: boolean) => void} */
let endEdit = () => {};

/** Lets go of a title that is being edited. */
export function leaveTitle() {
  endEdit(false);
}

/** Keeps what a title that is being edited says. */
export function keepTitle() {
  endEdit(true);
}

/**
 * Puts a field over the title of a row. Enter keeps what it says, and so does leaving it; Escape does not.
 * @param {import("../list/actions.js").Actions} actions @param {string} id
 */
export function editTitle(actions, id) {
  const { collection } = actions;
  const item = actions.item(id);
  const row = collection.rows.get(id);
  if (!item || !row || !actions.mayWrite) return;
  endEdit(true);
  const cells = actions.cells(id);
  const name = titleMember(cells, item);
  const before = String(item.content?.[name] ?? "");
  const field = /** @type {HTMLInputElement} */ (
    el("input", { class: "title-edit", type: "text", "aria-label": `Title of ${nameOf(cells, item)}`, dir: "auto", autocomplete: "off" }));
  field.value = before;
  let frame = 0;
  const place = () => {
    const now = collection.rows.get(id);
    if (now?.isConnected) {
      const box = (now.querySelector(".primary") ?? now).getBoundingClientRect();
      const cell = now.getBoundingClientRect();
      // From where the title begins to the other end of the row.
      const isRightToLeft = getComputedStyle(now).direction === "rtl";
      const start = isRightToLeft ? Math.min(cell.left + 12, box.right - 120) : box.left - 8;
      const end = isRightToLeft ? box.right + 8 : Math.max(cell.right - 12, box.left + 120);
      Object.assign(field.style, { left: `${start}px`, top: `${box.top - 5}px`, width: `${end - start}px`, height: `${box.height + 10}px` });
    }
    frame = requestAnimationFrame(place);
  };
  const done = (isKept) => {
    if (endEdit !== done) return;
    endEdit = () => {};
    cancelAnimationFrame(frame);
    const hadFocus = document.activeElement === field;
    field.remove();
    if (hadFocus) {
      const now = collection.rows.get(id);
      if (now) collection.focus(now);
    }
    const text = field.value.trim();
    if (!isKept || text === before || text === "") return;
    actions.writes.setContent(id, { [name]: text });
    announce(`${text} saved`);
  };
  endEdit = done;
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      done(event.key === "Enter");
    }
  });
  field.addEventListener("blur", () => done(true));
  (document.querySelector("main") ?? document.body).append(field);
  place();
  field.focus({ preventScroll: true });
  field.select();
}

/**
 * Shows all of an item as JSON. What is wrong is shown where it stands. Only what is changed here is written.
 * @param {import("../list/actions.js").Actions} actions @param {string} list @param {string} id
 */
export function editJSON(actions, list, id) {
  const item = actions.item(id);
  if (!item) return;
  const opened = membersOf(item);
  /** What others have made of it, as far as it was told here. */
  let told = opened;
  const field = /** @type {HTMLTextAreaElement} */ (
    el("textarea", { class: "json", id: "json", spellcheck: "false", "aria-label": "The item as JSON" }));
  field.value = JSON.stringify(opened, null, 2);
  field.readOnly = !actions.mayWrite;
  const select = ([start, end]) => {
    field.focus();
    field.setSelectionRange(start, Math.max(end, start + 1));
  };
  const faults = el("ul", { class: "dialog-note", "aria-label": "What is wrong" });
  const showFaults = (errors, ranges) => faults.replaceChildren(...errors.map((error) => {
    const place = error.pointer.replace(/^\/operations\/0/, "");
    // The server tells programs how to say it.
    const isUnknown = error.code === "unknown_member" && /^\/[^/]+$/.test(place);
    const detail = isUnknown ? "An item has no such member. Your own members go inside content." : error.detail;
    return el("li", {}, el("button", { type: "button", onclick: () => select(rangeOf(ranges, place)) },
      place ? `${place}: ${detail}` : detail));
  }));
  openDialog(actions.name(id), [field, faults], { isWide: true, action: actions.mayWrite ? "Save" : undefined, onSubmit: async ({ signal }) => {
    faults.replaceChildren();
    let read;
    try {
      read = readJSON(field.value);
    } catch (error) {
      if (error instanceof NoJSON) select([error.at, error.at]);
      return error.message;
    }
    const { value, ranges } = read;
    if (value === null || typeof value !== "object" || Array.isArray(value)) return "An item stands between { and }.";
    const changes = changesBetween(opened, { ...value, ...membersOf(value) });
    if (changes.length === 0) return "";
    const now = membersOf(actions.item(id) ?? item);
    const conflicts = conflictsOf(changes, changesBetween(told, now));
    if (conflicts.length > 0) {
      told = now;
      return conflictText(conflicts, now);
    }
    const operation = operationOf(id, changes, now.content);
    try {
      // The server says what is wrong, and where, before anything shows.
      const body = { operations: [operation] };
      await withSignIn(() => ask("POST", `${pathOf(list)}/transactions?dryRun=true`, { body, signal }));
    } catch (error) {
      const errors = error.problem?.errors ?? [];
      showFaults(errors, ranges);
      if (errors.length === 0) return error.message;
      select(rangeOf(ranges, errors[0].pointer.replace(/^\/operations\/0/, "")));
      return "This cannot be saved. Each line above leads to the place that is wrong.";
    }
    // The window may have been closed meanwhile.
    if (field.isConnected) actions.writes.change((edits) => edits.operation(operation), "Edit");
    return "";
  } });
  field.focus();
  field.setSelectionRange(0, 0);
}

/** @param {import("./itemchanges.js").Change[]} conflicts @param {any} now */
function conflictText(conflicts, now) {
  const said = conflicts.map(({ path }) => {
    const value = valueAt(now, path);
    const name = path.slice(path[0] === "content" && path.length > 1 ? 1 : 0).join(" / ");
    return value === undefined ? `${name} was removed` : `${name} is now ${shortened(JSON.stringify(value))}`;
  });
  return `Somebody else has changed this meanwhile: ${said.join("; ")}. Save once more puts yours in its place.`;
}

function shortened(text) {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
