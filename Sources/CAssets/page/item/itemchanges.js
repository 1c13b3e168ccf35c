// The members of an item that somebody has changed, so that only these are written, and what others have changed stays.

/**
 * One member that is another, by the names that lead to it. A value that is left out is a member that was removed.
 * @typedef {{path: string[], value?: any}} Change
 * @typedef {{kind: string, content: any, starred: boolean, expanded: boolean, reorderable: boolean}} Members
 */

/** The members that a person may change, also those that an item has without saying so. @param {any} item @returns {Members} */
export function membersOf({ kind = "item", content = {}, starred = false, expanded = false, reorderable = true }) {
  return { kind, content, starred, expanded, reorderable };
}

/** What leads from one value to another. @returns {Change[]} */
export function changesBetween(before, after, path = []) {
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changesBetween(own(before, name), own(after, name), [...path, name]));
  }
  return isEqual(before, after) ? [] : [{ path, value: after }];
}

/** Those of the first that are about the same member as one of the others, and make something else of it. @param {Change[]} changes @param {Change[]} others */
export function conflictsOf(changes, others) {
  const isAbout = (a, b) => a.path.every((name, index) => index >= b.path.length || b.path[index] === name);
  return changes.filter((one) => others.some((other) =>
    isAbout(one, other) && !(one.path.length === other.path.length && isEqual(one.value, other.value))));
}

/** @param {string} id @param {Change[]} changes Not empty. @param {any} content As it is now. */
export function operationOf(id, changes, content) {
  const isInside = ({ path }) => path[0] === "content" && path.length > 1;
  const members = changes.filter((one) => !isInside(one)).map(({ path: [name], value }) => [name, value]);
  const inside = changes.filter(isInside).map(({ path, value }) => ({ path: path.slice(1), value }));
  const operation = { ...Object.fromEntries(members), op: "updateItem", item: id };
  if (inside.length === 0) return operation;
  // In a merge patch (RFC 7396) null removes a member, so that it cannot say a null.
  const isPatch = inside.every(({ value }) => !saysNull(value));
  const whole = isPatch ? {} : JSON.parse(JSON.stringify(content));
  for (const { path, value } of inside) put(whole, path, value ?? null, !isPatch && value === undefined);
  return { ...operation, content: whole, ...(isPatch && { merge: true }) };
}

/** The value at a path; undefined if there is none. @param {any} value @param {string[]} path */
export function valueAt(value, path) {
  return path.reduce((inner, name) => (isObject(inner) ? own(inner, name) : undefined), value);
}

function put(target, path, value, isRemoved) {
  const [name, ...rest] = path;
  const define = (inner) => Object.defineProperty(target, name, { value: inner, enumerable: true, configurable: true, writable: true });
  if (rest.length > 0) {
    if (!isObject(own(target, name))) define({});
    put(target[name], rest, value, isRemoved);
  } else if (isRemoved) delete target[name];
  else define(value);
}

function saysNull(value) {
  return value === null || (isObject(value) && Object.values(value).some(saysNull));
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Of its own, for a member may have any name. */
function own(value, name) {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isEqual(a, b) {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, index) => isEqual(one, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]));
}
