// Holds liststate.js against the cases: `node Tests/Conformance/client.mjs`. With `--adapter` it is the adapter that
// Tests/Conformance/README.md describes. The client talks to a server that is here, and that says what the case says.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** A client that has not come this far by then never will. */
const waitMax = 10_000;

/** A server of one case: the state, then the changes when they are let go, and an answer for each edit. */
class Scene {
  #listener = createServer((request, response) => this.#answer(request, response));
  /** The responses that are streams. */ #streams = [];
  /** Is called with the reason if the client has not taken what it was told. */
  onTrouble = () => {};
  answered = 0;

  constructor(scene) {
    this.scene = scene;
  }

  async start() {
    await new Promise((resolve) => this.#listener.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.#listener.address().port}`;
  }

  tell(change) {
    for (const stream of this.#streams) send(stream, change.reset ? "reset" : "change", change);
  }

  close() {
    this.#listener.close();
    this.#listener.closeAllConnections();
  }

  #answer(request, response) {
    if (request.method === "POST") return this.#answerEdit(response);
    if (request.headers.accept !== "text/event-stream") {
      this.onTrouble(`the client has not taken the changes, and asks for ${request.url}`);
      return response.writeHead(503).end();
    }
    const { state } = this.scene;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    send(response, "reset", { list: state.id, to: state.version, view: "items", reset: true, snapshot: state });
    this.#streams.push(response);
  }

  /** An edit without an answer to the end keeps its request open. */
  #answerEdit(response) {
    const { operations, answered, refused } = this.scene.pending[this.answered];
    if (!answered && !refused) return;
    this.answered += 1;
    const status = refused ? 409 : 200;
    const body = refused ? { code: refused, status, title: "Refused" } :
      { version: answered, changed: true, operations: operations.map(() => ({ status: "applied" })) };
    response.writeHead(status, { "Content-Type": refused ? "application/problem+json" : "application/json" });
    response.end(JSON.stringify(body));
  }
}

function send(stream, event, data) {
  stream.write(`id: ${data.list}@${data.to}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/**
 * The options with which the client asks for a view. It shows the view `visible` of its own rows. If the server is to
 * make those rows, it asks for a selection, too: of all.
 */
function optionsOf({ view = {}, show }) {
  const word = show ?? view.view ?? (view.around === undefined ? "items" : "visible");
  const isOfTheServer = word === "visible" && !show && Object.keys(view).length === 1;
  const expanded = view.expanded === undefined ? {} : { expanded: [view.expanded].flat() };
  return { ...view, ...expanded, ...(isOfTheServer && { filter: "" }), view: word };
}

/** Waits until a list is as it should be, and hears of it from the list itself. */
function until(list, scene, isThere) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(`nothing came of it within ${waitMax} ms`), waitMax);
    const stop = list.subscribe(look);
    function end(trouble) {
      clearTimeout(timer);
      stop();
      if (trouble) reject(new Error(trouble));
      else resolve();
    }
    function look() {
      if (isThere()) end("");
    }
    scene.onTrouble = end;
    look();
  });
}

async function rowsOf(connect, one) {
  const scene = new Scene(one), client = connect({ url: await scene.start() });
  try {
    const list = client.list(one.state.id, optionsOf(one));
    await until(list, scene, () => list.getSnapshot().version === one.state.version);
    for (const { operations, answered, refused } of one.pending ?? []) {
      const { settled } = list.edit((edits) => operations.forEach((operation) => edits.operation(operation)));
      if (answered || refused) await settled;
    }
    for (const change of one.changes) scene.tell(change);
    await until(list, scene, () => list.getSnapshot().version === one.changes.at(-1).to);
    const { title, layout, sections } = list.getSnapshot();
    return { title, layout, sections };
  } finally {
    client.close();
    scene.close();
  }
}

async function adapt() {
  // A module, which Node would not take for one by its name.
  const text = await readFile(here("../../Sources/CAssets/client.js"), "utf8");
  const { connect } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  for await (const line of createInterface(process.stdin)) {
    const answer = await rowsOf(connect, JSON.parse(line)).catch((error) => ({ error: error.message }));
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

if (process.argv.includes("--adapter")) await adapt();
else {
  const runner = [here("conformance.py"), "--client", `node '${here("client.mjs")}' --adapter`];
  spawn("python3", [...runner, ...process.argv.slice(2)], { stdio: "inherit" })
    .on("close", (code) => (process.exitCode = code ?? 1));
}
