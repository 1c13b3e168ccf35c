// Where the lines of a section begin: a line is a row of a list, or a group of a grid. Those that were seen have been
// measured; the others count as high as the estimate has it.

export class Lines {
  /** What measured lines differ from the estimate by. @type {Map<number, number>} */ #differences = new Map();
  /** Sums of differences, by binary indexes: a line's costs as many steps as the count has bits. */ #sums;

  /** @param {number} count @param {number} estimate In points, more than 0. */
  constructor(count, estimate) {
    this.count = count;
    this.estimate = estimate;
    this.#sums = new Float64Array(count + 1);
  }

  get total() {
    return this.start(this.count);
  }

  /** Where a line begins, from the beginning of the first one. */
  start(line) {
    let sum = line * this.estimate;
    for (let at = line; at > 0; at -= at & -at) sum += this.#sums[at];
    return sum;
  }

  /** The line at a place, or the one next to it. */
  at(place) {
    let [line, start] = [0, 0];
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = line + step;
      if (next > this.count) continue;
      const end = start + step * this.estimate + this.#sums[next];
      if (end <= place) [line, start] = [next, end];
    }
    return Math.min(line, Math.max(0, this.count - 1));
  }

  /** @returns {boolean} Whether the line was taken for another size. */
  measure(line, size) {
    const difference = size - this.estimate, change = difference - (this.#differences.get(line) ?? 0);
    if (Math.abs(change) < 0.01) return false;
    this.#differences.set(line, difference);
    for (let at = line + 1; at <= this.count; at += at & -at) this.#sums[at] += change;
    return true;
  }
}
