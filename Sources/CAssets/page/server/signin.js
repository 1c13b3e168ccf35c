// Asks for a token, where the server lets in nobody without one: on a page of its own, or above a window that is open.

import { openDialog } from "../base/dialog.js";
import { el } from "../base/dom.js";
import { Refused, ask } from "./api.js";
import { takeToken } from "./lists.js";
import { heldToken, holdRequests, holdToken, mayBeToken } from "./token.js";

/**
 * @param {HTMLElement} app
 * @param {() => void} onDone Called when there is a token, or is to be none.
 * @returns {() => void} Ends it.
 */
export function showSignIn(app, onDone) {
  document.title = "Sign in";
  let isShown = true;
  const { release, field, wrong } = begin();
  const note = el("p", { class: "note", id: "sign-in-note", role: "alert" }, wrong);
  field.setAttribute("aria-describedby", "sign-in-note");
  const button = el("button", { class: "sign-in-button", type: "submit" }, "Sign in");
  const finish = () => {
    takeToken();
    onDone();
  };
  const onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    note.textContent = "";
    const text = await tryToken(field.value.trim(), () => isShown);
    if (!isShown) return;
    button.disabled = false;
    note.textContent = text;
    if (text) return field.focus();
    finish();
  };
  app.append(
    el("header", { class: "bar" }, el("span", { class: "bar-title always" }, "ListState")),
    el("main", { class: "gallery" },
      el("h1", { tabindex: "-1" }, "Sign in"),
      lead(),
      el("form", { class: "sign-in", onsubmit },
        el("label", { for: "token" }, "Token"), field, note,
        el("div", { class: "chips" }, button,
          el("button", { class: "quiet-button", type: "button", onclick: finish }, "Go on without a token")))));
  field.focus();
  return () => {
    isShown = false;
    release();
  };
}

/**
 * Asks above what is open, which stays as it is and goes on afterwards.
 * @param {(isSignedIn: boolean) => void} onDone
 */
export function openSignIn(onDone) {
  const { release, field, wrong } = begin();
  const dialog = openDialog("Sign in", [lead(), el("label", { for: "token" }, "Token"), field], {
    action: "Sign in", cancel: "Go on without a token", onSubmit: () => tryToken(field.value.trim(), () => field.isConnected),
  });
  dialog.element.classList.add("sign-in-above");
  dialog.complain(wrong);
  dialog.element.addEventListener("close", () => {
    release();
    onDone(heldToken() !== "");
  });
  field.focus();
}

/** From here on requests wait for a token. The server has just refused the one that there was. */
function begin() {
  const release = holdRequests();
  const wrong = heldToken() ? wrongText : "";
  holdToken("");
  const field = /** @type {HTMLInputElement} */ (
    el("input", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true }));
  return { release, field, wrong };
}

function lead() {
  return el("p", { class: "lead" }, "You sign in with a token, a long word that often begins with lst_. ",
    "Whoever runs the server makes one for you with ", el("code", {}, "liststate token create"), ".");
}

const wrongText = "This token is not known, was revoked, or has expired.";

/** Holds a token if the server lets its holder in, else returns what is wrong. @param {string} token @param {() => boolean} isWanted */
async function tryToken(token, isWanted) {
  if (!mayBeToken(token)) return "This cannot be a token: it has characters that no token has.";
  try {
    await ask("GET", "/v1/lists?limit=1", { token });
  } catch (error) {
    return error instanceof Refused && error.status === 401 ? wrongText : error.message;
  }
  if (isWanted()) holdToken(token);
  return "";
}
