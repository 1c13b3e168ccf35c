// Layouts as data become CSS. A group is resolved to the places of its items in points, and those to the tracks of a
// grid: rules for `:nth-child` put every k-th row into its track, so that rows stay plain siblings whatever moves.

/**
 * @typedef {{width: number, height: number}} Size
 * @typedef {{action: string, name?: string, title?: string, symbol?: string, color?: string, whenStarred?: any}} SwipeAction
 * @typedef {{x: number, y: number, width: number, height: number, isEstimated: boolean, insets: any, badges: any[]}} Slot
 * @typedef {{kind: "list" | "grid" | "orthogonal", name: string, appearance: string, headerMode: string,
 *   footerMode: string, insets: {top: number, leading: number, bottom: number, trailing: number}, badges: any[],
 *   supplementaries: any[], decorations: any[], cells: Object<string, any>, swipes: {leading: SwipeAction[],
 *   trailing: SwipeAction[]}, period: number, stride: number, tracks: number, isFixed: boolean, lead: number,
 *   pageWidth: number}} Resolved
 *
 * `period` is how many rows a line has, `stride` how far lines are from each other, `tracks` of how many tracks of a grid
 * one is made, `isFixed` whether that is so of each line. `lead` is what stands before the first group of a row that
 * scrolls, `pageWidth` how far one page of it is from the next; 0 if it has no pages.
 */

/** What a row of a list is taken for before one has been measured. */
const rowHeight = 46;
/** Of the text of a cell, and above and below it together. */
const lineHeight = 23, cellPadding = 8;

/** For lists that say nothing. */
const plainLayout = { kind: "list", appearance: "insetGrouped", headerMode: "supplementary", footerMode: "supplementary" };

const defaultGroups = {
  grid: {
    direction: "horizontal", width: { fractionalWidth: 1 }, height: { estimated: 44 },
    item: { width: { fractionalWidth: 1 }, height: { estimated: 44 } },
  },
  orthogonal: {
    direction: "horizontal", width: { absolute: 140 }, height: { absolute: 96 },
    item: { width: { fractionalWidth: 1 }, height: { fractionalHeight: 1 }, insets: { top: 4, leading: 4, bottom: 4, trailing: 4 } },
  },
};

/** The actions of a swipe, the outermost first. @param {any[]} actions @returns {SwipeAction[]} */
function actionsOf(actions = []) {
  return actions.map((one) => (typeof one === "string" ? { action: one } : one));
}

/**
 * @param {any} layout Of the section, else of the list, if there is one.
 * @param {Size} container
 * @param {boolean} isEmpty Whether the section has no rows.
 * @returns {Resolved}
 */
export function resolve(layout, container, isEmpty) {
  const given = layout ?? plainLayout;
  const isFlat = given.kind === "orthogonal" && given.behavior === "none";
  const kind = isFlat ? "grid" : given.kind;
  const insets = { top: 0, leading: 0, bottom: 0, trailing: 0, ...given.insets };
  const resolved = {
    kind, insets, name: "", appearance: given.appearance ?? "plain", headerMode: given.headerMode ?? "none",
    footerMode: given.footerMode ?? "none", badges: [], supplementaries: given.supplementaries ?? [],
    decorations: given.decorations ?? [], cells: given.cells ?? {},
    swipes: { leading: actionsOf(given.leadingSwipe), trailing: actionsOf(given.trailingSwipe) },
    period: 1, stride: rowHeight, tracks: 1, isFixed: false, lead: 0, pageWidth: 0,
  };
  if (kind === "list") return resolved;
  const holds = ({ when }) => (when.sectionEmpty ? isEmpty : container.width > when.widthAbove);
  const group = given.variants?.find(holds)?.group ?? given.group ?? defaultGroups[kind];
  const size = { width: container.width - insets.leading - insets.trailing, height: container.height };
  const places = slots(group, { x: 0, y: 0, ...groupSize(group, size, size) }, size);
  resolved.badges = places.find((slot) => slot.badges.length > 0)?.badges ?? [];
  const across = kind === "orthogonal";
  const whole = groupSize(group, size, size);
  const spacing = given.interGroupSpacing ?? 0;
  resolved.period = places.length;
  resolved.stride = Math.max(1, (across ? whole.width : whole.height) + spacing);
  resolved.isFixed = across || !places.some((slot) => slot.isEstimated);
  resolved.tracks = rowEdges(places, whole).length - 1;
  const behavior = across ? behaviorOf(given) : "";
  const rest = behavior === "groupPagingCentered" ? rounded(Math.max(0, (size.width - whole.width) / 2)) : 0;
  if (across) resolved.lead = insets.leading + rest;
  if (behavior === "paging") resolved.pageWidth = container.width;
  resolved.name = classOf(
    across ? columnRules(places, whole, spacing, behavior, rest) : rowRules(places, whole, spacing));
  return resolved;
}

const behaviorOf = (layout) => layout.behavior ?? "continuous";

/** Points. `fractionalWidth` is of the width, also as a height. */
function length(dimension, size) {
  if ("absolute" in dimension) return dimension.absolute;
  if ("estimated" in dimension) return dimension.estimated;
  if ("fractionalWidth" in dimension) return dimension.fractionalWidth * size.width;
  return dimension.fractionalHeight * size.height;
}

function groupSize(group, size) {
  return { width: length(group.width, size), height: length(group.height, size) };
}

const isEstimated = (dimension) => dimension !== undefined && "estimated" in dimension;

/** The places of the items of a group, in its order. @returns {Slot[]} */
function slots(group, box) {
  const insets = { top: 0, leading: 0, bottom: 0, trailing: 0, ...group.insets };
  const inner = {
    x: box.x + insets.leading, y: box.y + insets.top,
    width: Math.max(0, box.width - insets.leading - insets.trailing),
    height: Math.max(0, box.height - insets.top - insets.bottom),
  };
  const across = group.direction === "horizontal";
  const total = across ? inner.width : inner.height;
  const gap = group.interItem?.fixed ?? group.interItem?.flexible ?? 0;
  const { members, lengths } = shares(group, inner, total, gap);
  const used = lengths.reduce((sum, one) => sum + one, 0) + gap * (lengths.length - 1);
  const isFlexible = group.interItem && "flexible" in group.interItem && lengths.length > 1;
  const spacing = gap + (isFlexible ? Math.max(0, total - used) / (lengths.length - 1) : 0);
  let offset = 0;
  return members.flatMap((member, index) => {
    const own = groupSize(member, inner);
    const place = across
      ? { x: inner.x + offset, y: inner.y, width: lengths[index], height: own.height }
      : { x: inner.x, y: inner.y + offset, width: own.width, height: lengths[index] };
    offset += lengths[index] + spacing;
    if (member.direction) return slots(member, place);
    const estimated = isEstimated(member.height) || isEstimated(group.height);
    return [{ ...place, isEstimated: estimated, insets: member.insets ?? {}, badges: member.badges ?? [] }];
  });
}

/** The members of a group with their lengths along it. */
function shares(group, inner, total, gap) {
  if (group.items) {
    const lengths = group.items.map((item) => length(group.direction === "horizontal" ? item.width : item.height, inner));
    return { members: group.items, lengths };
  }
  const own = length(group.direction === "horizontal" ? group.item.width : group.item.height, inner);
  // A little more than fits, for fractions such as a third do not add up.
  const fitting = own > 0 ? Math.floor((total + gap) / (own + gap) + 0.001) : 1;
  const count = group.count ?? Math.min(Math.max(1, fitting), 100);
  const share = group.count ? Math.max(0, (total - gap * (count - 1)) / count) : Math.min(own, total);
  return { members: Array(count).fill(group.item), lengths: Array(count).fill(share) };
}

// MARK: Tracks

const rounded = (value) => Math.round(value * 100) / 100;

/** The edges at which places begin, and the end of all. */
function edges(starts, end) {
  const sorted = [...new Set([...starts, end].map(rounded))].sort((a, b) => a - b);
  // What differs by less than a pixel's half is one edge.
  return sorted.filter((edge, index) => index === 0 || edge - sorted[index - 1] > 0.5);
}

const indexOfEdge = (all, edge) => {
  const index = all.findIndex((one) => one > edge + 0.5);
  return index < 0 ? all.length - 1 : index - 1;
};

/** The first edge at or behind `end`. */
const spanEnd = (all, end) => {
  const index = all.findIndex((one) => one >= end - 0.5);
  return index < 0 ? all.length - 1 : index;
};

const tracks = (all, isFlexible) => all.slice(1).map((edge, index) => {
  const size = rounded(edge - all[index]);
  return isFlexible(index) ? `minmax(${size}px, auto)` : `${size}px`;
}).join(" ");

const rowEdges = (places, whole) => edges([0, ...places.map((slot) => slot.y)], whole.height);

/** Groups below each other. @param {Slot[]} places @param {Size} whole @param {number} spacing */
function rowRules(places, whole, spacing) {
  const columns = edges([0, ...places.flatMap((slot) => [slot.x, slot.x + slot.width])], whole.width);
  const ends = rowEdges(places, whole);
  const isFlexible = places.some((slot) => slot.isEstimated);
  ends[ends.length - 1] += spacing;
  const rules = [
    `& { display: grid; grid-template-columns: ${tracks(columns, () => false)}; `
    + `grid-auto-rows: ${tracks(ends, () => isFlexible)}; grid-auto-flow: row dense; }`,
  ];
  places.forEach((slot, index) => {
    const column = indexOfEdge(columns, slot.x);
    const row = indexOfEdge(ends, slot.y);
    const bottom = spanEnd(ends, slot.y + slot.height);
    const rest = isFlexible ? (bottom === ends.length - 1 ? spacing : 0) : ends[bottom] - slot.y - slot.height;
    rules.push(nth(places.length, index,
      `grid-column: ${column + 1} / ${spanEnd(columns, slot.x + slot.width) + 1}; `
      + `grid-row: span ${Math.max(1, bottom - row)}; ${margins(slot.insets, { bottom: Math.max(0, rest) })} ${lineLimit(slot)}`));
  });
  // The spacing is between groups, so there is none behind the last one.
  if (spacing > 0) rules.push(`& { margin-bottom: ${-spacing}px; }`);
  return rules;
}

/** Groups beside each other, in a row that scrolls; the first and the last one come to rest in the middle, too. */
function columnRules(places, whole, spacing, behavior, rest) {
  const rows = edges([0, ...places.flatMap((slot) => [slot.y, slot.y + slot.height])], whole.height);
  const ends = edges([0, ...places.map((slot) => slot.x)], whole.width);
  ends[ends.length - 1] += spacing;
  const rules = [
    `& { display: grid; grid-template-rows: ${tracks(rows, () => places.some((slot) => slot.isEstimated))}; `
    + `grid-auto-columns: ${tracks(ends, () => false)}; grid-auto-flow: column dense; --rest: ${rest}px; ${snapType(behavior)} }`,
  ];
  places.forEach((slot, index) => {
    const column = indexOfEdge(ends, slot.x);
    const right = spanEnd(ends, slot.x + slot.width);
    const rest = Math.max(0, ends[right] - slot.x - slot.width);
    const snap = index === 0 ? snapAlign(behavior, slot.insets.leading ?? 0) : "";
    rules.push(nth(places.length, index,
      `grid-row: ${indexOfEdge(rows, slot.y) + 1} / ${spanEnd(rows, slot.y + slot.height) + 1}; `
      + `grid-column: span ${Math.max(1, right - column)}; ${margins(slot.insets, { trailing: rest })} ${snap} ${lineLimit(slot)}`));
  });
  return rules;
}

function nth(period, index, declarations) {
  return `& > :nth-child(${period}n + ${index + 1}) { ${declarations} }`;
}

function margins({ top = 0, leading = 0, bottom = 0, trailing = 0 }, extra) {
  const [end, below] = [trailing + (extra.trailing ?? 0), bottom + (extra.bottom ?? 0)].map(rounded);
  return `margin-block: ${top}px ${below}px; margin-inline: ${leading}px ${end}px;`;
}

/** How many lines of text a cell of a fixed height has room for. @param {Slot} slot */
function lineLimit({ height, isEstimated, insets: { top = 0, bottom = 0 } }) {
  if (isEstimated) return "";
  const lines = Math.max(1, Math.floor((height - top - bottom - cellPadding) / lineHeight));
  // One line is filled to its end; of several each ends with a word.
  return `--lines: ${lines}; --break: ${lines === 1 ? "break-all" : "normal"};`;
}

function snapType(behavior) {
  if (behavior === "continuous") return "";
  return `scroll-snap-type: x ${behavior === "continuousGroupLeadingBoundary" ? "proximity" : "mandatory"};`;
}

/** The group is what comes to rest at the edge, so its first item with its inset. Pages are what stops.js makes. */
function snapAlign(behavior, inset) {
  const margin = `scroll-margin-inline-start: ${inset}px;`;
  const stop = "scroll-snap-align: start; scroll-snap-stop: always;";
  switch (behavior) {
    case "continuous": case "paging": return "";
    case "continuousGroupLeadingBoundary": return `scroll-snap-align: start; ${margin}`;
    default: return `${stop} ${margin}`;
  }
}

// MARK: The style sheet

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets.push(sheet);
/** @type {Map<string, string>} */
const names = new Map();

/** A class with these rules, in which `&` stands for it; the same for the same rules. */
function classOf(rules) {
  const key = rules.join("\n");
  const known = names.get(key);
  if (known) return known;
  const name = `layout-${names.size}`;
  for (const rule of rules) sheet.insertRule(rule.replaceAll("&", `.${name}`), sheet.cssRules.length);
  names.set(key, name);
  return name;
}
