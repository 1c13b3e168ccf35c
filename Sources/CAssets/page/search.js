// Search as one types: the server filters, and its change set takes the rows from one text to the next.

import { Unreachable } from "./api.js";
import { announce, toast } from "./dom.js";

export class Search {
  text = "";
  /** Whether the server filters; one that does not leaves it to the rows that are shown. */
  #isServed = true;
  #isBusy = false;
  /** Whether the last question got no answer. */
  #isLost = false;

  /**
   * @param {import("./session.js").ListSession} session
   * @param {import("./rows.js").CollectionView} collection
   * @param {HTMLInputElement} field
   */
  constructor(session, collection, field) {
    this.session = session;
    this.collection = collection;
    field.addEventListener("input", () => {
      this.text = field.value;
      this.#run();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && field.value !== "") {
        event.preventDefault();
        field.value = this.text = "";
        this.#run();
      }
    });
  }

  /** Asks once more what got no answer. */
  resume() {
    if (this.#isLost) this.#run();
  }

  /** One question at a time; what is typed meanwhile is asked next. */
  async #run() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    let asked;
    do {
      asked = this.text;
      await this.#ask(asked);
    } while (asked !== this.text);
    this.#isBusy = false;
    if (!this.#isLost) this.#announce();
  }

  async #ask(text) {
    this.#isLost = false;
    try {
      if (this.#isServed) this.#isServed = await this.session.setFilter(text);
    } catch (error) {
      this.#isLost = error instanceof Unreachable;
      toast(this.#isLost ? "No connection. The search goes on when the server is back." : error.message);
    }
    this.refresh();
  }

  /** Hides rows where the server does not filter. */
  refresh() {
    if (this.#isServed) return;
    const needle = this.text.normalize("NFC").toLowerCase();
    for (const [id, row] of this.collection.rows) {
      const content = this.collection.model.byId.get(id)?.content ?? {};
      row.hidden = needle !== "" && !strings(content).some((one) => one.normalize("NFC").toLowerCase().includes(needle));
    }
  }

  #announce() {
    if (this.text === "") return announce("The search is cleared");
    const shown = () => [...this.collection.rows.values()].filter((row) => !row.hidden);
    const count = this.#isServed ? this.collection.model.byId.size : shown().length;
    return announce(`${count} ${count === 1 ? "row" : "rows"} found`);
  }
}

/** The string leaves of a value. @returns {string[]} */
function strings(value) {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(strings) : [];
}
