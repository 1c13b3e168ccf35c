// A write of the page itself: while its answer is lost the page says so, and takes that back as soon as more is known.

import { deliver } from "./api.js";
import { toast, untoast } from "./dom.js";

const doubt = "It is not known whether this was saved. Trying again.";
const silence = "It is not known whether this was saved: the server does not answer.";

/**
 * As `deliver`, which see.
 * @param {string} path
 * @param {{method?: string, body?: any}} [write]
 * @returns {Promise<any>} The JSON of the answer.
 * @throws {import("./api.js").Refused | import("./api.js").Unreachable}
 */
export async function deliverOpenly(path, write) {
  let isInDoubt = false;
  const onDoubt = () => {
    isInDoubt = true;
    toast(doubt, { stays: true });
  };
  try {
    const answer = await deliver(path, onDoubt, write);
    if (isInDoubt) toast("Saved.");
    return answer;
  } catch (error) {
    // A refusal is an answer: nothing was done.
    if (error.mayPass) error.message = silence;
    untoast(doubt);
    throw error;
  }
}
