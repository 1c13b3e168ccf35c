// Clients and a server: edits show at once, arrive once, and everybody ends with the same list.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Server, Wire, until } from "./server.mjs";
import { client, frozen, joined, randomOf, tired } from "./source.mjs";

let server, wire;
const open = [];

/** A client that ends with the tests. */
function connect(options = {}, { connect: make } = client) {
  open.push(make({ url: server.url, ...options }));
  return open.at(-1);
}

const groceries = { title: "Groceries", sections: [{ id: "fruit", title: "Fruit", items: [
  { id: "apple", content: { name: "Apple" } }, { id: "pear", content: { name: "Pear" } },
  { id: "box", content: {}, expanded: true }, { id: "fig", parent: "box", content: {} }] }, { id: "bakery", items: [{ id: "rye" }] }] };
let number = 0;

async function makeList(at = server) {
  const id = `groceries-${number += 1}`;
  assert.equal((await at.ask("PUT", `/v1/lists/${id}`, groceries)).status, 201);
  return id;
}

const isLive = (list) => until("the list is live", () => list.getSnapshot().status === "live" && list.getSnapshot().version);
const idsOf = (list) => list.getSnapshot().sections.map(({ id, items }) => `${id}: ${items.map((item) => item.id)}`).join("; ");

/** The client ends with what the server has. */
async function equals(list, id, query, at = server) {
  let held, wanted;
  const strip = ({ version, sections, title, layout, counts }) => ({ version, title, layout, counts,
    sections: sections.map((section) => ({ items: [], ...section })) });
  await until("the state of the server", async () => {
    held = strip(list.getSnapshot());
    wanted = strip(await at.list(id, query));
    return JSON.stringify(held.version) === JSON.stringify(wanted.version) && list.getSnapshot().pending === 0;
  }).catch(() => {});
  assert.deepEqual(held, wanted);
}

before(async () => {
  server = await new Server().start();
  wire = await new Wire(server).start();
});

after(async () => {
  open.forEach((one) => one.close());
  await Promise.all([...Wire.all].map((one) => one.close()));
  await server.close();
});

test("an edit shows at once, settles, and others see it", async () => {
  const id = await makeList(), one = connect().list(id), other = connect().list(id);
  await Promise.all([isLive(one), isLive(other)]);
  const told = [];
  const stop = one.subscribe((changes) => told.push(changes));
  const { settled } = one.edit((e) => e.move("pear", { before: "apple" }), { label: "Pears first" });
  assert.equal(idsOf(one), "fruit: pear,apple,box,fig; bakery: rye");
  assert.equal(one.getSnapshot().pending, 1);
  assert.deepEqual(told[0].items, { moved: [{ id: "pear", from: { section: 0, index: 1 }, to: { section: 0, index: 0 } }] });
  assert.equal((await settled).status, "applied");
  assert.equal(one.getSnapshot().pending, 0);
  await equals(one, id);
  await equals(other, id);
  assert.ok(told.slice(1).every(({ items, sections }) => !items && !sections), "the echo changes nothing that is shown");
  stop();
  assert.equal((await one.history({ limit: 1 }))[0].label, "Pears first");
});

test("an edit that is not animated says so to all who follow the list", async () => {
  const id = await makeList(), one = connect().list(id), other = connect().list(id);
  await Promise.all([isLive(one), isLive(other)]);
  for (const [index, animated] of [false, true, undefined].entries()) {
    const told = [[], []];
    const stops = [one, other].map((list, at) => list.subscribe((changes) => changes.items && told[at].push(changes)));
    const { settled } = one.edit((e) => e.star("apple", index % 2 === 0), { animated });
    assert.equal((await settled).status, "applied");
    await equals(one, id);
    await equals(other, id);
    stops.forEach((stop) => stop());
    const said = told.map((changes) => changes.map((one) => "animated" in one ? one.animated : "left out"));
    assert.deepEqual(said, Array(2).fill([animated === false ? false : "left out"]));
  }
});

test("each kind of edit comes to the same as at the server", async () => {
  const id = await makeList(), list = connect().list(id), whole = connect().list(id, { view: "items" });
  await Promise.all([isLive(list), isLive(whole)]);
  const edits = [
    (e) => e.add({ id: "kiwi", content: { name: "Kiwi" } }, { after: "apple" }),
    (e) => e.add([{ content: {} }, { content: { n: 1 } }], { parent: "box", at: "first" }),
    (e) => e.add([{ id: "p", content: {}, expanded: true }, { id: "q", parent: "p", content: {} }], { section: "bakery", at: "first" }),
    (e) => e.update("apple", { content: { name: null, colour: { is: "red" } }, kind: "ripe" }),
    (e) => e.update("pear", { content: { other: true }, replace: true, starred: true }),
    (e) => e.star(["apple", "pear"]), (e) => e.star("apple", false), (e) => e.expand("box", false), (e) => e.expand("box"),
    (e) => e.move("box", { section: "bakery" }), (e) => e.move("apple", { parent: "box", at: "first" }),
    (e) => e.move("apple", { after: "box" }), (e) => e.reorder(["rye", "p", "box"]), (e) => e.delete(["kiwi", "q"]),
    (e) => e.operation({ op: "appendSections", sections: [{ id: "new", title: "New", items: [{ id: "z" }] }] }),
    (e) => e.operation({ op: "moveSection", section: "new", before: "fruit" }),
    (e) => e.operation({ op: "updateSection", section: "new", title: null, header: "H" }),
    (e) => e.operation({ op: "updateList", title: "Food" }), (e) => e.operation({ op: "deleteSections", sections: ["fruit"] }),
    (e) => e.operation({ op: "applySectionSnapshot", id: "bakery", items: ["rye"] }),
    (e) => {
      const added = e.add({ content: {} }, { section: "new" });
      e.move(added, { before: "z" });
    },
  ];
  for (const edit of edits) {
    const { settled } = list.edit(edit), shown = list.getSnapshot();
    assert.equal((await settled).status, "applied", `${edit}`);
    await equals(list, id);
    await equals(whole, id, "view=items");
    if (!`${edit}`.includes("applySectionSnapshot")) {
      assert.deepEqual(JSON.parse(JSON.stringify(shown.sections)), JSON.parse(JSON.stringify(list.getSnapshot().sections)), `${edit}`);
    }
  }
});

test("snapshots are immutable and stable", async () => {
  const id = await makeList(), list = connect().list(id);
  await isLive(list);
  const first = frozen(list.getSnapshot());
  assert.equal(list.getSnapshot(), first);
  let renders = 0;
  list.subscribeRow("apple", () => renders += 1);
  const stop = list.subscribeRow("pear", () => renders += 100);
  await list.edit((e) => e.star("apple")).settled;
  await equals(list, id);
  const second = list.getSnapshot();
  assert.notEqual(second, first);
  assert.equal(second.sections[1], first.sections[1]);
  assert.equal(second.sections[0].items[1], first.sections[0].items[1]);
  assert.equal(first.sections[0].items[0].starred, undefined);
  assert.equal(renders, 1, "one star renders one row");
  assert.equal(list.row("apple"), second.sections[0].items[0]);
  stop();
  list.close();
  assert.equal(list.getSnapshot().status, "closed");
});

test("a refused edit vanishes and says why", async () => {
  const id = await makeList(), list = connect().list(id);
  await isLive(list);
  const shown = JSON.stringify(list.getSnapshot().sections);
  const bad = list.edit((e) => {
    e.star("apple");
    e.delete("pear");
    e.move("nobody", { before: "apple" });
  });
  assert.equal(idsOf(list), "fruit: apple,box,fig; bakery: rye");
  const { status, problem } = await bad.settled;
  assert.deepEqual([status, problem.code, problem.op], ["refused", "unknown_item", 2]);
  assert.equal(JSON.stringify(list.getSnapshot().sections), shown);
  assert.equal((await list.edit((e) => e.star("pear")).settled).status, "applied");
  await equals(list, id);
});

test("an edit with an answer shows until the stream tells of it", async () => {
  const id = await makeList(), near = await new Wire(server).start(), list = connect({ url: near.url }).list(id);
  await isLive(list);
  near.holdsStreams = true;
  assert.equal((await list.edit((e) => e.star("apple")).settled).status, "applied");
  assert.equal((await list.edit((e) => e.star("nobody")).settled).status, "refused");
  assert.equal(list.row("apple").starred, true);
  assert.equal(list.getSnapshot().pending, 0);
  near.holdsStreams = false;
  near.cut();
  await equals(list, id);
});

test("an edit beside a row that others have deleted is adjusted", async () => {
  const id = await makeList(), far = await new Wire(server).start(), list = connect({ url: far.url }).list(id);
  await isLive(list);
  const { port } = far.listener.address();
  await far.close();
  const { settled } = list.edit((e) => e.move("rye", { after: "pear" }));
  await server.write(id, { op: "deleteItems", items: ["pear"] });
  far.listener.listen(port, "127.0.0.1");
  const { status, operations } = await settled;
  assert.deepEqual([status, operations], ["adjusted", [{ status: "adjusted", reason: "anchor_deleted" }]]);
  await equals(list, id);
  assert.equal(idsOf(list), "fruit: apple,rye,box,fig; bakery: ");
  await far.close();
});

test("an edit on a base that the server no longer keeps is done", async () => {
  const id = await makeList(), far = await new Wire(server).start(), list = connect({ url: far.url }).list(id);
  await isLive(list);
  const { port } = far.listener.address();
  await far.close();
  const { settled } = list.edit((e) => e.star("rye"));
  await server.ask("DELETE", `/v1/lists/${id}?purge=true`);
  await server.ask("PUT", `/v1/lists/${id}`, groceries);
  far.listener.listen(port, "127.0.0.1");
  assert.equal((await settled).status, "applied");
  await equals(list, id);
  await far.close();
});

test("a hundred and one lists take two streams", async () => {
  const near = await new Wire(server).start(), one = connect({ url: near.url });
  const ids = await Promise.all(Array.from({ length: 101 }, () => makeList())), lists = ids.map((id) => one.list(id));
  await Promise.all(lists.map(isLive));
  assert.equal(near.asked.length, 2);
  await equals(lists[100], ids[100]);
  await near.close();
});

test("undo takes back the newest own edit", async () => {
  const id = await makeList(), list = connect().list(id);
  await isLive(list);
  const before = idsOf(list);
  list.edit((e) => e.delete("pear"));
  assert.equal((await list.undo().settled).status, "applied");
  await equals(list, id);
  assert.equal(idsOf(list), before);
  assert.equal((await list.undo().settled).status, "refused");
  const { version } = list.getSnapshot();
  assert.equal((await list.at(version)).version, version);
});

test("the undo of an undo is a redo, with the label that it is given", async () => {
  const id = await makeList(), list = connect().list(id);
  await isLive(list);
  const before = idsOf(list);
  const { version: deletion } = await list.edit((e) => e.delete("pear")).settled;
  const { version: undo } = await list.undo(deletion).settled;
  await equals(list, id);
  assert.equal(idsOf(list), before);
  assert.equal((await list.undo(undo, { label: "Redo" }).settled).status, "applied");
  await equals(list, id);
  assert.ok(!list.row("pear"));
  const [redo, other] = await list.history({ limit: 2 });
  assert.deepEqual([redo.label, redo.redoes, other.label], ["Redo", deletion, "Undo"]);
});

test("an application may send the requests itself", async () => {
  const id = await makeList(), sent = [];
  const list = connect({ fetch: (path, options) => {
    sent.push([options.method ?? "GET", path.slice(server.url.length).split("?")[0]]);
    return fetch(path, options);
  } }).list(id);
  await isLive(list);
  await list.edit((e) => e.star("pear")).settled;
  assert.deepEqual(sent, [["GET", "/v1/changes"], ["POST", `/v1/lists/${id}/transactions`]]);
});

test("a server without a network is a status, and the queue waits", async () => {
  const id = await makeList(), far = await new Wire(server).start(), list = connect({ url: far.url }).list(id);
  await isLive(list);
  const { url } = far;
  await far.close();
  const edits = [1, 2, 3].map((n) => list.edit((e) => e.add({ id: `n${n}`, content: {} }, { section: "bakery" })));
  await until("offline, 3 pending", () => list.getSnapshot().status === "offline" && list.getSnapshot().pending === 3);
  assert.equal(idsOf(list), "fruit: apple,pear,box,fig; bakery: rye,n1,n2,n3");
  far.listener.listen(Number(new URL(url).port), "127.0.0.1");
  for (const { settled } of edits) assert.equal((await settled).status, "applied");
  await equals(list, id);
  await far.close();
});

test("filters, conditions, sections and windows follow the server", async () => {
  const id = await makeList(), views = [
    [{ filter: "pple" }, "view=visible&filter=pple"], [{ where: ["content.name:\"Pear\""] }, "view=visible&where=content.name%3A%22Pear%22"],
    [{ section: "bakery" }, "view=visible&section=bakery"],
    [{ section: ["bakery", "fruit"] }, "view=visible&section=bakery&section=fruit"], [{ expanded: [] }, "view=visible&expanded="],
    [{ around: "pear", before: 1, after: 1 }, "view=visible&around=pear&before=1&after=1"], [{ starred: true, view: "items" }, "view=items&starred=true"]];
  const one = connect(), lists = views.map(([options]) => one.list(id, options));
  await Promise.all(lists.map(isLive));
  await lists[0].edit((e) => e.star("apple")).settled;
  await server.write(id, { op: "moveItem", item: "apple", section: "bakery" }, { op: "starItems", items: ["pear"] },
    { op: "updateItem", item: "rye", content: { name: "Apple bread" } });
  for (const [index, [, query]] of views.entries()) await equals(lists[index], id, query);
  // A second one of a view begins with what it asks for itself.
  const late = one.list(id, views[3][0]);
  await equals(late, id, views[3][1]);
  assert.equal(lists[5].getSnapshot().sections.flatMap(({ items }) => items).some((item) => item.id === "pear"), true);
  // A window says where it is, and whoever hears of a change hears where it has come to.
  const { start, total } = lists[5].getSnapshot(), told = [];
  assert.deepEqual([start, total], [0, 5]);
  assert.equal(lists[0].getSnapshot().total, undefined);
  lists[5].subscribe((changes) => told.push([changes.start, changes.total]));
  await server.write(id, { op: "moveItem", item: "pear", section: "bakery", at: "last" });
  await until("another place", () => told.at(-1)?.[0] === 3);
});

test("options that the server refuses are a status", async () => {
  const id = await makeList(), one = connect(), list = one.list(id, { sort: "no path" }), said = [];
  const { error } = console;
  console.error = (text) => said.push(text);
  await until("refused", () => list.getSnapshot().status === "refused");
  console.error = error;
  assert.match(said[0], /sort/);
  list.close();
});

test("a client has one stream for its lists", async () => {
  const ids = [await makeList(), await makeList(), await makeList()], near = await new Wire(server).start();
  const one = connect({ url: near.url }), lists = ids.map((id) => one.list(id));
  await Promise.all(lists.map(isLive));
  assert.deepEqual(near.asked.length, 1);
  for (const id of ids) await server.write(id, { op: "starItems", items: ["apple"] });
  for (const [index, list] of lists.entries()) await equals(list, ids[index]);
  assert.deepEqual(near.asked.filter((line) => line.startsWith("GET /v1/changes?")).length, 1);
  const late = one.list(ids[0], { view: "items" });
  await equals(late, ids[0], "view=items");
  await near.close();
});

test("a list that goes and comes back", async () => {
  const id = await makeList(), one = connect(), list = one.list(id);
  await isLive(list);
  await server.ask("DELETE", `/v1/lists/${id}`);
  await until("gone", () => list.getSnapshot().status === "gone");
  assert.deepEqual(list.getSnapshot().sections, []);
  assert.equal((await list.edit((e) => e.star("apple")).settled).problem.code, "not_found");
  await server.ask("POST", `/v1/lists/${id}/restore`, {});
  one.list(await makeList());
  await equals(list, id);
});

/** A client with one stream for two lists that are gone and one that stays. */
async function hasLost() {
  const ids = [await makeList(), await makeList(), await makeList()], one = connect(), lists = ids.map((id) => one.list(id));
  await Promise.all(lists.map(isLive));
  for (const [index, id] of ids.slice(0, 2).entries()) {
    await server.ask("DELETE", `/v1/lists/${id}`);
    await until("gone", () => lists[index].getSnapshot().status === "gone");
  }
  return { ids, one, lists };
}

test("a list that is back is followed at once by whoever asks for it", async () => {
  const { ids: [id, , stays], one, lists: [list, , other] } = await hasLost();
  await server.ask("POST", `/v1/lists/${id}/restore`, {});
  const again = one.list(id);
  for (const held of [again, list]) await equals(held, id);
  await server.write(id, { op: "starItems", items: ["apple"] });
  for (const held of [again, list]) await equals(held, id);
  await equals(other, stays);
});

test("a list that is back shows by itself, and one that stays away is told of once", async () => {
  const { ids: [id, , stays], lists: [list, lost, other] } = await hasLost();
  let told = 0;
  lost.subscribe(() => (told += 1));
  await server.ask("POST", `/v1/lists/${id}/restore`, {});
  await equals(list, id);
  await server.write(stays, { op: "starItems", items: ["apple"] });
  await equals(other, stays);
  assert.deepEqual([lost.getSnapshot().status, told], ["gone", 0]);
});

test("edits outlive the process, in order, and arrive once", async () => {
  const id = await makeList(), folder = mkdtempSync(join(tmpdir(), "liststate-queue-")), down = await new Wire(server).start();
  const first = client.connect({ url: down.url, store: { folder } }), list = first.list(id);
  await isLive(list);
  await down.close();
  for (let n = 1; n <= 5; n += 1) list.edit((e) => e.add({ id: `k${n}`, content: { n } }, { section: "bakery" }));
  await until("five files", () => readdirSync(folder).filter((name) => name.endsWith(".json")).length === 5);
  first.close();
  const held = await new Wire(server).start();
  held.holdsWrites = true;
  const again = connect({ url: held.url, store: { folder } }).list(id);
  await until("five pending", () => again.getSnapshot().pending === 5 && again.getSnapshot().version);
  again.edit((e) => e.add({ id: "k6" }, { section: "bakery" }));
  assert.equal(idsOf(again), "fruit: apple,pear,box,fig; bakery: rye,k1,k2,k3,k4,k5,k6");
  held.holdsWrites = false;
  held.cut();
  await until("no edit is pending", () => again.getSnapshot().pending === 0);
  await equals(again, id);
  assert.equal(idsOf(again), "fruit: apple,pear,box,fig; bakery: rye,k1,k2,k3,k4,k5,k6");
  await until("an empty folder", () => readdirSync(folder).length === 0);
  await held.close();
  rmSync(folder, { recursive: true });
});

test("a token that ends is renewed, and no edit is lost", async () => {
  const guarded = await new Server("--first-token").start();
  try {
    const id = await makeList(guarded);
    const make = async (name) => (await guarded.ask("POST", "/v1/tokens", { name, grants: [{ lists: ["*"], can: ["write"] }] })).json;
    let held = await make("first"), asked = 0;
    const list = connect({ url: guarded.url, token: async () => {
      asked += 1;
      return held.token;
    } }).list(id);
    await isLive(list);
    assert.equal((await list.edit((e) => e.star("apple")).settled).status, "applied");
    assert.equal(asked, 1);
    await guarded.ask("DELETE", `/v1/tokens/${held.id ?? held.name}`);
    const { settled } = list.edit((e) => e.star("pear"));
    await until("unauthorized, 1 pending", () => list.getSnapshot().status === "unauthorized" && list.getSnapshot().pending === 1);
    held = await make("second");
    assert.equal((await settled).status, "applied");
    await equals(list, id, undefined, guarded);
  } finally {
    await guarded.close();
  }
});

test("history that is shorter than an absence is a reset", async () => {
  const short = await new Server("--memory", "--history-versions-max", "3").start();
  const near = await new Wire(short).start();
  try {
    const id = await makeList(short), list = connect({ url: near.url }).list(id);
    await isLive(list);
    const kept = list.getSnapshot().sections[1];
    const { port } = near.listener.address();
    await near.close();
    const { settled } = list.edit((e) => e.star("fig"));
    for (let n = 0; n < 8; n += 1) await short.write(id, { op: "updateItem", item: "apple", content: { n } });
    near.listener.listen(port, "127.0.0.1");
    assert.equal((await settled).status, "applied");
    await equals(list, id, undefined, short);
    assert.equal(list.getSnapshot().sections[1], kept, "what is the same is the same object");
  } finally {
    await near.close();
    await short.close();
  }
});

test("a server that is killed and comes back", async () => {
  const id = await makeList(), lists = [1, 2, 3].map(() => connect({ url: wire.url }).list(id));
  await Promise.all(lists.map(isLive));
  const edits = [];
  for (let round = 0; round < 3; round += 1) {
    lists.forEach((list, who) => edits.push(list.edit((e) => e.add({ id: `r${round}-${who}`, content: {} }, { section: "bakery" }))));
    await server.kill();
    lists.forEach((list, who) => edits.push(list.edit((e) => e.star(`r${round}-${who}`))));
    await server.start();
  }
  for (const { settled } of edits) assert.equal((await settled).status, "applied");
  for (const list of lists) await equals(list, id);
  const added = (await server.list(id)).sections[1].items.filter(({ starred }) => starred);
  assert.equal(added.length, 9);
});

test("what comes while a list rests is taken at once", async () => {
  let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  const late = async (url, options) => {
    if (options?.method === "POST" && `${url}`.endsWith("/transactions")) await held;
    return fetch(url, options);
  };
  const id = await makeList(), list = connect({ fetch: late }, tired).list(id);
  await isLive(list);
  const told = [];
  list.subscribe((changes) => told.push(changes));
  const { settled } = list.edit((e) => e.move("pear", { before: "apple" }));
  await Promise.all(Array.from({ length: 100 }, (_, n) =>
    server.write(id, { op: "updateItem", item: "rye", content: { n } })));
  await server.write(id, { op: "deleteItems", items: ["apple"] });
  await until("the last change", () => !idsOf(list).includes("apple"));
  assert.ok(told.length < 100, `${told.length} of 102`);
  assert.equal(told.at(-1).to, list.getSnapshot().version);
  goOn();
  assert.equal((await settled).status, "adjusted");
  await equals(list, id);
});

const people = Number(process.env.LISTSTATE_CLIENT_PEOPLE ?? 50), each = Number(process.env.LISTSTATE_CLIENT_EDITS ?? 20);

test(`${people} clients with ${each} edits each through faults end equal, 0 lost, 0 doubled`, async () => {
  const id = await makeList(), bad = await new Wire(server).start();
  const lists = Array.from({ length: people }, (_, who) => connect({ url: bad.url }, who % 2 ? joined : tired).list(id));
  await Promise.all(lists.map(isLive));
  bad.faults = randomOf(23);
  const edits = [];
  await Promise.all(lists.map(async (list, who) => {
    const random = randomOf(who + 1);
    for (let n = 0; n < each; n += 1) {
      const rows = list.getSnapshot().sections.flatMap(({ items }) => items).map((item) => item.id);
      const kind = random.below(4), row = random.pick(rows), other = random.pick(rows);
      const edit = list.edit((e) => {
        if (kind === 0) e.star(row, random.chance(0.5));
        else if (kind === 1 && row !== other) e.move(row, { section: random.pick(["fruit", "bakery"]), at: "first" });
        else if (kind === 2) e.update(row, { content: { [`by${who}`]: n } });
        else e.add({ id: `w${who}-${n}`, content: { who, n } }, { section: random.pick(["fruit", "bakery"]) });
      });
      edits.push({ ...edit, added: kind === 3 || kind === 1 && row === other ? `w${who}-${n}` : null });
      if (random.chance(0.3)) await edit.settled;
      else await new Promise((resolve) => setTimeout(resolve, random.below(20)));
    }
  }));
  const outcomes = await Promise.all(edits.map(({ settled }) => settled));
  assert.deepEqual(outcomes.filter(({ status }) => status === "refused"), []);
  bad.faults = null;
  for (const list of lists) await equals(list, id);
  const present = (await server.list(id, "view=items")).sections.flatMap(({ items }) => items ?? []).map((item) => item.id);
  const added = edits.filter((edit) => edit.added).map((edit) => edit.added);
  assert.deepEqual(added.filter((one) => !present.includes(one)), [], "0 lost");
  assert.equal(new Set(present).size, present.length, "0 doubled");
  assert.equal(await server.countOf(id, "appendItems"), added.length, "each was added by one transaction");
  assert.ok(bad.lost > 10 && bad.cuts > 10, `${bad.lost} answers were lost, ${bad.cuts} connections cut`);
  console.log(`${edits.length} edits, ${bad.lost} answers lost, ${bad.cuts} connections cut`);
  await bad.close();
});
