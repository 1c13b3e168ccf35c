// The edits that the page makes. Each is a request with the version on which its user looked at the list.

import { Refused, pathOf, queryOf } from "./api.js";
import { Unknown, deliver } from "./deliver.js";
import { moved, reorderBody } from "./reorder.js";

/** @typedef {import("./reorder.js").Place} Place */

export class Writes {
  /** Versions that this page made and may take back, the newest last. @type {string[]} */ done = [];
  /** Those that were taken back. @type {string[]} */ undone = [];
  /** @type {"difference" | "final"} */ reorderForm = "difference";
  /** The write before the next one. @type {Promise<any>} */ #last = Promise.resolve();
  /** Grows when writes that wait are given up. */ #round = 0;

  /**
   * @param {import("./session.js").ListSession} session
   * @param {{onSent: (sent: import("./api.js").Sent) => void, onHistory: () => void,
   *   onNews: (message: string, stays: boolean, status?: number) => void}} options News of what became of a write, or of a doubt, which
   *   stays until there is other news.
   */
  constructor(session, options) {
    this.session = session;
    this.options = options;
  }

  star(id, isStarred) {
    return this.#write(isStarred ? "PUT" : "DELETE", ["items", id, "star"], { label: isStarred ? "Star" : "Unstar" });
  }

  setExpanded(id, isExpanded) {
    return this.#write("POST", ["items", id, isExpanded ? "expand" : "collapse"], {});
  }

  delete(id) {
    return this.#write("DELETE", ["items", id], { label: "Delete" });
  }

  setContent(id, content) {
    return this.#write("PATCH", ["items", id], { content });
  }

  setLayout(layout) {
    return this.#write("PATCH", [], { layout, label: "Appearance" });
  }

  /** @param {string} section @param {any} item */
  add(section, item) {
    return this.#write("POST", ["items"], { items: [item], section, label: "Add" });
  }

  /** @param {Place} from @param {Place} to Before the row at this index. @returns {Promise<any>} Null if it is no move. */
  async move(from, to) {
    const { sections } = this.session.model;
    const move = moved(sections, from, to);
    if (!move) return null;
    const body = reorderBody(sections, move, this.reorderForm, this.session.version);
    return this.#write("POST", ["reorders"], body);
  }

  /** @param {string} [transaction] The version that it made; the last one if left out. */
  undo(transaction) {
    return this.#takeBack("undo", this.done, this.undone, transaction);
  }

  redo() {
    return this.#takeBack("redo", this.undone, this.done);
  }

  /** @param {string} sample */
  step(sample) {
    return this.#inTurn(() => this.#send({ method: "POST", path: `/v1/samples/${encodeURIComponent(sample)}/step` }));
  }

  /** The sample as it was at first, of which no undo is offered. @param {string} sample */
  resetSample(sample) {
    return this.#inTurn(() => this.#send({ method: "POST", path: `/v1/samples/${encodeURIComponent(sample)}?view=visible` }));
  }

  #takeBack(name, from, to, given) {
    return this.#inTurn(async () => {
      const transaction = given ?? from.at(-1);
      if (!transaction || !from.includes(transaction)) return null;
      const drop = () => from.splice(from.indexOf(transaction), 1);
      const path = pathOf(this.session.id, name) + queryOf({ view: "visible" });
      const result = await this.#send({ method: "POST", path, body: { transaction } }, (error) => {
        if (error.status === 409 || error.status === 410) drop();
      });
      if (result) to.push(...drop());
      this.options.onHistory();
      return result;
    });
  }

  #write(method, segments, members) {
    const path = pathOf(this.session.id, ...segments) + queryOf({ view: "visible" });
    const body = { base: this.session.version, ...members };
    return this.#inTurn(async () => {
      const result = await this.#send({ method, path, body });
      if (result?.changed) {
        this.done.push(result.version);
        this.undone = [];
        this.options.onHistory();
      }
      return result;
    });
  }

  /**
   * One write at a time, in the order in which they were made: one that is sent again must not come behind later ones.
   * Those that wait behind one of which nothing becomes known are not sent.
   */
  #inTurn(write) {
    const round = this.#round;
    const result = this.#last.then(() => (round === this.#round ? write() : null));
    this.#last = result;
    return result;
  }

  /** @returns {Promise<any>} The result; null if there is none, which the user has been told. */
  async #send(sent, onRefused = (_) => {}) {
    const { onSent, onNews } = this.options;
    onSent(sent);
    let isInDoubt = false;
    const onDoubt = () => {
      isInDoubt = true;
      onNews("It is not known whether this was saved. Trying again.", true);
    };
    try {
      const result = await deliver(sent, onDoubt);
      if (isInDoubt) onNews("Saved.", false);
      this.session.takeResult(result);
      return result;
    } catch (error) {
      if (error instanceof Unknown) this.#round += 1;
      else if (!(error instanceof Refused)) throw error;
      else if (error.problem.missed?.reset) this.session.take(error.problem.missed);
      if (error instanceof Refused) onRefused(error);
      const text = error instanceof Refused ? `Refused: ${error.message}` : `${error.message} Later changes were not sent.`;
      onNews(text, false, error.status);
      return null;
    }
  }
}
