"""The page at /docs: made of openapi.yaml, whole, readable without JavaScript, in both schemes and on a phone."""

import re
import subprocess
import sys
import unittest
import urllib.request

import yaml

from browser import BrowserTestCase, wait_for
from server import TOP

DOCUMENT = yaml.load((TOP / "openapi.yaml").read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
PAGE = (TOP / "Sources/CAssets/reference.html").read_text()
OPERATIONS = [(method.upper(), path, operation)
              for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()]
WIDER = """
return [...document.querySelectorAll("body *")].filter((node) => !node.closest(".table, pre") &&
  node.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((node) => node.outerHTML.slice(0, 90));
"""


class TextTests(unittest.TestCase):
    def test_it_is_made_of_the_contract(self):
        made = subprocess.run([sys.executable, TOP / ".ci/write-reference", "--check"], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_nothing_is_left_out(self):
        self.assertGreater(len(OPERATIONS), 50)
        for method, path, operation in OPERATIONS:
            section = re.search(rf'<section id="{operation["operationId"]}".*?</section>', PAGE, re.S)[0]
            plain = re.sub("<[^>]+>", "", section)
            with self.subTest(operation["operationId"]):
                self.assertIn(f"{method} {path}", plain)
                self.assertIn(operation["summary"].replace("`", ""), plain)
                for reference in operation["parameters"]:
                    self.assertIn(self.resolved(reference)["name"], plain)
                for status, answer in operation["responses"].items():
                    self.assertRegex(section, rf"Answer {status}\b|>{status}</a>|<li>{status} ")
                    for media in self.resolved(answer).get("content", {}).values():
                        for code in media.get("x-codes", []):
                            self.assertIn(f'"/problems/{code}"', section)
        for name, schema in DOCUMENT["components"]["schemas"].items():
            section = re.search(rf'<section id="schema-{name}".*?</section>', PAGE, re.S)[0]
            for member in schema.get("properties", {}):
                self.assertIn(f"<code>{member}</code>", section, name)

    def test_each_link_within_it_leads_somewhere(self):
        ids = re.findall(r' id="([^"]+)"', PAGE)
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(set(re.findall(r'href="#([^"]+)"', PAGE)) - set(ids), set())

    def test_all_text_is_text(self):
        """What begins like a tag in openapi.yaml is no tag on the page."""
        names = set(re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", PAGE))
        known = ("html head meta title link script body header a search nav details summary ul li b wbr main h1 h2 h3 h4 p code "
                 "strong em small br section div table tr th td pre span")
        self.assertLessEqual(names, set(known.split()))

    def resolved(self, value):
        while "$ref" in value:
            _, _, part, name = value["$ref"].split("/")
            value = DOCUMENT["components"][part][name]
        return value


class ReferenceTests(BrowserTestCase):
    def open(self, browser, fragment=""):
        browser.driver.get("about:blank")
        browser.driver.get(f"{browser.base}/docs{fragment}")

    def shown(self):
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('main .entry')].filter((node) => node.offsetParent).map((node) => node.id)")

    def found(self, words):
        field = self.browser.driver.find_element("css selector", "#search input")
        field.clear()
        field.send_keys(words)
        return self.browser.driver.execute_script(
            "return [...document.querySelectorAll('#found a')].map((link) => link.getAttribute('href').slice(1))")

    def test_search(self):
        self.open(self.browser)
        everything = len(self.shown())
        for words, first in (
                ("reorder difference", {"postReorder"}), ("add item", {"add-an-item", "postItems"}),
                ("unknown_section", {"problem-unknown_section"}), ("Idempotency-Key", {"parameter-IdempotencyKey"}),
                ("unknown", {"problem-unknown_item", "problem-unknown_section"}), ("retry", {"retry-safely"}),
                ("items/{item}/star", {"starItem", "unstarItem"}), ("lists-max", {"limit-listsMax"})):
            with self.subTest(words):
                found = self.found(words)
                self.assertLessEqual(first, set(found[:8]))
                self.assertEqual([], self.shown())
        # Each word must occur.
        self.assertEqual([], self.found("reorder zebra"))
        self.assertEqual("Nothing found for “reorder zebra”", self.browser.driver.find_element("id", "found").text)
        self.assertEqual([], self.found(" "))
        self.assertEqual(everything, len(self.shown()))
        # A link leads to what it names, and the words are there for the next look.
        self.found("unknown_section")
        self.browser.driver.find_element("css selector", "#found a[href='#problem-unknown_section']").click()
        wait_for(lambda: len(self.shown()) == everything, "all again")
        wait_for(lambda: self.is_in_view("problem-unknown_section"), "the problem")
        self.assert_quiet()

    def is_in_view(self, name, browser=None):
        """Whether the first line of it is under the bar and in the window."""
        return (browser or self.browser).driver.execute_script("""
            const top = document.getElementById(arguments[0]).getBoundingClientRect().top;
            return top >= document.querySelector("header").getBoundingClientRect().bottom && top < innerHeight;
            """, name)

    def test_it_begins_with_first_steps(self):
        self.open(self.browser)
        self.assertEqual("add-an-item", self.shown()[0])
        for browser in self.browser, self.window(size="narrow"):
            self.open(browser, "#schema-Problem")
            wait_for(lambda: self.is_in_view("schema-Problem", browser), "the schema under the bar")

    def test_it_is_readable_by_all(self):
        self.open(self.browser)
        # Only the colours differ in the dark scheme.
        for scheme, rules in (("light", None), ("dark", ["color-contrast"])):
            self.browser.show_as(scheme)
            # The tables of all operations would take minutes.
            result = self.browser.axe(context=["header", "#postTransaction", "#schema-MoveItem"],
                                      options={"runOnly": rules} if rules else None)
            self.assertIn("color-contrast", {one["id"] for one in result["passes"]})
            self.assertEqual([], [(one["id"], one["nodes"][0]["html"][:200]) for one in result["violations"]])

    def test_a_phone(self):
        phone = self.window(size="narrow")
        self.open(phone, "#postTransaction")
        self.assertEqual([], phone.driver.execute_script(WIDER))
        # The bar with the search stays, and no table is wider than the phone.
        self.assertEqual(0, phone.driver.execute_script(
            "return document.querySelector('header').getBoundingClientRect().top"))
        self.assertEqual([], phone.driver.execute_script(
            "return [...document.querySelectorAll('.table')].filter((node) => node.scrollWidth > node.clientWidth)"
            ".map((node) => node.parentElement.id)"))
        self.assert_quiet(phone)

    def test_without_javascript(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open(self.browser, "#getChanges")
            shown = self.browser.driver.find_element("id", "getChanges").text
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertIn("What changed since a version", shown)
        self.assertIn("previousFilter", shown)

    def test_the_page_and_problems_lead_there(self):
        self.browser.open_gallery()
        self.assertIsNotNone(self.browser.one('a[href="/docs"]'))
        with urllib.request.urlopen(f"{self.browser.base}/problems/cycle") as answer:
            self.assertIn(b'<a href="/docs">', answer.read())
