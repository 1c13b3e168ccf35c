"""The code of docs/clients.md does what the page says: replay and streams, in Python and in JavaScript."""

import json
import re
import signal
import threading
import unittest

from browser import BrowserTestCase, wait_for
from server import TOP, Server, Wire
from writer import Writer

PAGE = (TOP / "docs/clients.md").read_text()
PYTHON = {}
exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S)), PYTHON)
JAVASCRIPT = "\n".join(re.findall(r"```js\n(.*?)```", PAGE, re.S))
LIST = "emoji-explorer"
VIEWS = ["", "&view=visible", "&sort=-content.title", "&filter=e", "&starred=true"]


def plain(snapshot):
    """The form in which two holders of a list are compared. The server sends a section without items without
    `items`."""
    sections = [{"items": [], **section} for section in snapshot["sections"]]
    return {name: snapshot.get(name) for name in ("id", "title", "layout", "version", "counts")} | {"sections": sections}


class PythonTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def test_the_blocks_are_short(self):
        blocks = re.findall(r"```(?:python|js)\n(.*?)```", PAGE, re.S)
        self.assertLess(max(len(block.splitlines()) for block in blocks), 30)

    def test_replay(self):
        """Replays changes in each view, from any version to any other."""
        client = self.server.client
        for seed, view in enumerate(VIEWS):
            with self.subTest(view):
                client.write("POST", f"/v1/samples/{LIST}")
                writer = Writer(client, LIST, seed)
                state = client.get(f"/v1/lists/{LIST}?{view[1:]}")
                for count in [1] * 25 + [2, 3, 5, 8]:
                    writer.write(count)
                    changes = client.get(f"/v1/lists/{LIST}/changes?since={state['version']}{view}")
                    if changes.get("reset"):
                        state = changes["snapshot"]
                    else:
                        PYTHON["apply"](state, changes)
                    self.assertEqual(plain(client.get(f"/v1/lists/{LIST}?{view[1:]}")), plain(state))

    def test_a_list_that_begins_empty(self):
        client = self.server.client
        client.write("PUT", "/v1/lists/empty", {"title": "Empty"})
        state = client.get("/v1/lists/empty")
        section = {"id": "s", "items": [{"id": "a"}]}
        result = client.edit("empty", {"op": "appendSections", "sections": [section]})
        PYTHON["apply"](state, result["changes"])
        self.assertEqual(plain(client.get("/v1/lists/empty")), plain(state))

    def test_follow(self):
        """Follows through cut connections and a killed server, until the list is deleted."""
        client = self.server.client
        client.write("POST", f"/v1/samples/{LIST}")
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        seen = []
        state = client.get(f"/v1/lists/{LIST}")
        address = f"http://127.0.0.1:{wire.port}/v1/lists/{LIST}"
        follower = threading.Thread(
            target=PYTHON["follow"], args=(address, state, lambda state: seen.append(json.dumps(state))), daemon=True)
        follower.start()
        writer = Writer(client, LIST, 7)
        for round in range(3):
            writer.write(10)
            if round == 0:
                wire.cut()
            elif round == 1:
                self.server.end(signal.SIGKILL)
                self.server.start()
            writer.write(1)
            wanted = plain(client.get(f"/v1/lists/{LIST}"))
            wait_for(lambda: seen and plain(json.loads(seen[-1])) == wanted, "the state of the server")
        client.write("DELETE", f"/v1/lists/{LIST}")
        wait_for(lambda: seen[-1] == "null", "the end of the list")


class JavaScriptTests(BrowserTestCase):
    def run_script(self, script, *arguments, window=None):
        """The value of a script, which may use the functions of docs/clients.md and `given`."""
        return (window or self.browser).driver.execute_async_script(
            f"const given = [...arguments], done = given.pop(); {JAVASCRIPT}\n"
            f"(async () => {{ {script} }})().then(done, (error) => done(`${{error.stack}}`));", *arguments)

    def setUp(self):
        super().setUp()
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/")

    def test_replay(self):
        for seed, view in enumerate(VIEWS):
            with self.subTest(view):
                self.client.write("POST", f"/v1/samples/{LIST}")
                writer = Writer(self.client, LIST, seed + 100)
                state = self.client.get(f"/v1/lists/{LIST}?{view[1:]}")
                for count in [1] * 12 + [3, 8]:
                    writer.write(count)
                    changes = self.client.get(f"/v1/lists/{LIST}/changes?since={state['version']}{view}")
                    if changes.get("reset"):
                        state = changes["snapshot"]
                    else:
                        state = self.run_script("apply(given[0], given[1]); return given[0];", state, changes)
                    self.assertEqual(plain(self.client.get(f"/v1/lists/{LIST}?{view[1:]}")), plain(state))

    def test_a_list_that_begins_empty(self):
        self.client.write("PUT", "/v1/lists/empty", {"title": "Empty"})
        state = self.client.get("/v1/lists/empty")
        result = self.client.edit("empty", {"op": "appendSections", "sections": [{"id": "s", "items": [{"id": "a"}]}]})
        state = self.run_script("apply(given[0], given[1]); return given[0];", state, result["changes"])
        self.assertEqual(plain(self.client.get("/v1/lists/empty")), plain(state))

    def test_follow(self):
        """Follows through a cut connection, until the list is deleted."""
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        window = self.window(port=wire.port)
        window.driver.get(f"{window.base}/#/")
        self.client.write("POST", f"/v1/samples/{LIST}")
        state = self.client.get(f"/v1/lists/{LIST}")
        self.run_script("follow(given[0], given[1], (state) => { window.seen = state; }); return 0;",
                        f"/v1/lists/{LIST}", state, window=window)
        writer = Writer(self.client, LIST, 9)
        for count in [10, 10]:
            writer.write(count)
            wanted = plain(self.client.get(f"/v1/lists/{LIST}"))
            wait_for(lambda: (seen := window.driver.execute_script("return window.seen")) and plain(seen) == wanted,
                     "the state of the server")
            wire.cut()
        self.client.write("DELETE", f"/v1/lists/{LIST}")
        wait_for(lambda: window.driver.execute_script("return window.seen === null"), "the end of the list")

    def test_follow_many(self):
        self.client.write("POST", f"/v1/samples/{LIST}")
        ids = [LIST, "mountains", "larder"]
        self.run_script(
            "window.seen = []; await followMany('', given[0], (name, data) => seen.push([name, data.list])); return 0;",
            {LIST: self.client.get(f"/v1/lists/{LIST}")["version"], "larder": "k3v9-1",
             "mountains": self.client.get("/v1/lists/mountains?limit=1")["version"]})
        self.client.edit("mountains", {"op": "updateList", "title": "Hills"})
        wait_for(lambda: sorted(self.browser.driver.execute_script("return window.seen")) ==
                 [["change", "mountains"], ["gone", "larder"]], "the news of two lists")
