"""What the tests of the page as an administrator's tool have in common."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for

SHOPPING = {"title": "Shopping", "layout": {"kind": "list", "appearance": "insetGrouped"}, "sections": [
    {"id": "fruit", "title": "Fruit", "items": [
        {"id": "apple", "content": {"title": "Apple"}}, {"id": "pear", "content": {"title": "Pear"}},
        {"id": "plum", "content": {"title": "Plum"}}]},
    {"id": "bread", "title": "Bread", "items": [{"id": "rye", "content": {"title": "Rye bread"}}]}]}


class AdminTests(BrowserTestCase):
    def setUp(self):
        # The page of the test before asks for nothing that is gone for a moment.
        self.browser.driver.get("about:blank")
        self.browser.console()
        self.client.ask("DELETE", "/v1/lists/shopping?purge=true")
        self.create("shopping", SHOPPING)

    def keys(self, *keys, held=()):
        actions = ActionChains(self.browser.driver, duration=0)
        for key in held:
            actions.key_down(key)
        for key in keys:
            actions.send_keys(key)
        for key in held:
            actions.key_up(key)
        actions.perform()

    def on(self, item, *keys, held=()):
        """Presses keys while a row has the focus."""
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row(item))
        self.keys(*keys, held=held)

    def wait_for(self, selector, what=None):
        wait_for(lambda: self.browser.one(selector), what or selector)
        return self.browser.one(selector)

    def wait_for_text(self, selector, text):
        wait_for(lambda: text in self.browser.text(selector), lambda: f"{text!r} in {self.browser.text(selector)!r}")

    def tab_to(self, selector):
        """Goes to an element with Tab alone."""
        for _ in range(120):
            if self.browser.driver.execute_script("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"No Tab leads to {selector}.")

    def tab_to_toast(self):
        """Goes to the button of a message, which stays while the mouse is over it."""
        box = self.browser.box(self.wait_for("#toast .toast-button"))
        self.browser.mouse("mouseMoved", box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.tab_to(".toast-button")

    def choose(self, label):
        """An entry of the open menu, by keys."""
        self.wait_for(".menu")
        for _ in range(12):
            if self.browser.driver.execute_script("return document.activeElement.textContent").startswith(label):
                self.keys(Keys.ENTER)
                return
            self.keys(Keys.ARROW_DOWN)
        raise AssertionError(f"No {label} in the menu.")

    def open_menu_of(self, list_id):
        """Opens the menu of a list by keys."""
        self.wait_for(f'.side-item[data-id="{list_id}"]')
        self.tab_to(f'.side-item[data-id="{list_id}"] .side-more')
        self.keys(Keys.ENTER)
        self.wait_for(".menu")

    def side(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.side-item')].map((one) => one.dataset.id)")

    def address(self):
        return self.browser.driver.execute_script("return location.hash")
