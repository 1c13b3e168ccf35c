// Streams and requests without a server: what tabs hand on, how events are cut, how tokens are renewed.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { until } from "./server.mjs";
import { client, small } from "./source.mjs";

const { Feeds, Patience, Wire, readEvents } = client;

/** Locks as of a browser: one holder at a time, in order. */
function makeLocks() {
  const queues = new Map();
  return {
    request(name, work) {
      const turn = (queues.get(name) ?? Promise.resolve()).then(work);
      queues.set(name, turn.catch(() => {}));
      return turn;
    },
  };
}

/** What stands for the server: streams whose events the test says. */
function makeWire() {
  const streams = [];
  return {
    streams,
    async fetch(path, { signal }) {
      const stream = new TransformStream(), writer = stream.writable.getWriter(), encoder = new TextEncoder();
      const own = { path, isOver: false, say: (text) => writer.write(encoder.encode(text)) };
      signal.addEventListener("abort", () => {
        own.isOver = true;
        writer.abort().catch(() => {});
      });
      streams.push(own);
      return new Response(stream.readable, { headers: { "Content-Type": "text/event-stream" } });
    },
  };
}

const change = (from, to) => `id: l@e-${to}\nevent: change\ndata: {"list":"l","from":"e-${from}","to":"e-${to}"}\n\n`;

function taker(version) {
  const taken = [], states = [];
  return { list: "l", view: "", version, taken, states, take: ({ name, since, to }) => taken.push([name, since, to]),
    onState: (state) => states.push(state) };
}

test("a leader hands on what the others have missed", async () => {
  const held = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks: makeLocks() }, configurable: true });
  const wires = [makeWire(), makeWire()], tabs = wires.map((wire) => new Feeds(wire, "tabs of this test", () => {}));
  const [first, second, late, lost] = [taker("e-1"), taker("e-1"), taker("e-2"), taker("e-0")];
  try {
    tabs[0].follow(first);
    await until("a stream", () => wires[0].streams.length === 1);
    assert.equal(wires[0].streams[0].path, "/v1/changes?list=l@e-1");
    wires[0].streams[0].say(change(1, 2) + change(2, 3));
    await until("two changes", () => first.taken.length === 2);
    tabs[1].follow(second);
    await until("what it has missed", () => second.taken.length === 2);
    assert.deepEqual(second.taken, [["change", "e-1", "e-2"], ["change", "e-2", "e-3"]]);
    assert.deepEqual(second.states.at(-1), "live");
    tabs[1].follow(late);
    await until("the rest", () => late.taken.length > 0);
    assert.deepEqual(late.taken, [["change", "e-2", "e-3"]]);
    tabs[1].follow(lost);
    await until("where the stream is", () => lost.taken.length > 0);
    assert.deepEqual(lost.taken, [["have", undefined, "e-3"]]);
    wires[0].streams[0].say("id: l@e-4\n\n");
    await until("an id to all", () => [second, late, lost].every(({ taken }) => taken.at(-1)[2] === "e-4"));
    assert.equal(wires[1].streams.length, 0);
    tabs[0].close();
    second.version = late.version = lost.version = "e-4";
    await until("a stream of the other tab", () => wires[1].streams.length === 1);
    assert.equal(wires[1].streams[0].path, "/v1/changes?list=l@e-4");
  } finally {
    tabs.forEach((one) => one.close());
    if (held) Object.defineProperty(globalThis, "navigator", held);
    else delete globalThis.navigator;
  }
});

test("events are cut wherever the pieces end", async () => {
  const text = ": silence\nretry: 2000\n\nid: a@e-1\nevent: change\ndata: {\"a\":\ndata: \"é\u2028\u2029\"}\r\n\r\nid: a@e-2\n\nevent: bye\ndata:{}\n\ndata: cut";
  const wanted = [{}, { id: "a@e-1", event: "change", data: "{\"a\":\n\"é\u2028\u2029\"}" }, { id: "a@e-2" }, { event: "bye", data: "{}" }];
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size < 40; size += 1) {
    let at = 0;
    const body = new ReadableStream({ pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at += size));
    } });
    const events = [];
    await readEvents(body, (event) => events.push(event));
    assert.deepEqual(events.map(({ retry, ...event }) => event), wanted, `pieces of ${size}`);
  }
});

test("a token is asked for again once it is refused, and once only", async () => {
  const seen = [], server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(request.headers.authorization === "Bearer good" ? 200 : 401).end("{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A test that fails must end, too.
  server.unref();
  const url = `http://127.0.0.1:${server.address().port}/`, tokens = ["old", "good"];
  const wire = new Wire(url, async () => tokens.shift() ?? "bad");
  await wire.ask("GET", "/");
  await wire.ask("GET", "/");
  assert.deepEqual(seen, ["Bearer old", "Bearer good", "Bearer good"]);
  const bad = new Wire(url, "bad");
  await assert.rejects(bad.ask("GET", "/"), { status: 401 });
  assert.equal(seen.length, 4);
  server.close();
});

test("a token that never comes is an error, and a body may take its time", async () => {
  const never = new small.Wire("http://127.0.0.1:9", () => new Promise(() => {}));
  await assert.rejects(never.ask("GET", "/"), /too long/);
  const pieces = ["{", '"a"', ":", "1", "}"], slow = createServer(async (_, response) => {
    response.writeHead(200);
    // Together they take longer than an answer may take to begin.
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
    response.end();
  });
  await new Promise((resolve) => slow.listen(0, "127.0.0.1", resolve));
  slow.unref();
  assert.deepEqual(await new small.Wire(`http://127.0.0.1:${slow.address().port}`).ask("GET", "/"), { a: 1 });
  slow.close();
});

test("a pause is as long as the server wants, within reason", async () => {
  const { setTimeout } = globalThis, waits = [];
  globalThis.setTimeout = (work, wait) => {
    waits.push(wait);
    return setTimeout(() => {}, 0);
  };
  try {
    for (const [wanted, least, most] of [[0, 187, 313], [3_000, 3_000, 4_500], [3e9, 3_600_000, 5_400_000]]) {
      const patience = new Patience();
      patience.wanted = wanted;
      let isOver = false;
      const pause = patience.pause().then(() => (isOver = true));
      assert.ok(waits.at(-1) >= least && waits.at(-1) <= most, `${waits.at(-1)} ms for ${wanted}`);
      patience.wake();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(isOver, wanted === 0);
      patience.wake(true);
      await pause;
    }
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test("a view that no tab wants any more has no stream", async () => {
  const held = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks: makeLocks() }, configurable: true });
  const wires = [makeWire(), makeWire()], tabs = wires.map((wire) => new small.Feeds(wire, "tabs of another test", () => {}));
  try {
    const stops = tabs.map((tab) => tab.follow(taker("e-1")));
    await until("a stream", () => wires[0].streams.length === 1);
    const own = tabs[0].follow({ ...taker("e-1"), view: "?starred=true" });
    await until("another stream", () => wires[0].streams.length === 2);
    own();
    await until("the end of it", () => wires[0].streams[1].isOver);
    stops[0]();
    const again = tabs[0].follow({ ...taker("e-1"), view: "?kind=a" });
    await until("a third stream", () => wires[0].streams.length === 3);
    again();
    await until("the end of that", () => wires[0].streams[2].isOver);
    assert.equal(wires[0].streams[0].isOver, false, "the other tab wants it");
    stops[1]();
    await until("the end of the first", () => wires[0].streams[0].isOver);
  } finally {
    tabs.forEach((one) => one.close());
    if (held) Object.defineProperty(globalThis, "navigator", held);
    else delete globalThis.navigator;
  }
});
