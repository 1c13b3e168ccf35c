// A slow and obvious list, with random edits, and a slow and obvious difference between two of its states.

export class NaiveList {
  sections = [];
  #names = 0;

  constructor(random, sections, items) {
    this.random = random;
    for (let i = 0; i < sections; i += 1) this.sections.push({ id: `s${i}`, title: `S${i}`, items: [] });
    for (let i = 0; i < items && this.sections.length > 0; i += 1) this.insert();
  }

  get ids() {
    return this.sections.flatMap(({ items }) => items.map(({ id }) => id));
  }

  copy() {
    return structuredClone(this.sections);
  }

  /** One random edit of somebody else. */
  step() {
    const { random } = this;
    const kinds = ["insert", "insert", "delete", "move", "move", "move", "star", "expand", "content", "kind", "section"];
    this[random.pick(kinds)]();
  }

  insert() {
    const section = this.random.pick(this.sections);
    if (!section) return this.section();
    this.#place([{ id: `n${this.#names += 1}`, kind: "item", content: { v: this.random.below(9) } }], section);
  }

  /** Puts rows, the first of which is the root of the others, at a random place. */
  #place(rows, section) {
    const at = this.random.below(section.items.length + 1);
    const left = section.items[at - 1], right = section.items[at];
    // Between two rows: below the left one, or beside the right one and its ancestors that end here.
    const parents = [];
    if (left) parents.push(left.id);
    for (let row = left; row; row = this.row(row.parent)) parents.push(row.parent);
    if (!left) parents.push(undefined);
    const allowed = right ? parents.slice(0, parents.indexOf(right.parent) + 1) : parents;
    const parent = this.random.pick(allowed);
    const { parent: _, ...root } = rows[0];
    section.items.splice(at, 0, parent === undefined ? root : { ...root, parent }, ...rows.slice(1));
  }

  row(id) {
    return this.sections.flatMap(({ items }) => items).find((item) => item.id === id);
  }

  #takeSubtree() {
    const section = this.random.pick(this.sections.filter(({ items }) => items.length > 0));
    if (!section) return [];
    const at = this.random.below(section.items.length), ids = new Set([section.items[at].id]);
    let end = at + 1;
    while (end < section.items.length && ids.has(section.items[end].parent)) ids.add(section.items[end++].id);
    return section.items.splice(at, end - at);
  }

  delete() {
    this.#takeSubtree();
  }

  move() {
    const rows = this.#takeSubtree();
    if (rows.length > 0) this.#place(rows, this.random.pick(this.sections));
  }

  #change(make) {
    const section = this.random.pick(this.sections.filter(({ items }) => items.length > 0));
    if (!section) return;
    const at = this.random.below(section.items.length);
    section.items[at] = make({ ...section.items[at] });
  }

  star() {
    this.#change(({ starred, ...item }) => starred ? item : { ...item, starred: true });
  }

  expand() {
    this.#change(({ expanded, ...item }) => expanded ? item : { ...item, expanded: true });
  }

  content() {
    this.#change((item) => ({ ...item, content: { v: this.random.below(9) } }));
  }

  kind() {
    this.#change((item) => ({ ...item, kind: this.random.pick(["item", "other"]) }));
  }

  section() {
    const { random, sections } = this;
    const kind = random.pick(["add", "remove", "move", "title"]);
    if (kind === "add" && sections.length < 5) {
      sections.splice(random.below(sections.length + 1), 0, { id: `s${random.below(12)}x${this.#names += 1}`, items: [] });
    } else if (kind === "remove" && sections.length > 1) sections.splice(random.below(sections.length), 1);
    else if (kind === "move" && sections.length > 1) {
      const [section] = sections.splice(random.below(sections.length), 1);
      sections.splice(random.below(sections.length + 1), 0, section);
    } else if (sections.length > 0) {
      const at = random.below(sections.length);
      sections[at] = { ...sections[at], title: `T${random.below(5)}` };
    }
  }
}

/** What a view shows: rows whose ancestors are all expanded, with level and number of children. */
export function visible(sections) {
  return sections.map(({ items, ...section }) => {
    const levels = new Map(), kids = new Map(), shown = new Set();
    for (const { parent } of items) if (parent !== undefined) kids.set(parent, (kids.get(parent) ?? 0) + 1);
    const rows = new Map(items.map((item) => [item.id, item]));
    const result = [];
    for (const item of items) {
      levels.set(item.id, item.parent === undefined ? 0 : levels.get(item.parent) + 1);
      if (item.parent !== undefined && !(shown.has(item.parent) && rows.get(item.parent).expanded)) continue;
      shown.add(item.id);
      const childCount = kids.has(item.id) ? { childCount: kids.get(item.id) } : {};
      result.push({ ...item, level: levels.get(item.id), ...childCount });
    }
    return { ...section, items: result };
  });
}

/** The most elements that are in ascending order, in quadratic time. */
export function longest(values) {
  const best = values.map(() => ({ length: 1, before: -1 }));
  values.forEach((value, i) => {
    for (let j = 0; j < i; j += 1) {
      if (values[j] < value && best[j].length >= best[i].length) best[i] = { length: best[j].length + 1, before: j };
    }
  });
  const kept = new Set();
  let at = best.reduce((most, { length }, i) => (most < 0 || length > best[most].length ? i : most), -1);
  for (; at >= 0; at = best[at].before) kept.add(at);
  return kept;
}

/** A change set between two states, as docs/contract.md section 5 says. */
export function naiveChanges(old, now) {
  const places = (sections) => new Map(sections.flatMap(({ id, items }, section) =>
    items.map((item, index) => [item.id, { id: item.id, section, index, in: id, item }])));
  const oldAt = new Map(old.map(({ id }, index) => [id, index])), newAt = new Map(now.map(({ id }, index) => [id, index]));
  const before = places(old), after = places(now);
  const items = { deleted: [], inserted: [], moved: [], reconfigured: [], reloaded: [] };
  const sections = { deleted: [], inserted: [], moved: [], reconfigured: [] };
  const kept = now.filter(({ id }) => oldAt.has(id));
  const stay = longest(kept.map(({ id }) => oldAt.get(id)));
  kept.forEach(({ id }, i) => stay.has(i) || sections.moved.push({ id, from: oldAt.get(id), to: newAt.get(id) }));
  old.forEach(({ id }, index) => newAt.has(id) || sections.deleted.unshift({ id, index }));
  now.forEach((section, index) => oldAt.has(section.id) || sections.inserted.push({ index, section }));
  for (const { id } of kept) {
    const { items: _, ...values } = now[newAt.get(id)], { items: __, ...oldValues } = old[oldAt.get(id)];
    if (JSON.stringify(values) !== JSON.stringify(oldValues)) sections.reconfigured.push({ index: newAt.get(id), section: values });
  }
  const stays = new Set();
  for (const section of kept) {
    const common = section.items.filter(({ id }) => before.get(id)?.in === section.id);
    longest(common.map(({ id }) => before.get(id).index)).forEach((i) => stays.add(common[i].id));
  }
  for (const { id, section, index, in: home } of before.values()) {
    const place = after.get(id);
    if (newAt.has(home) && (!place || !oldAt.has(place.in))) items.deleted.push({ id, section, index });
  }
  for (const { id, section, index, in: home, item } of after.values()) {
    if (!oldAt.has(home)) continue;
    const place = before.get(id);
    if (!place || !newAt.has(place.in)) {
      items.inserted.push({ section, index, item });
      continue;
    }
    if (!stays.has(id)) {
      items.moved.push({ id, from: { section: place.section, index: place.index }, to: { section, index } });
    }
    if (JSON.stringify(place.item) !== JSON.stringify(item)) {
      items[place.item.kind === item.kind ? "reconfigured" : "reloaded"].push({ section, index, item });
    }
  }
  items.deleted.sort((a, b) => b.section - a.section || b.index - a.index);
  const filled = (part) => Object.fromEntries(Object.entries(part).filter(([, entries]) => entries.length > 0));
  return { sections: filled(sections), items: filled(items) };
}
