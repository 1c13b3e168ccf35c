"""A page with a window of a list that comes back after it was hidden for long, in a browser without locks."""

from browser import wait_for
from longlist import LongListTestCase

# Such a browser, in which a page waits for the test, and not for a minute, until it lets go of its stream.
WITHOUT_LOCKS = """
Object.defineProperty(navigator, "locks", {value: undefined});
const real = window.setTimeout;
window.setTimeout = (done, milliseconds, ...rest) => milliseconds === 60_000 ? (window.leave_ = done, 0) : real(done, milliseconds, ...rest);
"""
HIDE = """
Object.defineProperty(document, "hidden", {value: arguments[0], configurable: true});
document.dispatchEvent(new Event("visibilitychange"));
if (arguments[0]) window.leave_();
"""


class LongReturnTests(LongListTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WITHOUT_LOCKS})

    def come_back(self, item, *keys):
        """Presses keys on a row before the first answer is here. The rows from before are seen then."""
        self.browser.open("long")
        self.script("arguments[0].focus()", self.browser.row(item))
        self.script(HIDE, True)
        wait_for(lambda: self.browser.state() == "closed", self.browser.state)
        self.script(f"""{HIDE}
            for (const key of arguments[1]) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {{key, bubbles: true}}));
            window.early_ = document.querySelector(".state").classList.value;""", False, keys)
        self.assertEqual("state connecting", self.script("return window.early_"))

    def star(self, item):
        return self.client.get(f"/v1/lists/long/items/{item}").get("starred", False)

    def test_edits_and_the_history_wait_for_the_first_answer(self):
        self.come_back("r3", "s", "h")
        wait_for(lambda: self.star("r3"), "a star")
        wait_for(lambda: "is-starred" in self.browser.row("r3").get_attribute("class"), "a star in the page")
        wait_for(lambda: self.browser.text(".history-words").startswith("Starred"), lambda: self.browser.text(".history-words"))
        self.assert_right()
        self.key("z", 90, modifiers=2)
        wait_for(lambda: not self.star("r3"), "no star")
        self.assert_quiet()

    def test_an_edit_is_sent_although_one_goes_on_to_another_page(self):
        self.come_back("r9", "s")
        self.script("location.hash = '#/'")
        wait_for(lambda: self.star("r9"), "a star")
        self.assert_quiet()
