"""How the page looks, as far as places, sizes and colours say it: what begins and ends at one edge, and what can be seen."""

from browser import BrowserTestCase, wait_for

# The left and right edge of the text of each element.
EDGES = """
return arguments[0].map((selector) => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  const box = range.getBoundingClientRect();
  return [box.left, box.right];
});
"""


class LooksTests(BrowserTestCase):
    def edges(self, browser, *selectors):
        return browser.driver.execute_script(EDGES, selectors)

    def box(self, browser, selector):
        return browser.box(wait_for(lambda: browser.one(selector), selector))

    def style(self, browser, selector, name, pseudo=None):
        return browser.driver.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0]), arguments[2])[arguments[1]]", selector, name, pseudo)

    # The sidebar and the gallery.

    def test_a_list_without_sections_is_searched(self):
        self.create("nothing", {"title": "Nothing", "sections": []})
        self.browser.driver.get(f"{self.browser.base}/#/search?search=fox")
        wait_for(lambda: self.browser.one(".found[data-done]"), "an end")
        self.assertNotIn("could not", self.browser.text(".note"))
        self.assert_quiet()
