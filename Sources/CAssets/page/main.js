// The page: a gallery of lists at `#/`, one list at `#/lists/{list}`, a search at `#/search`; beside them all lists.

import { forgetLists } from "./catalogue.js";
import { el } from "./dom.js";
import { showFinder } from "./finder.js";
import { showGallery } from "./gallery.js";
import { showList } from "./list.js";
import { end } from "./lists.js";
import { forgetRights } from "./rights.js";
import { placeOf } from "./routes.js";
import { openShortcuts } from "./shortcuts.js";
import { Sidebar } from "./sidebar.js";
import { showSignIn } from "./signin.js";

const app = document.getElementById("app");
const sidebar = new Sidebar();
const shown = el("div", { class: "place" });
app.append(sidebar.element, shown);
/** Ends what is shown. @type {() => void} */
let leave = () => {};

let isSigningIn = false;

function show() {
  leave();
  isSigningIn = false;
  const place = placeOf(location.hash);
  shown.replaceChildren();
  leave = place.view === "list" ? showList(shown, place)
    : place.view === "search" ? showFinder(shown, place.search) : showGallery(shown);
  sidebar.show();
  // Whoever follows a link by a key begins at the top of what it leads to.
  if (!shown.contains(document.activeElement)) shown.querySelector("h1")?.focus({ preventScroll: true });
}

/** The same view comes back when there is a token. Several requests may be refused at once. */
function signIn() {
  if (isSigningIn) return;
  leave();
  isSigningIn = true;
  sidebar.hide();
  forgetLists();
  forgetRights();
  shown.replaceChildren();
  leave = showSignIn(shown, show);
}

addEventListener("hashchange", show);
// A browser may keep the page for the way back, with its stream: nobody looks at it then.
addEventListener("pagehide", ({ persisted }) => {
  if (!persisted) return;
  leave();
  leave = () => {};
  sidebar.hide();
  end();
});
addEventListener("pageshow", ({ persisted }) => persisted && show());
addEventListener("tokenwanted", signIn);
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key === "?" && !isTyping && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    openShortcuts();
  }
});
addEventListener("unhandledrejection", (event) => {
  shown.append(el("p", { class: "failure", role: "alert" }, `Something went wrong: ${event.reason?.message ?? event.reason}`));
});
show();
