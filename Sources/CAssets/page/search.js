// Search as one types, in all rows of the list that is held.

import { announce } from "./dom.js";

export class Search {
  text = "";

  /** @param {HTMLInputElement} field @param {(text: string) => number} select Shows rows, and says how many. */
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

  #run(text) {
    this.text = text;
    const count = this.select(text);
    announce(text === "" ? "The search is cleared" : `${count} ${count === 1 ? "row" : "rows"} found`);
  }
}
