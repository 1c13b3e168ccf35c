// A server for the tests, and a wire before it that cuts, delays and loses.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createWebServer, request as ask } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { top } from "./source.mjs";

export const binary = process.env.LISTSTATE_SERVER ?? join(top, ".build/debug/liststate");

/** `liststate serve` with a new folder, or in memory. A restarted server keeps its port. */
export class Server {
  port = 0;
  token = "";

  constructor(...options) {
    this.options = options;
    this.folder = mkdtempSync(join(tmpdir(), "liststate-js-"));
  }

  async start() {
    const store = this.options.includes("--memory") ? [] : ["--data", this.folder];
    // The server refuses settings that it does not know.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("LISTSTATE_")));
    this.process = spawn(binary, ["serve", "--port", `${this.port}`, ...store, ...this.options],
      { env, stdio: ["ignore", "pipe", "ignore"] });
    for await (const line of createInterface(this.process.stdout)) {
      this.token = /lst_\w+$/.exec(line)?.[0] ?? this.token;
      this.port = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? this.port);
      if (line.includes("http://")) break;
    }
    if (this.port === 0) throw new Error(`${binary} did not start.`);
    return this;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async kill() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await ended;
  }

  async close() {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The status and the JSON of an answer. */
  async ask(method, path, body) {
    const headers = { ...(body && { "Content-Type": "application/json" }), ...(this.token && { Authorization: `Bearer ${this.token}` }) };
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, json: text ? JSON.parse(text) : null };
  }

  async write(list, ...operations) {
    const { status, json } = await this.ask("POST", `/v1/lists/${list}/transactions`, { operations });
    if (status >= 300) throw new Error(JSON.stringify(json));
    return json;
  }

  /** How many transactions in the history of a list have such an operation. */
  async countOf(list, op) {
    let count = 0;
    for (let path = `/v1/lists/${list}/transactions?limit=1000`; path;) {
      const answer = await fetch(this.url + path);
      const { transactions } = await answer.json();
      count += transactions.filter(({ operations }) => operations.some((one) => one.op === op)).length;
      path = /<([^>]*)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1];
    }
    return count;
  }

  /** A list as the view `visible`, or another query, has it. */
  async list(id, query = "view=visible") {
    return (await this.ask("GET", `/v1/lists/${id}?${query}`)).json;
  }
}

/**
 * Passes bytes between clients and a server. `random` decides what befalls a connection: it is cut, it waits, or the
 * answer to a write is lost after the server has done it. `holdsWrites` keeps writes
 * from the server, and `holdsStreams` keeps events from clients.
 */
export class Wire {
  /** Those that a test that failed has left open, too. @type {Set<Wire>} */
  static all = new Set();
  sockets = new Set();
  faults = null;
  holdsWrites = false;
  holdsStreams = false;
  lost = 0;
  cuts = 0;
  asked = [];

  constructor(server) {
    this.server = server;
    this.listener = createServer((near) => this.#carry(near));
    Wire.all.add(this);
  }

  async start() {
    await new Promise((resolve) => this.listener.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.listener.address().port}`;
    return this;
  }

  /** Ends every connection. */
  cut() {
    for (const socket of this.sockets) socket.destroy();
  }

  close() {
    this.cut();
    return new Promise((resolve) => this.listener.close(resolve));
  }

  #carry(near) {
    const far = connect(this.server.port, "127.0.0.1");
    let loses = false, isStream = false;
    const end = () => [near, far].forEach((socket) => socket.destroy());
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on("error", end).on("close", () => {
        this.sockets.delete(socket);
        end();
      });
    }
    const pass = (target, data) => {
      const wait = this.faults?.chance(0.2) ? this.faults.below(30) : 0;
      if (wait === 0) return void target.write(data);
      // Bytes stay in order: nothing more is read meanwhile.
      const source = target === far ? near : far;
      source.pause();
      setTimeout(() => {
        target.write(data);
        source.resume();
      }, wait);
    };
    near.on("data", (data) => {
      const line = /^(GET|POST|PUT|DELETE|PATCH) \S+/.exec(data.toString("latin1"));
      if (line) this.asked.push(line[0]);
      isStream ||= line?.[0].startsWith("GET /v1/changes") ?? false;
      if (this.faults?.chance(0.03)) {
        this.cuts += 1;
        return end();
      }
      if (line?.[1] === "POST" && this.holdsWrites) return;
      if (line?.[1] === "POST" && this.faults?.chance(0.15)) loses = true;
      pass(far, data);
    });
    far.on("data", (data) => {
      if (loses) {
        this.lost += 1;
        return end();
      }
      if (isStream && this.holdsStreams) return;
      if (this.faults?.chance(0.02)) {
        this.cuts += 1;
        near.write(data.subarray(0, data.length >> 1));
        return end();
      }
      pass(near, data);
    });
  }
}

/** Hands requests to a server, except those to which `answer(request)` has an answer: its status, fields and body. */
export async function makeProxy(server, answer) {
  const proxy = createWebServer((request, response) => {
    const own = answer(request);
    if (own) {
      request.resume();
      return void response.writeHead(own[0], own[1] ?? {}).end(own[2] ?? "");
    }
    const { url: path, method, headers } = request;
    const far = ask({ host: "127.0.0.1", port: server.port, path, method, headers }, (given) => {
      response.writeHead(given.statusCode, given.headers);
      given.pipe(response).on("error", () => {});
      given.on("close", () => response.destroy());
    });
    far.on("error", () => response.destroy());
    response.on("close", () => far.destroy());
    request.pipe(far);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  proxy.unref();
  const cut = () => proxy.closeAllConnections();
  return { url: `http://127.0.0.1:${proxy.address().port}`, cut, close: () => proxy.close(cut()) };
}

/** Waits until something is so: looked at after each change, and now and then. */
export async function until(what, isSo, milliseconds = 20_000) {
  const end = Date.now() + milliseconds;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`This has not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
