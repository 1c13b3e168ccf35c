"""The length of frames while a page opens, expands and drags in an outline of all of Unicode's emoji.

    frames.py SERVER EMOJI_TEST     the program, and Unicode's emoji-test.txt (Debian: unicode-data)

Prints the longest time between two frames for each action, in milliseconds: the median of several rounds. Exits with 1
if one that has a goal misses it.
"""

import os
import statistics
import subprocess
import sys

ROUNDS = 5
GOALS = {"expand all": 50, "collapse all": 50}
LIST = "unicode-emoji"
RECORDER = """
window.frames_ = [];
(function next(last) { requestAnimationFrame((now) => { if (last) window.frames_.push(now - last); next(now); }); })(0);
"""


def longest(browser):
    """The longest frame since the last call."""
    frames = browser.driver.execute_script("return window.frames_.splice(0)")
    return max(frames, default=0)


def settle(browser):
    """Waits until several frames in a row have been short."""
    browser.driver.execute_async_script("""
        const done = arguments[0];
        let calm = 0, last = performance.now();
        (function next() { requestAnimationFrame((now) => {
          calm = now - last < 25 ? calm + 1 : 0; last = now; calm > 20 ? done() : next(); }); })();""")


def main():
    os.environ["LISTSTATE_BINARY"], emoji = sys.argv[1:]
    from selenium.webdriver.common.action_chains import ActionChains

    from browser import Browser, wait_for
    from server import Server
    server = Server()
    client = server.client
    subprocess.run([os.environ["LISTSTATE_BINARY"], "import", LIST, emoji, "--url", client.base], check=True)
    items = [item for section in client.get(f"/v1/lists/{LIST}")["sections"] for item in section["items"]]
    parents = list(dict.fromkeys(item["parent"] for item in items if "parent" in item))
    browser = Browser(client.base)
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RECORDER})
    results = {}

    def measure(name, done):
        settle(browser)
        longest(browser)
        done()
        settle(browser)
        results.setdefault(name, []).append(longest(browser))

    def edit(op, ids):
        client.edit(LIST, {"op": op, "items": ids})
        # The rows are only counted, because reading thousands of rows would itself be a long frame.
        count = client.get(f"/v1/lists/{LIST}?limit=1")["counts"]["visibleItems"]
        wait_for(lambda: browser.count() == count, f"{count} rows")

    def drag(row, onto):
        ActionChains(browser.driver).drag_and_drop(row, onto).perform()

    for _ in range(ROUNDS):
        browser.open(LIST)
        settle(browser)
        results.setdefault("open", []).append(longest(browser))
        measure("expand a group", lambda: edit("expandItems", parents[:1]))
        measure("expand all", lambda: edit("expandItems", parents))
        rows = browser.driver.execute_script(
            "const rows = document.querySelectorAll('.row'); return [rows[3], rows[6]]")
        measure("drag", lambda: drag(*rows))
        measure("collapse all", lambda: edit("collapseItems", parents))
    for name, times in results.items():
        goal = f"goal {GOALS[name]} ms" if name in GOALS else ""
        print(f"{name:16} {statistics.median(times):6.0f} ms   {goal:12} {' '.join(f'{time:.0f}' for time in times)}")
    browser.close()
    server.close()
    sys.exit(any(statistics.median(results[name]) > goal for name, goal in GOALS.items()))


main()
