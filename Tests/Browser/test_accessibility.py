"""The findings of axe-core in the gallery and in lists of each kind, in light and in dark colours."""

from axe_core_python.selenium import Axe

from browser import BrowserTestCase


class AccessibilityTests(BrowserTestCase):
    def assert_no_violation(self, rules=None):
        """Checks `rules`, or all rules if there are none."""
        result = Axe().run(self.browser.driver, options={"runOnly": rules} if rules else None)
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
