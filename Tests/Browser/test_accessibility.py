"""The findings of axe-core in each view, in light and in dark colours."""

from selenium.webdriver.common.keys import Keys

from admin import AdminTests


class AccessibilityTests(AdminTests):
    def assert_no_violation(self, rules=None):
        """Checks `rules`, or all rules if there are none."""
        result = self.browser.axe(options={"runOnly": rules} if rules else None)
        # Without these rules the run would have checked nothing.
        expected = set(rules or ["color-contrast", "aria-allowed-attr"])
        self.assertLessEqual(expected, {one["id"] for one in result["passes"]})
        found = result["violations"]
        self.assertEqual([], [
            (one["id"], one["help"], [(node["html"][:200], node.get("failureSummary", "")[:300]) for node in one["nodes"]][:3])
            for one in found])

    def test_gallery(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.browser.show_as(scheme, reduced_motion=True)
                self.browser.open_gallery()
                self.assert_no_violation()

    def test_lists(self):
        self.client.write("POST", "/v1/lists/emoji-explorer/items/outline.food/expand")
        for sample in [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]:
            with self.subTest(sample):
                self.browser.show_as("light", reduced_motion=True)
                self.browser.open(sample)
                self.browser.one(".bar-button[aria-controls=inspector]").click()
                self.assert_no_violation()
                # Only the colours differ in the dark scheme.
                self.browser.show_as("dark", reduced_motion=True)
                self.assert_no_violation(["color-contrast"])

    def test_what_opens_beside_and_over_a_list(self):
        self.create("empty", {"title": "Empty", "sections": []})
        self.client.edit("shopping", {"op": "starItems", "items": ["pear"]})
        go = lambda address: self.browser.driver.execute_script("location.hash = arguments[0]", address)
        version = self.client.get("/v1/lists/shopping")["version"]
        views = [
            ("a new list", lambda: self.browser.one(".sidebar .new-list").click(), "dialog[open] .choices"),
            ("the keys", lambda: self.keys("?"), "dialog[open] .shortcuts"),
            ("the menu of a list", lambda: self.open_menu_of("shopping"), ".menu"),
            ("the menu of an item", lambda: self.on("pear", Keys.F10, held=[Keys.SHIFT]), ".menu"),
            ("a title", lambda: self.on("pear", Keys.F2), ".title-edit"),
            ("an item as JSON", lambda: self.on("pear", "e"), "dialog[open] textarea"),
            ("several items", lambda: self.on("pear", "x"), ".row.is-selected"),
            ("where to move", lambda: self.on("pear", "m"), "#move-section"),
            ("the history", lambda: self.keys("h"), ".history-row"),
            ("the past", lambda: go(f"#/lists/shopping?version={version}"), ".row[data-past]"),
            ("what goes over the wire", lambda: self.keys("i"), "#inspector:not([hidden])"),
            ("a search in all lists", lambda: go("#/search?search=pear"), ".found[data-done]"),
            ("an empty list", lambda: go("#/lists/empty"), ".empty:not(:empty)"),
        ]
        for scheme in ("light", "dark"):
            self.browser.show_as(scheme, reduced_motion=True)
            for name, act, selector in views:
                with self.subTest(name, scheme=scheme):
                    self.browser.open("shopping")
                    act()
                    self.wait_for(selector)
                    self.assert_no_violation(["color-contrast"] if scheme == "dark" else None)

    def test_buttons_of_swipes_in_every_colour(self):
        """Each colour stands behind a text that can be read."""
        named = "Red Orange Yellow Green Mint Teal Cyan Blue Indigo Purple Pink Brown Gray Gray2 Gray3 Gray4 Gray5 Gray6"
        colours = [f"system{name}" for name in named.split()] + ["label", "secondaryLabel", "systemBackground", "tint"]
        sections = []
        for start in range(0, len(colours), 2):
            swipe = [{"action": action, "title": "Aa", "color": colour} for action, colour in
                     zip(("star", "delete"), colours[start:start + 2])]
            sections.append({"id": f"s{start}", "layout": {"kind": "list", "leadingSwipe": swipe},
                             "items": [{"id": f"i{start}", "content": {"title": "A row"}}]})
        self.create("colours", {"title": "Colours", "sections": sections})
        for scheme in ("light", "dark"):
            self.browser.show_as(scheme, reduced_motion=True)
            self.browser.open("colours")
            for section in sections:
                with self.subTest(section["id"], scheme=scheme):
                    row = self.browser.row(section["items"][0]["id"])
                    box = self.browser.bring_to_rest(row)
                    self.browser.mouse("mouseMoved", box["x"] + 40, box["y"] + box["height"] / 2)
                    self.wait_for(f"[data-id={section['items'][0]['id']}] .row-actions:not([hidden])")
                    self.assert_no_violation(["color-contrast"])

    def test_backgrounds_and_accessories(self):
        look = lambda colour: {"color": colour, "corner": 8}
        edge = lambda kind, alignment, colour: {
            "kind": kind, "alignment": alignment, "width": {"fractionalWidth": 1}, "height": {"estimated": 40},
            "background": look(colour), "insets": {"leading": 10}}
        badge = {"edges": ["top", "trailing"], "width": {"absolute": 24}, "height": {"absolute": 24}, "field": "count",
                 "background": look("systemOrange")}
        item = {"width": {"fractionalWidth": 0.5}, "height": {"fractionalHeight": 1}, "badges": [badge]}
        grid = {"kind": "grid", "group": {"direction": "horizontal", "width": {"fractionalWidth": 1},
                                          "height": {"absolute": 60}, "item": item},
                "supplementaries": [edge("header", "top", "systemPurple"), edge("footer", "bottom", "systemBrown")]}
        accessories = [{"accessory": "label", "field": "count"}, {"accessory": "checkmark", "field": "done"},
                       {"accessory": "popUpMenu", "field": "size", "options": ["Small", "Large"]},
                       {"accessory": "switch", "field": "on"}]
        rows = {"kind": "list", "cells": {"k": {"configuration": "cell", "text": "title", "accessories": accessories}}}
        content = {"title": "Shirt", "count": 3, "done": True, "size": "Small", "on": False}
        self.create("words", {"title": "Words", "sections": [
            {"id": "a", "header": "Header", "footer": "Footer", "layout": grid, "items": [{"id": "a", "content": content}]},
            {"id": "b", "layout": rows, "items": [{"id": "b", "kind": "k", "content": content}]}]})
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.browser.show_as(scheme, reduced_motion=True)
                self.browser.open("words")
                self.assert_no_violation()
                self.browser.one(".pop-up").click()
                self.wait_for(".menu")
                self.assert_no_violation()

    def test_a_gallery_with_a_deleted_list(self):
        self.client.write("DELETE", "/v1/lists/shopping")
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.browser.show_as(scheme, reduced_motion=True)
                self.browser.open_gallery()
                self.wait_for_text(".deleted", "Restore Shopping")
                self.assert_no_violation()
