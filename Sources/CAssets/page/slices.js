// Long work in slices of frames, between which the browser draws and listens.

/** The least and the most of a frame that is spent before the rest has to wait for the next one, in milliseconds. */
const lengthMin = 24;
const lengthMax = 50;

export class Slices {
  #isScheduled = false;
  #deadline = 0;
  /** When the last slice ended, if work was left. */ #ended = 0;
  #ticks = 0;

  /** @param {() => void} run Does a slice: `begin`, work until `isLate`, `end`. */
  constructor(run) {
    this.run = run;
  }

  schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    let isDone = false;
    const run = () => {
      if (isDone) return;
      isDone = true;
      this.#isScheduled = false;
      this.run();
    };
    requestAnimationFrame(run);
    // A tab in the background gets no frames.
    setTimeout(run, 100);
  }

  /**
   * A slice is as long as the browser took for what came of the last one: the longer a list is, the longer that takes, and
   * slices that stayed short would make the whole quadratic.
   */
  begin() {
    const now = performance.now();
    const pause = this.#ended > 0 ? now - this.#ended : 0;
    this.#deadline = now + Math.min(Math.max(pause, lengthMin), lengthMax);
  }

  /** Whether the slice is over; the clock is looked at now and then. */
  isLate() {
    this.#ticks += 1;
    return this.#ticks % 8 === 0 && performance.now() > this.#deadline;
  }

  /** @param {boolean} isBusy Whether there is more to do. */
  end(isBusy) {
    this.#ended = isBusy ? performance.now() : 0;
    if (isBusy) this.schedule();
  }
}
