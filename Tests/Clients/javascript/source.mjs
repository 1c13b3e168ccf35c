// The client with what is inside, for tests: the files of Sources/CAssets/client as one module that exports more.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const top = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(top, "Sources/CAssets/client");
const inside = ["Forest", "Queue", "Feed", "Feeds", "Patience", "Wire", "Mismatch", "replaceAll", "applyChanges", "difference", "perform",
  "heaviestOrder", "merged", "isEqual", "readEvents"];

export const parts = readdirSync(folder).filter((name) => /^\d+-.*\.js$/.test(name))
  .sort((a, b) => parseInt(a, 10) - parseInt(b, 10))
  .map((name) => readFileSync(join(folder, name), "utf8"));

async function load(text, names = inside) {
  const place = mkdtempSync(join(tmpdir(), "liststate-client-"));
  writeFileSync(join(place, "client.mjs"), `${text}\nexport { ${names.join(", ")} };\n`);
  const module = await import(pathToFileURL(join(place, "client.mjs")).href);
  rmSync(place, { recursive: true });
  return module;
}

export const client = await load(parts.join(""));
/** With chunks so small that short lists have several, and little patience. */
export const small = await load(parts.join("").replace("chunkMax = 128", "chunkMax = 4")
  .replace("answerMax = 20_000", "answerMax = 200").replace("tabsMax = 1_000", "tabsMax = 50"));
/** Rests after each turn in which edits wait, so that more comes together. */
export const tired = await load(parts.join("").replace("restFactor = 24, restMin = 8", "restFactor = 50, restMin = 0"));
/** The file that the server sends. */
export const joined = await load(readFileSync(join(top, "Sources/CAssets/client.js"), "utf8"), []);

/** Numbers that a seed repeats (mulberry32). */
export function randomOf(seed) {
  let state = seed;
  const next = () => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 4294967296;
  };
  return {
    next, below: (count) => Math.floor(next() * count), pick: (values) => values[Math.floor(next() * values.length)],
    chance: (part) => next() < part,
  };
}

/** Nobody may change what was handed out: a module is strict, so an attempt throws. */
export function frozen(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
