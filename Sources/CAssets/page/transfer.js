// Lists to files and back, with a bar that says how far it is.

import { Refused, Unreachable, makeKey, pathOf } from "./api.js";
import { refreshLists } from "./catalogue.js";
import { openDialog } from "./dialog.js";
import { el, toast } from "./dom.js";
import { hashOf } from "./routes.js";
import { authorization } from "./token.js";

/**
 * Sends a body and says which part of it has gone.
 * @param {string} method @param {string} path @param {any} body @param {(part: number) => void} onProgress
 * @returns {Promise<any>} The JSON of the answer.
 */
export function upload(method, path, body, onProgress) {
  const { promise, resolve, reject } = Promise.withResolvers();
  // Only this tells how much of a body has gone.
  const request = new XMLHttpRequest();
  request.open(method, path);
  request.setRequestHeader("Content-Type", "application/json");
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Idempotency-Key", makeKey());
  for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
  request.onerror = () => reject(new Unreachable());
  request.onload = () => {
    const answer = parsed(request.responseText);
    if (request.status >= 200 && request.status < 300) resolve(answer);
    else reject(new Refused(request.status, answer));
  };
  request.send(JSON.stringify(body));
  return promise;
}

/** Reads a list from a file: what `GET /v1/lists/ID` answers, or the same without what the server adds. @param {File} [file] */
export async function readFile(file) {
  if (!file) throw new Error("Choose a file.");
  let list;
  try {
    list = JSON.parse(await file.text());
  } catch (error) {
    throw new Error(`${file.name} is no JSON: ${error.message}`);
  }
  if (list === null || typeof list !== "object" || Array.isArray(list)) throw new Error(`${file.name} holds no list.`);
  const { title = file.name.replace(/\.json$/i, ""), layout, sections } = list;
  return { title, layout, sections };
}

/** Lets a person keep a list as a file. @param {import("./catalogue.js").Entry} entry */
export async function exportList(entry) {
  const name = entry.title || entry.id;
  const bar = el("progress", { "aria-label": "Received" });
  const note = el("p", { class: "dialog-line" }, "Waiting for the server…");
  const ended = new AbortController();
  const dialog = openDialog(`Export ${name}`, [note, bar], {});
  dialog.element.addEventListener("close", () => ended.abort());
  try {
    const response = await fetch(pathOf(entry.id), { headers: { Accept: "application/json", ...authorization() }, signal: ended.signal });
    if (!response.ok) throw new Refused(response.status, parsed(await response.text()));
    const chunks = [];
    let count = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      count += value.length;
      note.textContent = `${size(count)} received`;
    }
    save(`${entry.id}.json`, new Blob(chunks, { type: "application/json" }));
    dialog.close();
    toast(`${name}: ${size(count)} saved as ${entry.id}.json.`);
  } catch (error) {
    if (!ended.signal.aborted) dialog.complain(error instanceof TypeError ? new Unreachable().message : error.message);
  }
}

/** Puts the list of a file in the place of one that is there; its history has both. @param {import("./catalogue.js").Entry} entry */
export function replaceFromFile(entry) {
  const file = el("input", { type: "file", id: "replace-file", accept: ".json,application/json", required: true });
  const progress = el("progress", { max: "1", value: "0", "aria-label": "Sent", hidden: true });
  openDialog(`Replace ${entry.title || entry.id}`, [
    el("label", { for: "replace-file" }, "The list becomes what the file holds. Its history keeps what it was."), file, progress,
  ], { action: "Replace", onSubmit: async () => {
    try {
      const list = await readFile(file.files?.[0]);
      progress.hidden = false;
      await upload("PUT", pathOf(entry.id), { ...list, label: "Replace from a file" }, (part) => (progress.value = part));
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
  return bytes < 1_024 ? `${bytes} bytes` : bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(0)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function parsed(text) {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
