// The page: a gallery of lists at `#/`, one list at `#/lists/{list}`.

import { el } from "./dom.js";
import { showGallery } from "./gallery.js";
import { showList } from "./list.js";
import { showSignIn } from "./signin.js";

const app = document.getElementById("app");
/** Ends what is shown. @type {() => void} */
let leave = () => {};

let isSigningIn = false;

function show() {
  leave();
  isSigningIn = false;
  const name = /^#\/lists\/([^/]+)$/.exec(location.hash)?.[1];
  app.replaceChildren();
  leave = name === undefined ? showGallery(app) : showList(app, decoded(name));
  // Whoever follows a link by a key begins at the top of what it leads to.
  app.querySelector("h1")?.focus({ preventScroll: true });
}

/** The same view comes back when there is a token. Several requests may be refused at once. */
function signIn() {
  if (isSigningIn) return;
  leave();
  isSigningIn = true;
  app.replaceChildren();
  leave = showSignIn(app, show);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", show);
addEventListener("tokenwanted", signIn);
addEventListener("unhandledrejection", (event) => {
  app.append(el("p", { class: "failure", role: "alert" }, `Something went wrong: ${event.reason?.message ?? event.reason}`));
});
show();
