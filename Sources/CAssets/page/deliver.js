// A write is sent until its answer is known, each time with the same key: the server does it once however often it comes.

import { Refused, Unreachable, ask } from "./api.js";

/** Between two attempts; with the last one it is over. */
const delays = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];
/** The longest wait between two attempts at what is only read. */
const readDelayMax = 8_000;
/** An answer that takes longer is taken for lost. */
const answerMilliseconds = 20_000;

/** All attempts went unanswered: the write may have been done or not. */
export class Unknown extends Error {
  constructor() {
    super("It is not known whether this was saved: the server does not answer.");
  }
}

/**
 * @param {import("./api.js").Sent} sent
 * @param {() => void} onDoubt Called when an answer is lost and the write is about to be sent again.
 * @returns {Promise<any>} The JSON of the answer.
 * @throws {Refused | Unknown}
 */
export async function deliver({ method, path, body }, onDoubt) {
  const key = makeKey();
  for (const delay of [...delays, null]) {
    try {
      return await ask(method, path, { body, key, signal: AbortSignal.timeout(answerMilliseconds) });
    } catch (error) {
      if (saysWhatBecameOfIt(error)) throw error;
    }
    if (delay === null) break;
    onDoubt();
    await pause(delay * (0.75 + Math.random() / 2));
  }
  throw new Unknown();
}

/** Any refusal does, but those of a server or a proxy that is busy, stops, or still does what was sent before. */
function saysWhatBecameOfIt(error) {
  if (!(error instanceof Refused) || error.problem.code === "key_in_flight") return false;
  return ![408, 429, 500, 502, 503, 504].includes(error.status);
}

/**
 * Reads until it goes well, as long as what fails may go well later.
 * @param {() => Promise<any>} attempt
 * @param {{isWanted: () => boolean, onFailure: (text: string, error: any) => void}} options
 * @returns {Promise<boolean>} Whether it went well.
 */
export async function persist(attempt, { isWanted, onFailure }) {
  for (let delay = 500; isWanted(); delay = Math.min(delay * 2, readDelayMax)) {
    try {
      await attempt();
      return true;
    } catch (error) {
      if (!isWanted()) return false;
      onFailure(mayPass(error) ? `${error.message} Trying again.` : error.message, error);
      if (!mayPass(error)) return false;
    }
    await pause(delay);
  }
  return false;
}

/** @param {any} error */
function mayPass(error) {
  return error instanceof Unreachable || error instanceof Refused && (error.status === 429 || error.status >= 500);
}

/** Until the time is over or the network is back. @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, milliseconds);
    addEventListener("online", end);
  });
}

/** A random UUID (RFC 9562, version 4), also where `crypto.randomUUID` is kept from pages without TLS. */
function makeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
