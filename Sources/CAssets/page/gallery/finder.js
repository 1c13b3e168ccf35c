// A search in all lists: in their titles, and in their items, list by list.

import { announce, el } from "../base/dom.js";
import { hashOf, noteAddress, searchHash } from "../base/routes.js";
import { symbol } from "../base/symbols.js";
import { nameOf } from "../rows/cells.js";
import { ask, askAll, pathOf, persist } from "../server/api.js";

/** So many rows of a list are shown, and so many lists asked at a time. */
const rowsMax = 20;
const atATime = 4;
const typingMilliseconds = 250;

/** @param {HTMLElement} app @param {string} text @returns {() => void} Ends it. */
export function showFinder(app, text) {
  document.title = "Search";
  let run = 0;
  let timer = 0;
  const field = el("input", {
    type: "text", inputmode: "search", "aria-label": "Search all lists", placeholder: "Search all lists", autocomplete: "off",
    spellcheck: "false", maxlength: "200",
  });
  const progress = el("progress", { max: "1", value: "0", "aria-label": "Lists searched", hidden: true });
  const note = el("p", { class: "note", role: "status" });
  const found = el("div", { class: "found" });
  field.value = text;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(field.value.trim()), typingMilliseconds);
  });
  app.append(
    el("header", { class: "bar" }, el("a", { class: "back", href: "#/" }, symbol("chevron.left"), "Lists")),
    el("main", { class: "gallery" }, el("h1", { tabindex: "-1" }, "Search"),
      el("label", { class: "search" }, symbol("search"), field), progress, note, found));

  const search = async (wanted) => {
    const own = run += 1;
    const isWanted = () => own === run;
    noteAddress(searchHash(wanted));
    found.replaceChildren();
    found.removeAttribute("data-done");
    note.textContent = wanted ? "" : "Type a word of a list’s title, or of an item.";
    progress.hidden = !wanted;
    if (!wanted) return;
    /** The lists that could not be searched, by the reason. @type {Map<string, string[]>} */
    const refused = new Map();
    const failureOf = (name) => (text, error) => {
      note.textContent = text;
      if (!error.mayPass) refused.set(text, [...refused.get(text) ?? [], name]);
    };
    /** @type {any[] | null} */
    let lists = null;
    await persist(async () => {
      lists = await askAll("/v1/lists?limit=1000", "lists");
    }, { isWanted, onFailure: failureOf("The lists") });
    if (!isWanted()) return;
    if (lists === null) {
      progress.hidden = true;
      found.dataset.done = "true";
      return announce(note.textContent ?? "");
    }
    const waiting = [...lists];
    let count = 0, named = 0, done = 0;
    const shown = new Map();
    const next = async () => {
      for (let entry = waiting.shift(); entry && isWanted(); entry = waiting.shift()) {
        const one = entry;
        await persist(async () => {
          const rows = await rowsWith(wanted, one.id);
          const isNamed = (one.title || one.id).toLowerCase().includes(wanted.toLowerCase());
          if (!isWanted() || (rows.length === 0 && !isNamed)) return;
          count += rows.length;
          if (rows.length === 0) named += 1;
          shown.set(one.id, hits(one, rows, wanted));
          found.replaceChildren(...lists.map(({ id }) => shown.get(id)).filter(Boolean));
        }, { isWanted, onFailure: failureOf(one.title || one.id) });
        if (!isWanted()) return;
        done += 1;
        progress.value = done / lists.length;
        note.textContent = `${done} of ${lists.length} lists searched`;
      }
    };
    await Promise.all(Array.from({ length: atATime }, next));
    if (!isWanted()) return;
    progress.hidden = true;
    note.textContent = [resultWords(wanted, lists.length, count, shown.size - named, named, refused), ...failureWords(refused, lists.length)]
      .filter(Boolean).join(" ");
    found.dataset.done = "true";
    announce(note.textContent);
  };
  search(text);
  field.focus();
  return () => {
    run += 1;
    clearTimeout(timer);
  };
}

/** @param {number} found Lists with such items. @param {number} named Others with such a name. */
function resultWords(wanted, lists, items, found, named, refused) {
  const inLists = found > 0 && `${items} ${items === 1 ? "item" : "items"} in ${found} ${found === 1 ? "list" : "lists"}`;
  const byName = named > 0 && `${named} ${named === 1 ? "list" : "lists"} by the name`;
  if (inLists || byName) return `${[inLists, byName].filter(Boolean).join(", and ")}.`;
  if (lists === 0) return "There are no lists to search yet.";
  // A list that was not searched may have it.
  return refused.size > 0 ? "" : `Nothing was found for “${wanted}”. Try fewer letters.`;
}

/** @param {Map<string, string[]>} refused @param {number} lists @returns {string[]} */
function failureWords(refused, lists) {
  return [...refused].map(([reason, names]) =>
    `${names.length === lists ? "The lists" : names.length === 1 ? names[0] : `${names.length} lists`} could not be searched: ${reason}`);
}

/** @returns {Promise<{item: any, cells: any}[]>} */
async function rowsWith(text, list) {
  const { layout, sections } = await ask("GET", `${pathOf(list)}?view=items&limit=${rowsMax}&filter=${encodeURIComponent(text)}`)
    .catch((error) => {
      // It went meanwhile.
      if (error.status === 404) return { sections: [] };
      throw error;
    });
  // A list without sections answers without any.
  return (sections ?? []).flatMap((section) =>
    (section.items ?? []).map((item) => ({ item, cells: (section.layout ?? layout)?.cells ?? {} })));
}

function hits(entry, rows, text) {
  const links = rows.map(({ item, cells }) =>
    el("li", {}, el("a", { class: "hit", href: hashOf(entry.id, { item: item.id }), dir: "auto" }, nameOf(cells, item))));
  const all = hashOf(entry.id, { search: text });
  const more = rows.length === rowsMax && el("li", {}, el("a", { class: "hit", href: all }, "All that this list has"));
  return el("section", { class: "found-list" },
    el("h2", {}, el("a", { href: all, dir: "auto" }, entry.title || entry.id)),
    rows.length > 0 ? el("ul", {}, ...links, more) : el("p", { class: "side-note" }, "Its name has it, and none of its items."));
}
