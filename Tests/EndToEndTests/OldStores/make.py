#!/usr/bin/env python3
"""Makes the store of a release: asks its server to write lists, and keeps the folder and what it answered.

    make.py SERVER FOLDER

FOLDER gets the files of the store, and `answers.json`: requests with the answers that a later release has to give. The
server is stopped by a signal, as for an upgrade. With `--history-versions-max 8` the store has snapshots and removed
entries as well.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

START = {"title": "Groceries", "sections": [
    {"id": "fruit", "title": "Fruit", "items": [{"id": "pear", "content": {"text": "Birne, 梨, 🍐"}}, "plum"]},
    {"id": "tools", "items": [{"id": "box", "expanded": True}, {"id": "saw", "parent": "box"}]}]}
WRITES = [
    ("POST", "/v1/lists/groceries/items/pear/star", None),
    ("POST", "/v1/lists/groceries/items", {"items": [{"id": "fig", "content": {"n": 1.50}}], "section": "fruit"}),
    ("POST", "/v1/lists/groceries/transactions", {"label": "Move", "operations": [
        {"op": "moveItem", "item": "pear", "after": "fig"}, {"op": "deleteItems", "items": ["saw"]}]}),
    ("POST", "/v1/lists/groceries/transactions", {"operations": [
        {"op": "updateItem", "item": "plum", "content": {"text": "x" * 300}}, {"op": "collapseItems", "items": ["box"]}]}),
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
    def done(*request, key=None):
        status, head, text = ask(port, *request, key=key)
        if status >= 300:
            sys.exit(f"{request[:2]}: {status} {text}")
        return status, head, text

    first = done("PUT", "/v1/lists/groceries", START)[1]["List-Version"]
    done("PUT", "/v1/lists/long", {"sections": [{"id": "all", "items": [f"item-{n}" for n in range(60)]}]})
    for number in range(20):
        done("POST", "/v1/lists/long/items/item-0/star", {"starred": number % 2 == 0})
    done("PUT", "/v1/lists/gone", START)
    done("POST", "/v1/lists/gone/items/pear/star", None)
    done("DELETE", "/v1/lists/gone")
    retries = []
    for number, (method, path, body) in enumerate(WRITES):
        status, _, text = done(method, path, body, key=f"key-{number}")
        retries.append({"method": method, "path": path, "body": None if body is None else json.dumps(body),
                        "key": f"key-{number}", "status": status, "version": json.loads(text)["version"]})
    last = retries[-1]["version"]
    status, head, text = ask(port, "POST", "/v1/lists/groceries/transactions", {"operations": [
        {"op": "starItems", "items": ["fig"]}]})
    undone = json.loads(text)["version"]
    head = done("POST", "/v1/lists/groceries/undo", {"transaction": undone})[1]["List-Version"]
    status, head, _ = ask(port, "POST", "/v1/changes", {"lists": [{"list": "groceries"}]})
    return first, last, retries


def subscription(port):
    """The address of a kept stream; nothing for releases that keep none."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/changes", json.dumps({"lists": [{"list": "groceries"}]}).encode(),
        {"Content-Type": "application/json", "Prefer": "respond-async"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.headers["Location"]
    except urllib.error.HTTPError:
        return None
