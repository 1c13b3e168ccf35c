"""Rows that are moved by keys in a list that is held as a window: over the end of the window, too."""

import re

from browser import wait_for
from longlist import LongListTestCase


class LongKeysTests(LongListTestCase):
    def said(self):
        return self.browser.text("#announcements").strip()

    def focus(self, item):
        self.script("arguments[0].focus()", self.browser.row(item))

    def lift(self, item):
        self.focus(item)
        self.key(" ")
        wait_for(lambda: "lifted" in self.said(), self.said)

    def following(self, item, list_id="long"):
        """The id of the row behind another one, as the server has it."""
        answer = self.client.get(f"/v1/lists/{list_id}?around={item}&before=0&after=1&view=visible")
        return [one["id"] for section in answer["sections"] for one in section.get("items", [])][-1]

    def test_a_lifted_row_goes_on_over_the_end_of_the_window(self):
        """The next window comes late, so that the keys come to the end of the rows that are held."""
        for start, item, (key, code), step in ((0, 397, ("ArrowDown", 40), 1), (15_000, 14_603, ("ArrowUp", 38), -1)):
            with self.subTest(key):
                self.browser.driver.get("about:blank")
                self.browser.driver.get(f"{self.browser.base}/#/lists/long?item=r{start}")
                wait_for(lambda: self.browser.focused() == f"r{start}", self.browser.focused)
                self.assert_right()
                self.delay(1_500)
                self.script("""const row = document.querySelector(".row:not(.kept)").getBoundingClientRect();
                    document.querySelector(".scroller").scrollTop += arguments[0] * row.height""", item - start)
                wait_for(lambda: self.browser.one(f'.row[data-id="r{item}"]'), "the row at the end of the window")
                self.lift(f"r{item}")
                self.script("""window.said_ = [];
                    const region = document.getElementById("announcements");
                    new MutationObserver(() => window.said_.push(region.textContent.trim())).observe(region, {childList: true, characterData: true, subtree: true})""")
                def places():
                    found = [re.fullmatch(r"Before (.*), place (\d+) of s", one) for one in self.script("return window.said_")]
                    return list(dict.fromkeys(int(one[2]) for one in found if one))
                def go_on():
                    self.key(key, code)
                    return len(places()) >= 12
                wait_for(go_on, lambda: f"{places()}: {self.said()}")
                told = places()
                self.assertEqual([told[0] + step * index for index in range(len(told))], told)
                self.delay(0)
                wait_for(lambda: self.browser.one(".drop-before"), "a mark")
                wanted = self.browser.one(".drop-before").get_attribute("data-id")
                self.key(" ")
                wait_for(lambda: self.following(f"r{item}") == wanted, lambda: self.following(f"r{item}"))
                wait_for(lambda: self.browser.focused() == f"r{item}", self.browser.focused)
                self.assert_quiet()

    def test_a_lifted_row_whose_window_goes_elsewhere(self):
        items = lambda name: [{"id": f"{name}-{index}", "content": {"title": f"{index} of {name}"}} for index in range(150)]
        self.create("parts", {"title": "Parts", "sections": [{"id": f"s{one}", "items": items(f"s{one}")} for one in range(150)]})
        self.browser.open("parts")
        self.lift("s0-3")
        self.key("ArrowDown", 40)
        wait_for(lambda: self.said().startswith("Before 5 of s0"), self.said)
        self.leap(0.5)
        wait_for(lambda: not self.browser.one('.section[data-id="s0"]'), "another window")
        # The next step leads on from the place before.
        self.assert_right("parts")
        self.key("ArrowDown", 40)
        wait_for(lambda: self.said().startswith("Before 6 of s0"), self.said)
        self.leap(0.5)
        wait_for(lambda: not self.browser.one('.section[data-id="s0"]'), "another window")
        self.assert_right("parts")
        self.key(" ")
        wait_for(lambda: self.following("s0-3", "parts") == "s0-6", lambda: self.following("s0-3", "parts"))
        self.assert_quiet()

    def test_steps_by_alt_and_arrows_from_out_of_sight(self):
        self.browser.open("long")
        self.focus("r5")
        self.leap(0.5)
        self.assert_right()
        self.key("ArrowDown", 40, modifiers=1)
        wait_for(lambda: self.served(5, 2) == ["r6", "r5"], lambda: self.served(5, 2))
        self.assert_quiet()
