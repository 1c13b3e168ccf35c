// The adapter for the client in JavaScript in Node: README.md says what it is asked.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "../../Sources/CAssets/client.js";
import { Person, answering } from "./person.mjs";

const { folder: top, clients } = JSON.parse(process.argv[2]);
const say = (answer) => console.log(JSON.stringify(answer));
const people = clients.map((one) => {
  const folder = join(top, `${one.client}`);
  return new Person(one, connect, { folder }, () => readdirSync(folder).filter((name) => name.endsWith(".json")).length, say);
});
const answer = answering(people, say);
for await (const line of createInterface(process.stdin)) answer(JSON.parse(line));
process.exit(0);
