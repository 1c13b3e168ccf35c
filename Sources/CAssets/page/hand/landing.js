// The end of a drag: the picture of the row goes to the place of the row, and the row is seen when the picture is there.

import { prefersReducedMotion } from "../base/dom.js";

const duration = 240;
/** Frames in which the list may still draw what has changed. */
const framesMax = 12;
/** A tab in the background gets no frames. */
const patience = 1_000;

/**
 * @param {HTMLElement} host With the picture, which stands where the pointer let go of it.
 * @param {{placeOf: () => DOMRect | null, isReady: () => boolean, onEnd: () => void}} hooks The place may move on the way;
 *   without one the picture goes.
 * @returns {() => void} Ends it at once.
 */
export function land(host, { placeOf, isReady, onEnd }) {
  const ghost = /** @type {HTMLElement} */ (host.firstElementChild);
  const from = ghost.getBoundingClientRect();
  let [begun, frames, frame, isOver] = [0, 0, 0, false];
  const end = () => {
    if (isOver) return;
    isOver = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    host.remove();
    onEnd();
  };
  const timer = setTimeout(end, patience);
  const step = (now) => {
    frames += 1;
    if (!begun && !isReady() && frames < framesMax) return void (frame = requestAnimationFrame(step));
    begun ||= now;
    const part = prefersReducedMotion() ? 1 : Math.min(1, (now - begun) / duration);
    const place = placeOf();
    if (!place) return end();
    const eased = 1 - (1 - part) ** 3;
    const mix = (name) => from[name] + (place[name] - from[name]) * eased;
    ghost.style.transform = `translate(${mix("left")}px, ${mix("top")}px)`;
    [ghost.style.width, ghost.style.height] = [`${mix("width")}px`, `${mix("height")}px`];
    // The row takes over from a picture that has been seen at its place.
    frame = requestAnimationFrame(part < 1 ? step : end);
    return undefined;
  };
  host.classList.add("is-landing");
  frame = requestAnimationFrame(step);
  return end;
}
