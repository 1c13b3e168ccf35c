// The code of docs/javascript.md runs, against a server and a document that has just what it uses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Server, until } from "./server.mjs";
import { joined as module, top } from "./source.mjs";

const page = readFileSync(join(top, "docs/javascript.md"), "utf8");
const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
/** The list that the page makes first. */
const [, body] = page.match(/curl -X PUT \S+\/v1\/lists\/groceries [^']*'[^']*' -d '([^']*)'/);
const AsyncFunction = (async () => {}).constructor;

/** Runs a block with what the blocks before it have made, and returns what it makes. */
function run(code, names, makes) {
  const own = code.replace(/^import .*\n/gm, ""), body = names.url ? own.replace('"http://127.0.0.1:8080"', "url") : own;
  return new AsyncFunction(...Object.keys(names), `${body}\nreturn { ${makes.join(", ")} };`)(...Object.values(names));
}

test("the code of docs/javascript.md", async () => {
  const server = await new Server("--memory").start();
  await server.ask("PUT", "/v1/lists/groceries", JSON.parse(body));
  await server.ask("POST", "/v1/samples/mountains");
  const nodes = { h1: {}, output: {}, ul: { replaceChildren: (...lines) => (nodes.ul.lines = lines) } };
  const document = { querySelector: (name) => nodes[name], createElement: () => ({ style: {} }) };
  const [show, print, edit, edits, offline, views, react] = blocks;
  assert.equal(blocks.length, 7);
  const { client, list } = await run(show, { document, connect: module.connect, url: server.url }, ["client", "list"]);
  const printed = [], console = { log: (text) => printed.push(text), warn: (text) => assert.fail(text) };
  const inNode = await run(print, { connect: module.connect, url: server.url, console }, ["client"]);
  try {
    await until("live", () => nodes.output.textContent === "live");
    assert.equal(nodes.h1.textContent, "Groceries");
    assert.deepEqual(nodes.ul.lines.map(({ textContent }) => textContent), ["Milk", "Eggs", "Bread"]);
    const { status } = await run(edit, { list, console }, ["status"]);
    assert.equal(status, "applied");
    assert.deepEqual(nodes.ul.lines.map(({ textContent }) => textContent), ["Eggs", "Milk", "Bread"]);
    await until("another client", () => printed.at(-1) === "Eggs, Milk, Bread");
    await run(edits.replace("list.undo();", ""), { list }, []);
    assert.deepEqual(
      nodes.ul.lines.map(({ textContent }) => textContent), ["★ Fresh milk", "Cream", "★ Butter", "Bread"]);
    await until("an empty queue", () => list.getSnapshot().pending === 0);
    await run("list.undo();", { list }, []);
    await until("an empty queue", () => list.getSnapshot().pending === 0);
    assert.deepEqual((await list.history({ limit: 2 })).map(({ label }) => label), ["Undo", undefined]);
    let given;
    await run(offline, { connect: (options) => (given = options) }, []);
    assert.equal(given.store, "indexeddb");
    const { near } = await run(views, { client }, ["open", "near"]);
    await until("a window", () => near.getSnapshot().version !== "");
    assert.equal(near.status, "live");
    const made = await run(react, {
      useCallback: (make) => make,
      useSyncExternalStore: (subscribe, snapshot) => {
        subscribe(() => {})();
        assert.equal(snapshot(), snapshot());
        return snapshot();
      },
    }, ["useList", "useRow"]);
    assert.equal(made.useList(list), list.getSnapshot());
    assert.equal(made.useRow(list, "milk").content.name, "Milk");
  } finally {
    client.close();
    inNode.client.close();
    await server.close();
  }
});
