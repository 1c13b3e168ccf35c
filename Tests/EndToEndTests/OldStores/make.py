#!/usr/bin/env python3
"""Makes the store of a release: asks its server to write lists, and keeps the folder and what it answered.

    make.py SERVER FOLDER

FOLDER gets the files of the store, and `answers.json`: requests with the answers that a later release has to give. The
server is stopped by a signal, as for an upgrade. With `--history-versions-max 8` the store has snapshots and removed
entries as well.
"""
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

START = {"title": "Groceries", "sections": [
    {"id": "fruit", "title": "Fruit", "items": [{"id": "pear", "content": {"text": "Birne, 梨, 🍐"}}, {"id": "plum"}]},
    {"id": "tools", "items": [{"id": "box", "expanded": True}, {"id": "saw", "parent": "box"}]}]}
WRITES = [
    ("POST", "/v1/lists/groceries/items/pear/star", None),
    ("POST", "/v1/lists/groceries/items", {"items": [{"id": "fig", "content": {"n": 1.50}}], "section": "fruit"}),
    ("POST", "/v1/lists/groceries/transactions", {"label": "Move", "operations": [
        {"op": "moveItem", "item": "pear", "after": "fig"}, {"op": "deleteItems", "items": ["saw"]}]}),
    ("POST", "/v1/lists/groceries/transactions", {"operations": [
        {"op": "updateItem", "item": "plum", "content": {"text": "x" * 300}},
        {"op": "collapseItems", "items": ["box"]}]}),
]


def ask(port, method, path, body=None, key=None):
    headers = {"Content-Type": "application/json"} if body is not None else {}
    headers |= {"Idempotency-Key": key} if key else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read().decode()


def write(port):
    """Writes everything. Returns what a later release has to answer."""
    def done(method, path, body=None, key=None):
        status, head, text = ask(port, method, path, body, key)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {text}")
        return head, json.loads(text) if text else None

    first = done("PUT", "/v1/lists/groceries", START)[0]["List-Version"]
    done("PUT", "/v1/lists/long", {"sections": [{"id": "all", "items": [{"id": f"item-{n}"} for n in range(60)]}]})
    for number in range(20):
        done("POST", "/v1/lists/long/transactions", {"operations": [
            {"op": "unstarItems" if number % 2 else "starItems", "items": ["item-0"]}]})
    done("PUT", "/v1/lists/gone", START)
    gone = done("POST", "/v1/lists/gone/items/pear/star")[1]["version"]
    done("DELETE", "/v1/lists/gone")
    retries = []
    for number, (method, path, body) in enumerate(WRITES):
        version = done(method, path, body, key=f"key-{number}")[1]["version"]
        retries.append({"method": method, "path": path, "body": json.dumps(body) if body else "",
                        "key": f"key-{number}", "version": version})
    undone = done("POST", "/v1/lists/groceries/transactions", {"operations": [{"op": "starItems", "items": ["fig"]}]})
    done("POST", "/v1/lists/groceries/undo", {"transaction": undone[1]["version"]})
    groceries = "/v1/lists/groceries"
    paths = [groceries, "/v1/lists/long", f"{groceries}?at={retries[0]['version']}",
             f"{groceries}/changes?since={first}", f"{groceries}/changes?since={retries[1]['version']}",
             f"{groceries}/changes?since={retries[0]['version']}&view=visible"]
    reads = [{"path": path, "answer": done("GET", path)[1]} for path in paths]
    transactions = done("GET", f"{groceries}/transactions")[1]["transactions"]
    return {"reads": reads, "retries": retries, "gone": gone,
            "transactions": [entry["version"] for entry in transactions],
            "undoable": retries[-1]["version"], "stream": stream(port)}


def stream(port):
    """The address of a kept stream; empty for a server that keeps none."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/changes", json.dumps({"lists": [{"list": "groceries"}]}).encode(),
        {"Content-Type": "application/json", "Prefer": "respond-async"}, method="POST")
    with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=30) as answer:
        return answer.headers["Location"] or ""
    return ""


def forget_files(mark):
    """Leaves the first two numbers of an acknowledged mark: how far the log and the receipts had come.

    The others name files by their inodes. They would make each check-out a copy that was put back, whose lists go on in
    new epochs. Releases before those numbers wrote such marks.
    """
    numbers = mark.read_text().split()[:2]
    checksum = 0xFFFF_FFFF
    for byte in b"".join(int(number).to_bytes(8, "little") for number in numbers):
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0x82F6_3B78 if checksum & 1 else 0)
    mark.write_text(f"{' '.join(numbers)} {checksum ^ 0xFFFF_FFFF:08x}\n")


def main():
    server, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    command = [server, "serve", "--port", "0", "--data", folder, "--history-versions-max", "8"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    port = re.search(r":(\d+)", process.stdout.readline().split("//")[1])[1]
    try:
        answers = write(port)
    finally:
        process.terminate()
        process.wait()
    # It names a process that has ended.
    (folder / "lock").unlink()
    forget_files(folder / "acknowledged")
    (folder / "answers.json").write_text(json.dumps(answers, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
