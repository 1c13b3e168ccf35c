// All lists of the server, and the samples that it could have.

import { ask, askAll, deliver, persist, usesTokens } from "./api.js";
import { countText, el, toast } from "./dom.js";
import { end } from "./lists.js";
import { symbol } from "./symbols.js";
import { askForToken, heldToken, holdToken } from "./token.js";

/** @typedef {{id: string, title: string, version?: string, summary?: string, counts?: any}} Entry */

/** @param {HTMLElement} app @returns {() => void} */
export function showGallery(app) {
  document.title = "Lists";
  let isShown = true;
  const grid = el("ul", { class: "cards", "aria-label": "Lists" });
  const note = el("p", { class: "note" }, "Loading…");
  const missing = el("section", { class: "missing", "aria-labelledby": "missing-title", hidden: true });
  const signing = el("span", { class: "bar-tools" });
  app.append(
    el("header", { class: "bar" }, el("span", { class: "bar-title always" }, "ListState"), signing),
    el("main", { class: "gallery" },
      el("h1", { tabindex: "-1" }, "Lists"),
      el("p", { class: "lead" }, "Each is shown live: open one in two windows, move a row, and watch the other."),
      note, grid, missing,
      el("p", { class: "lead" }, el("a", { href: "/docs" }, "How programs ask this server"))));

  const load = async () => {
    const [lists, samples] = await Promise.all([
      askAll("/v1/lists", "lists"), ask("GET", "/v1/samples").then((answer) => answer.samples),
    ]);
    if (!isShown) return;
    const { shown, absent } = arranged(lists, samples);
    note.hidden = shown.length > 0;
    note.textContent = shown.length > 0 ? "" : "There are no lists yet.";
    grid.replaceChildren(...shown.map(card));
    grid.dataset.count = String(shown.length);
    showMissing(missing, absent, refresh);
    showSigning(signing);
  };
  const refresh = () => persist(load, {
    isWanted: () => isShown,
    onFailure: (text) => {
      note.hidden = false;
      note.textContent = text;
    },
  });
  const onVisible = () => document.hidden || refresh();
  document.addEventListener("visibilitychange", onVisible);
  refresh();
  return () => {
    isShown = false;
    document.removeEventListener("visibilitychange", onVisible);
  };
}

/** A way in or out, where the server has tokens. @param {HTMLElement} place */
function showSigning(place) {
  const signOut = () => {
    end();
    holdToken("");
    askForToken();
  };
  const [text, onclick] = heldToken() ? ["Sign out", signOut] : ["Sign in", askForToken];
  place.replaceChildren(...(usesTokens ? [el("button", { class: "quiet-button", type: "button", onclick }, text)] : []));
}

/** Samples in their own order, with what they say of themselves, behind the other lists. */
function arranged(lists, samples) {
  const byId = new Map(lists.map((list) => [list.id, list]));
  const isSample = new Set(samples.map((sample) => sample.id));
  const own = lists.filter((list) => !isSample.has(list.id));
  const installed = samples.filter((sample) => byId.has(sample.id))
    .map((sample) => ({ ...sample, ...byId.get(sample.id), summary: sample.summary }));
  return { shown: [...own, ...installed], absent: samples.filter((sample) => !byId.has(sample.id)) };
}

/** @param {Entry} entry */
function card(entry) {
  const link = el("a", { class: "card", href: `#/lists/${encodeURIComponent(entry.id)}` },
    glyph(entry),
    el("span", { class: "card-title" }, entry.title || entry.id),
    entry.summary && el("span", { class: "card-summary" }, entry.summary),
    entry.counts && el("span", { class: "card-counts" }, countText(entry.counts)));
  return el("li", { "data-id": entry.id }, link);
}

const hues = [212, 248, 284, 326, 354, 22, 152, 184];

/** Initials on a colour, which are the same wherever the list is shown. */
function glyph(entry) {
  const words = (entry.title || entry.id).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const initials = words.slice(0, 2).map((word) => [...word][0].toUpperCase()).join("");
  const hash = [...entry.id].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  const element = el("span", { class: "glyph", "aria-hidden": "true" }, initials);
  element.style.setProperty("--hue", String(hues[hash % hues.length]));
  return element;
}

function showMissing(section, absent, refresh) {
  section.hidden = absent.length === 0;
  const install = (sample) => el("li", {}, el("button", {
    class: "quiet-button", type: "button",
    onclick: async () => {
      try {
        await deliver(`/v1/samples/${encodeURIComponent(sample.id)}`,
          () => toast("It is not known whether this was saved. Trying again.", { stays: true }));
        await refresh();
      } catch (error) {
        toast(error.message, { action: error.status === 401 ? { label: "Sign in", run: askForToken } : undefined });
      }
    },
  }, symbol("plus"), sample.title));
  section.replaceChildren(
    el("h2", { id: "missing-title" }, "Samples that can be added"), el("ul", { class: "chips" }, ...absent.map(install)));
}
