"""Every sample in the page: its rows are right, and the console has no errors."""

from browser import BrowserTestCase, wait_for


class SampleTests(BrowserTestCase):
    def test_the_gallery_has_every_list(self):
        self.browser.open_gallery()
        shown = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('.cards > li')].map((card) => card.dataset.id)")
        self.assertEqual(sorted(self.client.lists()), sorted(shown))
        self.assert_quiet()

    def test_each_sample_shows_its_rows(self):
        samples = [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]
        self.assertTrue(samples)
        # While somebody looks the server scans by itself.
        self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})
        for sample in samples:
            with self.subTest(sample):
                self.browser.open(sample)
                self.assertEqual(self.client.visible(sample), self.browser.rows())
                title = self.client.get(f"/v1/lists/{sample}")["title"]
                self.assertEqual(title, self.browser.text("h1"))
                self.assertEqual([], self.browser.snapshots(sample))
                self.assert_quiet()

    def test_rows_lie_within_the_page(self):
        """A section that scrolls sideways must not make the page wider than the window."""
        narrow = self.window(size="narrow")
        for sample in [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]:
            with self.subTest(sample):
                narrow.open(sample)
                over = narrow.driver.execute_script(
                    "return [...document.querySelectorAll('.section')].filter((one) => "
                    "one.getBoundingClientRect().right > innerWidth + 1).length")
                self.assertEqual(0, over)

    def test_a_list_that_is_not_there(self):
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/nothing")
        wait_for(lambda: self.browser.text(".failure") == "There is no such list.", "a message")
        self.browser.console()

    def test_untrusted_text_is_text(self):
        bait = "<img src=x onerror=\"document.title='caught'\">"
        self.create("bait", {
            "title": bait,
            "sections": [{
                "id": bait, "title": bait, "header": bait, "footer": bait,
                "layout": {"kind": "list", "headerMode": "supplementary", "footerMode": "supplementary"},
                "items": [{"id": bait, "kind": "k", "content": {"title": bait}}, {"id": "\"]'", "content": {"text": "'"}}],
            }],
        })
        self.browser.open("bait")
        self.assertEqual(self.client.visible("bait"), self.browser.rows())
        self.assertEqual(bait, self.browser.text(".row .primary"))
        self.assertEqual(bait, self.browser.text(".section h2"))
        self.assertEqual(bait, self.browser.text("h1"))
        self.assertEqual(0, self.browser.driver.execute_script("return document.images.length"))
        self.assert_quiet()

    def test_backgrounds_and_insets_of_headers_footers_and_badges(self):
        look = {"color": "systemGreen", "corner": 9, "stroke": "systemRed", "strokeWidth": 2}
        insets = {"top": 3, "leading": 21, "bottom": 5, "trailing": 13}
        edge = lambda kind, alignment: {
            "kind": kind, "alignment": alignment, "width": {"fractionalWidth": 1}, "height": {"estimated": 30},
            "background": look, "insets": insets}
        badge = {"edges": ["top", "trailing"], "width": {"absolute": 20}, "height": {"absolute": 20}, "field": "count",
                 "background": {**look, "color": "systemYellow"}, "insets": insets}
        item = {"width": {"fractionalWidth": 0.5}, "height": {"fractionalHeight": 1}, "badges": [badge]}
        layout = {"kind": "grid", "supplementaries": [edge("header", "top"), edge("footer", "bottom")],
                  "group": {"direction": "horizontal", "width": {"fractionalWidth": 1}, "height": {"absolute": 60}, "item": item}}
        sections = [{"id": "s", "header": "Head", "footer": "Foot", "layout": layout,
                     "items": [{"id": "i", "content": {"title": "An item", "count": 7}}]}]
        self.create("looks", {"title": "Looks", "sections": sections})
        self.browser.open("looks")
        read = """
            const style = getComputedStyle(document.querySelector(arguments[0]));
            return [style.padding, style.borderRadius, style.borderTopWidth, style.borderTopColor, style.backgroundColor];"""
        for selector, colour in ((".header", "rgb(169, 232, 182)"), (".footer", "rgb(169, 232, 182)"),
                                 (".badge", "rgb(255, 226, 122)")):
            with self.subTest(selector):
                self.assertEqual(["3px 13px 5px 21px", "9px", "2px", "rgb(255, 59, 48)", colour],
                                 self.browser.driver.execute_script(read, selector))
        self.assert_quiet()
