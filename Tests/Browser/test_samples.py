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
