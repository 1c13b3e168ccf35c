// The file that is sent: made of its sources, small, and a module that does its work.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Server, until } from "./server.mjs";
import { client as source, joined, parts, top } from "./source.mjs";

test("the file is made of its sources, and small", () => {
  execFileSync(join(top, ".ci/join"), ["--check"]);
  const bytes = gzipSync(readFileSync(join(top, "Sources/CAssets/client.js")), { level: 6 }).length;
  console.log(`client.js has ${bytes} bytes as gzip`);
  assert.ok(bytes <= 16_384, `${bytes} bytes`);
  for (const part of parts) assert.ok(part.split("\n").length <= 400);
});

test("the file has the members of client.d.ts, and keeps edits under the names of the sources", async () => {
  const types = readFileSync(join(top, "Sources/CAssets/client.d.ts"), "utf8");
  const membersOf = (name) => [...new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(types)[1]
    .matchAll(/^ {2}(?:readonly )?(\w+)[?(:<]/gm)].map(([, member]) => member);
  const kept = [];
  for (const { connect } of [source, joined]) {
    const entries = [], ends = [], store = { all: async () => [], put: async (entry) => void entries.push({ ...entry }), remove: async () => {} };
    const fetch = () => new Promise((_, reject) => ends.push(() => reject(new TypeError("This was cut."))));
    const one = connect({ store, fetch }), list = one.list("l");
    let edits, changes;
    list.subscribe((told) => (changes = told));
    list.edit((made) => {
      edits = made;
      made.star("a");
    }, { label: "L" });
    await until("an edit that is on its way", () => entries.some(({ isSent }) => isSent));
    for (const [object, name] of [[one, "Client"], [list, "List"], [edits, "Edits"]]) {
      for (const member of membersOf(name)) assert.notEqual(object[member], undefined, `${name}.${member}`);
    }
    assert.ok(["list", "from", "to", "counts", "status", "pending"].every((name) => Object.hasOwn(changes, name)));
    assert.deepEqual(Object.keys(list.getSnapshot()).sort(), ["counts", "id", "pending", "sections", "status", "version"]);
    kept.push(entries.map((entry) => Object.keys(entry)));
    one.close();
    ends.forEach((end) => end());
  }
  assert.deepEqual(kept[1], kept[0]);
});

test("a server with tokens sends it to everybody, and it works", async () => {
  const server = await new Server("--first-token").start();
  let client;
  try {
    const [code, types] = await Promise.all(["client.js", "client.d.ts"].map((name) => fetch(`${server.url}/${name}`)));
    assert.equal(code.headers.get("Content-Type"), "text/javascript; charset=utf-8");
    assert.equal(types.headers.get("Content-Type"), "text/plain; charset=utf-8");
    const place = join(server.folder, "client.mjs");
    writeFileSync(place, await code.text());
    assert.match(await types.text(), /export function connect/);
    const served = await import(pathToFileURL(place).href);
    assert.deepEqual(Object.keys(served), ["connect"]);
    await server.ask("PUT", "/v1/lists/l", { sections: [{ id: "s", items: ["a", "b", "c"].map((id) => ({ id })) }] });
    client = served.connect({ url: server.url, token: server.token, store: { folder: join(server.folder, "queue") } });
    const list = client.list("l");
    await until("live", () => list.getSnapshot().status === "live");
    assert.equal((await list.edit((e) => e.move("c", { before: "a" })).settled).status, "applied");
    await until("the echo", () => list.getSnapshot().version.endsWith("-2"));
    assert.deepEqual(list.getSnapshot().sections[0].items.map(({ id }) => id), ["c", "a", "b"]);
  } finally {
    client?.close();
    await server.close();
  }
});
