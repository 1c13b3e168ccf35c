// Windows over the page: a form with a title, and menus. Keys reach all of them; Escape closes; the focus goes back.

import { el, toast } from "./dom.js";

/**
 * The work of a window: `signal` ends it when the window closes, `say` shows how far it is.
 * @typedef {{signal: AbortSignal, say: (text: string) => void, onProgress: (part: number) => void}} Work
 */

let count = 0;

/**
 * @param {string} title
 * @param {(Node | null | false)[]} content
 * @param {{action?: string, cancel?: string, isDangerous?: boolean, isWide?: boolean, intent?: import("../server/intent.js").Intent,
 *   onSubmit?: (work: Work) => (string | void | Promise<string | void>)}} options
 *   `onSubmit` returns what is wrong; the window closes if nothing is. As long as it is not known what became of the intent,
 *   nothing can be changed, only tried again.
 * @returns {{element: HTMLDialogElement, close: () => void, cancel: HTMLElement, complain: (text: string) => void}}
 */
export function openDialog(title, content, { action, cancel = action ? "Cancel" : "Close", isDangerous, isWide, intent, onSubmit }) {
  const id = `dialog-title-${count += 1}`;
  const note = el("p", { class: "dialog-note", role: "alert" });
  const line = el("p", { class: "dialog-line", role: "status", hidden: true });
  const bar = el("progress", { max: "1", value: "0", "aria-label": "Sent", hidden: true });
  const say = (text) => {
    line.textContent = text;
    line.hidden = text === "";
  };
  const onProgress = (part) => {
    bar.hidden = false;
    if (part < 1) bar.value = part;
    else bar.removeAttribute("value");
    say(part < 1 ? `${Math.floor(part * 100)} % sent` : "All is sent. Waiting for the server…");
  };
  const submit = action && el("button", { class: `main-button${isDangerous ? " dangerous" : ""}`, type: "submit" }, action);
  const cancelButton = el("button", { class: "quiet-button", type: "button", onclick: () => close() }, cancel);
  const body = el("div", { class: "dialog-content" }, ...content);
  /** @type {AbortController | null} */
  let working = null;
  const form = el("form", {
    class: "dialog-form", onsubmit: async (event) => {
      event.preventDefault();
      if (!submit || working) return;
      working = new AbortController();
      submit.disabled = true;
      note.textContent = "";
      const fault = await onSubmit?.({ signal: working.signal, say, onProgress });
      working = null;
      submit.disabled = false;
      bar.hidden = true;
      say("");
      const isInDoubt = intent?.isInDoubt ?? false;
      body.inert = isInDoubt;
      submit.textContent = isInDoubt ? "Try again" : action;
      if (isInDoubt) submit.focus();
      if (!element.open) noteDoubt();
      else if (fault) note.textContent = isInDoubt ? lostText : fault;
      else close();
    },
  }, el("h2", { id }, title), body, bar, line, note, el("div", { class: "dialog-buttons" }, cancelButton, submit || null));
  const element = /** @type {HTMLDialogElement} */ (
    el("dialog", { class: `dialog${isWide ? " is-wide" : ""}`, "aria-labelledby": id }, form));
  const before = document.activeElement;
  const close = () => element.open && element.close();
  const noteDoubt = () => intent?.isInDoubt && toast(`${title}: no answer came, so it is not known whether it was done.`, { stays: true });
  addEventListener("hashchange", close);
  element.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    element.remove();
    if (working) working.abort();
    else noteDoubt();
    if (before?.isConnected && document.activeElement === document.body) before.focus();
  });
  document.body.append(element);
  element.showModal();
  // Whatever has the focus, a long window begins at its top.
  element.scrollTop = 0;
  return { element, close, cancel: cancelButton, complain: (text) => note.replaceChildren(text) };
}

const lostText = "No answer came, so it is not known whether this was done. Try again finds out, and does nothing twice.";

/**
 * Asks for one line.
 * @param {{title: string, label: string, value: string, action: string, intent: import("../server/intent.js").Intent}} texts
 * @param {(text: string, work: Work) => (string | void | Promise<string | void>)} onDone Returns what is wrong.
 */
export function askForText({ title, label, value, action, intent }, onDone) {
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "text", id: "dialog-text", autocomplete: "off", required: true }));
  field.value = value;
  openDialog(title, [el("label", { for: "dialog-text" }, label), field], { action, intent, onSubmit: (work) => onDone(field.value.trim(), work) });
  field.focus();
  field.select();
}

/** @typedef {{label: string, keys?: string, isDangerous?: boolean, run: () => void}} Entry */

let closeMenu = () => {};

/**
 * @param {string} name
 * @param {(Entry | null | false)[]} entries
 * @param {{x: number, y: number}} place In the window.
 */
export function openMenu(name, entries, { x, y }) {
  closeMenu();
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const shown = entries.filter(Boolean);
  const items = shown.map(({ label, keys, isDangerous, run }) => el("button", {
    class: `menu-item${isDangerous ? " dangerous" : ""}`, type: "button", role: "menuitem", tabindex: "-1", "aria-keyshortcuts": keys,
    onclick: () => {
      close();
      run();
    },
  }, el("span", {}, label), keys && el("kbd", { "aria-hidden": "true" }, keys)));
  const menu = el("div", { class: "menu", role: "menu", "aria-label": name, onkeydown: (event) => onKey(event) }, ...items);
  const close = () => {
    closeMenu = () => {};
    document.removeEventListener("pointerdown", onOutside, true);
    removeEventListener("resize", close);
    removeEventListener("hashchange", close);
    menu.remove();
    if (before?.isConnected && document.activeElement === document.body) before.focus();
  };
  const onOutside = (event) => menu.contains(event.target) || close();
  const onKey = (event) => {
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) items.at(to % items.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key.length === 1 && event.key !== " ") {
      const letter = event.key.toLowerCase();
      [...items.slice(at + 1), ...items].find((one) => one.textContent?.toLowerCase().startsWith(letter))?.focus();
      event.stopPropagation();
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  closeMenu = close;
  // A menu stands in a part of the page that has a name, as all else does.
  (before?.closest("main, nav") ?? document.querySelector("main") ?? document.body).append(menu);
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - box.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - box.height - 8))}px`;
  document.addEventListener("pointerdown", onOutside, true);
  addEventListener("resize", close);
  addEventListener("hashchange", close);
  items[0]?.focus();
}

/** Below an element, or where the pointer is. @param {Event} event @param {Element} element */
export function menuPlace(event, element) {
  if (event instanceof MouseEvent && event.type === "contextmenu" && event.button === 2) return { x: event.clientX, y: event.clientY };
  const box = element.getBoundingClientRect();
  return { x: box.left + Math.min(24, box.width / 2), y: Math.min(box.bottom, innerHeight) };
}
