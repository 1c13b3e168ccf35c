// The page: a gallery of lists at `#/`, one list at `#/lists/{list}`, a search at `#/search`; beside them all lists.

import { el } from "./base/dom.js";
import { mayBeList, placeOf } from "./base/routes.js";
import { openShortcuts } from "./base/shortcuts.js";
import { showFinder } from "./gallery/finder.js";
import { showGallery } from "./gallery/gallery.js";
import { showNoList } from "./gallery/missing.js";
import { Sidebar } from "./gallery/sidebar.js";
import { showList } from "./list/list.js";
import { forgetLists, refreshLists } from "./server/catalogue.js";
import { end } from "./server/lists.js";
import { forgetRights } from "./server/rights.js";
import { openSignIn, showSignIn } from "./server/signin.js";

const app = document.getElementById("app");
const sidebar = new Sidebar();
const shown = el("div", { class: "place" });
app.append(sidebar.element, shown);
/** Ends what is shown. @type {() => void} */
let leave = () => {};

let isSigningIn = false;
/** Whether somebody who types wants to go on without a token. */
let isDeclined = false;

function show() {
  leave();
  isSigningIn = false;
  isDeclined = false;
  const place = placeOf(location.hash);
  shown.replaceChildren();
  leave = place.view === "list" ? (mayBeList(place.list) ? showList(shown, place) : showNoList(shown, place.list))
    : place.view === "search" ? showFinder(shown, place.search) : showGallery(shown);
  sidebar.show();
  // Whoever follows a link by a key begins at the top of what it leads to.
  if (!shown.contains(document.activeElement)) shown.querySelector("h1")?.focus({ preventScroll: true });
}

/**
 * The same view comes back when there is a token. Several requests may be refused at once. What somebody is typing stays,
 * and is sent afterwards.
 */
function signIn(event) {
  if (isSigningIn || (isDeclined && !event.detail.isWished)) return;
  isSigningIn = true;
  forgetLists();
  forgetRights();
  if (document.querySelector("dialog[open], .title-edit")) return void openSignIn(goOn);
  leave();
  sidebar.hide();
  shown.replaceChildren();
  leave = showSignIn(shown, show);
}

/** @param {boolean} isSignedIn Without that the view begins anew, once nothing is open above it. */
function goOn(isSignedIn) {
  isSigningIn = false;
  isDeclined = !isSignedIn;
  refreshLists();
  if (isSignedIn) return;
  const open = document.querySelector("dialog[open]");
  if (open) open.addEventListener("close", show, { once: true });
  else show();
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
