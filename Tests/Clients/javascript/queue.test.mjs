// Many edits that wait: the oldest go together as one write, and each has its own outcome all the same.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Server, until } from "./server.mjs";
import { client, joined } from "./source.mjs";

let server, number = 0;
const open = [], rows = Array.from({ length: 20 }, (_, i) => `row-${i}`);

before(async () => (server = await new Server("--memory").start()));
after(async () => {
  open.forEach((one) => one.close());
  await server.close();
});

async function makeList(at = server) {
  const id = `queue-${number += 1}`;
  const sections = [{ id: "all", items: rows.map((row) => ({ id: row, content: { n: -1 } })) }];
  assert.equal((await at.ask("PUT", `/v1/lists/${id}`, { sections })).status, 201);
  return id;
}

/**
 * Sends the requests of a client, and holds back writes until `open`. `answer` may answer in the place of the server:
 * `send` hands a write on to it.
 */
class Gate {
  /** The bodies and keys that were sent. @type {{operations: any[], label?: string, key: string}[]} */ writes = [];
  answer = (write, send) => send();
  #opened;

  constructor() {
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }

  fetch = async (url, options) => {
    if (options.method !== "POST") return fetch(url, options);
    const write = { ...JSON.parse(options.body), key: options.headers["Idempotency-Key"] };
    this.writes.push(write);
    await this.#opened;
    return this.answer(write, () => fetch(url, options));
  };
}

/** A client whose first edit is on its way until the gate opens. The edits after it wait. */
async function held(id, options = {}, { connect } = client) {
  const gate = new Gate(), one = connect({ url: options.url ?? server.url, fetch: gate.fetch, ...options });
  open.push(one);
  const list = one.list(id);
  await until("the list is live", () => list.status === "live");
  const first = list.edit((e) => e.star("row-0"));
  await until("a write", () => gate.writes.length === 1);
  return { gate, one, list, first };
}

/** Edits that write 0, 1, 2 and so on into one row after the other. */
const edits = (list, count, options) => Array.from({ length: count }, (_, n) =>
  list.edit((e) => e.update(rows[n % rows.length], { content: { n } }), options));
const numbersOf = (writes) => writes.flatMap(({ operations = [] }) => operations.map(({ content }) => content?.n));
const sizes = (writes) => writes.map(({ operations }) => operations?.length ?? "undo");
const statuses = async (made) => (await Promise.all(made.map(({ settled }) => settled))).map(({ status }) => status);
const many = (count, value) => Array(count).fill(value);

/** The transactions of a list, oldest first, without the one that made it. */
async function historyOf(id, at = server) {
  const { json } = await at.ask("GET", `/v1/lists/${id}/transactions?limit=1000`);
  return json.transactions.reverse().slice(1);
}

async function equalsServer(list, at = server) {
  await until("the state of the server", async () => {
    const { version, sections } = await at.list(list.id), shown = list.getSnapshot();
    return shown.pending === 0 && shown.version === version && isDeepStrictEqual(shown.sections, sections);
  });
}

for (const [name, module] of Object.entries({ sources: client, "file that is served": joined })) {
  test(`a queue of 1,000 edits is 37 writes, in order (${name})`, async () => {
    const { gate, list, first } = await held(await makeList(), {}, module), told = [];
    const made = edits(list, 999);
    made.forEach(({ settled }, n) => settled.then(() => told.push(n)));
    assert.equal(list.getSnapshot().pending, 1_000);
    let calls = 0;
    list.subscribe(() => (calls += 1));
    gate.open();
    assert.deepEqual(await statuses([first, ...made]), many(1_000, "applied"));
    assert.deepEqual(sizes(gate.writes), [1, 250, 250, 250, 217, ...many(32, 1)]);
    assert.equal(new Set(gate.writes.map(({ key }) => key)).size, 37);
    const inOrder = Array.from({ length: 999 }, (_, n) => n);
    assert.deepEqual(numbersOf(gate.writes.slice(1)), inOrder);
    assert.deepEqual(told, inOrder);
    assert.deepEqual(numbersOf((await historyOf(list.id)).slice(1)), inOrder);
    await equalsServer(list);
    // Views hear of a write and of its echo, and not of each edit.
    assert.ok(calls <= 4 * 37, `${calls} calls`);
  });
}

test("only edits that are alike, and not too long together, go together", async () => {
  const long = "x".repeat(50_000), one = (e) => e.star("row-1"), big = (e) => e.update("row-2", { content: { long } });
  const cases = [
    ["labels", (list) => [...edits(list, 3, { label: "A" }), ...edits(list, 2, { label: "B" })], [3, 2]],
    ["animated", (list) => [...edits(list, 3), ...edits(list, 2, { animated: false })], [3, 2]],
    ["long ones", (list) => Array.from({ length: 7 }, () => list.edit(big)), [5, 2]],
    ["operations", (list) => [200, 50, 1].map((count) => list.edit((e) => {
      for (let n = 0; n < count; n += 1) one(e);
    })), [250, 1]],
    ["one of 300 operations", (list) => [1, 300, 1].map((count) => list.edit((e) => {
      for (let n = 0; n < count; n += 1) one(e);
    })), [1, 300, 1]],
    ["one that is undone", (list) => [...edits(list, 3), list.undo(), ...edits(list, 2)], [2, 1, "undo", 2]],
  ];
  for (const [name, make, wanted] of cases) {
    const { gate, list, first } = await held(await makeList());
    const made = [...make(list), ...edits(list, 32)];
    gate.open();
    assert.deepEqual(new Set(await statuses([first, ...made])), new Set(["applied"]), name);
    assert.deepEqual(sizes(gate.writes), [1, ...wanted, ...many(32, 1)], name);
    await equalsServer(list);
  }
});

test("of a refused write only the edit that is the reason is refused", async () => {
  const tooLong = (write, send) => (write.operations.length > 30 ? new Response("<h1>Too large</h1>", { status: 413 }) : send());
  const bad = (list) => list.edit((e) => e.move("nobody", { before: "row-1" }));
  const cases = [
    // The server names the operation.
    ["in the middle", (list) => [...edits(list, 50), bad(list), ...edits(list, 49)], [50], undefined, [100, 99]],
    ["first", (list) => [bad(list), ...edits(list, 99)], [0], undefined, [100, 99]],
    ["two", (list) => [...edits(list, 9), bad(list), bad(list), ...edits(list, 89)], [9, 10], undefined, [100, 99, 98]],
    // Nobody says which edit it is.
    ["too long together", (list) => edits(list, 100), [], tooLong, [100, 50, 25, 25, 25, 25]],
  ];
  for (const [name, make, wanted, answer, wantedSizes] of cases) {
    const refused = [], onRefused = (edit, { problem }) => refused.push([edit.operations[0].op, problem.code]);
    const { gate, list, first } = await held(await makeList(), { onRefused });
    if (answer) gate.answer = answer;
    const made = make(list), rest = edits(list, 32);
    // So the base of all of them stays as it is.
    open.at(-1).feeds.close();
    gate.open();
    await first.settled;
    assert.deepEqual(await statuses(made), many(100, "applied").map((one, index) => (wanted.includes(index) ? "refused" : one)), name);
    assert.deepEqual(await statuses(rest), many(32, "applied"), name);
    assert.deepEqual(refused, wanted.map(() => ["moveItem", "unknown_item"]), name);
    assert.deepEqual(sizes(gate.writes), [1, ...wantedSizes, ...many(32, 1)], name);
    assert.equal((await historyOf(list.id)).flatMap(({ operations }) => operations).length, 133 - wanted.length, name);
  }
});

test("if no operation is named as the reason, fewer go together until each is told its own", async () => {
  const short = await new Server("--memory", "--history-versions-max", "3").start();
  try {
    const id = await makeList(short), { gate, list, first } = await held(id, { url: short.url });
    const whole = (e) => e.operation({ op: "deleteAllItems" });
    const made = [...edits(list, 5), list.edit(whole), ...edits(list, 5)], rest = edits(list, 32);
    // The base of all of them goes, and on a lost base an edit of everything is refused, with all that is in its write.
    gate.answer = async (write, send) => {
      gate.answer = (_, again) => again();
      const answer = await send();
      for (let n = 0; n < 8; n += 1) await short.write(id, { op: "updateItem", item: "row-19", content: { other: n } });
      return answer;
    };
    // What is shown stays as it is, so that their base does, too.
    open.at(-1).feeds.close();
    gate.open();
    assert.equal((await first.settled).status, "applied");
    const outcomes = await Promise.all(made.map(({ settled }) => settled));
    assert.deepEqual(outcomes.map(({ status }) => status), [...many(5, "applied"), "refused", ...many(5, "applied")]);
    assert.equal(outcomes[5].problem.code, "unknown_base");
    assert.deepEqual(await statuses(rest), many(32, "applied"));
    assert.deepEqual(sizes(gate.writes).slice(0, 3), [1, 11, 5]);
    assert.ok(numbersOf(gate.writes).length < 1 + 11 + 11 + 11 + 33, "few are tried one by one");
  } finally {
    await short.close();
  }
});

test("edits to a list that is gone are refused together", async () => {
  const { gate, list, first } = await held(await makeList());
  const made = edits(list, 40);
  assert.equal((await server.ask("DELETE", `/v1/lists/${list.id}`)).status, 204);
  gate.open();
  assert.deepEqual(await statuses([first, ...made]), many(41, "refused"));
  assert.deepEqual(sizes(gate.writes), [1, 8, ...many(32, 1)]);
});

test("each edit of a write has its own part of the outcome", async () => {
  const { gate, list, first } = await held(await makeList()), other = client.connect({ url: server.url });
  open.push(other);
  const made = [
    list.edit((e) => e.star("row-1")),
    list.edit((e) => e.star(["row-2", "row-3"])),
    list.edit((e) => {
      e.update("row-3", { content: { n: 1 } });
      e.star("row-4");
    }),
    list.edit((e) => e.move("row-5", { before: "row-3" })),
    list.edit((e) => e.star("row-6")),
  ];
  const rest = edits(list, 32);
  open.at(-2).feeds.close();
  await server.write(list.id, { op: "deleteItems", items: ["row-3"] });
  gate.open();
  await first.settled;
  const outcomes = await Promise.all(made.map(({ settled }) => settled));
  assert.deepEqual(outcomes.map(({ status }) => status), ["applied", "adjusted", "adjusted", "adjusted", "applied"]);
  assert.deepEqual(outcomes.map(({ operations }) => operations.map(({ status }) => status)),
    [["applied"], ["partial"], ["dropped", "applied"], ["adjusted"], ["applied"]]);
  assert.equal(new Set(outcomes.map(({ version }) => version)).size, 1);
  assert.ok(outcomes.every(({ together }) => together));
  const alone = await Promise.all(rest.map(({ settled }) => settled));
  assert.ok(alone.every(({ together }) => together === undefined));
  assert.deepEqual(sizes(gate.writes).slice(0, 3), [1, 6, 1]);
});

test("what was sent together cannot be taken back, and the newest 32 can", async () => {
  const { gate, list, first } = await held(await makeList());
  const made = edits(list, 60);
  gate.open();
  await Promise.all([first, ...made].map(({ settled }) => settled));
  for (let n = 0; n < 32; n += 1) assert.equal((await list.undo().settled).status, "applied");
  // The first was sent alone, before the others waited.
  assert.equal((await list.undo().settled).status, "applied");
  assert.equal((await list.undo().settled).problem.code, "nothing_to_undo");
  await equalsServer(list);
  assert.deepEqual(list.row("row-7").content, { n: 27 });
  assert.deepEqual(list.row("row-8").content, { n: 8 });
  assert.deepEqual(list.row("row-0").content, { n: 20 });
});

/** The server does a write, and its answer does not come. Returns what ends the wait for it. */
function lose(gate, size) {
  return new Promise((resolve) => {
    gate.answer = async (write, send) => {
      const answer = await send();
      if (write.operations.length !== size) return answer;
      await answer.arrayBuffer();
      return new Promise((_, reject) => resolve(() => reject(new TypeError("This was cut."))));
    };
    gate.open();
  });
}

/** Stores of a page, in which another page finds what the first one has left. */
const stores = {
  folder(context) {
    const folder = mkdtempSync(join(tmpdir(), "liststate-queue-"));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    return { open: () => ({ folder }), count: () => readdirSync(folder).filter((name) => name.endsWith(".json")).length };
  },
  own() {
    const kept = new Map();
    const open = () => ({
      all: async () => [...kept.values()].map((text) => JSON.parse(text)), remove: async (key) => void kept.delete(key),
      put: async (entry) => void kept.set(entry.key, JSON.stringify(entry)),
    });
    return { open, count: () => kept.size, kept };
  },
};

for (const name of Object.keys(stores)) {
  test(`a write whose answer was lost with its page is sent again as it was (${name})`, async (context) => {
    const store = stores[name](context), { gate, one, list, first } = await held(await makeList(), { store: store.open() });
    edits(list, 100);
    await until("all are kept", () => store.count() === 101);
    const cut = await lose(gate, 68);
    assert.equal((await first.settled).status, "applied");
    one.close();
    cut();
    // Others have changed the list meanwhile: what is sent again stays as it was.
    await server.write(list.id, { op: "updateItem", item: "row-1", content: { n: "of others" } });
    const again = new Gate();
    again.open();
    const next = client.connect({ url: server.url, store: store.open(), fetch: again.fetch });
    open.push(next);
    const newest = next.list(list.id).edit((e) => e.star("row-1"));
    assert.equal((await newest.settled).status, "applied");
    const [, sent] = gate.writes;
    assert.deepEqual(again.writes[0], sent);
    assert.deepEqual(numbersOf(again.writes), [...Array.from({ length: 100 }, (_, n) => n), undefined]);
    assert.equal(store.count(), 0);
    const numbers = numbersOf((await historyOf(list.id)).slice(1)).filter((n) => Number.isInteger(n));
    assert.deepEqual(numbers, Array.from({ length: 100 }, (_, n) => n));
  });
}

test("a page that ends while an answered write is forgotten does not send it again", async () => {
  for (const removals of [0, 1, 40, 66, 67]) {
    const store = stores.own(), { put, all, remove } = store.open();
    let left = Infinity;
    const dying = { put, all, remove: async (key) => ((left -= 1) < 0 ? new Promise(() => {}) : remove(key)) };
    const { gate, one, list, first } = await held(await makeList(), { store: dying });
    edits(list, 100);
    await until("all are kept", () => store.count() === 101);
    gate.answer = async (write, send) => {
      if (write.operations.length === 68) left = removals;
      return send();
    };
    gate.open();
    await until("a write", () => gate.writes.length === 2 && left < 0);
    one.close();
    const again = new Gate(), refused = [];
    again.open();
    const next = client.connect({ url: server.url, store: store.open(), fetch: again.fetch, onRefused: (...given) => refused.push(given) });
    open.push(next);
    await until("an empty store", () => store.count() === 0);
    assert.deepEqual(refused, []);
    const numbers = numbersOf((await historyOf(list.id)).slice(1)), wanted = Array.from({ length: 100 }, (_, n) => n);
    assert.deepEqual(numbers, wanted, `${removals} removals`);
    // An edit that is done twice may change nothing the second time. So what was sent counts, too.
    const fresh = again.writes.filter(({ key }) => key !== gate.writes[1].key);
    assert.deepEqual(numbersOf(fresh), wanted.slice(68), `${removals} removals`);
  }
});

test("what cannot be kept as one write is sent one by one", async () => {
  const store = stores.own(), { put, all, remove } = store.open(), kept = [];
  const full = { all, remove, put: async (entry) => {
    if (entry.together?.length > 0) throw new Error("The store is full.");
    kept.push(entry.key);
    return put(entry);
  } };
  const { gate, list, first } = await held(await makeList(), { store: full });
  const made = edits(list, 40);
  gate.open();
  assert.deepEqual(await statuses([first, ...made]), many(41, "applied"));
  assert.deepEqual(sizes(gate.writes), many(41, 1));
});

test("edits that a tab has sent together stay so when another tab takes them over", async () => {
  const store = stores.own(), { put, all, remove } = store.open(), sent = [], adopted = [];
  const entry = (key, tab, order, more) => put({ key, list: "l", operations: [{ op: "starItems", items: [key] }], order, tab, ...more });
  // The tab that took them over has ended in between: the first is its own, and the others are still of the tab before.
  await entry("a", "first", 1, { isSent: true, together: ["b", "c"], base: "e-1" });
  await entry("b", "", 2, { base: "e-1" });
  await entry("c", "first", 3, { base: "e-1" });
  await entry("d", "", 0);
  await entry("e", "first", 0);
  const wire = { async ask(_, __, { body, key }) {
    sent.push([key, body.operations.flatMap(({ items }) => items)]);
    return { version: "e-2", changed: true };
  } };
  const options = { most: 250, onAdopted: (found) => adopted.push(found.map(({ key }) => key)), onSettled() {}, onTrouble() {} };
  const queue = new client.Queue(wire, { put, all, remove }, "second", options, async () => {});
  await queue.adopt(({ tab }) => tab === "");
  await until("d", () => store.count() === 4);
  assert.deepEqual(sent, [["d", ["d"]]]);
  await queue.adopt(({ tab }) => tab === "first");
  await until("the rest", () => store.count() === 0);
  assert.deepEqual(sent.slice(1), [["a", ["a", "b", "c"]], ["e", ["e"]]]);
  assert.deepEqual(adopted, [["d"], ["a", "e", "b", "c"]]);
});
