"""Each view of the page, and how one comes to it by keys."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from admin import SHOPPING
from browser import wait_for

ARABIC = {"title": "قائمة التسوق", "layout": {"kind": "list", "appearance": "insetGrouped", "headerMode": "supplementary", "cells": {
    "item": {"configuration": "valueCell", "text": "title", "secondaryText": "note", "accessories": [
        "outlineDisclosure", "star", {"accessory": "switch", "field": "done"}, "reorder"]}}}, "sections": [
    {"id": "fruit", "title": "الفواكه", "items": [
        {"id": "apple", "content": {"title": "تفاح أحمر", "note": "٣ كيلو", "done": True}},
        {"id": "pear", "starred": True, "expanded": True, "content": {"title": "كمثرى", "note": "iPhone 15 (١٥)", "done": False}},
        {"id": "small", "parent": "pear", "content": {"title": "كمثرى صغيرة، abc 123"}}]},
    {"id": "grid", "title": "شبكة", "layout": {"kind": "grid", "group": {
        "direction": "horizontal", "width": {"fractionalWidth": 1}, "height": {"absolute": 60},
        "item": {"width": {"fractionalWidth": 0.25}, "height": {"fractionalHeight": 1}, "insets": {"leading": 12}}}},
     "items": [{"id": f"g{index}", "content": {"title": f"عنصر {index}"}} for index in range(6)]}]}

EDITED = {"title": "Packing", "layout": {"kind": "list", "appearance": "insetGrouped", "headerMode": "supplementary", "cells": {
    kind: {"configuration": "cell", "text": "title", "accessories": [{"accessory": kind, "displayed": "whenEditing"}, {
        "accessory": "reorder", "displayed": "whenEditing"}]} for kind in ("delete", "insert", "multiselect")}}, "sections": [
    {"id": kind, "title": kind.title(), "items": [
        {"id": f"{kind}-{number}", "kind": kind, "content": {"title": f"{kind.title()} {number}"}} for number in (1, 2, 3)]}
    for kind in ("delete", "insert", "multiselect")]}


class Views:
    """Brings a window to each view of a server without tokens. `names` has all of them."""

    def __init__(self, browser, client):
        self.browser = browser
        self.client = client
        for list_id, snapshot in (("shopping", SHOPPING), ("arabic", ARABIC), ("packing", EDITED),
                                  ("nothing-in-it", {"title": "Nothing in it", "sections": []})):
            client.ask("DELETE", f"/v1/lists/{list_id}?purge=true")
            client.write("PUT", f"/v1/lists/{list_id}", snapshot)
        for operation in ({"op": "starItems", "items": ["pear"]}, {"op": "moveItem", "item": "plum", "before": "apple"}):
            self.version = client.edit("shopping", operation)["version"]
        client.edit("shopping", {"op": "updateItem", "item": "rye", "content": {"title": "Rye bread, a long loaf"}})
        self._ways = {
            "gallery": (None, lambda: None, ".cards[data-count]"),
            "list": ("shopping", lambda: None, ".row"),
            "sample": ("emoji-explorer", lambda: wait_for(lambda: "Reset" in self.browser.text(".tools"), "its buttons"), ".row"),
            "inspector": ("shopping", lambda: self.keys("i"), "#inspector:not([hidden])"),
            "history": ("shopping", lambda: self.keys("h"), ".history-row"),
            "old-version": (f"shopping?version={self.version}", lambda: None, ".row[data-past]"),
            "new-list": (None, lambda: self.press_at("main .new-list"), "dialog[open] .choices"),
            "rename": (None, lambda: self.in_menu_of("shopping", "Rename"), "dialog[open] #dialog-text"),
            "import": (None, lambda: self.in_menu_of("shopping", "Replace"), "dialog[open] #replace-file"),
            "keys": ("shopping", lambda: self.keys("?"), "dialog[open] .shortcuts"),
            "menu": ("shopping", lambda: self.on("pear", Keys.F10, held=[Keys.SHIFT]), ".menu"),
            "title": ("shopping", lambda: self.on("pear", Keys.F2), ".title-edit"),
            "item-as-json": ("shopping", lambda: self.on("pear", "e"), "dialog[open] textarea"),
            "json-refused": ("shopping", self.refuse_json, "dialog[open] li button"),
            "detail": ("emoji-explorer", lambda: self.on("list.fox", Keys.ENTER), "dialog[open] .detail"),
            "several": ("shopping", lambda: self.on("pear", "x"), ".row.is-selected"),
            "move": ("shopping", lambda: self.on("pear", "m"), "#move-section"),
            "edit-mode": ("packing", self.edit, ".is-editing .row.is-selected"),
            "search": ("shopping?search=pear", lambda: None, ".row"),
            "nothing-found": ("shopping?search=xyz", lambda: None, ".empty:not([hidden])"),
            "all-lists": ("#/search?search=pear", lambda: None, ".found[data-done]"),
            "empty-list": ("nothing-in-it", lambda: None, ".empty:not([hidden])"),
            "no-list": ("not-there", lambda: None, ".failure:not([hidden])"),
            "arabic": ("arabic", lambda: None, ".row"),
        }
        self.names = list(self._ways)

    def show(self, name):
        place, act, selector = self._ways[name]
        address = "#/" if place is None else place if place.startswith("#") else f"#/lists/{place}"
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/{address}")
        ready = ".cards[data-count]" if place is None else ".found" if place.startswith("#") else ".state:not(:empty, .connecting)"
        wait_for(lambda: self.browser.one(ready), ready)
        if place and not place.startswith("#") and place != "not-there":
            wait_for(lambda: self.browser.one(".collection[aria-busy=false]") and self.browser.state() == "live", f"{place} live")
        act()
        wait_for(lambda: self.browser.one(selector), f"{name}: {selector}")

    # The ways.

    def keys(self, *keys, held=()):
        actions = ActionChains(self.browser.driver, duration=0)
        for key in held:
            actions.key_down(key)
        actions.send_keys(*keys)
        for key in held:
            actions.key_up(key)
        actions.perform()

    def focus(self, selector):
        element = wait_for(lambda: self.browser.one(selector), selector)
        self.browser.driver.execute_script("arguments[0].focus()", element)

    def press_at(self, selector):
        self.focus(f"{selector}:not([hidden])")
        self.keys(Keys.ENTER)

    def on(self, item, *keys, held=()):
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row(item))
        self.keys(*keys, held=held)

    def in_menu_of(self, list_id, label):
        self.press_at(f'.cards [data-id="{list_id}"] .card-more')
        wait_for(lambda: self.browser.one(".menu"), "a menu")
        for _ in range(8):
            if self.browser.driver.execute_script("return document.activeElement.textContent").startswith(label):
                return self.keys(Keys.ENTER)
            self.keys(Keys.ARROW_DOWN)
        raise AssertionError(f"No {label} in the menu.")

    def refuse_json(self):
        self.on("pear", "e")
        wait_for(lambda: self.browser.one("dialog[open] textarea"), "a field")
        self.keys("a", held=[Keys.CONTROL])
        self.keys('{"content":{},"colour":"red"}', Keys.TAB, Keys.TAB, Keys.ENTER)

    def edit(self):
        self.press_at(".edit-list")
        self.on("multiselect-2", "x")
