// Making elements. Whatever a list holds becomes text or the value of a property, never markup.

/**
 * @param {string} tag
 * @param {Object<string, any>} [properties] `class`, attributes by name, listeners as `onclick`; nullish ones are left out.
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Sets or removes. @param {Element} element @param {string} name @param {string | boolean | null | undefined} value */
export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : String(value));
}

/** Says something to whoever listens instead of looking. @param {string} text */
export function announce(text) {
  const region = document.getElementById("announcements");
  // The same text twice would be said once.
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

/** A text among others that has a direction of its own. @param {string} text */
export const isolated = (text) => `\u2068${text}\u2069`;

let toastTimer = 0, toastCount = 0;

/**
 * Shows a message for a while, and says it.
 * @param {string} text
 * @param {{stays?: boolean, action?: {label: string, run: () => void}}} [options] Whether it stays until the next one, and
 *   what a button in it does.
 * @returns {() => void} Takes it away, unless there is another one by then.
 */
export function toast(text, { stays = false, action } = {}) {
  const box = document.getElementById("toast");
  if (!box) return () => {};
  const own = toastCount += 1;
  const hide = () => {
    if (own === toastCount) box.hidden = true;
  };
  // Whoever has come to it is not hurried, and by keys it takes longer to come to a button.
  const leave = () => {
    if (box.matches(":hover") || box.contains(document.activeElement)) toastTimer = setTimeout(leave, 2_000);
    else hide();
  };
  const run = () => {
    hide();
    action?.run();
  };
  box.replaceChildren(text, ...(action ? [el("button", { class: "toast-button", type: "button", onclick: run }, action.label)] : []));
  box.hidden = false;
  clearTimeout(toastTimer);
  if (!stays) toastTimer = setTimeout(leave, action ? 20_000 : 6_000);
  return hide;
}

export const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The words for a list's counts. @param {{sections: number, items: number}} counts */
export function countText({ sections, items }) {
  const one = (count, name) => `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
  return `${one(items, "item")} in ${one(sections, "section")}`;
}

/**
 * Brings an element with the focus to another place among its siblings by moving those between: a browser scrolls to an
 * element with the focus that moves, or takes the focus away.
 * @param {HTMLElement} element @param {Element | null} at What it is to stand before.
 * @returns {Element | null} What is next.
 */
export function lead(element, at) {
  const isAhead = !at || Boolean(element.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING);
  const [start, end, next] = isAhead ? [element.nextElementSibling, at, element] : [at, element, element.nextElementSibling];
  const between = [];
  for (let one = start; one && one !== end; one = one.nextElementSibling) between.push(one);
  for (const one of between) move(one, element.parentElement, next);
  return element.nextElementSibling;
}

/** Without a loss of the focus, where a browser can do that. */
export function move(element, parent, next) {
  if (element.isConnected && "moveBefore" in parent) parent.moveBefore(element, next);
  else parent.insertBefore(element, next);
}
