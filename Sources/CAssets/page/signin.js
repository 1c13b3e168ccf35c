// Asks for a token, where the server lets in nobody without one.

import { Refused, ask } from "./api.js";
import { el } from "./dom.js";
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
  const release = holdRequests();
  // The server has just refused it.
  const note = el("p", { class: "note", id: "sign-in-note", role: "alert" }, heldToken() ? wrongText : "");
  holdToken("");
  const field = el("input", {
    type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "sign-in-note",
  });
  const button = el("button", { class: "sign-in-button", type: "submit" }, "Sign in");
  const finish = () => {
    takeToken();
    onDone();
  };
  const onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    note.textContent = "";
    const token = field.value.trim();
    const text = await complaintAbout(token);
    if (!isShown) return;
    button.disabled = false;
    note.textContent = text;
    if (text) return field.focus();
    holdToken(token);
    finish();
  };
  app.append(
    el("header", { class: "bar" }, el("span", { class: "bar-title always" }, "ListState")),
    el("main", { class: "gallery" },
      el("h1", { tabindex: "-1" }, "Sign in"),
      el("p", { class: "lead" }, "This takes a token. Whoever runs the server makes tokens: ",
        el("code", {}, "liststate token create"), "."),
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

const wrongText = "This token is not known, was revoked, or has expired.";

/** The fault of a token, in a sentence; empty if the server lets its holder in. @param {string} token */
async function complaintAbout(token) {
  if (!mayBeToken(token)) return "This is no token: it has characters that no token has.";
  try {
    await ask("GET", "/v1/lists?limit=1", { token });
    return "";
  } catch (error) {
    return error instanceof Refused && error.status === 401 ? wrongText : error.message;
  }
}
