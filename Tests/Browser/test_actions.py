"""Actions of users with keys, a mouse and a finger, and the messages of the page."""

import json
import subprocess

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from hand import middle, stroke, swipe


class ActionTests(BrowserTestCase):
    def keys(self, *keys):
        """Presses keys one after another. The keys of a tuple are pressed together."""
        for key in keys:
            actions = ActionChains(self.browser.driver, duration=0)
            for held in key[:-1] if isinstance(key, tuple) else ():
                actions.key_down(held)
            actions.send_keys(key[-1] if isinstance(key, tuple) else key)
            for held in key[:-1] if isinstance(key, tuple) else ():
                actions.key_up(held)
            actions.perform()

    def walk_to(self, item):
        """Goes to a row with keys alone: Tab to the rows, then arrows."""
        for _ in range(30):
            if self.browser.focused():
                break
            self.keys(Keys.TAB)
        self.keys(Keys.HOME)
        for _ in range(200):
            if self.browser.focused() == item:
                return
            self.keys(Keys.ARROW_RIGHT if item.startswith("recents") else Keys.ARROW_DOWN)
        raise AssertionError(f"No key leads to {item}.")

    def order(self, list_id, section=0):
        return [row[0] for row in self.client.visible(list_id)[section][1]]

    def version(self, list_id):
        return self.client.get(f"/v1/lists/{list_id}")["version"]

    def settle(self, list_id):
        self.browser.wait_until_equal(self.client, list_id)

    def said(self, text):
        wait_for(lambda: text in self.browser.text("#announcements"),
                 lambda: f"{text!r} said, not {self.browser.text('#announcements')!r}")


class KeyboardTests(ActionTests):
    def test_reordering(self):
        self.client.write("POST", "/v1/samples/editing")
        self.browser.open("editing")
        self.walk_to("visited.cho-oyu")
        self.keys(Keys.SPACE)
        self.said("Cho Oyu lifted")
        self.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.SPACE)
        wait_for(lambda: self.order("editing")[3] == "visited.cho-oyu", lambda: self.order("editing"))
        self.settle("editing")
        self.said("Cho Oyu moved to place 4 of Visited")
        self.assertEqual("visited.cho-oyu", self.browser.focused())
        self.keys((Keys.ALT, Keys.ARROW_UP))
        wait_for(lambda: self.order("editing")[2] == "visited.cho-oyu", lambda: self.order("editing"))
        self.settle("editing")
        self.assertEqual("visited.cho-oyu", self.browser.focused())
        # If two rows change places, the request names the row that was moved.
        self.assertIn('"op":"moveItem","item":"visited.cho-oyu"', self.browser.text(".inspector pre.wrapped"))
        self.assert_quiet()

    def test_into_another_section(self):
        self.client.write("POST", "/v1/samples/editing")
        self.browser.open("editing")
        self.walk_to("visited.manaslu")
        self.keys((Keys.ALT, Keys.ARROW_DOWN))
        wait_for(lambda: self.order("editing", 1)[0] == "visited.manaslu", lambda: self.order("editing", 1))
        self.settle("editing")
        self.assertEqual("visited.manaslu", self.browser.focused())

    def test_leaving_it_where_it_was(self):
        self.browser.open("editing")
        before = self.version("editing")
        self.walk_to("visited.makalu")
        self.keys(Keys.SPACE, Keys.ARROW_DOWN, Keys.ESCAPE)
        self.said("Not moved")
        self.assertEqual(before, self.version("editing"))
        self.assertEqual(0, self.browser.driver.execute_script(
            "return document.querySelectorAll('.lifted, .drop-before, .drop-after').length"))

    def test_outline(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.browser.open("emoji-explorer")
        self.walk_to("outline.food")
        self.keys(Keys.ENTER)
        wait_for(lambda: len(self.order("emoji-explorer", 1)) == 10, "three more rows")
        self.settle("emoji-explorer")
        self.keys(Keys.ARROW_DOWN)
        self.assertEqual("outline.whiskey", self.browser.focused())
        self.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        wait_for(lambda: len(self.order("emoji-explorer", 1)) == 7, "three rows less")
        self.settle("emoji-explorer")
        self.assertEqual("outline.food", self.browser.focused())

    def test_an_open_branch_travels_whole(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.client.write("POST", "/v1/lists/emoji-explorer/items/outline.food/expand")
        self.browser.open("emoji-explorer")
        self.walk_to("outline.food")
        self.keys((Keys.ALT, Keys.ARROW_UP))
        branch = ["outline.food", "outline.whiskey", "outline.apple", "outline.peach"]
        wait_for(lambda: self.order("emoji-explorer", 1)[1:5] == branch, lambda: self.order("emoji-explorer", 1))
        self.settle("emoji-explorer")

    def test_star(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.client.write("DELETE", "/v1/lists/emoji-explorer/items/list.fox/star")
        self.browser.open("emoji-explorer")
        self.walk_to("list.fox")
        for is_starred in (True, False):
            self.keys("s")
            wait_for(lambda: self.client.get("/v1/lists/emoji-explorer/items/list.fox").get("starred", False) == is_starred,
                     "a star or none")
            self.settle("emoji-explorer")
            self.assertEqual("list.fox", self.browser.focused())

    def test_the_header_of_a_section_stays(self):
        self.browser.open("main-sub")
        before = self.version("main-sub")
        self.walk_to("main.main-item")
        self.keys(Keys.SPACE)
        self.said("Main Item is the header of its section.")
        self.keys((Keys.ALT, Keys.ARROW_DOWN))
        self.assertEqual(before, self.version("main-sub"))

    def test_the_focus_of_a_deleted_row_goes_to_its_neighbour(self):
        self.client.write("POST", "/v1/samples/editing")
        self.browser.open("editing")
        self.walk_to("visited.cho-oyu")
        self.keys(Keys.DELETE)
        wait_for(lambda: "visited.cho-oyu" not in self.order("editing"), "a deleted row")
        self.settle("editing")
        self.assertEqual("visited.dhaulagiri", self.browser.focused())


class PointerTests(ActionTests):
    def test_buttons(self):
        self.client.write("POST", "/v1/samples/emoji-explorer")
        self.browser.open("emoji-explorer")
        self.browser.row("outline.nature").find_element("css selector", "[data-action=toggle]").click()
        wait_for(lambda: "outline.fox" in self.order("emoji-explorer", 1), "an open branch")
        self.settle("emoji-explorer")
        was = self.client.get("/v1/lists/emoji-explorer/items/list.bee").get("starred", False)
        row = self.browser.row("list.bee")
        ActionChains(self.browser.driver, duration=0).move_to_element(row).perform()
        wait_for(lambda: self.browser.one('.row[data-id="list.bee"] .row-actions'), "buttons").find_element(
            "css selector", "[data-action=star]").click()
        wait_for(lambda: self.client.get("/v1/lists/emoji-explorer/items/list.bee").get("starred", False) != was, "a star")
        self.settle("emoji-explorer")
        # The focus is on the button, and goes with it to the row.
        ActionChains(self.browser.driver, duration=0).move_to_element(self.browser.row("list.fox")).perform()
        wait_for(lambda: self.browser.one('.row[data-id="list.fox"] .row-actions'), "buttons elsewhere")
        self.assertEqual("list.bee", self.browser.focused())
        self.assert_quiet()

    def test_adding_to_a_section(self):
        self.client.write("POST", "/v1/samples/reactor-sections")
        self.browser.open("reactor-sections")
        for count in (1, 2):
            self.browser.one('[data-action=add][data-section="someday"]').click()
            wait_for(lambda: len(self.order("reactor-sections", 2)) == count, "one more")
            self.settle("reactor-sections")
        self.assert_quiet()

    def test_a_swipe(self):
        self.client.write("POST", "/v1/samples/editing")
        narrow = self.window(size="narrow")
        narrow.open("editing")
        swipe(narrow, "visited.makalu", -154, 0.7)
        wait_for(lambda: "visited.makalu" not in self.order("editing"), "a deleted row")
        narrow.wait_until_equal(self.client, "editing")
        self.assert_quiet(narrow)

    def test_a_finger_on_a_handle(self):
        self.client.write("POST", "/v1/samples/editing")
        narrow = self.window(size="narrow")
        narrow.open("editing")
        # The sample has handles in its edit mode.
        narrow.one(".edit-list").click()
        handle = wait_for(lambda: narrow.seen('.row[data-id="visited.manaslu"] [data-handle]'), "a handle")
        (x, y), (_, end) = middle(narrow, handle), middle(narrow, narrow.row("visited.makalu"))
        stroke(narrow, x, y, down=end - 12 - y)
        wait_for(lambda: self.order("editing")[0] == "visited.manaslu", lambda: self.order("editing"))
        narrow.wait_until_equal(self.client, "editing")


class SearchTests(ActionTests):
    def search(self, text):
        field = self.browser.one("input[type=search]")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.DELETE)

    def matching(self, list_id, text):
        """The ids of the visible rows that have the text in one of their strings."""
        snapshot = self.client.get(f"/v1/lists/{list_id}?view=visible")
        return [item["id"] for section in snapshot["sections"] for item in section.get("items", [])
                if any(isinstance(value, str) and text.lower() in value.lower() for value in item["content"].values())]

    def shown(self):
        return [row[0] for _, rows in self.browser.rows() for row in rows]

    def test_as_one_types(self):
        self.browser.open("mountains")
        for text in ["k", "ka", "KAN", "kangch", "zzz", "an"]:
            with self.subTest(text):
                self.search(text)
                wait_for(lambda: self.shown() == self.matching("mountains", text),
                         lambda: f"{self.shown()} for {self.matching('mountains', text)}")
        self.client.edit("mountains", {"op": "updateItem", "item": "mountains.k2", "content": {"name": "Chhogori An"}})
        wait_for(lambda: "mountains.k2" in self.shown(), "a row that matches now")
        self.search("")
        self.settle("mountains")
        self.assertEqual([], [one for one in self.browser.requests() if "filter" in one])
        self.client.write("POST", "/v1/samples/mountains")
        self.settle("mountains")


class HistoryTests(ActionTests):
    def test_undo_and_redo(self):
        self.client.write("POST", "/v1/samples/editing")
        self.browser.open("editing")
        first = self.order("editing")
        self.walk_to("visited.makalu")
        self.keys((Keys.ALT, Keys.ARROW_DOWN))
        wait_for(lambda: self.order("editing") != first, "a move")
        self.settle("editing")
        second = self.order("editing")
        for keys, order in [((Keys.CONTROL, "z"), first), ((Keys.CONTROL, Keys.SHIFT, "z"), second)]:
            self.keys(keys)
            wait_for(lambda: self.order("editing") == order, lambda: self.order("editing"))
            self.settle("editing")


    def test_a_deletion_offers_its_undo(self):
        """The undo takes back the deletion, whatever came after it. The row has the focus again."""
        self.client.write("POST", "/v1/samples/editing")
        self.browser.open("editing")
        first = self.order("editing")
        self.walk_to("visited.cho-oyu")
        self.keys(Keys.DELETE)
        undo = wait_for(lambda: self.browser.one("#toast .toast-button"), "an offer")
        # It stays while the mouse is there.
        ActionChains(self.browser.driver, duration=0).move_to_element(undo).perform()
        self.settle("editing")
        self.keys((Keys.ALT, Keys.ARROW_DOWN))
        wait_for(lambda: self.order("editing").index("visited.dhaulagiri") > first.index("visited.dhaulagiri") - 1, "a move")
        undo.click()
        wait_for(lambda: "visited.cho-oyu" in self.order("editing"), "the row")
        self.settle("editing")
        wait_for(lambda: self.browser.focused() == "visited.cho-oyu", lambda: self.browser.focused())
        self.assertGreater(self.order("editing").index("visited.dhaulagiri"), self.order("editing").index("visited.manaslu"))
        self.assert_quiet()


class InspectorTests(ActionTests):
    def test_the_line_for_a_shell_does_what_the_page_did(self):
        item = "it's \"100%\" `of` $HOME\\ 🦊"
        self.create("odd", {"title": "Odd", "sections": [{
            "id": "s", "items": [{"id": item, "content": {"title": item}}, {"id": "b"}],
            "layout": {"kind": "list", "leadingSwipe": ["star"]}}]})
        self.browser.open("odd")
        self.browser.one(".bar-button[aria-controls=inspector]").click()
        self.walk_to(item)
        self.keys("s")
        wait_for(lambda: self.client.visible("odd")[0][1][0][2], "a star")
        self.settle("odd")
        line = self.browser.text(".inspector pre.wrapped")
        self.assertTrue(line.startswith("curl -X POST "))
        self.client.edit("odd", {"op": "unstarItems", "items": [item]})
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
        self.assertTrue(json.loads(done.stdout)["changed"], line)
        self.assertTrue(self.client.visible("odd")[0][1][0][2])
        self.settle("odd")
        changes = json.loads(self.browser.text(".inspector pre:not(.wrapped)"))
        self.assertEqual(item, changes["items"]["reconfigured"][0]["item"]["id"])


