// The edits that the page makes. Each is a request with the version on which its user looked at the list.

import { Refused, ask, pathOf, queryOf } from "./api.js";
import { moved, reorderBody } from "./reorder.js";

/** @typedef {import("./reorder.js").Place} Place */

export class Writes {
  /** Versions that this page made and may take back, the newest last. @type {string[]} */ done = [];
  /** Those that were taken back. @type {string[]} */ undone = [];
  /** @type {"difference" | "final"} */ reorderForm = "difference";

  /**
   * @param {import("./session.js").ListSession} session
   * @param {{onSent: (sent: import("./api.js").Sent) => void, onProblem: (message: string) => void,
   *   onHistory: () => void}} options
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

  undo() {
    return this.#takeBack("undo", this.done, this.undone);
  }

  redo() {
    return this.#takeBack("redo", this.undone, this.done);
  }

  /** @param {string} sample */
  step(sample) {
    return this.#send({ method: "POST", path: `/v1/samples/${encodeURIComponent(sample)}/step` });
  }

  /** The sample as it was at first, of which no undo is offered. @param {string} sample */
  resetSample(sample) {
    return this.#send({ method: "POST", path: `/v1/samples/${encodeURIComponent(sample)}?view=visible` });
  }

  async #takeBack(name, from, to) {
    const transaction = from.at(-1);
    if (!transaction) return null;
    const path = pathOf(this.session.id, name) + queryOf({ view: "visible" });
    const result = await this.#send({ method: "POST", path, body: { transaction } }, (error) => {
      if (error.problem.code === "not_found") return `This server cannot ${name} yet.`;
      if (error.status === 409 || error.status === 410) from.pop();
      return error.message;
    });
    if (result) to.push(from.pop());
    this.options.onHistory();
    return result;
  }

  async #write(method, segments, members) {
    const path = pathOf(this.session.id, ...segments) + queryOf({ view: "visible" });
    const body = { base: this.session.version, ...members };
    const result = await this.#send({ method, path, body });
    if (result?.changed) {
      this.done.push(result.version);
      this.undone = [];
      this.options.onHistory();
    }
    return result;
  }

  /** @returns {Promise<any>} The result; null if there is none, which the user has been told. */
  async #send(sent, explain = (error) => error.message) {
    this.options.onSent(sent);
    try {
      const result = await ask(sent.method, sent.path, { body: sent.body });
      this.session.takeResult(result);
      return result;
    } catch (error) {
      if (error instanceof Refused && error.problem.missed?.reset) this.session.take(error.problem.missed);
      this.options.onProblem(error instanceof Refused ? explain(error) : error.message);
      return null;
    }
  }
}
