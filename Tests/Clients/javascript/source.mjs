// The client with what is inside, for tests: the files of Sources/CAssets/client as one module that exports more.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

if (Number(process.versions.node.split(".")[0]) < 20) throw new Error("The client and its tests need Node 20 or newer.");

export const top = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(top, "Sources/CAssets/client");
const inside = ["Forest", "Queue", "Feed", "Feeds", "Wire", "Mismatch", "replaceAll", "applyChanges", "difference", "perform",
  "heaviestOrder", "merged", "isEqual", "readEvents"];

export const parts = readdirSync(folder).filter((name) => /^\d-.*\.js$/.test(name)).sort()
  .map((name) => readFileSync(join(folder, name), "utf8"));

async function load(text) {
  const place = mkdtempSync(join(tmpdir(), "liststate-client-"));
  writeFileSync(join(place, "client.mjs"), `${text}\nexport { ${inside.join(", ")} };\n`);
  const module = await import(pathToFileURL(join(place, "client.mjs")).href);
  rmSync(place, { recursive: true });
  return module;
}

export const client = await load(parts.join(""));
/** With chunks so small that short lists have several. */
export const small = await load(parts.join("").replace("chunkMax = 512", "chunkMax = 4"));

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
