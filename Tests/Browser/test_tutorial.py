"""docs/tutorial.md is done as a newcomer would: in three terminals and a browser, in the order of the page."""

import collections
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

from browser import Browser, wait_for
from server import BINARY, TOP

# The part in Swift is run by Tests/EndToEndTests/TutorialInSwiftTests.swift.
PAGE = re.sub(r"(?ms)^## \d\. In Swift$.*?(?=^## )", "", (TOP / "docs/tutorial.md").read_text())
END = "\x1e"
"""What a terminal prints when a block has ended."""
WORDS = re.compile(
    r"^```(?P<language>\w+)\n(?P<block>.*?)^```$"
    r"|Ctrl-C in \*\*(?P<interrupted>Terminal \d)\*\*"
    r"|\*\*(?P<speaker>Every terminal|Terminal \d|The page)\*\*"
    r"|`(?P<button>[^`\w\s])` at (?P<line>\w+)"
    r"|Save these lines as `(?P<file>[^`]+)`"
    r"|Open <(?P<address>http://localhost:3000)>", re.M | re.S | re.I)
"""All that the page says to do, and what is to be seen then."""
SHOWN = """
return [document.querySelector("output"), ...document.querySelectorAll("li")].map((node) => node.textContent).join("\\n")
"""
CLICK = """
[...document.querySelectorAll("li")].find((line) => line.textContent.includes(arguments[1])).querySelectorAll("button")
  .forEach((button) => button.textContent === arguments[0] && button.click());
"""


class Terminal:
    """A shell whose output is a terminal. Its input is none, so it prints no prompts."""

    def __init__(self, folder, environment):
        self._screen, end = pty.openpty()
        self._said, self._from, self._runs = bytearray(), 0, 0
        self._shell = subprocess.Popen(
            ["bash"], stdin=subprocess.PIPE, stdout=end, stderr=end, cwd=folder, env=environment, start_new_session=True,
            # Whoever is started in the background takes no Ctrl-C, and neither do its children.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(end)
        threading.Thread(target=self._read, daemon=True).start()

    def run(self, commands):
        """Begins a block when the one before it has ended."""
        wait_for(self.is_done, lambda: f"the end of a block: {self.text()!r}")
        self._from, self._runs = len(self._said), self._runs + 1
        self._shell.stdin.write(f"{commands}\nprintf '{END}'\n".encode())
        self._shell.stdin.flush()

    def is_done(self):
        return self._said.count(END.encode()) == self._runs

    def interrupt(self):
        """Ctrl-C: to the command that runs, which the shell outlives."""
        children = pathlib.Path(f"/proc/{self._shell.pid}/task/{self._shell.pid}/children").read_text().split()
        os.kill(int(children[-1]), signal.SIGINT)
        wait_for(self.is_done, lambda: f"the end after Ctrl-C: {self.text()!r}")

    def text(self):
        """What the last block has printed. What is drawn from the top again is only the last picture."""
        text = self._said[self._from:].decode(errors="replace").rsplit("\x1b[H", 1)[-1]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r|" + END, "", text)

    def close(self):
        """Ends the shell and all that it has started."""
        os.killpg(self._shell.pid, signal.SIGKILL)
        self._shell.wait()
        self._shell.stdin.close()

    def _read(self):
        try:
            while data := os.read(self._screen, 65_536):
                self._said += data
        except OSError:
            os.close(self._screen)


def matches(text, expected):
    """Whether a text is the expected one. `…` stands for any text, and white space is not compared."""
    pieces = ["".join(piece.split()) for piece in expected.split("…")]
    return re.fullmatch(".*".join(map(re.escape, pieces)), "".join(text.split()), re.S) is not None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class TutorialTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        self.ports = {"8080": free_port(), "3000": free_port()}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("LISTSTATE_")} | {
            "HOME": self.home, "LISTSTATE_PORT": self.ports["8080"], "XDG_STATE_HOME": f"{self.home}/state",
            "PATH": f"{pathlib.Path(BINARY).resolve().parent}:{os.environ['PATH']}"}
        self.terminals = {f"Terminal {number}": Terminal(self.home, environment) for number in (1, 2, 3)}
        for terminal in self.terminals.values():
            self.addCleanup(terminal.close)
        self.browser = Browser("")
        self.addCleanup(self.browser.close)
        self.speaker = self.file = None

    def test_the_tutorial(self):
        done = collections.Counter()
        for found in WORDS.finditer(PAGE):
            kind, language = found.lastgroup, found["language"]
            kind = {"block": language, "line": "button"}.get(kind, kind)
            getattr(self, f"do_{kind}")(found)
            done[kind] += 1
        self.assertEqual(PAGE.count("\n```"), 2 * (done["sh"] + done["text"] + done["html"]))
        self.assertGreaterEqual(done["sh"], 13)
        self.assertGreaterEqual(done["text"], 16)
        self.assertEqual([done[kind] for kind in ("html", "address", "button", "interrupted")], [1, 1, 3, 3])

    def do_speaker(self, found):
        self.speaker = found["speaker"].capitalize()

    def do_sh(self, found):
        if found["block"].startswith("make "):
            return
        everybody = self.speaker == "Every terminal"
        for terminal in self.terminals.values() if everybody else [self.terminals[self.speaker]]:
            terminal.run(self.here(found["block"]))

    def do_text(self, found):
        expected = self.here(found["block"])
        shown = (lambda: self.browser.driver.execute_script(SHOWN)) if self.speaker == "The page" else \
            self.terminals[self.speaker].text
        wait_for(lambda: matches(shown(), expected), lambda: f"{self.speaker}:\n{expected}\nIt is:\n{shown()}")

    def do_file(self, found):
        self.file = pathlib.Path(self.home, "shopping", found["file"])

    def do_html(self, found):
        self.assertLessEqual(found["block"].count("\n"), 36)
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(self.here(found["block"]))

    def do_address(self, found):
        def is_served():
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", int(self.ports["3000"]))) == 0
        wait_for(is_served, "the web server of the page")
        self.browser.driver.get(self.here(found["address"]))

    def do_button(self, found):
        self.browser.driver.execute_script(CLICK, found["button"], found["line"])

    def do_interrupted(self, found):
        self.terminals[found["interrupted"]].interrupt()

    def here(self, text):
        """The text with the ports of this run."""
        return re.sub(r"\b(8080|3000)\b", lambda port: self.ports[port[0]], text)


class ComparisonTests(unittest.TestCase):
    def test_the_comparison(self):
        for text, expected, is_match in (
                ("k3v9-1 x", "…-1x", True), ("k3v9-2", "…-1", False), ("a\nb", "ab", True), ("abc", "a…b", False),
                ("aXbYc", "a…b…c", True), ("", "", True), ("x", "", False), ("x", "…", True)):
            self.assertEqual(matches(text, expected), is_match, (text, expected))
