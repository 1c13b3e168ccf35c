// Windows over the page: a form with a title, and menus. Keys reach all of them; Escape closes; the focus goes back.

import { el } from "./dom.js";

/**
 * @param {string} title
 * @param {(Node | null | false)[]} content
 * @param {{action?: string, isDangerous?: boolean, isWide?: boolean, onSubmit?: () => (string | void | Promise<string | void>)}} options
 *   `onSubmit` returns what is wrong; the window closes if nothing is.
 * @returns {{element: HTMLDialogElement, close: () => void, complain: (text: string) => void}}
 */
export function openDialog(title, content, { action, isDangerous, isWide, onSubmit }) {
  const note = el("p", { class: "dialog-note", role: "alert" });
  const submit = action && el("button", { class: `main-button${isDangerous ? " dangerous" : ""}`, type: "submit" }, action);
  const cancel = el("button", { class: "quiet-button", type: "button", onclick: () => close() }, action ? "Cancel" : "Close");
  const form = el("form", {
    class: "dialog-form", onsubmit: async (event) => {
      event.preventDefault();
      if (!submit || submit.disabled) return;
      submit.disabled = true;
      note.textContent = "";
      const fault = await onSubmit?.();
      submit.disabled = false;
      if (fault) note.textContent = fault;
      else close();
    },
  }, el("h2", { id: "dialog-title" }, title), ...content, note, el("div", { class: "dialog-buttons" }, cancel, submit || null));
  const element = /** @type {HTMLDialogElement} */ (
    el("dialog", { class: `dialog${isWide ? " is-wide" : ""}`, "aria-labelledby": "dialog-title" }, form));
  const before = document.activeElement;
  const close = () => element.open && element.close();
  addEventListener("hashchange", close);
  element.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    element.remove();
    if (before?.isConnected && document.activeElement === document.body) before.focus();
  });
  document.body.append(element);
  element.showModal();
  return { element, close, complain: (text) => note.replaceChildren(text) };
}

/**
 * Asks for one line.
 * @param {{title: string, label: string, value: string, action: string}} texts
 * @param {(text: string) => (string | void | Promise<string | void>)} onDone Returns what is wrong.
 */
export function askForText({ title, label, value, action }, onDone) {
  const field = /** @type {HTMLInputElement} */ (el("input", { type: "text", id: "dialog-text", autocomplete: "off", required: true }));
  field.value = value;
  openDialog(title, [el("label", { for: "dialog-text" }, label), field], { action, onSubmit: () => onDone(field.value.trim()) });
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
