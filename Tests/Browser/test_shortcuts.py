"""Keys: the window that lists them, the elements that name theirs, and one effect of each."""

from selenium.webdriver.common.keys import Keys

from admin import AdminTests
from browser import wait_for
from hand import middle

WORDS = {"Control": "Ctrl", "Meta": "Ctrl"}


class ShortcutTests(AdminTests):
    def listed(self):
        self.keys("?")
        self.wait_for("dialog[open] .shortcuts")
        texts = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('dialog .shortcuts kbd')].map((one) => one.textContent)")
        self.keys(Keys.ESCAPE)
        wait_for(lambda: not self.browser.one("dialog[open]"), "no window")
        return texts

    def named(self):
        """The keys that elements of the page name as their own."""
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('[aria-keyshortcuts]')].flatMap((one) => one.getAttribute('aria-keyshortcuts').split(' '))")

    def test_each_key_that_is_named_is_listed(self):
        layout = {"kind": "list", "leadingSwipe": ["star"], "trailingSwipe": ["delete"]}
        self.client.write("PATCH", "/v1/lists/shopping", {"layout": layout})
        self.browser.open("shopping")
        listed = {key for text in self.listed() for part in text.split(", ") for key in [part, *part.split()]}
        box = self.browser.bring_to_rest(self.browser.row("pear"))
        self.browser.mouse("mouseMoved", box["x"] + 40, box["y"] + box["height"] / 2)
        self.wait_for(".row-actions:not([hidden])")
        named = set(self.named())
        self.on("pear", "x")
        named |= set(self.named())
        self.on("pear", Keys.F10, held=[Keys.SHIFT])
        self.wait_for(".menu")
        named |= set(self.named())
        self.assertLessEqual({"Control+Z", "Control+Shift+Z", "/", "Control+F", "N", "H", "I", "S", "Delete", "M", "E", "F2", "Escape"}, named)
        for one in named:
            words = " ".join(WORDS.get(part, part) for part in one.split("+"))
            self.assertIn(words, listed, one)

    def test_each_listed_key_does_something(self):
        """One effect of each key that is listed for a list and its items: an element that is there after it."""
        row = lambda name: f'.row[data-id="{name}"]'
        acts = [
            ("/", (), ".search input:focus"), ("n", (), ".title-edit"), ("h", (), "#history:not([hidden])"),
            ("i", (), "#inspector:not([hidden])"), ("?", (), "dialog[open] .shortcuts"), ("f", [Keys.CONTROL], ".search input:focus"),
            (Keys.F2, (), ".title-edit"), ("e", (), "dialog[open] textarea"), ("s", (), row("pear") + ".is-starred"),
            (" ", (), row("pear") + ".lifted"), (" ", [Keys.CONTROL], row("pear") + ".is-selected"),
            ("x", (), row("pear") + ".is-selected"), ("a", [Keys.CONTROL], row("rye") + ".is-selected"), ("m", (), "#move-section"),
            (Keys.ARROW_DOWN, [Keys.SHIFT], row("plum") + ".is-selected"), (Keys.ARROW_DOWN, (), row("plum") + ":focus"),
            (Keys.ARROW_DOWN, [Keys.ALT], row("plum") + " + " + row("pear")), (Keys.F10, [Keys.SHIFT], ".menu"),
            (Keys.ENTER, (), ".title-edit"), (Keys.DELETE, (), "#toast:not([hidden])"), (Keys.END, (), row("rye") + ":focus"),
            (Keys.HOME, (), row("apple") + ":focus"),
        ]
        for key, held, selector in acts:
            with self.subTest(key=key, held=held):
                self.browser.driver.get("about:blank")
                self.setUp()
                self.client.write("PATCH", "/v1/lists/shopping", {"layout": {"kind": "list", "leadingSwipe": ["star", "delete"]}})
                self.browser.open("shopping")
                self.assertIsNone(self.browser.one(selector) if selector != "#toast:not([hidden])" else None)
                self.on("pear", key, held=held)
                self.wait_for(selector)
                # What a page keeps it sends later.
                wait_for(lambda: self.browser.pending() == "", self.browser.pending)
        self.assert_quiet()

    def test_escape_in_a_drag_means_the_drag_alone(self):
        self.browser.open("shopping")
        self.on("apple", "x")
        x, y = middle(self.browser, self.browser.row("pear"))
        self.browser.mouse("mousePressed", x, y, is_held=True)
        self.browser.mouse("mouseMoved", x, y + 30, is_held=True)
        self.wait_for(".ghost")
        self.keys(Keys.ESCAPE)
        wait_for(lambda: not self.browser.one(".ghost"), "no drag")
        self.browser.mouse("mouseReleased", x, y + 30)
        self.assertIsNotNone(self.browser.one('.row[data-id="apple"].is-selected'))
