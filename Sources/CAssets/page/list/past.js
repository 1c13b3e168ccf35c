// The list as it was at a version, in the place of what it is now: one may look at it, and change nothing.

import { setAttribute } from "../base/dom.js";
import { ListModel } from "../rows/model.js";
import { ask, pathOf } from "../server/api.js";
import { side } from "../server/held.js";
import { heldToken } from "../server/token.js";
import { marksOf, pastList } from "./history.js";

export class Past {
  /** The version that is shown, if any. */ version = "";
  /** By id, the effect on a row of whatever made that version. @type {Map<string, string>} */ #marks = new Map();
  #run = 0;

  /**
   * @param {import("../rows/rows.js").CollectionView} collection @param {string} list Its id.
   * @param {(error: any) => void} onLost Hears why no more of the version can be had.
   */
  constructor(collection, list, onLost) {
    this.collection = collection;
    this.list = list;
    this.onLost = onLost;
    // Rows come and go while the past is shown.
    this.painter = new MutationObserver(() => this.#paint());
  }

  /** @param {any} past @param {any} changes @returns {ListModel} Of the list as it was. */
  show(past, changes) {
    this.version = past.version;
    this.#marks = marksOf(changes);
    this.painter.observe(this.collection.content, { childList: true, subtree: true });
    this.collection.element.classList.add("is-past");
    return new ListModel(pastList(past));
  }

  end() {
    this.version = "";
    this.painter.disconnect();
    this.#marks = new Map();
    this.#paint();
    this.collection.element.classList.remove("is-past");
  }

  close() {
    this.painter.disconnect();
  }

  /** Another window of the past. @param {import("../server/held.js").Wish} wish @param {(model: ListModel) => void} take */
  async seek(wish, take) {
    const own = this.#run += 1, { version } = this;
    const around = wish.item === undefined ? { row: String(wish.row ?? 0) } : { around: wish.item };
    const query = new URLSearchParams({ view: "visible", before: String(side), after: String(side), at: version, ...around });
    const isWanted = () => own === this.#run && version === this.version;
    const past = await ask("GET", `${pathOf(this.list)}?${query}`, { token: heldToken() }).catch((error) => {
      if (!error.mayPass && isWanted()) this.onLost(error);
      return null;
    });
    if (past === null || !isWanted()) return "";
    const model = new ListModel(pastList(past));
    take(model);
    return model.sections[0]?.items[0]?.id ?? "";
  }

  #paint() {
    for (const [id, row] of this.collection.rows) setAttribute(row, "data-past", this.#marks.get(id) ?? null);
  }
}
