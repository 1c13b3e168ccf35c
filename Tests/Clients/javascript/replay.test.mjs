// Change sets and pending edits over random histories, against a slow and obvious list.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { NaiveList, longest, naiveChanges, visible } from "./naive.mjs";
import { frozen, randomOf, small, top } from "./source.mjs";

const { Forest, applyChanges, difference, heaviestOrder, merged, perform, replaceAll } = small;
const histories = Number(process.env.LISTSTATE_CLIENT_HISTORIES ?? 2_000);

// The replay that docs/clients.md gives to whoever writes a client: it must take our differences, too.
const page = readFileSync(join(top, "docs/clients.md"), "utf8");
const apply = new Function(`${/```js\n(function apply[\s\S]*?)```/.exec(page)[1]}; return apply;`)();

const shown = (forest) => frozen(forest.sections.map((section) => forest.shownSection(section)));
const plain = (value) => JSON.parse(JSON.stringify(value));

/** All rows that are held, as the server sent them or would. */
const allItems = (forest) => forest.sections.map(({ values, chunks }) =>
  ({ ...values, items: chunks.flatMap(({ rows }) => rows.map(({ item }) => item)) }));

function load(sections, showsHidden = false, isWhole = true) {
  const forest = new Forest(isWhole, showsHidden);
  forest.begin();
  replaceAll(forest, { sections: frozen(structuredClone(sections)) });
  difference(forest);
  return forest;
}

/** What was told leads from what was shown to what is shown, with the fewest moves, and keeps what is the same. */
function check(before, forest, { changes, ids }, seed) {
  const now = shown(forest);
  const replayed = { sections: plain(before) };
  apply(replayed, plain({ ...changes, to: "", counts: {} }));
  assert.deepEqual(replayed.sections, plain(now), `seed ${seed}`);
  const wanted = naiveChanges(plain(before), plain(now));
  const count = (part) => Object.fromEntries(Object.entries(part ?? {}).map(([name, entries]) => [name, entries.length]));
  const { reconfigured: _, reloaded: __, ...fewest } = count(wanted.items);
  const { reconfigured, reloaded, ...told } = count(changes.items);
  assert.deepEqual(told, fewest, `seed ${seed}`);
  assert.deepEqual(count(changes.sections), count(wanted.sections), `seed ${seed}`);
  const rowsOf = (sections) => new Map(sections.flatMap(({ items }) => items.map((item) => [item.id, item])));
  const old = rowsOf(before);
  for (const [id, row] of rowsOf(now)) {
    if (old.has(id) && JSON.stringify(old.get(id)) === JSON.stringify(row)) assert.ok(row === old.get(id), `row ${id} is the same, seed ${seed}`);
    else assert.ok(ids.has(id), `${id} was told of, seed ${seed}`);
  }
  for (const section of now) {
    const other = before.find(({ id }) => id === section.id);
    if (other && JSON.stringify(other) === JSON.stringify(section)) {
      assert.ok(section === other, `section ${section.id} is the same, seed ${seed}`);
    }
  }
}

test(`change sets of ${histories} random histories`, () => {
  for (let seed = 1; seed <= histories; seed += 1) {
    const random = randomOf(seed);
    const list = new NaiveList(random, random.below(4), random.below(14));
    const forest = load(list.sections, seed % 4 === 0);
    for (let round = 0; round < 4; round += 1) {
      const old = list.copy(), before = shown(forest);
      for (let steps = 1 + random.below(4); steps > 0; steps -= 1) list.step();
      forest.begin();
      applyChanges(forest, frozen(naiveChanges(old, list.copy())));
      check(before, forest, difference(forest), seed);
      const wanted = seed % 4 === 0 ? list.copy() : visible(list.sections);
      assert.deepEqual(plain(shown(forest)), plain(wanted), `seed ${seed}`);
    }
  }
});

test("a reset tells only what is other", () => {
  for (let seed = 1; seed <= histories / 10; seed += 1) {
    const random = randomOf(seed);
    const list = new NaiveList(random, 1 + random.below(3), 12), forest = load(list.sections), before = shown(forest);
    for (let steps = 3; steps > 0; steps -= 1) list.step();
    forest.begin();
    replaceAll(forest, { sections: frozen(list.copy()) });
    check(before, forest, difference(forest), seed);
    assert.deepEqual(plain(shown(forest)), plain(visible(list.sections)));
  }
});

/** Operations that an application may send, right and wrong ones. */
function randomOperation(random, ids, sections, round) {
  const id = () => (random.chance(0.05) ? "nobody" : random.pick(ids) ?? "nobody");
  const section = () => random.pick(sections) ?? "nowhere";
  const place = () => random.pick([{ before: id() }, { after: id() }, { section: section(), at: random.pick(["first", "last"]) },
    { parent: id(), at: random.pick(["first", "last"]) }]);
  const item = (name) => ({ id: name, content: { new: name } });
  return random.pick([
    () => ({ op: "moveItem", item: id(), ...place() }), () => ({ op: "moveItem", item: id(), ...place() }),
    () => ({ op: "starItems", items: [id()] }), () => ({ op: "unstarItems", items: [id()] }),
    () => ({ op: "expandItems", items: [id(), id()] }), () => ({ op: "collapseItems", items: [id()] }),
    () => ({ op: "updateItem", item: id(), content: { v: random.below(5), w: null }, merge: true }),
    () => ({ op: "updateItem", item: id(), kind: random.pick(["item", "other"]), starred: true }),
    () => ({ op: "deleteItems", items: [id()] }),
    () => ({ op: "appendItems", section: section(), items: [item(`p${round}`), { ...item(`q${round}`), parent: `p${round}` }] }),
    () => ({ op: "insertItems", after: id(), items: [item(`r${round}`), ...(random.chance(0.3) ? [id()] : [])] }),
    () => ({ op: "appendSections", sections: [{ id: `t${round}`, items: [`x${round}`, id()].slice(0, 1).map(item) }] }),
    () => ({ op: "moveSection", section: section(), before: section() }),
    () => ({ op: "updateSection", section: section(), title: "Other" }), () => ({ op: "deleteSections", sections: [section()] }),
  ])();
}

/** Rows of the server with pending edits on top, as an application would see them that starts now. */
function loadWith(sections, pending, isWhole) {
  const fresh = load(sections, false, isWhole);
  fresh.begin();
  for (const { operations } of pending) perform(fresh, structuredClone(operations), []);
  difference(fresh);
  return fresh;
}

for (const isWhole of [true, false]) {
  test(`pending edits over foreign changes of ${histories} random histories${isWhole ? "" : ", in a view of the server"}`, () => {
    for (let seed = 1; seed <= histories; seed += 1) {
      const random = randomOf(seed + 7_000_000);
      const list = new NaiveList(random, 1 + random.below(3), random.below(14));
      const served = () => (isWhole ? list.copy() : visible(list.sections));
      const forest = load(served(), false, isWhole);
      const pending = [];
      for (let round = 0; round < 6; round += 1) {
        const before = shown(forest);
        forest.begin();
        if (random.chance(0.5)) {
          const ids = [...forest.rows.keys()], sections = forest.sections.map(({ id }) => id);
          const operations = [round, `${round}b`].map((name) => randomOperation(random, ids, sections, name));
          const log = [];
          perform(forest, frozen(operations), log);
          pending.push({ operations, log });
        } else {
          const old = served();
          for (let steps = 1 + random.below(2); steps > 0; steps -= 1) list.step();
          for (const { log } of [...pending].reverse()) forest.rewind(log);
          forest.settle();
          assert.deepEqual(plain(allItems(forest)), plain(old), `seed ${seed}`);
          applyChanges(forest, frozen(naiveChanges(old, served())));
          if (random.chance(0.3)) pending.shift();
          for (const edit of pending) perform(forest, edit.operations, (edit.log = []));
        }
        check(before, forest, difference(forest), seed);
        const fresh = loadWith(served(), pending, isWhole);
        assert.deepEqual(plain(shown(forest)), plain(shown(fresh)), `seed ${seed}`);
        if (isWhole) assert.deepEqual(plain(shown(forest)), plain(visible(plain(allItems(fresh)))), `seed ${seed}`);
      }
    }
  });
}

test("the heaviest order is as long as the longest", () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = randomOf(seed), values = Array.from({ length: random.below(12) }, (_, i) => i).sort(() => random.next() - 0.5);
    const stays = [...heaviestOrder(values, values.map(() => 1))];
    const kept = values.filter((_, i) => stays[i]);
    assert.deepEqual(kept, [...kept].sort((a, b) => a - b));
    assert.equal(kept.length, longest(values).size);
  }
});

test("a change set that does not fit is refused", () => {
  const rows = [{ items: { deleted: [{ id: "zz", section: 0, index: 0 }] } },
    { items: { inserted: [{ section: 0, index: 9, item: { id: "n" } }] } }, { items: { inserted: [{ section: 4, index: 0, item: { id: "n" } }] } },
    { items: { reconfigured: [{ section: 0, index: 0, item: { id: "zz" } }] } }, { sections: { deleted: [{ id: "zz", index: 0 }] } },
    { items: { inserted: [{ section: 0, index: 0, item: { id: "a" } }] } }];
  for (const changes of rows) {
    const forest = load([{ id: "s", items: [{ id: "a", content: {} }] }]);
    forest.begin();
    assert.throws(() => applyChanges(forest, changes), small.Mismatch);
    replaceAll(forest, { sections: [{ id: "s", items: [{ id: "a", content: {} }, { id: "n", content: {} }] }] });
    difference(forest);
    assert.deepEqual(shown(forest)[0].items.map(({ id }) => id), ["a", "n"]);
  }
});

test("a merge patch is that of RFC 7396", () => {
  // The rows of its appendix A.
  const rows = [[{ a: "b" }, { a: "c" }, { a: "c" }], [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }], [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }], [{ a: ["b"] }, { a: "c" }, { a: "c" }], [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }], [["a", "b"], ["c", "d"], ["c", "d"]], [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null], [{ e: null }, { a: 1 }, { e: null, a: 1 }], [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }]];
  for (const [target, patch, wanted] of rows) assert.deepEqual(merged(target, patch), wanted);
});
