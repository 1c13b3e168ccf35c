// What an edit and a foreign change cost in a list of 100,000 rows with 1,000 pending edits. Goals: 16 ms and 5 ms, in
// the median. What counts is the time of the processor, because other processes of the machine take no part of it.
//
//   node Tests/Clients/javascript/bench.mjs

import { client, randomOf } from "./source.mjs";

const { Forest, applyChanges, difference, perform, replaceAll } = client;
const rows = 100_000, edits = 1_000, rounds = 101;

const random = randomOf(1);
const id = () => `item-${random.below(rows)}`;
const kinds = {
  stars: () => ({ op: "starItems", items: [id()] }),
  moves: () => ({ op: "moveItem", item: id(), before: id() }),
  additions: () => ({ op: "insertItems", after: id(), items: [{ id: `new-${random.next()}`, content: { title: "New" } }] }),
  mixture: () => random.pick([kinds.stars, kinds.moves, kinds.additions])(),
};

/** The medians of rounds, in milliseconds. */
function timed(work) {
  const busy = [], passed = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now(), used = process.cpuUsage();
    work(round);
    const { user, system } = process.cpuUsage(used);
    busy.push((user + system) / 1_000);
    passed.push(performance.now() - start);
  }
  const median = (times) => times.sort((a, b) => a - b)[rounds >> 1];
  return { busy: median(busy), passed: median(passed) };
}

let failed = false;

function goal(name, { busy, passed }, limit) {
  failed ||= busy > limit;
  const mark = busy <= limit ? "✔" : "✘";
  console.log(`${mark} ${name}: ${busy.toFixed(2)} ms of the processor (goal ${limit} ms), ${passed.toFixed(2)} ms by the clock`);
}

for (const [name, make] of Object.entries(kinds)) {
  const forest = new Forest(true, false);
  const items = Array.from({ length: rows }, (_, i) => ({ id: `item-${i}`, kind: "item", content: { title: `Title ${i}` } }));
  const snapshot = () => forest.sections.map((section) => forest.shownSection(section));
  forest.begin();
  const start = performance.now();
  replaceAll(forest, { sections: [{ id: "all", items }] });
  difference(forest);
  snapshot();
  if (name === "stars") console.log(`  100,000 rows are there after ${(performance.now() - start).toFixed(0)} ms`);
  const pending = [];
  const edit = () => {
    const operations = [make()], log = [];
    forest.begin();
    perform(forest, operations, log);
    pending.push({ operations, log });
    difference(forest);
    snapshot();
  };
  while (pending.length < edits) edit();
  goal(`an edit on top of 1,000 ${name}`, timed(edit), 16);
  forest.begin();
  pending.splice(edits).reverse().forEach(({ log }) => forest.rewind(log));
  forest.settle();
  difference(forest);
  goal(`a foreign change below 1,000 ${name}`, timed((round) => {
    forest.begin();
    for (let i = pending.length - 1; i >= 0; i -= 1) forest.rewind(pending[i].log);
    forest.settle();
    const target = forest.at(forest.sections[0], 1_000 + round * 500), index = forest.at(forest.sections[0], 99_000 - round * 700);
    const moved = { id: target.id, to: { section: 0, index: 50_000 } };
    applyChanges(forest, { items: { moved: [moved], reconfigured: [{ item: { ...index.item, starred: true } }] } });
    for (const one of pending) perform(forest, one.operations, (one.log = []));
    difference(forest);
    snapshot();
  }), 5);
}
process.exit(failed ? 1 : 0);
