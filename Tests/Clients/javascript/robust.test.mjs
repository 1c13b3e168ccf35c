// What must not stop a client, lose an edit, or take back what others have done.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Server, Wire, makeProxy, until } from "./server.mjs";
import { client, top } from "./source.mjs";

let server, number = 0;
const open = [], proxies = [];
const groceries = { title: "Groceries", sections: [{ id: "fruit", items: [{ id: "apple", content: { n: 1 } }, { id: "pear" },
  { id: "box", expanded: true }, { id: "fig", parent: "box", starred: true }] }, { id: "bakery", items: [{ id: "rye" }] }] };
const atFirst = "fruit: apple,pear,box,fig; bakery: rye";

before(async () => (server = await new Server().start()));
after(async () => {
  open.forEach((one) => one.close());
  proxies.forEach((one) => one.close());
  await Promise.all([...Wire.all].map((one) => one.close()));
  await server.close();
});

function connect(options) {
  open.push(client.connect({ url: server.url, ...options }));
  return open.at(-1);
}

async function proxy(answer) {
  proxies.push(await makeProxy(server, answer));
  return proxies.at(-1);
}

async function makeList(at = server) {
  const id = `robust-${number += 1}`;
  assert.equal((await at.ask("PUT", `/v1/lists/${id}`, groceries)).status, 201);
  return id;
}

const isLive = (list) => until("the list is live", () => list.status === "live");
const idsOf = (list) => list.getSnapshot().sections.map(({ id, items }) => `${id}: ${items.map((item) => item.id)}`).join("; ");

/** A list of a new client that is live. */
async function live(options, listOptions, id) {
  const list = connect(options).list(id ?? await makeList(), listOptions);
  await isLive(list);
  return list;
}

const sees = (list, shown) => until(`${shown}; now ${idsOf(list)}`, () => idsOf(list) === shown && !list.getSnapshot().pending);

/** What is said to `console.error` and `console.warn` meanwhile, and to `reportError`. */
async function said(work) {
  const { error, warn } = console, { reportError } = globalThis, texts = [];
  console.error = console.warn = globalThis.reportError = (...words) => texts.push(words.map((word) => word?.message ?? word).join(" "));
  try {
    await work(texts);
  } finally {
    Object.assign(console, { error, warn });
    globalThis.reportError = reportError;
    if (!reportError) delete globalThis.reportError;
  }
  return texts;
}

function makeFolder(context) {
  const folder = mkdtempSync(join(tmpdir(), "liststate-queue-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const filesOf = (folder) => readdirSync(folder).filter((name) => name.endsWith(".json")).length;

test("separators of lines in a content are text", async () => {
  const list = await live(), other = await live({}, {}, list.id);
  await list.edit((e) => e.update("apple", { content: { n: "a\u2028b\u2029c" } })).settled;
  await until("the text", () => other.row("apple").content.n === "a\u2028b\u2029c");
  assert.equal((await live({}, {}, list.id)).row("apple").content.n, "a\u2028b\u2029c");
});

test("undo takes back nothing of others", async () => {
  const list = await live(), other = await live({}, {}, list.id);
  await other.edit((e) => e.delete("pear")).settled;
  await until("no pear", () => !list.row("pear"));
  const { status, changed } = await list.edit((e) => e.star("rye", false)).settled;
  assert.deepEqual([status, changed], ["applied", false]);
  assert.equal((await list.undo().settled).problem.code, "nothing_to_undo");
  const { settled } = list.edit((e) => e.expand("box"));
  assert.equal((await list.undo().settled).problem.code, "nothing_to_undo");
  assert.equal((await settled).changed, false);
  assert.equal(list.row("pear"), undefined);
});

test("an error in a listener stops nothing", async () => {
  const list = await live(), other = await live({}, {}, list.id), heard = [];
  const texts = await said(async () => {
    const stops = [list.subscribe(() => {
      throw new Error("of the application");
    }), list.subscribeRow("apple", () => {
      throw new Error("of a row");
    })];
    list.subscribe(({ pending }) => heard.push(pending));
    assert.equal((await list.edit((e) => e.star("apple")).settled).status, "applied");
    assert.equal((await list.edit((e) => e.star("rye")).settled).status, "applied");
    await other.edit((e) => e.update("apple", { content: { n: 2 } })).settled;
    await until("the change of the other", () => list.row("apple").content.n === 2);
    stops.forEach((stop) => stop());
  });
  assert.ok(texts.includes("of the application") && texts.includes("of a row"));
  assert.deepEqual([list.status, heard[0]], ["live", 1]);
});

test("an edit is as it was when it was made", async () => {
  const list = await live(), far = await new Wire(server).start(), held = await live({ url: far.url }, {}, list.id);
  const content = { name: "first", at: new Date(0) };
  let kept;
  far.holdsWrites = true;
  const { settled } = held.edit((e) => {
    kept = e;
    e.add({ id: "new", content }, { section: "bakery" });
  });
  content.name = "second";
  kept.delete("apple");
  assert.deepEqual(held.row("new").content, { name: "first", at: "1970-01-01T00:00:00.000Z" });
  far.holdsWrites = false;
  far.cut();
  assert.equal((await settled).status, "applied");
  await sees(list, `${atFirst},new`);
  assert.equal(list.row("new").content.name, "first");
});

test("what JSON cannot say is an error at once, and nothing is queued", async () => {
  const list = await live();
  assert.throws(() => list.edit((e) => e.update("apple", { content: { n: 1n } })), TypeError);
  assert.equal(list.getSnapshot().pending, 0);
  assert.equal((await list.edit((e) => e.star("pear")).settled).status, "applied");
});

test("an item may be called as a section that goes", async () => {
  const list = await live(), other = await live({}, {}, list.id);
  const { settled } = list.edit((e) => {
    e.operation({ op: "deleteSections", sections: ["bakery"] });
    e.add({ id: "section bakery" }, { section: "fruit" });
  });
  assert.equal((await settled).status, "applied");
  for (const one of [list, other]) await sees(one, "fruit: apple,pear,box,fig,section bakery");
});

test("an edit whose base is lost is done as far as its ids are there", async () => {
  const short = await new Server("--memory", "--history-versions-max", "3").start();
  try {
    const id = await makeList(short), far = await new Wire(short).start(), refused = [];
    const list = connect({ url: far.url, onRefused: (edit, outcome) => refused.push([edit, outcome.status]) }).list(id);
    await isLive(list);
    const { port } = far.listener.address();
    await far.close();
    const both = list.edit((e) => {
      e.move("rye", { before: "fig" });
      e.star("apple");
    }), gone = list.edit((e) => e.star("fig", false), { label: "Unstar" });
    await short.write(id, { op: "deleteItems", items: ["fig"] });
    for (let n = 0; n < 8; n += 1) await short.write(id, { op: "updateItem", item: "pear", content: { n } });
    far.listener.listen(port, "127.0.0.1");
    const { status, operations } = await both.settled;
    assert.deepEqual([status, operations.map((one) => one.status)], ["adjusted", ["dropped", "applied"]]);
    assert.equal((await gone.settled).status, "dropped");
    await sees(list, "fruit: apple,pear,box; bakery: rye");
    assert.equal(list.row("apple").starred, true);
    assert.deepEqual(refused, [[{ list: id, label: "Unstar", operations: [{ op: "unstarItems", items: ["fig"] }] }, "dropped"]]);
    await far.close();
  } finally {
    await short.close();
  }
});

test("what a proxy says is no word of the server", async () => {
  const page = [404, { "Content-Type": "text/html" }, "<h1>Maintenance</h1>"];
  let writes = false, streams = false, asked = 0;
  const between = await proxy(({ method }) => {
    if (!(method === "POST" ? writes : streams)) return null;
    asked += 1;
    return page;
  });
  const list = await live({ url: between.url });
  writes = true;
  const { settled } = list.edit((e) => e.star("apple"));
  await until("offline", () => asked > 0 && list.status === "offline");
  writes = false;
  assert.equal((await settled).status, "applied");
  streams = true;
  between.cut();
  await until("a stream that is refused", () => asked > 2 && list.status === "offline");
  assert.equal(idsOf(list), atFirst);
  streams = false;
  await isLive(list);
  const large = await proxy(({ method }) => method === "POST" && [413, {}, "<h1>Too large</h1>"]);
  const { problem } = await (await live({ url: large.url })).edit((e) => e.star("apple")).settled;
  assert.deepEqual(problem, { status: 413, code: "body_too_large" });
});

test("a list is live again although nothing has happened meanwhile", async () => {
  const far = await new Wire(server).start(), list = await live({ url: far.url });
  const { port } = far.listener.address();
  await far.close();
  await until("offline", () => list.status === "offline");
  far.listener.listen(port, "127.0.0.1");
  await isLive(list);
  await far.close();
});

test("an undo outlives the process", async (context) => {
  const folder = makeFolder(context), id = await makeList(), down = await new Wire(server).start();
  const first = client.connect({ url: down.url, store: { folder } }), list = first.list(id);
  await isLive(list);
  await list.edit((e) => e.delete("rye")).settled;
  await down.close();
  list.edit((e) => e.delete("pear"));
  list.undo();
  list.undo();
  await until("three files", () => filesOf(folder) === 3);
  first.close();
  const again = await live({ store: { folder } }, {}, id);
  await until("an empty folder", () => filesOf(folder) === 0);
  await sees(again, atFirst);
});

test("a broken file keeps no other edit, and a refusal of an edit of before is told", async (context) => {
  const folder = makeFolder(context), id = await makeList(), down = await new Wire(server).start(), refused = [];
  const first = client.connect({ url: down.url, store: { folder } }), list = first.list(id);
  await isLive(list);
  await down.close();
  list.edit((e) => e.move("nobody", { before: "apple" }), { label: "Move" });
  list.edit((e) => e.star("rye"));
  await until("two files", () => filesOf(folder) === 2);
  first.close();
  writeFileSync(join(folder, "broken.json"), "");
  writeFileSync(join(folder, "other.json"), "5");
  mkdirSync(join(folder, "folder.json"));
  const texts = await said(async () => {
    const again = await live({ store: { folder }, onRefused: (edit, { problem }) => refused.push([edit.label, problem.code]) }, {}, id);
    await until("a star", () => again.row("rye").starred && !again.getSnapshot().pending);
  });
  for (const name of ["broken", "folder"]) assert.ok(texts.some((text) => text.includes(`${name}.json is no edit`)), texts.join("\n"));
  assert.deepEqual(refused, [["Move", "unknown_item"]]);
});

/** The output of a process that may have only 128 files open. `script` has `client`, `files()`, `pause()`, and its arguments as `words`. */
async function saidWithFewFiles(script, ...words) {
  const whole = `const [url, folder, ...words] = process.argv.slice(1);
    const { connect } = await import(${JSON.stringify(join(top, "Sources/CAssets/client.js"))});
    const { closeSync, openSync, readdirSync } = await import("node:fs");
    const client = connect({ url, store: { folder } }), pause = () => new Promise((resolve) => setTimeout(resolve, 20));
    const files = () => readdirSync(folder).filter((name) => name.endsWith(".json")).length;
    ${script}; process.exit(0);`;
  const { stdout, stderr } = await promisify(execFile)(
    "sh", ["-c", 'ulimit -n 128; exec "$@"', "sh", process.execPath, "--no-warnings", "--input-type=module", "-e", whole, ...words],
    // It only ends what would never end.
    { timeout: 100_000, killSignal: "SIGKILL" });
  return stdout + stderr;
}

test("more edits wait than a process may have files open", async (context) => {
  const folder = makeFolder(context), id = await makeList(), count = 400;
  const edits = `const list = client.list(words[0]);
    for (let n = 1; n <= ${count}; n += 1) list.edit((e) => e.update("apple", { content: { n } }));
    while (files() < ${count}) await pause()`;
  // Nobody answers there.
  assert.equal(await saidWithFewFiles(edits, "http://127.0.0.1:9", folder, id), "");
  // At first the process has nearly as many open as it may.
  const settled = `const list = client.list(words[0]), held = [];
    try { while (true) held.push(openSync("/dev/null")); } catch { held.splice(0, 2).forEach((one) => closeSync(one)); }
    setTimeout(() => held.splice(0).forEach((one) => closeSync(one)), 300);
    while (held.length > 0 || files() > 0 || list.status !== "live" || list.getSnapshot().pending) await pause();
    console.log(list.row("apple").content.n)`;
  assert.equal(await saidWithFewFiles(settled, server.url, folder, id), `${count}\n`);
});

test("what another process of the same folder has sent is no refusal", async (context) => {
  const folder = makeFolder(context), id = await makeList(), held = await new Wire(server).start(), refused = [];
  const options = { store: { folder }, onRefused: (_, outcome) => refused.push(outcome) };
  const first = connect({ ...options, url: held.url }).list(id);
  await isLive(first);
  held.holdsWrites = true;
  first.edit((e) => e.add({ id: "one" }, { section: "bakery" }));
  first.edit((e) => e.star("apple"));
  await until("two files", () => filesOf(folder) === 2);
  const second = await live(options, {}, id);
  await until("an empty folder", () => filesOf(folder) === 0);
  held.holdsWrites = false;
  held.cut();
  for (const list of [first, second]) await sees(list, `${atFirst},one`);
  assert.deepEqual(refused, []);
  assert.equal(await server.countOf(id, "appendItems"), 1);
});

test("listeners hear of edits in their order", async () => {
  const list = await live(), heard = [];
  const stop = list.subscribe(() => {
    stop();
    list.edit((e) => e.move("rye", { before: "apple" }));
  });
  list.subscribe(({ items, pending }) => items && heard.push([Object.keys(items)[0], pending]));
  list.edit((e) => e.add({ id: "new" }, { section: "bakery" }));
  assert.deepEqual(heard, [["inserted", 1], ["moved", 2]]);
});

test("a list is connecting until it has its rows", async () => {
  const list = await live(), id = await makeList(), late = connect().list(id), second = open.at(-1).list(list.id);
  await isLive(second);
  assert.notEqual(late.getSnapshot().version, "");
  const third = open.at(-1).list(await makeList()), seen = [third.getSnapshot()];
  third.subscribe(() => seen.push(third.getSnapshot()));
  await isLive(third);
  assert.ok(seen.every(({ status, version }) => (status === "live") === (version !== "")));
});

test("an edit that the server cannot do now keeps only those of its list", async () => {
  const [bad, good] = [await makeList(), await makeList()];
  let isBroken = true;
  const between = await proxy(({ method, url }) => isBroken && method === "POST" && url.includes(`/${bad}/`) && [500, {}, "{}"]);
  const one = connect({ url: between.url }), lists = [one.list(bad), one.list(good)];
  await Promise.all(lists.map(isLive));
  const { settled } = lists[0].edit((e) => e.star("rye"));
  await until("offline", () => lists[0].status === "offline");
  assert.equal((await lists[1].edit((e) => e.star("rye")).settled).status, "applied");
  assert.deepEqual(lists.map(({ status }) => status), ["offline", "live"]);
  isBroken = false;
  assert.equal((await settled).status, "applied");
});

test("what is wrong is said at once", async () => {
  const one = connect();
  for (const id of ["Übel", "..", "a&list=b", "", "-a", "\ud800"]) assert.throws(() => one.list(id), TypeError, id);
  for (const store of ["indexedDB", { folder: "" }, null, {}]) assert.throws(() => client.connect({ store }), TypeError);
  client.connect().close();
});

test("what is closed says so", async () => {
  const list = await live(), heard = [], one = open.at(-1), listener = ({ status }) => heard.push(status);
  const stop = list.subscribe(listener);
  list.subscribe(listener);
  stop();
  list.close();
  list.close();
  assert.deepEqual(heard, ["closed"]);
  assert.equal((await list.edit((e) => e.star("rye")).settled).problem.code, "closed");
  one.close();
  one.close();
  assert.throws(() => one.list(list.id), /closed/);
});

test("first is first in each view, and before the rows are here", async () => {
  const id = await makeList(), rows = () => server.list(id, "view=items&section=fruit");
  const ids = async () => (await rows()).sections[0].items.map(({ id: one, parent }) => (parent ? `${parent}.${one}` : one)).join();
  const early = connect().list(id), starred = connect().list(id, { starred: true });
  await early.edit((e) => e.add([{ id: "a" }, { id: "b" }, { id: "c", parent: "b" }], { section: "fruit", at: "first" })).settled;
  assert.equal(await ids(), "a,b,b.c,apple,pear,box,box.fig");
  await connect().list(id).edit((e) => e.add({ id: "d" }, { parent: "box", at: "first" })).settled;
  assert.equal(await ids(), "a,b,b.c,apple,pear,box,box.d,box.fig");
  await isLive(starred);
  await starred.edit((e) => e.add({ id: "e", starred: true }, { section: "fruit", at: "first" })).settled;
  assert.equal(await ids(), "e,a,b,b.c,apple,pear,box,box.d,box.fig");
  await isLive(early);
  // What may not move may be put there.
  await early.edit((e) => e.add({ id: "f", reorderable: false }, { section: "fruit", at: "first" })).settled;
  await until("the version", () => early.row("f") && !early.getSnapshot().pending);
  assert.equal(await ids(), "f,e,a,b,b.c,apple,pear,box,box.d,box.fig");
});

test("the fifth stream of a page is warned of", async () => {
  const id = await makeList();
  globalThis.document = {};
  try {
    const one = connect(), texts = await said(async () => {
      for (let n = 1; n <= 6; n += 1) await isLive(one.list(id, { around: "pear", before: n, after: 1 }));
    });
    assert.equal(texts.length, 1);
    assert.match(texts[0], /6 connections/);
  } finally {
    delete globalThis.document;
  }
});
