// The token of this tab. With it each request says who sends it. It goes with the tab, and is in no address.

const place = "liststate-token";
/** Also where the browser keeps nothing for pages. */
let held = kept();
/** Lasts as long as a person is asked for a token. @type {Promise<void> | null} */
let asking = null;
let stopAsking = () => {};

function kept() {
  try {
    return sessionStorage.getItem(place) ?? "";
  } catch {
    return "";
  }
}

/** Empty if there is none. */
export function heldToken() {
  return held;
}

/** The token, once nobody is asked for one any more. */
export async function wantedToken() {
  await asking;
  return held;
}

/** Whether somebody has signed in instead; waits as long as a person is asked. @param {string} token */
export async function isSignedInSince(token) {
  await asking;
  return held !== "" && held !== token;
}

/** @param {string} token Empty to have none any more. */
export function holdToken(token) {
  held = token;
  try {
    if (token) sessionStorage.setItem(place, token);
    else sessionStorage.removeItem(place);
  } catch {
    // It is held until the page is left.
  }
}

/** The field of a request that has the token. @param {string} [token] */
export function authorization(token = held) {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Whether the text can stand in a field of a request, as each token can. @param {string} text */
export function mayBeToken(text) {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Lets the page ask for a token, because a person wants to do something with it. */
export function askForToken() {
  dispatchEvent(new CustomEvent("tokenwanted", { detail: { isWished: true } }));
}

/** Lets the page ask for a token, unless a person has just said that there is none. */
export function noteRefusal() {
  dispatchEvent(new CustomEvent("tokenwanted", { detail: { isWished: false } }));
}

/** Until this is ended, requests that want a token wait for it. @returns {() => void} Ends it. */
export function holdRequests() {
  asking ??= new Promise((resolve) => {
    stopAsking = resolve;
  });
  return () => {
    asking = null;
    stopAsking();
  };
}
