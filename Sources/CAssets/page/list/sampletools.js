// What a sample has beside its rows: it can be put back, and some go on by steps.

import { el } from "../base/dom.js";
import { symbol } from "../base/symbols.js";
import { ask } from "../server/api.js";

/** The sample that runs when it is told to, until its rows are sorted. */
const sorting = "insertion-sort";

export class SampleTools {
  #isRunning = false;
  /** @type {HTMLElement | null} */ #runButton = null;

  /** @param {HTMLElement} tools Where the buttons go. @param {string} id Of the list. @param {import("../server/writes.js").Writes} writes */
  constructor(tools, id, writes) {
    this.tools = tools;
    this.id = id;
    this.writes = writes;
  }

  /** Puts the buttons there if the list is a sample. */
  async ask() {
    let samples;
    try {
      samples = (await ask("GET", "/v1/samples")).samples;
    } catch {
      return;
    }
    const sample = samples.find((one) => one.id === this.id);
    if (!sample) return;
    if (sample.id === sorting) this.#addRun();
    if (sample.moves) this.#add("Step", "step", () => this.writes.step(this.id));
    this.#add("Reset", "reset", () => this.#reset());
  }

  /** The server stops by itself when all is sorted. @param {import("../rows/model.js").ListModel} model */
  noteRows(model) {
    if (this.#isRunning && isSorted(model.list.getSnapshot())) this.#show(false);
  }

  #add(text, picture, onclick) {
    const button = el("button", { class: "quiet-button", type: "button", onclick }, symbol(picture), el("span", {}, text));
    this.tools.append(button);
    return button;
  }

  #addRun() {
    this.#runButton = this.#add("Run", "run", async () => {
      const isRunning = !this.#isRunning;
      this.#show(isRunning);
      const result = await this.writes.step(this.id, isRunning);
      // Without a step there is nothing to sort, or it is not known.
      if (isRunning && !result?.changed) this.#show(false);
    });
  }

  #reset() {
    this.#show(false);
    return this.writes.resetSample(this.id);
  }

  #show(isRunning) {
    this.#isRunning = isRunning;
    this.#runButton?.replaceChildren(symbol(isRunning ? "stop" : "run"), el("span", {}, isRunning ? "Stop" : "Run"));
  }
}

/** Whatever is searched for, all rows count. @param {{sections: readonly import("../rows/model.js").Section[]}} snapshot */
function isSorted({ sections }) {
  return sections.every(({ items }) => {
    const values = items.filter((item) => !item.level).map((item) => item.content?.value).filter(Number.isInteger);
    return values.every((value, index) => index === 0 || values[index - 1] <= value);
  });
}
