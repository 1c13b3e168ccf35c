// The code of docs/javascript.md runs, against a server and a document that has just what it uses.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Server, until } from "./server.mjs";
import { joined as module, top } from "./source.mjs";

const blocks = [...readFileSync(join(top, "docs/javascript.md"), "utf8").matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
const AsyncFunction = (async () => {}).constructor;

/** Runs a block with what the blocks before it have made, and returns what it makes. */
function run(code, names, makes) {
  const own = code.replace(/^import .*\n/gm, ""), body = names.url ? own.replace('"https://lists.example"', "url") : own;
  return new AsyncFunction(...Object.keys(names), `${body}\nreturn { ${makes.join(", ")} };`)(...Object.values(names));
}

test("the code of docs/javascript.md", async () => {
  const server = await new Server("--memory").start();
  const items = [{ id: "fox", content: { name: "Fox" } }, { id: "bee", content: { name: "Bee" } }, { id: "old" }, { id: "box", expanded: true }];
  await server.ask("PUT", "/v1/lists/groceries", { title: "Groceries", sections: [{ id: "animals", items }, { id: "dairy" }] });
  await server.ask("POST", "/v1/samples/mountains");
  const nodes = { h1: {}, output: {}, ul: { replaceChildren: (...lines) => (nodes.ul.lines = lines) } };
  const document = { querySelector: (name) => nodes[name], createElement: () => ({ style: {} }) };
  const [show, edit, edits, offline, views, react] = blocks;
  assert.equal(blocks.length, 6);
  const { client, list } = await run(show, { document, connect: module.connect, url: server.url }, ["client", "list"]);
  try {
    await until("live", () => nodes.output.textContent === "live");
    assert.equal(nodes.h1.textContent, "Groceries");
    assert.deepEqual(nodes.ul.lines.map(({ textContent }) => textContent), ["Fox", "Bee", "undefined", "undefined"]);
    const alerts = [];
    const { outcome } = await run(edit, { list, alert: (text) => alerts.push(text) }, ["outcome"]);
    assert.deepEqual([outcome.status, alerts], ["applied", []]);
    assert.deepEqual(nodes.ul.lines.map(({ textContent }) => textContent).slice(0, 2), ["Bee", "Fox"]);
    await run(edits, { list }, []);
    await until("an empty queue", () => list.getSnapshot().pending === 0);
    assert.deepEqual((await list.history({ limit: 2 })).map(({ label }) => label), ["Undo", undefined]);
    let given;
    await run(offline, { connect: (options) => (given = options), user: "ada", session: { token: () => "lst_a" } }, []);
    assert.deepEqual([given.store, given.name, given.token()], ["indexeddb", "ada", "lst_a"]);
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
    assert.equal(made.useRow(list, "fox").content.name, "Fox");
  } finally {
    client.close();
    await server.close();
  }
});
