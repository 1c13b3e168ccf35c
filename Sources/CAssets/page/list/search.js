// Search as one types, in all rows of the list that is held.

import { announce } from "../base/dom.js";

export class Search {
  text = "";

  /**
   * @param {HTMLInputElement} field
   * @param {(text: string) => number | Promise<number | null>} select Shows rows, and says how many; null if it has not come to that.
   */
  constructor(field, select) {
    this.select = select;
    field.addEventListener("input", () => this.#run(field.value));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && field.value !== "") {
        event.preventDefault();
        field.value = "";
        this.#run("");
      }
    });
  }

  async #run(text) {
    this.text = text;
    const shown = this.select(text);
    const count = typeof shown === "number" ? shown : await shown;
    if (count === null || this.text !== text) return;
    announce(text === "" ? "The search is cleared" : `${count} ${count === 1 ? "row" : "rows"} found`);
  }
}
