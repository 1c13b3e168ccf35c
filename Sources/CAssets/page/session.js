// One list as the server has it: a snapshot, once, and from then on change sets only.

import { Refused, ask, pathOf, queryOf } from "./api.js";
import { Stream } from "./live.js";
import { Mismatch, applyChangeSet, fromSnapshot } from "./model.js";

/**
 * @typedef {import("./model.js").ListModel} ListModel
 * @typedef {import("./model.js").Delta} Delta
 * @typedef {{onReset: (model: ListModel) => void, onDelta: (delta: Delta) => void, onGone: () => void,
 *   onState: (state: import("./live.js").StreamState) => void, onChangeSet: (changeSet: any) => void}} SessionOptions
 */

/** The epoch and the revision of a version. @param {string} version */
function parts(version) {
  const dash = version.lastIndexOf("-");
  return { epoch: version.slice(0, dash), revision: Number(version.slice(dash + 1)) };
}

/** Whether `version` is at or before `held`; across epochs nothing compares. */
function isKnown(version, held) {
  const [one, other] = [parts(version), parts(held)];
  return one.epoch === other.epoch && one.revision <= other.revision;
}

export class ListSession {
  /** @type {ListModel} */ model;
  filter = "";
  /** What the session has asked for and been told, for the inspector. */
  counts = { snapshots: 0, changeSets: 0, resets: 0 };
  #isCatchingUp = false;
  #isClosed = false;
  #filterTurn = 0;
  #isFiltering = false;
  #resumePoint = "";
  /** The newest id of the stream, or the version from which it goes on. */
  #idBefore = "";

  /** @param {string} id @param {SessionOptions} options */
  constructor(id, options) {
    this.id = id;
    this.options = options;
    this.stream = new Stream({
      target: () => {
        this.#idBefore = this.version;
        return this.#changesPath({ since: this.version });
      },
      onEvent: (name, data) => this.#take(name, data),
      onResume: (version) => this.#moveOn(version),
      onState: (state) => options.onState(state),
    });
  }

  /** The version up to which everything is known: that of the model, or a later one at which the view is the same. */
  get version() {
    return this.#resumePoint || this.model.version;
  }

  /** Fetches the snapshot and follows the list. @throws {import("./api.js").Refused} If there is no such list. */
  async open() {
    const snapshot = await ask("GET", pathOf(this.id) + queryOf({ view: "visible" }));
    if (this.#isClosed) return;
    this.counts.snapshots += 1;
    this.model = fromSnapshot(snapshot);
    this.options.onReset(this.model);
    this.stream.connect();
  }

  close() {
    this.#isClosed = true;
    this.stream.close();
  }

  /** Lets go of the stream while nobody looks: a browser has but six connections to a server. */
  pause() {
    this.stream.disconnect();
    this.options.onState("waiting");
  }

  resume() {
    if (!this.#isClosed && this.model) this.stream.connect();
  }

  /**
   * What a write brought about, `missed` first. It is skipped where the stream was faster or will bring it anyway.
   * @param {any} result Of a write in the view `visible`.
   */
  takeResult(result) {
    if (this.filter || this.#isFiltering || this.#isClosed) return;
    for (const changeSet of [result?.missed, result?.changes]) {
      if (changeSet && (changeSet.reset || this.#holds(changeSet.from))) this.take(changeSet);
    }
  }

  /** docs/contract.md section 9, own echo. @param {any} changeSet */
  take(changeSet) {
    if (changeSet.reset) return this.#reset(changeSet);
    if (isKnown(changeSet.to, this.version)) return;
    if (!this.#holds(changeSet.from)) {
      this.#catchUp();
      return;
    }
    try {
      this.#apply(changeSet);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      // Either of us is wrong about the rows: start over, by a reset.
      console.error(error.message);
      this.model.version = "lost-0";
      this.#resumePoint = "";
      this.stream.connect();
    }
  }

  /**
   * The rows with `text` in them, by the change set from those of the filter so far.
   * @param {string} text Everything if empty.
   * @returns {Promise<boolean>} False if the server does not filter; the rows are then as they were.
   */
  async setFilter(text) {
    const turn = ++this.#filterTurn;
    const previous = this.filter;
    if (text === previous) return true;
    this.stream.disconnect();
    this.#isFiltering = true;
    try {
      const since = this.version;
      const changeSet = await ask("GET", this.#changesPath(
        { since, filter: text, previousFilter: previous }));
      if (turn !== this.#filterTurn || this.#isClosed) return true;
      this.filter = text;
      // The rows may differ although the version is the same.
      if (changeSet.from === since) this.#apply(changeSet);
      else this.take(changeSet);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.status === 422) return false;
      throw error;
    } finally {
      if (turn === this.#filterTurn) {
        this.#isFiltering = false;
        if (!this.#isClosed) this.stream.connect();
      }
    }
  }

  #apply(changeSet) {
    this.model.version = changeSet.from;
    const delta = applyChangeSet(this.model, changeSet);
    this.#resumePoint = "";
    this.counts.changeSets += 1;
    this.options.onChangeSet(changeSet);
    this.options.onDelta(delta);
  }

  /** Whether the model is what the list was at a version, in this view. */
  #holds(version) {
    return version === this.model.version || version === this.#resumePoint;
  }

  /**
   * A bare id: nothing that happened since the id before on the stream shows in the view. An answer to a write may have led the
   * model beyond that id: then nobody has said yet what leads on from there.
   */
  #moveOn(version) {
    const before = this.#idBefore;
    this.#idBefore = version;
    if (this.#isCatchingUp || isKnown(version, this.version)) return;
    if (this.#holds(before)) this.#resumePoint = version;
    else this.#catchUp();
  }

  #changesPath(members) {
    return pathOf(this.id, "changes") + queryOf({ view: "visible", filter: this.filter || undefined, ...members });
  }

  #take(name, data) {
    if (name === "gone") {
      this.close();
      this.options.onGone();
    } else if (name === "change" || name === "reset") {
      this.#idBefore = data.to;
      this.take(data);
    }
  }

  #reset({ snapshot, to }) {
    this.model = fromSnapshot({ ...snapshot, version: to });
    this.#resumePoint = "";
    this.counts.resets += 1;
    this.options.onChangeSet({ list: this.id, to, view: "visible", reset: true, snapshot: "…" });
    this.options.onReset(this.model);
  }

  /** A stream composes what a slow reader has not read, which may begin before an own write that is known already. */
  async #catchUp() {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      const changeSet = await ask("GET", this.#changesPath({ since: this.version }));
      this.#isCatchingUp = false;
      if (!this.#isClosed) this.take(changeSet);
    } catch {
      // The stream starts over from the version held, which comes to the same.
      this.#isCatchingUp = false;
      if (!this.#isClosed) this.stream.connect();
    }
  }
}
