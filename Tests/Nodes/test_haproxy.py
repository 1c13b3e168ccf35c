"""HAProxy with the configuration that docker/haproxy.cfg has, before three small servers of this machine."""
import http.client
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from node import free_port

CONFIGURATION = pathlib.Path(__file__).parents[2] / "docker/haproxy.cfg"
PROGRAM = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
SECONDS = 20
"""In which something must have happened."""
CHECKS = 4
"""The questions after which HAProxy surely goes by the answers: `fall 2` of them, and one that was on its way."""
LISTS = [f"/v1/lists/list-{number}/items" for number in range(30)]


class Server:
    """Says its name to every request, and whether it is ready."""

    def __init__(self, name):
        self.is_ready, self.checks = True, 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                is_check = self.path in ("/readyz", "/healthz")
                server.checks += self.path == "/readyz"
                self.send_response(503 if self.path == "/readyz" and not server.is_ready else 200)
                # HAProxy may close the connection of a check once it has the status.
                text = b"" if is_check else name.encode()
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if text:
                    self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


@unittest.skipUnless(PROGRAM, "there is no haproxy (Debian: apt-get install haproxy)")
class HAProxyTests(unittest.TestCase):
    def setUp(self):
        self._servers = {name: Server(name) for name in ("one", "two", "three")}
        for server in self._servers.values():
            self.addCleanup(server.stop)
        self._port = free_port()
        text, count = re.subn(r"bind :8080\b", f"bind 127.0.0.1:{self._port}", CONFIGURATION.read_text())
        self.assertEqual(count, 1)
        for name, server in self._servers.items():
            text, count = re.subn(rf"\b{name}:8080\b", f"127.0.0.1:{server.port}", text)
            self.assertEqual(count, 2)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "haproxy.cfg"
        file.write_text(re.sub(r"maxconn \d+", "maxconn 100", text))
        process = subprocess.Popen([PROGRAM, "-f", file], stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self._wait(lambda: set(self._places().values()) == set(self._servers))
        self._wait_for_checks()

    def _wait(self, ask):
        end = time.monotonic() + SECONDS
        while not ask():
            self.assertLess(time.monotonic(), end, "it has not happened")
            threading.Event().wait(0.05)

    def _wait_for_checks(self):
        wanted = {server: server.checks + CHECKS for server in self._servers.values()}
        self._wait(lambda: all(server.checks >= count for server, count in wanted.items()))

    def _places(self):
        """The server that each list is asked of; None if HAProxy has none."""
        return {path: self._ask(path) for path in LISTS}

    def _ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.read().decode() if answer.status == 200 else None
        except ConnectionError:
            return None
        finally:
            connection.close()

    def test_a_list_stays_on_its_server_even_if_none_is_ready(self):
        before = self._places()
        self.assertEqual(before, self._places())
        for server in self._servers.values():
            server.is_ready = False
        self._wait_for_checks()
        self.assertEqual(before, self._places())

    def test_the_lists_of_a_server_that_is_not_ready_go_to_others(self):
        before = self._places()
        self._servers["two"].is_ready = False
        self._wait_for_checks()
        after = self._places()
        for path in LISTS:
            if before[path] == "two":
                self.assertIn(after[path], ("one", "three"))
            else:
                self.assertEqual(after[path], before[path])


if __name__ == "__main__":
    unittest.main()
