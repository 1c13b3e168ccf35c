"""What layouts say of rows beside their text, and what users do with it: by a mouse, a finger and keys."""

import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import wait_for
from hand import middle, stroke, tap
from test_actions import ActionTests


class LayoutTests(ActionTests):
    def test_accessories_that_show_members_of_the_content(self):
        accessories = [{"accessory": "label", "field": "count"}, {"accessory": "checkmark", "field": "done"},
                       {"accessory": "popUpMenu", "field": "size", "options": ["Small", "Medium", "Large"]},
                       {"accessory": "switch", "field": "on"}]
        cells = {"k": {"configuration": "cell", "text": "title", "accessories": accessories}}
        items = [{"id": "a", "kind": "k", "content": {"title": "Shirt", "count": 3, "done": True, "size": "Small", "on": False}},
                 {"id": "b", "kind": "k", "content": {"title": "Hat", "done": False}}]
        self.client.write("PUT", "/v1/lists/shop", {
            "title": "Shop", "layout": {"kind": "list", "appearance": "insetGrouped", "cells": cells},
            "sections": [{"id": "s", "items": items}]})
        shown = lambda item: self.browser.driver.execute_script(
            "return [...document.querySelectorAll(`.row[data-id=${arguments[0]}] .accessories > *`)]"
            ".map((one) => [one.className, one.innerText.trim()])", item)
        narrow = self.window(size="narrow")
        self.browser.open("shop")
        self.assertEqual([["label", "3"], ["accessory-button check", ""], ["pop-up", "Small"], ["switch", ""]], shown("a"))
        self.assertEqual([["accessory-button check", ""], ["pop-up", "Choose"], ["switch", ""]], shown("b"))
        content = lambda item: self.client.get(f"/v1/lists/shop/items/{item}")["content"]
        click = lambda selector: ActionChains(self.browser.driver, duration=0).click(
            wait_for(lambda: self.browser.one(selector), selector)).perform()
        click(".row[data-id=a] .switch")
        wait_for(lambda: content("a")["on"] is True, lambda: content("a"))
        self.settle("shop")
        click(".row[data-id=a] .pop-up")
        click(".menu button:nth-child(3)")
        wait_for(lambda: content("a")["size"] == "Large", lambda: content("a"))
        self.settle("shop")
        wait_for(lambda: shown("a")[2] == ["pop-up", "Large"], lambda: shown("a"))
        # By keys, and by a finger.
        self.browser.open("shop")
        self.walk_to("b")
        self.keys((Keys.SHIFT, Keys.F10))
        wait_for(lambda: "Mark doneChoose size…Turn on on" in self.browser.text(".menu"), lambda: self.browser.text(".menu"))
        self.keys(Keys.ARROW_DOWN, Keys.ENTER, Keys.ARROW_DOWN, Keys.ENTER)
        wait_for(lambda: content("b").get("size") == "Medium", lambda: content("b"))
        narrow.open("shop")
        self.press(narrow, ".row[data-id=b] .pop-up")
        self.press(narrow, ".menu button:nth-child(1)")
        wait_for(lambda: content("b")["size"] == "Small", lambda: content("b"))
        self.assertEqual({"title": "Hat", "done": False, "size": "Small"}, content("b"))
        self.assert_quiet()
        self.assert_quiet(narrow)

    def test_a_row_that_opens_a_list(self):
        narrow = self.window(size="narrow")
        link = lambda browser: browser.driver.execute_script("return location.hash")
        shown = lambda browser: browser.state() == "live" and browser.text("h1")
        layout = {"kind": "list", "cells": {"page": {"configuration": "cell", "text": "title", "opens": "list"}}}
        items = [{"id": "a", "kind": "page", "content": {"title": "Mountains", "list": "mountains"}},
                 {"id": "b", "kind": "page", "content": {"title": "Nowhere"}}]
        self.client.write("PUT", "/v1/lists/pages", {"title": "Pages", "layout": layout, "sections": [{"id": "s", "items": items}]})
        before = self.version("pages")
        narrow.open("pages")
        self.press(narrow, '.row[data-id="b"] .cell')
        self.assertEqual("#/lists/pages", link(narrow))
        self.press(narrow, '.row[data-id="a"] .cell')
        wait_for(lambda: link(narrow) == "#/lists/mountains", lambda: link(narrow))
        wait_for(lambda: shown(narrow) == "Mountains", lambda: narrow.text("h1"))
        self.browser.open("pages")
        box = self.browser.bring_to_rest(self.browser.row("a"))
        place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.browser.mouse("mousePressed", *place)
        self.browser.mouse("mouseReleased", *place)
        wait_for(lambda: link(self.browser) == "#/lists/mountains", lambda: link(self.browser))
        self.browser.open("pages")
        self.walk_to("a")
        self.keys(Keys.ENTER)
        wait_for(lambda: link(self.browser) == "#/lists/mountains", lambda: link(self.browser))
        # A drag leads nowhere.
        self.browser.open("pages")
        self.browser.bring_to_rest(self.browser.row("a"))
        self.browser.mouse("mousePressed", *place)
        for step in range(1, 11):
            self.browser.mouse("mouseMoved", place[0], place[1] + 6 * step, is_held=True)
        self.browser.mouse("mouseReleased", place[0], place[1] + 60)
        wait_for(lambda: self.order("pages") == ["b", "a"], lambda: self.order("pages"))
        self.assertEqual("#/lists/pages", link(self.browser))
        self.assertNotEqual(before, self.version("pages"))
        self.assert_quiet()
        self.assert_quiet(narrow)

    def swipe(self, browser, row, distance):
        """Swipes a row with a finger, to the right or, below 0, to the left."""
        box = browser.bring_to_rest(browser.row(row))
        x, y = box["x"] + box["width"] * (0.9 if distance < 0 else 0.1), box["y"] + box["height"] / 2
        stroke(browser, x, y, across=distance)

    def press(self, browser, selector):
        """Taps an element with a finger, at rest: the buttons of a swipe move until it has come to its end."""
        browser.wait_for_rest()
        tap(browser, *middle(browser, wait_for(lambda: browser.seen(selector), selector)))

    def make_mail(self):
        archive = {"action": "custom", "name": "archive", "title": "Archive", "symbol": "archivebox", "color": "systemPurple"}
        layout = {
            "kind": "list", "appearance": "insetGrouped",
            "leadingSwipe": [{"action": "star", "title": "Keep", "color": "systemTeal", "whenStarred": {"title": "Let go"}}],
            "trailingSwipe": [archive, {"action": "delete", "title": "Throw away"}]}
        items = [{"id": one, "content": {"title": f"Letter {one}"}} for one in ("a", "b", "c")]
        self.client.write("PUT", "/v1/lists/mail", {"title": "Mail", "layout": layout, "sections": [{"id": "in", "items": items}]})

    def test_a_swipe_rests_open_with_titles(self):
        self.make_mail()
        narrow = self.window(size="narrow")
        narrow.open("mail")
        starred = lambda: self.client.get("/v1/lists/mail/items/b").get("starred", False)
        shown = lambda: narrow.driver.execute_script(
            "return [...document.querySelectorAll('.swipe-tray button')].map((one) => [one.innerText.trim(), one.disabled])")
        for title, is_starred in (("Keep", True), ("Let go", False)):
            self.swipe(narrow, "b", 60)
            self.assertEqual([[title, False]], shown())
            self.press(narrow, ".swipe-tray .star")
            wait_for(lambda: starred() == is_starred, "a star or none")
            self.assertEqual([], shown())
            narrow.wait_until_equal(self.client, "mail")
        # The page does not know what another client does with its own action.
        self.swipe(narrow, "b", -300)
        self.assertEqual([["Archive", True], ["Throw away", False]], shown())
        self.press(narrow, ".swipe-tray .delete")
        wait_for(lambda: self.order("mail") == ["a", "c"], lambda: self.order("mail"))
        # A touch elsewhere closes what a swipe has opened, and a long swipe acts at once.
        self.swipe(narrow, "a", -90)
        self.assertEqual(2, len(shown()))
        self.press(narrow, '.row[data-id="c"]')
        self.assertEqual([], shown())
        self.swipe(narrow, "c", 200)
        wait_for(lambda: self.client.get("/v1/lists/mail/items/c").get("starred"), "a star")
        self.assert_quiet(narrow)

    def test_buttons_have_the_titles_and_colours_of_swipes(self):
        self.make_mail()
        self.browser.open("mail")
        box = self.browser.bring_to_rest(self.browser.row("a"))
        self.browser.mouse("mouseMoved", box["x"] + 40, box["y"] + box["height"] / 2)
        wait_for(lambda: self.browser.one(".row-actions:not([hidden])"), "buttons")
        shown = self.browser.driver.execute_script("""
            return [...document.querySelectorAll('.row-actions button')].map((one) =>
              [one.innerText.trim(), one.disabled, getComputedStyle(one).backgroundColor])""")
        self.assertEqual([["Keep", False], ["Throw away", False], ["Archive", True]], [one[:2] for one in shown])
        self.assertEqual(3, len({colour for _, _, colour in shown}))

    def test_insertion_sort_runs_until_it_is_told_to_stop(self):
        self.client.write("POST", "/v1/samples/insertion-sort")
        # One row that takes a minute to sort, so that no slow machine is told too late that it runs.
        self.client.write("POST", "/v1/lists/insertion-sort/transactions", {"operations": [
            {"op": "appendItems", "section": "row-0",
             "items": [{"kind": "node", "content": {"value": -value, "hue": 0}} for value in range(500)]}]})
        self.browser.open("insertion-sort")
        button = lambda text: next(
            (one for one in self.browser.driver.find_elements("css selector", ".tools button") if one.text == text), None)
        revision = lambda: int(self.version("insertion-sort").split("-")[1])
        first = revision()
        wait_for(lambda: button("Run"), "a button").click()
        wait_for(lambda: revision() > first + 2, "steps of the server")
        wait_for(lambda: button("Stop"), "another button").click()
        wait_for(lambda: button("Run"), "the first button")
        steps = lambda: sum("/step" in one for one in self.browser.requests())
        wait_for(lambda: steps() == 2, steps)
        self.settle("insertion-sort")
        stopped = revision()
        # Three steps would take less.
        time.sleep(0.5)
        self.assertEqual(stopped, revision())
        self.client.write("POST", "/v1/samples/insertion-sort")
        self.settle("insertion-sort")
        button("Run").click()
        values = lambda: [[item["content"]["value"] for item in section["items"]]
                          for section in self.client.get("/v1/lists/insertion-sort")["sections"]]
        wait_for(lambda: all(row == sorted(row) for row in values()), "sorted rows")
        wait_for(lambda: button("Run"), "the button of a sample that rests")
        self.settle("insertion-sort")
        # Where nothing is left to do it does not run.
        button("Run").click()
        wait_for(lambda: steps() == 4, steps)
        wait_for(lambda: button("Run"), "the button of a sorted sample")
        self.assert_quiet()
