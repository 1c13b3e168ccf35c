// Code with names in all places where they may stand, for the test of .ci/join-client. It is no model of style.

const outer = 1, text = "outer 'x' // no comment /* nor \" this */"; // outer "
/* text ` */ const number = 6 / 2 / outer, quotient = (number) / 3;
function add(first, second = first + outer, ...others) {
  return first + second + others.length;
}
class Box extends Array {
  #held = 3;
  kept = { outer, text: 2, first: [outer], undefined: undefined, true: true };
  static make = () => new Box();
  get held() {
    return this.#held;
  }
  set held(value) {
    this.#held = value;
  }
  async later(outer) {
    return `${outer}${`${this.#held}-${{ text }.text}`} $ \` \${outer} ${outer ? `}${text}` : ""}`;
  }
}
const table = { add, outer(first) { return first - outer; }, async text(outer) { return [outer, text]; }, };

export async function connect({ outer: other = outer, first: { second: [, deep] = [0, add(1)] } = {}, ...rest } = {}) {
  const found = [other, deep, rest, number, quotient, table.outer(5), await table.text(4), Box.make().held, - -outer, + +outer];
  for (const outer of [5, 6]) {
    const rest = outer * 2;
    found.push(rest, outer);
  }
  for (let i = 0, outer = 9; i < 2; i += 1) if (i > 0) found.push((() => outer)(), i); else found.push(outer);
  for (const [name, { value: outer = 7 }] of Object.entries({ a: {}, b: { value: 8 } })) found.push(name, outer);
  const inner = (outer) => outer > 1 ? (first) => first + outer : { outer }, both = async (outer) => outer;
  const pattern = /[/"`]outer\/(\w+)/, box = new Box(), of = found.length;
  try {
    throw new Error(text);
  } catch ({ message: text }) {
    found.push(text);
  }
  box.held = 4;
  {
    const outer = "block";
    found.push(outer);
  }
  found.push(inner(1), inner(2)(3), await both(outer), pattern.exec("\"outer/there")?.[1] ?? "none", box.held, of, box.kept);
  return [...found, await box.later("late"), add(1, 2, 3), true, outer];
}
