"""Change sets are enough: open windows stay right in all events, with one whole state each."""

import signal
import threading

from selenium.webdriver.common.action_chains import ActionChains

from browser import BrowserTestCase, wait_for
from server import Wire
from writer import Writer


# A page that can lock nothing, is hidden when the test says so, and does not wait for a minute then.
ALONE = """
Object.defineProperty(navigator, "locks", {value: undefined});
const real = window.setTimeout;
window.setTimeout = (done, milliseconds, ...rest) => real(done, milliseconds === 60_000 ? 0 : milliseconds, ...rest);
window.hide_ = (isHidden) => {
  Object.defineProperty(document, "hidden", {value: isHidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
};
"""


class LiveTests(BrowserTestCase):
    def assert_one_state(self, browser, list_id):
        """The page has asked for the whole list once at most: each later stream goes on from a version."""
        self.assertEqual([], browser.snapshots(list_id))
        ended = [one for one in browser.requests() if one.startswith("/v1/changes")]
        self.assertEqual([], [one for one in ended[1:] if "@" not in one])

    def drag(self, browser, item, onto, below=False):
        """Drags a row with the mouse, and drops it above or below the middle of another row."""
        browser.wait_for_rest()
        source, target = browser.row(item), browser.row(onto)
        browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
        offset = target.size["height"] // 4 if below else -(target.size["height"] // 4)
        actions = ActionChains(browser.driver, duration=50)
        actions.move_to_element(source).click_and_hold().move_by_offset(0, 10)
        actions.move_to_element_with_offset(target, 0, offset).move_by_offset(1, 0).release().perform()

    def order(self, list_id):
        return [[row[0] for row in rows] for _, rows in self.client.visible(list_id)]

    def test_two_windows_while_one_drags(self):
        other = self.window()
        self.client.write("POST", "/v1/samples/reorderable")
        for window in (self.browser, other):
            window.open("reorderable")
        within = self.client.visible("reorderable")
        self.drag(self.browser, "recents.best", "recents.whiskey")
        wait_for(lambda: self.client.visible("reorderable") != within, "a move on the server")
        self.assertEqual("recents.best", self.order("reorderable")[0][1])
        self.browser.wait_until_equal(self.client, "reorderable")
        across = self.client.visible("reorderable")
        self.drag(self.browser, "recents.cool", "smileys.laughing", below=True)
        wait_for(lambda: self.client.visible("reorderable") != across, "a move to another section")
        laughing = self.order("reorderable")[1].index("smileys.laughing")
        self.assertEqual("recents.cool", self.order("reorderable")[1][laughing + 1])
        for window in (self.browser, other):
            window.wait_until_equal(self.client, "reorderable")
            self.assert_one_state(window, "reorderable")
            self.assert_quiet(window)

    def test_tabs_share_a_stream(self):
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        window = self.window(wire.port)
        window.open("emoji-explorer")
        for _ in range(3):
            window.driver.switch_to.new_window("tab")
            window.open("emoji-explorer")
        self.client.write("POST", "/v1/lists/emoji-explorer/items/list.bee/star")
        for handle in window.driver.window_handles:
            window.driver.switch_to.window(handle)
            window.wait_until_equal(self.client, "emoji-explorer")
        self.assertEqual(1, len([one for one in wire.asked if one.startswith("GET /v1/changes?")]), wire.asked)

    def test_a_hidden_page_that_shares_no_stream(self):
        """Without locks, as on pages without TLS, each tab has a stream of its own. A hidden one lets go of it."""
        window = self.window()
        window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ALONE})
        window.open("emoji-explorer")
        window.driver.execute_script("window.hide_(true)")
        wait_for(lambda: window.state() == "closed", window.state)
        held = window.rows()
        self.client.edit("emoji-explorer", {"op": "moveItem", "item": "list.bee", "before": "list.happy"})
        self.assertNotEqual(held, self.client.visible("emoji-explorer"))
        self.assertEqual(held, window.rows())
        window.driver.execute_script("window.hide_(false)")
        window.wait_until_equal(self.client, "emoji-explorer")
        self.assertEqual("live", window.state())
        window.row("outline.food").find_element("css selector", "[data-action=toggle]").click()
        wait_for(lambda: len(self.order("emoji-explorer")[1]) == 10, lambda: self.order("emoji-explorer"))
        window.wait_until_equal(self.client, "emoji-explorer")
        self.assert_quiet(window)

    def test_a_drag_among_writers(self):
        """The list changes during the drag. The row goes to the place that the user meant."""
        self.client.write("POST", "/v1/samples/reorderable")
        other = self.window()
        for window in (self.browser, other):
            window.open("reorderable")
        stop = threading.Event()

        def disturb():
            while not stop.is_set():
                self.client.edit("reorderable", {"op": "moveItem", "item": "symbols.peace", "at": "first", "section": "symbols"})
                self.client.edit("reorderable", {"op": "moveItem", "item": "symbols.peace", "at": "last", "section": "symbols"})
        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            self.drag(self.browser, "recents.lgtm", "recents.whiskey")
            wait_for(lambda: self.order("reorderable")[0][1] == "recents.lgtm", "the row where it was put")
        finally:
            stop.set()
            thread.join()
        for window in (self.browser, other):
            window.wait_until_equal(self.client, "reorderable")
            self.assert_one_state(window, "reorderable")

    def test_a_restart_of_the_server(self):
        self.browser.open("emoji-explorer")
        for how in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how.name):
                self.server.end(how)
                wait_for(lambda: self.browser.state() == "offline", "a window that knows")
                self.server.start()
                self.client.write("POST", "/v1/lists/emoji-explorer/items/list.fox/star")
                self.client.write("POST", "/v1/lists/emoji-explorer/items/outline.food/expand")
                self.client.edit("emoji-explorer", {"op": "moveItem", "item": "list.bee", "before": "list.happy"})
                wait_for(lambda: self.browser.state() == "live", "a live window")
                self.browser.wait_until_equal(self.client, "emoji-explorer")
        self.assert_one_state(self.browser, "emoji-explorer")
        self.browser.console()

    def test_a_stream_that_is_cut(self):
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        window = self.window(wire.port)
        window.open("emoji-explorer")
        for step in range(3):
            held = window.driver.execute_script("return document.querySelector('.inspector dd').textContent")
            wire.asked.clear()
            wire.cut()
            self.client.write("POST", f"/v1/lists/emoji-explorer/items/list.{['bee', 'fox', 'bee'][step]}/star")
            window.wait_until_equal(self.client, "emoji-explorer")
            self.assertIn(f"GET /v1/changes?list=emoji-explorer@{held}", wire.asked)
            self.assertEqual([], [one for one in wire.asked if one.startswith("GET /v1/")
                                  and "/changes?list=emoji-explorer@" not in one and "GET /v1/lists?" not in one])
        self.assert_one_state(window, "emoji-explorer")

    def test_a_thousand_transactions(self):
        rows = [{"id": f"r{index}", "kind": "k", "content": {"title": f"Row {index}"}} for index in range(30)]
        self.create("busy", {"title": "Busy", "sections": [
            {"id": f"part{part}", "items": rows[part * 10:part * 10 + 10]} for part in range(3)]})
        other = self.window()
        for window in (self.browser, other):
            window.open("busy")
        first = self.client.get("/v1/lists/busy")["version"]
        Writer(self.client, "busy", seed=1_000).write(1_000)
        for window in (self.browser, other):
            window.wait_until_equal(self.client, "busy")
            self.assert_one_state(window, "busy")
            titles = window.driver.execute_script(
                "return Object.fromEntries([...document.querySelectorAll('.row')].map((row) => "
                "[row.dataset.id, row.querySelector('.primary').textContent]))")
            items = self.client.get("/v1/lists/busy?view=visible")["sections"]
            served = {item["id"]: item["content"]["title"] for one in items for item in one.get("items", [])}
            self.assertGreater(len(titles), 5)
            self.assertEqual({id: served[id] for id in titles}, titles)
            self.assert_quiet(window)
        last = self.client.get("/v1/lists/busy")["version"]
        self.assertEqual(1_000, int(last.split("-")[1]) - int(first.split("-")[1]))

    def test_a_list_that_is_deleted(self):
        self.create("short", {"title": "Short", "sections": [{"id": "s", "items": [{"id": "a"}]}]})
        self.browser.open("short")
        self.client.write("DELETE", "/v1/lists/short")
        wait_for(lambda: self.browser.text(".failure") == "This list was deleted.", "a message")
        # The remaining rows can be read. No element that is shown pretends to work.
        self.assertTrue(self.browser.driver.execute_script(
            "return document.getElementById('collection').inert && document.querySelector('input[type=search]').disabled"))
        self.browser.console()

    def test_a_list_that_is_opened_before_its_server(self):
        self.browser.open_gallery()
        self.server.end()
        try:
            self.browser.driver.execute_script("location.hash = '#/lists/editing'")
            wait_for(lambda: self.browser.text(".failure") == "The server cannot be reached. Trying again.", "a message")
        finally:
            self.server.start()
        self.browser.wait_until_equal(self.client, "editing")
        self.assertTrue(self.browser.driver.execute_script("return document.querySelector('.failure').hidden"))
        self.browser.console()

    def test_a_gallery_that_is_opened_before_its_server(self):
        self.browser.open("editing")
        self.server.end()
        try:
            self.browser.driver.execute_script("location.hash = '#/'")
            wait_for(lambda: self.browser.text(".note") == "The server cannot be reached. Trying again.", "a message")
        finally:
            self.server.start()
        wait_for(lambda: self.browser.one('.cards li[data-id="editing"]') and self.browser.text(".note") == "", "the lists")
        self.browser.console()

    def test_a_search_without_a_server(self):
        """The page has all rows, so it searches in them without asking."""
        self.browser.open("mountains")
        said = lambda: self.browser.text("#announcements")
        found = self.client.visible("mountains", filter="man")
        self.server.end()
        try:
            self.browser.one("input[type=search]").send_keys("man")
            count = sum(len(rows) for _, rows in found)
            wait_for(lambda: said() == f"{count} rows found", said)
            wait_for(lambda: self.browser.rows() == found, self.browser.rows)
        finally:
            self.server.start()
        wait_for(lambda: self.browser.state() == "live", "a live window")
        self.browser.wait_until_equal(self.client, "mountains", filter="man")
        self.browser.console()

    def test_history_that_is_gone(self):
        """A reset brings the rows if no change set can, and the page asks for no snapshot."""
        self.create("reborn", {"title": "Reborn", "sections": [{"id": "s", "items": [{"id": "a"}, {"id": "b"}]}]})
        wire = Wire(self.server)
        self.addCleanup(wire.close)
        window = self.window(wire.port)
        window.open("reborn")
        snapshot = {"title": "Reborn", "sections": [{"id": "s", "items": [{"id": "b"}, {"id": "c"}]}]}
        window.driver.execute_script("window.hold = fetch; window.fetch = (path, options) => String(path).includes('changes') "
                                     "? Promise.reject(new Error('held')) : window.hold(path, options)")
        wire.cut()
        wait_for(lambda: window.state() == "offline", "a window that knows")
        self.client.write("DELETE", "/v1/lists/reborn")
        self.create("reborn", snapshot)
        window.driver.execute_script("window.fetch = window.hold")
        window.wait_until_equal(self.client, "reborn")
        self.assert_one_state(window, "reborn")
