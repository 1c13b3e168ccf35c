// The edits that the page makes, and which of them can be taken back. They show at once; lists.js's client sends them.

import { ask, pathOf } from "./api.js";
import { deliverTelling } from "./intent.js";
import { counted } from "./lists.js";
import { heldToken } from "./token.js";

/** @typedef {Promise<import("../../client.js").Outcome>} Settled What becomes of an edit. */

export class Writes {
  /** Edits of this page that may be taken back, the newest last. @type {Settled[]} */ done = [];
  /** What has taken edits back. @type {Settled[]} */ undone = [];

  /**
   * @param {() => import("../../client.js").List} list
   * @param {{onHistory: () => void, onNews: (message: string, options?: {status?: number}) => void}} options
   */
  constructor(list, options) {
    this.list = list;
    this.options = options;
  }

  star(id, isStarred) {
    return this.#edit((edits) => edits.star(id, isStarred), isStarred ? "Star" : "Unstar");
  }

  setExpanded(id, isExpanded) {
    return this.#edit((edits) => edits.expand(id, isExpanded), isExpanded ? "Expand" : "Collapse");
  }

  delete(id) {
    return this.#edit((edits) => edits.delete(id), "Delete");
  }

  setContent(id, content) {
    return this.#edit((edits) => edits.update(id, { content }), "Change");
  }

  setLayout(layout) {
    return this.#edit((edits) => edits.operation({ op: "updateList", layout }), "Appearance");
  }

  /** @param {string} section @param {import("../../client.js").NewItem} item */
  add(section, item) {
    return this.#edit((edits) => edits.add(item, { section }), "Add");
  }

  /** To a list without a section. @param {string} section A new one. @param {import("../../client.js").NewItem} item */
  addFirst(section, item) {
    return this.#edit((edits) => {
      edits.operation({ op: "appendSections", sections: [section] });
      edits.add(item, { section });
    }, "Add");
  }

  /** @param {string} id @param {import("../../client.js").Target} target */
  move(id, target) {
    return this.#edit((edits) => edits.move(id, target), "Move");
  }

  /** Anything else, done at once or not at all. @param {(edits: import("../../client.js").Edits) => void} make @param {string} label */
  change(make, label) {
    return this.#edit(make, label);
  }

  /** Takes back any transaction of the list. @param {string} version */
  takeBack(version) {
    this.undone = [];
    return this.#keep(this.list().undo(version, { label: "Take back" }).settled, this.done);
  }

  /** @param {Settled} [edit] The newest one if left out. @returns {Settled | null} Null if it cannot be taken back. */
  undo(edit = this.done.at(-1)) {
    return this.#takeBack(edit, this.done, this.undone, "Undo");
  }

  redo() {
    return this.#takeBack(this.undone.at(-1), this.undone, this.done, "Redo");
  }

  /** @param {string} sample @param {boolean} [run] Whether it goes on by itself; if left out, as before. */
  step(sample, run) {
    return this.#deliver(`/v1/samples/${encodeURIComponent(sample)}/step`, run === undefined ? undefined : { run });
  }

  /** The sample as it was at first, of which no undo is offered. @param {string} sample */
  resetSample(sample) {
    return this.#deliver(`/v1/samples/${encodeURIComponent(sample)}`);
  }

  /** @returns {Settled} */
  #edit(make, label) {
    this.undone = [];
    return this.#keep(this.list().edit(make, { label }).settled, this.done);
  }

  /** An edit without an answer is taken back once it has one. */
  #takeBack(edit, from, to, label) {
    if (!from.includes(edit)) return null;
    from.splice(from.indexOf(edit), 1);
    const takenBack = edit.then((outcome) =>
      outcome.changed && !outcome.together ? this.list().undo(outcome.version, { label }).settled : outcome);
    return this.#keep(takenBack, to);
  }

  #keep(settled, edits) {
    edits.push(settled);
    this.options.onHistory();
    counted(settled).then(({ status, changed, together }) => {
      if (status === "adjusted") this.options.onNews("Others have changed the list: done in part, or at another place.");
      // The version of edits that were sent together is that of all of them, which nobody wants to take back at once.
      if (changed && !together) return;
      const kept = [this.done, this.undone].find((all) => all.includes(settled));
      kept?.splice(kept.indexOf(settled), 1);
      this.options.onHistory();
    });
    return settled;
  }

  /** @returns {Promise<any>} The answer; undefined if there was none, or a refusal. */
  async #deliver(path, body) {
    try {
      return await deliverTelling(path, { body });
    } catch (error) {
      const text = error.mayPass ? error.message : `Refused: ${error.message}`;
      this.options.onNews(text, { status: error.status });
      return undefined;
    }
  }
}

/** Those of some items that a list has no more. @param {string} list @param {string[]} items @returns {Promise<string[]>} */
export async function goneOf(list, items) {
  // Nothing is deleted. The answer names what a deletion would pass over.
  const body = { operations: [{ op: "deleteItems", items }] };
  const answer = await ask("POST", `${pathOf(list)}/transactions?dryRun=true`, { body, token: heldToken() }).catch(() => null);
  return (answer?.warnings ?? []).flatMap(({ code, items: missing = [] }) => (code === "missing" ? missing : []));
}
