#!/usr/bin/env python3
"""The adapter for the client in JavaScript in Chromium: README.md says what it is asked.

It serves a page of its own, whose origin stays the same when the process is started again, so that its IndexedDB does.
"""
import http.server
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
FILES = {"/client.js": HERE.parents[1] / "Sources/CAssets/client.js", "/person.mjs": HERE / "person.mjs",
         "/page.mjs": HERE / "page.mjs"}
CHROMIUM = os.environ.get("LISTSTATE_CHROMIUM", "/usr/bin/chromium")

said = sys.argv[1]
folder = pathlib.Path(json.loads(said)["folder"]) / f"chromium-{json.loads(said)['clients'][0]['client']}"
questions = queue.Queue()


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/questions":
            return self._ask()
        if self.path == "/clients":
            return self._send("application/json", said.encode())
        if self.path in FILES:
            return self._send("text/javascript", FILES[self.path].read_bytes())
        self._send("text/html", b'<!doctype html><script type="module" src="/page.mjs"></script>')

    def _send(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _ask(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while True:
            self.wfile.write(b"data: %s\n\n" % questions.get().strip().encode())

    def do_POST(self):
        print(self.rfile.read(int(self.headers["Content-Length"])).decode(), end="", flush=True)
        self._send("text/plain", b"")

    def log_message(self, *_):
        pass


place = folder / "port"
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(place.read_text()) if place.exists() else 0), Page)
folder.mkdir(parents=True, exist_ok=True)
place.write_text(str(server.server_port))
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.Popen([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run",
                  f"--user-data-dir={folder / 'profile'}", f"http://127.0.0.1:{server.server_port}/"],
                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for line in sys.stdin:
    questions.put(line)
