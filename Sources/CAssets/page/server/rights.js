// What the caller may do. A dry run says so: the server refuses it as it would refuse the write, and keeps nothing.

import { ask, pathOf, usesTokens } from "./api.js";
import { heldToken } from "./token.js";

/** @typedef {"create" | "write" | "delete" | "restore"} Right */

/** By token, right and list. @type {Map<string, Promise<boolean>>} */
const known = new Map();

const trials = {
  create: () => ["POST", "/v1/lists?dryRun=true", { title: "New" }],
  write: (list) => ["POST", `${pathOf(list)}/transactions?dryRun=true`, { operations: [{ op: "reloadSections", sections: [] }] }],
  delete: (list) => ["DELETE", `${pathOf(list)}?dryRun=true`, undefined],
  restore: (list) => ["POST", `${pathOf(list)}/restore?dryRun=true`, undefined],
};

/** The answers that say no. An edit without a token is not one of them: it waits for a token. */
const refusals = { create: [401, 403], write: [403], delete: [401, 403], restore: [401, 403] };

/** Whether the server would do it; true as well if it cannot be asked, for then the write will tell. */
export function may(/** @type {Right} */ right, list = "") {
  if (!usesTokens) return Promise.resolve(true);
  const token = heldToken();
  const key = `${right} ${list} ${token}`;
  const trial = known.get(key) ?? tryOut(trials[right](list), token, refusals[right]).catch((error) => {
    known.delete(key);
    // A list that is not there may be there later, and the caller's right to it is another question.
    return error.status !== 404;
  });
  known.set(key, trial);
  return trial;
}

/** Rights may be others by now. */
export function forgetRights() {
  known.clear();
}

async function tryOut([method, path, body], token, noes) {
  try {
    await ask(method, path, { token, body });
    return true;
  } catch (error) {
    if (noes.includes(error.status)) return false;
    if (error.status === undefined || error.status === 404 || error.mayPass) throw error;
    return true;
  }
}
