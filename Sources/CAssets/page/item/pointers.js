// Where in a text of JSON a value stands, so that a fault can be shown at its place.

/** A text that is no JSON from an index on. */
export class NoJSON extends Error {
  /** @param {string} message @param {number} at */
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

/**
 * @param {string} text
 * @returns {{value: any, ranges: Map<string, [number, number]>}} The ranges by JSON Pointer (RFC 6901).
 * @throws {NoJSON}
 */
export function readJSON(text) {
  /** @type {Map<string, [number, number]>} */
  const ranges = new Map();
  let at = 0;
  const fail = (expected) => {
    throw new NoJSON(`${expected} is missing in line ${text.slice(0, at).split("\n").length}.`, at);
  };
  const blank = () => {
    while (at < text.length && " \t\r\n".includes(text[at])) at += 1;
  };
  const token = (pattern, expected) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? fail(expected);
    at += found.length;
    return found;
  };
  const string = () => token(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y, "A text in quotes");
  const sequence = (end, element) => {
    at += 1;
    blank();
    if (text[at] === end) return void (at += 1);
    for (let index = 0; ; index += 1) {
      blank();
      element(index);
      blank();
      if (text[at] === end) return void (at += 1);
      if (text[at] !== ",") fail(`A comma or ${end}`);
      at += 1;
    }
  };
  const value = (pointer) => {
    blank();
    const start = at;
    if (text[at] === "{") sequence("}", () => {
      const name = JSON.parse(string());
      blank();
      if (text[at] !== ":") fail("A colon");
      at += 1;
      value(`${pointer}/${escaped(name)}`);
    });
    else if (text[at] === "[") sequence("]", (index) => value(`${pointer}/${index}`));
    else if (text[at] === '"') string();
    else token(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y, "A value");
    ranges.set(pointer, [start, at]);
  };
  value("");
  blank();
  if (at < text.length) fail("The end");
  return { value: JSON.parse(text), ranges };
}

/** The place of a value, or of what it would stand in. @param {Map<string, [number, number]>} ranges @param {string} pointer */
export function rangeOf(ranges, pointer) {
  let place = pointer;
  while (!ranges.has(place) && place !== "") place = place.slice(0, place.lastIndexOf("/"));
  return ranges.get(place) ?? [0, 0];
}

function escaped(name) {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
