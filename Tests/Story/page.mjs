// The clients of the story in a page of Chromium, which gets questions from chromium.py, and posts answers.

import { connect } from "/client.js";
import { Person, answering } from "/person.mjs";

let waiting = [];
function say(answer) {
  waiting.push(answer);
  if (waiting.length > 1) return;
  setTimeout(() => {
    fetch("/answers", { method: "POST", body: waiting.map((one) => `${JSON.stringify(one)}\n`).join("") });
    waiting = [];
  });
}

/** A database of the client: it has made it, so it is there soon. */
async function opened({ client, url }) {
  for (;;) {
    const found = (await indexedDB.databases()).find(({ name }) => name === `liststate ${url} ${client}`);
    if (found) return new Promise((resolve, reject) => {
      const request = indexedDB.open(found.name);
      Object.assign(request, { onsuccess: () => resolve(request.result), onerror: reject });
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function countEdits(database) {
  const count = (await database).transaction("edits").objectStore("edits").count();
  return new Promise((resolve, reject) => Object.assign(count, { onsuccess: () => resolve(count.result), onerror: reject }));
}

const { clients } = await (await fetch("/clients")).json();
const people = clients.map((one) => {
  let database;
  return new Person(one, connect, "indexeddb", () => countEdits(database ??= opened(one)), say);
});
const answer = answering(people, say);
new EventSource("/questions").onmessage = ({ data }) => answer(JSON.parse(data));
