"""Rows that are selected in a list that is held as a window, and that the window has left behind."""

from browser import wait_for
from longlist import COUNT, LongListTestCase
from many import many


class LongSelectionTests(LongListTestCase):
    def selected(self):
        return self.browser.text(".selection-count")

    def press(self, label):
        self.script("""[...document.querySelectorAll('.selection-bar button')]
            .find((one) => one.textContent === arguments[0]).click()""", label)

    def leave(self, *items):
        """Selects rows, and goes to another window."""
        self.browser.open("long")
        for item in items:
            self.click(item, modifiers=2)
        self.leap(0.5)
        self.assert_right()
        self.assertEqual(f"{len(items)} selected", self.selected())

    def stars(self, *items):
        return [self.client.get(f"/v1/lists/long/items/{item}").get("starred", False) for item in items]

    def test_stars_come_and_go_on_rows_that_were_left_behind(self):
        self.leave("r2", "r5")
        for is_starred in (True, False, True):
            self.press("Star")
            wait_for(lambda: self.stars("r2", "r5") == [is_starred] * 2, lambda: self.stars("r2", "r5"))
        # Those that had a star when they were seen last have it.
        self.browser.open("long")
        self.leave("r2", "r5")
        self.press("Star")
        wait_for(lambda: self.stars("r2", "r5") == [False, False], lambda: self.stars("r2", "r5"))
        self.assert_quiet()

    def test_children_move_along_with_parents_that_were_left_behind(self):
        items = [{"id": "top", "expanded": True, "content": {"title": "Top"}},
                 {"id": "middle", "parent": "top", "expanded": True, "content": {"title": "Middle"}},
                 {"id": "leaf", "parent": "middle", "content": {"title": "Leaf"}}]
        self.client.write("PUT", "/v1/lists/long", {"title": "Long", "sections": [
            {"id": "s", "items": [*items, *many(COUNT)["sections"][0]["items"]]}]})
        self.leave("top", "leaf")
        self.press("Move")
        self.browser.one("dialog[open] .main-button").click()
        ids = lambda: self.served(COUNT, 3)
        wait_for(lambda: ids() == ["top", "middle", "leaf"], ids)
        self.assertEqual("middle", self.client.get("/v1/lists/long/items/leaf")["parent"])
        self.assert_quiet()

    def test_rows_that_are_gone_are_not_selected(self):
        self.leave("r2", "r5", "r7")
        near = self.ids()[3:6]
        for item in near:
            self.click(item, modifiers=2)
        self.assertEqual("6 selected", self.selected())
        # One that is left behind, and one in sight; what others move away stays selected.
        self.client.edit("long", {"op": "deleteItems", "items": ["r5"]})
        wait_for(lambda: self.selected() == "5 selected", self.selected)
        self.client.edit("long", {"op": "moveItem", "item": near[0], "section": "s", "at": "last"})
        self.client.edit("long", {"op": "deleteItems", "items": [near[1]]})
        wait_for(lambda: self.selected() == "4 selected", self.selected)
        self.press("Star")
        starred = lambda: self.stars("r2", "r7", near[0], near[2])
        wait_for(lambda: starred() == [True] * 4, starred)
        self.assert_quiet()

    def test_a_refusal_shows_which_rows_are_gone(self):
        """Others have added as many as they have deleted, so that the number of items does not tell."""
        self.leave("r2", "r5")
        new = {"id": "new", "kind": "k", "content": {"title": "New"}}
        version = self.client.edit("long", {"op": "deleteItems", "items": ["r5"]}, {"op": "appendItems", "items": [new]})["version"]
        wait_for(lambda: self.browser.one("#collection").get_attribute("data-version") == version, "what others did")
        self.assertEqual("2 selected", self.selected())
        self.press("Star")
        wait_for(lambda: self.selected() == "1 selected", self.selected)
        self.press("Star")
        wait_for(lambda: self.stars("r2") == [True], lambda: self.stars("r2"))
        self.assertEqual([], [one for one in self.browser.console() if "409" not in one])
