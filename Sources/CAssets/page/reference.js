// A search field for the reference at /docs, which works without it, too.

const field = document.createElement("input");
field.type = "search";
field.placeholder = "Search";
field.setAttribute("aria-label", "Search operations and schemas");
document.querySelector("#search")?.append(field);

// Each thing that is found or not, with its text: lines of the contents, operations and schemas.
const things = [...document.querySelectorAll("nav li, .entry")]
  .map((node) => ({ node, text: (node.textContent ?? "").toLowerCase() }));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { node, text } of things) {
    /** @type {HTMLElement} */ (node).hidden = !words.every((word) => text.includes(word));
  }
  // Groups of the contents of which nothing is left.
  for (const group of document.querySelectorAll("nav details")) {
    const shown = group.querySelectorAll("li:not([hidden])").length;
    /** @type {HTMLElement} */ (group).hidden = shown === 0;
    if (words.length > 0) /** @type {HTMLDetailsElement} */ (group).open = shown > 0;
  }
}

field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field) return;
  event.preventDefault();
  field.focus();
});
// What a link leads to is shown, even if the search has hidden it.
addEventListener("hashchange", () => {
  if (!document.querySelector(".entry:target")?.hasAttribute("hidden")) return;
  field.value = "";
  search();
  document.querySelector(".entry:target")?.scrollIntoView();
});
