// A wish of a person that is done once. Whoever asks again after a lost answer sends the same request with the same key, so that
// the server answers what became of it, and does nothing twice.

import { toast } from "../base/dom.js";
import { deliver, isAhead, makeKey } from "./api.js";

export class Intent {
  /** The request, as long as its outcome is not known. @type {Promise<{body: any, key: string}> | null} */ #asked = null;
  /** Whether it may have been done. */ isInDoubt = false;

  /**
   * @param {() => any} make The body. In doubt it is the one of before.
   * @param {(write: {body: any, key: string}) => Promise<any>} send
   * @returns {Promise<any>} What `send` returns.
   */
  async send(make, send) {
    this.#asked ??= Promise.resolve().then(make).then((body) => ({ body, key: makeKey() }));
    const asked = this.#asked;
    let write;
    try {
      write = await asked;
    } catch (error) {
      this.#forget(asked);
      throw error;
    }
    try {
      const answer = await send(write);
      this.#forget(asked);
      return answer;
    } catch (error) {
      if (error.isInDoubt || error.leavesDoubt) this.isInDoubt = true;
      else if (!this.isInDoubt || !isAhead(error)) this.#forget(asked);
      throw error;
    }
  }

  #forget(asked) {
    if (this.#asked !== asked) return;
    this.#asked = null;
    this.isInDoubt = false;
  }
}

/** @type {Map<string, Intent>} */
const intents = new Map();

/** A wish without a window that would keep it. @param {string} name The same one for the same wish. */
export function intentOf(name) {
  const intent = intents.get(name) ?? new Intent();
  intents.set(name, intent);
  return intent;
}

/** A wish that somebody has taken back. @param {string} name */
export function endIntent(name) {
  intents.delete(name);
}

export const doubtText = "It is not known whether this was saved. Trying again.";
const silenceText = "It is not known whether this was saved: the server does not answer.";

/**
 * Sends a write. While its answer is lost the page says so, and takes that back as soon as more is known.
 * @param {string} path @param {Parameters<typeof deliver>[2]} [write]
 * @returns {Promise<any>} The JSON of the answer.
 * @throws {import("./api.js").Refused | import("./api.js").Unreachable}
 */
export async function deliverTelling(path, write) {
  /** @type {(() => void) | null} */
  let hide = null;
  try {
    const answer = await deliver(path, () => (hide = toast(doubtText, { stays: true })), write);
    if (hide) toast("Saved.");
    return answer;
  } catch (error) {
    // A refusal is an answer: nothing was done.
    if (error.mayPass) error.message = silenceText;
    hide?.();
    throw error;
  }
}
