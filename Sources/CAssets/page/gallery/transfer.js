// Lists to files and back, with a bar that says how far it is. All of it can be stopped.

import { openDialog } from "../base/dialog.js";
import { el, toast } from "../base/dom.js";
import { hashOf } from "../base/routes.js";
import { Refused, Stopped, Unreachable, deliver, noteUnknown, parsed, pathOf, withSignIn } from "../server/api.js";
import { refreshLists } from "../server/catalogue.js";
import { Intent, doubtText } from "../server/intent.js";
import { authorization, heldToken } from "../server/token.js";

/** Answers as `ask` does, and says which part of the body has gone. @param {(part: number) => void} onProgress */
function uploading(onProgress) {
  return (method, path, { key, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    // Only this tells how much of a body has gone.
    const request = new XMLHttpRequest();
    const token = heldToken();
    request.open(method, path);
    const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": key, ...authorization(token) };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
    request.onerror = () => reject(new Unreachable());
    request.onabort = () => reject(new Stopped());
    request.onload = () => {
      const { status } = request, answer = parsed(request.responseText);
      if (status === 401) noteUnknown(method, token);
      if (status >= 200 && status < 300) resolve(answer);
      else reject(new Refused(status, answer));
    };
    signal?.addEventListener("abort", () => request.abort());
    if (signal?.aborted) reject(new Stopped());
    else request.send(JSON.stringify(body));
    return promise;
  };
}

/**
 * Sends a long body until it is known what became of it.
 * @param {string} method @param {string} path @param {{body: any, key: string}} write
 * @param {Partial<import("../base/dialog.js").Work>} work Hears of it, and may stop it.
 * @returns {Promise<any>} The JSON of the answer.
 */
export function upload(method, path, write, { signal, say = () => {}, onProgress = () => {} }) {
  return deliver(path, () => say(doubtText), { method, signal, send: uploading(onProgress), ...write });
}

/**
 * Reads a whole list, however long it takes.
 * @param {string} list @param {AbortSignal | undefined} signal @param {(bytes: number, all: number) => void} onCount 0 if nobody knows of how many.
 * @returns {Promise<{bytes: Blob, count: number}>}
 */
export function receive(list, signal, onCount) {
  return withSignIn(async () => {
    const token = heldToken();
    try {
      const response = await fetch(pathOf(list), { headers: { Accept: "application/json", ...authorization(token) }, signal });
      if (response.status === 401) noteUnknown("GET", token);
      if (!response.ok) throw new Refused(response.status, parsed(await response.text()));
      const { headers } = response;
      const all = headers.get("Content-Encoding") ? 0 : Number(headers.get("Content-Length") ?? 0);
      const chunks = [];
      let count = 0;
      for (const reader = response.body.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) return { bytes: new Blob(chunks, { type: "application/json" }), count };
        chunks.push(value);
        count += value.length;
        onCount(count, all);
      }
    } catch (error) {
      if (signal?.aborted) throw new Stopped();
      throw error instanceof Refused ? error : new Unreachable();
    }
  });
}

/** Reads a list from a file: what `GET /v1/lists/ID` answers, or the same without what the server adds. @param {File} [file] */
export async function readFile(file) {
  if (!file) throw new Error("Choose a file.");
  let list;
  try {
    list = JSON.parse(await file.text());
  } catch (error) {
    throw new Error(`${file.name} is not a file of JSON: ${error.message}`);
  }
  if (list === null || typeof list !== "object" || Array.isArray(list)) throw new Error(`${file.name} holds no list. Choose a file that was exported here.`);
  const { title = file.name.replace(/\.json$/i, ""), layout, sections } = list;
  return { title, layout, sections };
}

/** Lets a person keep a list as a file. @param {import("../server/catalogue.js").Entry} entry */
export async function exportList(entry) {
  const name = entry.title || entry.id;
  const bar = el("progress", { max: "1", "aria-label": "Received" });
  const note = el("p", { class: "dialog-line", role: "status" }, "Waiting for the server…");
  const ended = new AbortController();
  const dialog = openDialog(`Export ${name}`, [note, bar], { cancel: "Stop" });
  dialog.element.addEventListener("close", () => ended.abort());
  try {
    const { bytes, count } = await receive(entry.id, ended.signal, (received, all) => {
      if (all) bar.value = received / all;
      note.textContent = all ? `${size(received)} of ${size(all)} received` : `${size(received)} received`;
    });
    save(`${entry.id}.json`, bytes);
    dialog.close();
    toast(`${name}: ${size(count)} saved as ${entry.id}.json.`);
  } catch (error) {
    bar.hidden = true;
    note.textContent = "Nothing was saved.";
    dialog.cancel.textContent = "Close";
    if (error instanceof Stopped) toast(`The export of ${name} was stopped. Nothing was saved.`);
    else dialog.complain(error.message);
  }
}

/** Puts the list of a file in the place of one that is there; its history has both. @param {import("../server/catalogue.js").Entry} entry */
export function replaceFromFile(entry) {
  const file = el("input", { type: "file", id: "replace-file", accept: ".json,application/json", required: true });
  const intent = new Intent();
  openDialog(`Replace ${entry.title || entry.id}`, [
    el("label", { for: "replace-file" }, "The list becomes what the file holds. Its history keeps what it was."), file,
  ], { action: "Replace", intent, onSubmit: async (work) => {
    try {
      const make = async () => ({ ...await readFile(file.files?.[0]), label: "Replace from a file" });
      await intent.send(make, (write) => upload("PUT", pathOf(entry.id), write, work));
      location.hash = hashOf(entry.id);
      await refreshLists();
      return "";
    } catch (error) {
      return error.message;
    }
  } });
  file.focus();
}

function save(name, blob) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function size(bytes) {
  return bytes < 1_024 ? `${bytes} bytes` : bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(0)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
