"""The app of docs/react.md, with Debian's React: what renders, and that edits show."""

import functools
import http.server
import pathlib
import re
import shutil
import tempfile
import threading

from browser import BrowserTestCase, wait_for
from server import TOP

PAGE = (TOP / "docs/react.md").read_text()
FILES = dict(re.findall(r"`page/([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE, re.S))
SCRIPTS = [pathlib.Path(path) for path in re.findall(r"/usr/share/nodejs/\S+\.js", PAGE)]
COUNT = 10_000
LIST = "shopping"
COMPONENTS = ("Row", "Rows", "Status")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class ReactTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        files = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=folder.name))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        cls.addClassCleanup(files.server_close)
        cls.addClassCleanup(files.shutdown)
        cls.origin = f"http://localhost:{files.server_port}"
        cls.options = ["--allow-origin", cls.origin]
        super().setUpClass()
        for script in SCRIPTS:
            shutil.copy(script, folder.name)
        for name, text in FILES.items():
            text = text.replace("localhost:8080", f"127.0.0.1:{cls.server.port}")
            for component in COMPONENTS if name == "app.js" else ():
                head = re.search(rf"function {component}\([^)]*\) {{\n", text)[0]
                text = text.replace(head, f'{head}  (window.rendered ??= []).push("{component}");\n')
            pathlib.Path(folder.name, name).write_text(text)
        # Browsers ask for it.
        pathlib.Path(folder.name, "favicon.ico").touch()
        cls.client.write("PUT", f"/v1/lists/{LIST}", {"title": "Shopping", "sections": [{"id": "today", "items": [
            {"id": f"i{number}", "content": {"title": f"Item {number}"}} for number in range(COUNT)]}]})

    def setUp(self):
        if self.browser.driver.current_url.startswith(self.origin):
            self.rendered()
            return
        self.browser.driver.get(f"{self.origin}/index.html")
        wait_for(lambda: self.run_script("return document.querySelectorAll('li').length") == COUNT, "all rows")
        wait_for(lambda: self.status() == "live, 0 pending", self.status)
        self.rendered()

    def run_script(self, script, *arguments):
        return self.browser.driver.execute_script(script, *arguments)

    def status(self):
        return self.run_script("return document.querySelector('output').textContent")

    def row(self, index):
        return self.run_script("return document.querySelectorAll('li')[arguments[0]].textContent", index)

    def rendered(self):
        """The components that have rendered since the last call."""
        return self.run_script("const { rendered = [] } = window; window.rendered = []; return rendered;")

    def test_one_row_renders(self):
        self.assertEqual(["app.js", "index.html"], sorted(FILES))
        self.client.edit(LIST, {"op": "starItems", "items": ["i5000"]})
        wait_for(lambda: self.row(5000) == "★✕ Item 5000", lambda: self.row(5000))
        self.assertEqual(["Row"], self.rendered())
        # The order is another one, but no row.
        self.client.edit(LIST, {"op": "moveItem", "item": "i9", "before": "i0"})
        wait_for(lambda: self.row(0) == "☆✕ Item 9", lambda: self.row(0))
        self.assertEqual(["Rows"], self.rendered())

    def test_own_edits_show_at_once(self):
        # React renders when the click has ended: before the next task, so before any answer of the server.
        click = """
            const [row, number, done] = arguments, line = document.querySelectorAll("li")[row];
            line.querySelectorAll("button")[number].click();
            queueMicrotask(() => done(document.querySelectorAll("li")[row].textContent));"""
        self.assertEqual("★✕ Item 6000", self.browser.driver.execute_async_script(click, 6000, 0))
        wait_for(lambda: self.client.get(f"/v1/lists/{LIST}/items/i6000").get("starred"), "a star at the server")
        wait_for(lambda: self.status() == "live, 0 pending", self.status)
        rendered = self.rendered()
        self.assertEqual(1, rendered.count("Row"), rendered)
        self.assertEqual(0, rendered.count("Rows"), rendered)
        self.assertEqual("☆✕ Item 7001", self.browser.driver.execute_async_script(click, 7000, 1))
        wait_for(lambda: self.client.ask("GET", f"/v1/lists/{LIST}/items/i7000")[0] == 404, "the row gone at the server")
        self.assert_quiet()
