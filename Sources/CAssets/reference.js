// A search field for the reference at /docs, which works without it, too.

const SHOWN_MAX = 60;

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const field = document.createElement("input");
field.type = "search";
field.placeholder = "Path, schema, header, error";
field.setAttribute("aria-label", "Search paths, schemas, headers and errors");
document.querySelector("#search")?.append(field);

const found = document.createElement("section");
found.id = "found";
found.setAttribute("aria-live", "polite");
found.hidden = true;
main.before(found);

/**
 * Something that can be found: an operation, a schema, or a row of a table with an id. A word in its name counts more
 * than one in its summary, and that more than one in the rest.
 * @typedef {{ id: string, name: string, summary: string, texts: string[] }} Thing
 */

/** @returns {Thing} */
function thing(/** @type {Element} */ node) {
  const name = (node.querySelector("h2, h3") ?? node.querySelector("td code, td a, td"))?.textContent ?? "";
  const summary = (node.querySelector(".summary") ?? node.querySelector("p, td:last-child"))?.textContent ?? "";
  const texts = [name, `${name} ${summary}`, node.textContent ?? ""].map((text) => text.toLowerCase());
  return { id: node.id, name, summary, texts };
}

/** @type {Thing[] | undefined} */
let things;

/** The entries with all the words, best first. Of equals, the one with the shorter name comes first. */
function matches(/** @type {string[]} */ words) {
  things ??= [...main.querySelectorAll(".entry[id], tr[id]")].map(thing);
  const rank = (/** @type {Thing} */ one) => one.texts.findIndex((text) => words.every((word) => text.includes(word)));
  return things.map((one) => ({ one, rank: rank(one) })).filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.one.name.length - b.one.name.length).map(({ one }) => one);
}

function line(/** @type {Thing} */ { id, name, summary }) {
  const link = document.createElement("a");
  link.href = `#${id}`;
  link.textContent = name;
  const said = document.createElement("p");
  said.textContent = summary.length > 160 ? `${summary.slice(0, 160)} …` : summary;
  const item = document.createElement("li");
  item.append(link, said);
  return item;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  show(words.length > 0);
  if (words.length === 0) return;
  const all = matches(words);
  const title = document.createElement("h2");
  title.textContent = all.length === 0 ? `Nothing found for “${field.value.trim()}”` : `${all.length} found`;
  const list = document.createElement("ol");
  list.append(...all.slice(0, SHOWN_MAX).map(line));
  found.replaceChildren(title, list);
  if (all.length > SHOWN_MAX) found.append(`The first ${SHOWN_MAX} are shown.`);
  scrollTo(0, 0);
}

/** Either what was found, or the reference itself. */
function show(/** @type {boolean} */ isSearch) {
  found.hidden = !isSearch;
  main.hidden = isSearch;
  document.body.classList.toggle("searching", isSearch);
}

/** Shows what a link leads to. The words stay in the field for the next look. */
function leave() {
  if (found.hidden) return;
  show(false);
  document.querySelector(":target")?.scrollIntoView();
}

field.addEventListener("input", search);
field.addEventListener("focus", () => { if (field.value && found.hidden) search(); });
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  /** @type {HTMLElement | null} */ (found.querySelector("a"))?.click();
  field.blur();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field) return;
  event.preventDefault();
  field.focus();
});
addEventListener("hashchange", leave);
// A link to where one is already changes no address.
document.addEventListener("click", ({ target }) => {
  const link = /** @type {Element} */ (target).closest('a[href^="#"]');
  if (link?.getAttribute("href") === location.hash) leave();
});
