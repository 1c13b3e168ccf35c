// What can be done with a whole list, from the sidebar, the gallery and the list itself.

import { askForText, openDialog, openMenu } from "../base/dialog.js";
import { el, toast } from "../base/dom.js";
import { hashOf, placeOf } from "../base/routes.js";
import { Stopped, ask, deliver, pathOf, withSignIn } from "../server/api.js";
import { knownLists, refreshLists } from "../server/catalogue.js";
import { Intent, deliverTelling, doubtText, endIntent, intentOf } from "../server/intent.js";
import { may } from "../server/rights.js";
import { askForToken } from "../server/token.js";
import { exportList, readFile, receive, replaceFromFile, upload } from "./transfer.js";

/** @typedef {import("../server/catalogue.js").Entry} Entry */

/** What a new list looks like until somebody gives it another layout. */
const firstLayout = { kind: "list", appearance: "insetGrouped", leadingSwipe: ["star"], trailingSwipe: ["delete"] };

const nameOf = (entry) => entry.title || entry.id;

/** The menu of a list. @param {Entry} entry @param {{x: number, y: number}} place */
export async function openListMenu(entry, place) {
  const [mayWrite, mayDelete, mayCreate] =
    await Promise.all([may("write", entry.id), may("delete", entry.id), may("create")]);
  openMenu(nameOf(entry), [
    { label: "Open", run: () => (location.hash = hashOf(entry.id)) },
    mayWrite && { label: "Rename…", keys: "F2", run: () => rename(entry) },
    mayCreate && { label: "Duplicate", run: () => duplicate(entry) },
    { label: "Export to a file", run: () => exportList(entry) },
    mayWrite && { label: "Replace from a file…", run: () => replaceFromFile(entry) },
    mayDelete && { label: "Delete", keys: "Delete", isDangerous: true, run: () => remove(entry) },
  ], place);
}

/** @param {Entry} entry */
export async function rename(entry) {
  if (!await may("write", entry.id)) return toast("Your token may not rename this list.");
  const intent = new Intent();
  return askForText({ title: "Rename the list", label: "Title", value: nameOf(entry), action: "Rename", intent }, (title, { signal, say }) =>
    told(async () => {
      const make = () => ({ operations: [{ op: "updateList", title }], label: "Rename" });
      await intent.send(make, (write) => deliver(`${pathOf(entry.id)}/transactions`, () => say(doubtText), { signal, ...write }));
      await refreshLists();
    }));
}

/** A copy, which is one also if it is asked for again after a lost answer. @param {Entry} entry */
async function duplicate(entry) {
  const name = nameOf(entry);
  const stop = new AbortController();
  const hide = toast(`Duplicating ${name}…`, { stays: true, action: { label: "Stop", run: () => stop.abort() } });
  const intent = intentOf(`duplicate ${entry.id}`);
  try {
    const make = async () => ({ ...await copyOf(entry.id, { signal: stop.signal }), title: `Copy of ${name}` });
    const id = await create(intent, make, { signal: stop.signal });
    hide();
    toast(`${name} was duplicated.`);
    location.hash = hashOf(id);
  } catch (error) {
    hide();
    const text = intent.isInDoubt ? `No answer came, so it is not known whether ${name} was duplicated.`
      : error instanceof Stopped ? `${name} was not duplicated.` : error.message;
    const again = { label: "Try again", run: () => duplicate(entry) };
    toast(text, { stays: intent.isInDoubt, action: intent.isInDoubt ? again : signInFor(error) });
    refreshLists();
  }
}

/** Deletes at once, and offers to bring it back. @param {Entry} entry */
export async function remove(entry) {
  if (!await may("delete", entry.id)) return toast("Your token may not delete this list.");
  return shown(async () => {
    endIntent(`restore ${entry.id}`);
    await intentOf(`delete ${entry.id}`).send(() => undefined, (write) => deliverTelling(pathOf(entry.id), { method: "DELETE", ...write }));
    if (placeOf(location.hash).list === entry.id) location.hash = "#/";
    toast(`${nameOf(entry)} deleted.`, { action: { label: "Undo", run: () => restore(entry) } });
    await refreshLists();
  });
}

/** Brings back a deleted list. @param {Entry} entry */
export function restore(entry) {
  return shown(async () => {
    endIntent(`delete ${entry.id}`);
    await intentOf(`restore ${entry.id}`).send(() => undefined, (write) => deliverTelling(`${pathOf(entry.id)}/restore`, write));
    toast(`${nameOf(entry)} is back.`);
    await refreshLists();
    location.hash = hashOf(entry.id);
  });
}

/** Asks what a new list is to be. */
export function openNewList() {
  const title = el("input", { type: "text", id: "new-title", autocomplete: "off" });
  const file = el("input", { type: "file", id: "new-file", accept: ".json,application/json", "aria-label": "File", hidden: true });
  const { entries, absent } = knownLists();
  const option = (entry) => el("option", { value: entry.id }, nameOf(entry));
  const group = (label, from) => from.length > 0 && el("optgroup", { label }, ...from.map(option));
  const sample = el("select", { id: "new-sample", "aria-label": "Which one", hidden: true },
    group("Samples", [...entries.filter((one) => one.isSample), ...absent]),
    group("Own lists", entries.filter((one) => !one.isSample)));
  const intent = new Intent();
  let kind = "empty";
  const choice = (value, text) => el("label", { class: "choice" }, el("input", {
    type: "radio", name: "new-kind", value, checked: value === kind, onchange: () => {
      kind = value;
      sample.hidden = kind !== "sample";
      file.hidden = kind !== "file";
    },
  }), text);
  const id = el("input", { type: "text", id: "new-id", autocomplete: "off", spellcheck: "false", pattern: "[a-z0-9][a-z0-9._\\-]{0,127}" });
  openDialog("New list", [
    el("label", { for: "new-title" }, "Title"), title,
    el("fieldset", { class: "choices" }, el("legend", {}, "Begin with"),
      choice("empty", "An empty list"), choice("sample", "A copy of a sample or a list"), choice("file", "A file")),
    sample, file,
    el("details", {}, el("summary", {}, "Choose its id"),
      el("label", { for: "new-id" }, "Small letters, digits, dots and dashes. The server makes one if this is empty."), id),
  ], { action: "Create", intent, onSubmit: (work) => told(async () => {
    const make = async () => {
      if (kind === "sample" && absent.some((one) => one.id === sample.value)) {
        await deliver(`/v1/samples/${encodeURIComponent(sample.value)}`, () => work.say(doubtText), { signal: work.signal });
      }
      const begun = kind === "empty" ? { title: "New list", layout: firstLayout, sections: [{ id: "items" }] }
        : kind === "sample" ? await copyOf(sample.value, work) : await readFile(file.files?.[0]);
      const made = { ...begun, title: title.value.trim() || begun.title };
      if (id.value) made.id = id.value;
      if (id.value && await isDeleted(id.value)) throw new Error("A deleted list has this id. Restore it, or choose another id.");
      return made;
    };
    location.hash = hashOf(await create(intent, make, work));
  }) });
  title.focus();
}

async function isDeleted(id) {
  const { lists } = await ask("GET", `/v1/lists?deleted=true&limit=1000&filter=${encodeURIComponent(id)}`);
  return lists.some((one) => one.id === id);
}

/** A list as another one may begin. @param {string} id @param {Partial<import("../base/dialog.js").Work>} work */
async function copyOf(id, { signal, say = () => {} }) {
  const { bytes } = await receive(id, signal, (count) => say(`${Math.ceil(count / 1_024).toLocaleString("en")} KB read`));
  const { title, layout, sections } = JSON.parse(await bytes.text());
  return { title, layout, sections };
}

/**
 * @param {Intent} intent @param {() => any} make The list. @param {Partial<import("../base/dialog.js").Work>} work
 * @returns {Promise<string>} The id.
 */
async function create(intent, make, work) {
  const { list: id } = await intent.send(make, (write) => upload("POST", "/v1/lists", write, work));
  await refreshLists();
  return id;
}

/** What went wrong, for a window that stays open. */
async function told(act) {
  try {
    await withSignIn(act);
    return "";
  } catch (error) {
    return error.message;
  }
}

/** What went wrong shows by itself. */
async function shown(act) {
  try {
    await act();
  } catch (error) {
    toast(error.message, { action: signInFor(error) });
  }
}

function signInFor(error) {
  return error.status === 401 ? { label: "Sign in", run: askForToken } : undefined;
}
