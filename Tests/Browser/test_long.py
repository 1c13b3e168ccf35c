"""Lists that are too long to be held whole: the page holds a window of them. What is seen is compared with what the server
has at the same place."""

from browser import wait_for
from longlist import BESIDE, COUNT, HEIGHT, SCROLLED, LongListTestCase
from many import many


class LongListTests(LongListTestCase):
    def test_a_window_is_opened_and_not_the_list(self):
        self.browser.open("long")
        self.assert_right()
        self.assertEqual(0, self.number())
        self.assertEqual(401, self.browser.count())
        self.assertLessEqual(self.script("return document.querySelectorAll('*').length"), 1_000)
        row = self.browser.row("r2")
        self.assertEqual(["3", str(COUNT)], [row.get_attribute(f"aria-{name}") for name in ("posinset", "setsize")])
        self.assertEqual([], [one for one in self.browser.requests() if one.startswith("/v1/changes") and "long" in one])
        self.assert_quiet()

    def test_one_scrolls_and_leaps(self):
        self.browser.open("long")
        self.assert_right()
        # On and on by the wheel, over the ends of windows.
        for _ in range(14):
            before = self.script(SCROLLED)
            self.wheel(3_000)
            wait_for(lambda: self.script(SCROLLED) != before, "a step")
            self.assert_right()
        self.assertGreater(self.number(), 500)
        for part in (0.5, 0.9, 0.1, 1, 0.3, 0):
            self.leap(part)
            wait_for(lambda: abs(self.number() - part * COUNT) < 0.01 * COUNT, self.number)
            self.assert_right()
            with self.subTest(part):
                # Where one is stays where it was when the rows come.
                self.assertAlmostEqual(part, self.script(SCROLLED) / self.script(HEIGHT), delta=0.01)
        self.leap(1)
        wait_for(lambda: self.ids()[-1:] == [f"r{COUNT - 1}"], self.ids)
        self.assertTrue(self.browser.row(f"r{COUNT - 1}").get_attribute("class").endswith("is-last"))
        self.assertLessEqual(self.script("return document.querySelectorAll('*').length"), 1_000)
        self.assert_quiet()

    def test_placeholders_until_the_rows_are_here(self):
        self.browser.open("long")
        self.assert_right()
        self.hold()
        self.leap(0.5)
        wait_for(lambda: self.script(BESIDE) == 1, "placeholders")
        wait_for(lambda: abs(self.number() - COUNT / 2) < 0.01 * COUNT, self.number)
        row, other = (float(self.script(f"return {text}")) for text in (
            "parseFloat([...document.querySelectorAll('.beyond')].at(-1).style.getPropertyValue('--stride'))", "64.1"))
        self.assertAlmostEqual(other, row, delta=1)
        # A second leap ends the first: only the rows where one has stopped are asked for.
        self.leap(0.25)
        self.release()
        self.assert_right()
        self.assertAlmostEqual(COUNT / 4, self.number(), delta=0.01 * COUNT)
        self.assert_quiet()

    def test_what_is_read_stays_while_others_write(self):
        self.browser.open("long")
        self.leap(0.5)
        self.assert_right()
        item, top = self.seen()[3]
        number = self.number()
        new = [{"id": f"new{index}", "kind": "k", "content": {"title": "New"}} for index in range(500)]
        self.client.edit("long", {"op": "insertItems", "before": "r0", "items": new})
        wait_for(lambda: self.number() == number + 500, self.number)
        self.assertAlmostEqual(top, dict(self.seen())[item], delta=1)
        # In sight, and right above what is held.
        self.client.edit("long", {"op": "starItems", "items": [item]}, {"op": "deleteItems", "items": [self.ids()[5]]})
        wait_for(lambda: "is-starred" in self.browser.row(item).get_attribute("class"), "a star")
        self.assert_right()
        first = int(item[1:]) - 390
        self.client.edit("long", {"op": "deleteItems", "items": [f"r{index}" for index in range(first - 30, first + 30)]})
        wait_for(lambda: self.number() == number + 440, self.number)
        self.browser.wait_for_rest()
        self.assertAlmostEqual(top, dict(self.seen())[item], delta=1)
        self.assert_right()
        self.assert_quiet()

    def test_own_edits_show_before_their_answers(self):
        self.browser.open("long")
        self.leap(0.5)
        self.assert_right()
        ids = self.ids()
        self.script("arguments[0].focus({preventScroll: true})", self.browser.row(ids[4]))
        self.hold()
        self.key("ArrowDown", 40, modifiers=1)
        self.key("s", 83)
        wait_for(lambda: self.ids()[4:6] == [ids[5], ids[4]], self.ids)
        wait_for(lambda: "is-starred" in self.browser.row(ids[4]).get_attribute("class"), "a star")
        self.assertIn("pending", self.browser.pending())
        self.release()
        wait_for(lambda: self.browser.pending() == "", self.browser.pending)
        self.assertEqual([ids[5], ids[4]], self.served(int(ids[4][1:]), 2))
        self.assert_right()
        self.assert_quiet()

    def test_a_new_item_is_shown_where_it_stands(self):
        self.browser.open("long")
        self.leap(0.5)
        self.assert_right()
        self.key("n", 78)
        wait_for(lambda: self.browser.one(".title-edit"), "a title that is edited")
        self.assertEqual(COUNT + 1, self.client.get("/v1/lists/long?limit=1")["counts"]["items"])
        self.assertEqual(f"New {COUNT + 1}", self.script("return document.querySelector('.title-edit').value"))
        for letter in "Last":
            self.key(letter)
        self.key("Enter", 13)
        title = lambda: self.client.get(f"/v1/lists/long?row={COUNT}&before=0&after=0")["sections"][0]["items"][0]["content"]["title"]
        wait_for(lambda: title() == "Last", title)
        self.assert_right()
        self.assert_quiet()

    def test_the_server_searches(self):
        self.browser.open("long")
        self.leap(0.5)
        self.assert_right()
        # Only one row says so, far from what is held.
        for key in ("/", *"lima delta 9647"):
            self.key(key)
        self.assertEqual("lima delta 9647", self.script("return document.querySelector('input[type=search]').value"))
        wait_for(lambda: self.ids() == self.served(0, 5, filter="lima delta 9647"), self.ids)
        for _ in range(len(" 9647")):
            self.key("Backspace", 8)
        self.assert_right(filter="lima delta")
        count = self.client.get("/v1/lists/long?row=0&view=visible&filter=lima%20delta")["total"]
        self.assertGreater(count, 50)
        wait_for(lambda: self.browser.text("#announcements").strip() == f"{count} rows found", lambda: self.browser.text("#announcements"))
        # A change of others comes into the found rows.
        first = self.ids()[0]
        self.client.edit("long", {"op": "updateItem", "item": first, "content": {"title": "Nothing"}})
        wait_for(lambda: first not in self.ids(), self.ids)
        for letter in "zz":
            self.key(letter)
        wait_for(lambda: "Nothing was found" in self.browser.text(".empty"), lambda: self.browser.text(".empty"))
        self.key("Escape", 27)
        self.assert_right()
        self.assertEqual(0, self.number())
        self.assert_quiet()

    def test_addresses_lead_into_the_middle(self):
        for place, first in (("item=r25000", "r25000"), ("search=lima%20delta%209647", "")):
            self.browser.driver.get("about:blank")
            self.browser.driver.get(f"{self.browser.base}/#/lists/long?{place}")
            if first:
                wait_for(lambda: self.browser.focused() == first, self.browser.focused)
                self.assertIn(first, self.ids())
                self.assert_right()
            else:
                wait_for(lambda: self.ids() and self.ids() == self.served(0, 5, filter="lima delta 9647"), self.ids)
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/long?item=nobody")
        wait_for(lambda: "This item was deleted" in self.browser.text("#toast"), lambda: self.browser.text("#toast"))
        self.assert_right()
        self.assertEqual([], [one for one in self.browser.console() if "404" not in one])

    def test_the_whole_list_by_keys(self):
        self.browser.open("long")
        self.script("arguments[0].focus()", self.browser.row("r5"))
        self.key("End", 35)
        wait_for(lambda: self.browser.focused() == f"r{COUNT - 1}", self.browser.focused)
        self.assertEqual(f"r{COUNT - 1}", self.ids()[-1])
        self.key("ArrowUp", 38)
        wait_for(lambda: self.browser.focused() == f"r{COUNT - 2}", self.browser.focused)
        # The focus waits while one looks elsewhere.
        self.leap(0.2)
        self.assert_right()
        self.assertEqual(f"r{COUNT - 2}", self.browser.focused())
        self.key("ArrowUp", 38)
        wait_for(lambda: self.browser.focused() == f"r{COUNT - 3}", self.browser.focused)
        wait_for(lambda: f"r{COUNT - 3}" in self.ids(), self.ids)
        self.key("Home", 36)
        wait_for(lambda: self.browser.focused() == "r0", self.browser.focused)
        self.assert_right()
        self.assertEqual(0, self.number())
        # By steps over the end of the window.
        for _ in range(3):
            self.leap(300 / COUNT)
            self.assert_right()
        self.assert_quiet()

    def test_a_drag_goes_on_in_other_windows(self):
        self.browser.open("long")
        box = self.browser.bring_to_rest(self.browser.row("r3"))
        x, y = box["x"] + 60, box["y"] + 20
        self.browser.mouse("mousePressed", x, y)
        self.browser.mouse("mouseMoved", x, y + 30, is_held=True)
        wait_for(lambda: self.browser.one(".ghost"), "a ghost")
        self.wheel(1_000_000)
        wait_for(lambda: self.number() > 10_000, self.number)
        self.assert_right()
        ids = self.ids()
        target = self.browser.box(self.browser.row(ids[4]))
        self.browser.mouse("mouseMoved", x, target["top"] + 8, is_held=True)
        self.browser.mouse("mouseReleased", x, target["top"] + 8)
        wait_for(lambda: "r3" in self.ids(), self.ids)
        self.assert_right()
        number = self.number()
        self.assertEqual([ids[3], "r3", ids[4]], self.ids()[self.ids().index("r3") - 1:][:3], number)
        self.assert_quiet()

    def test_a_selection_outlives_its_window(self):
        self.browser.open("long")
        self.click("r2", modifiers=2)
        self.leap(0.5)
        self.assert_right()
        other = self.ids()[3]
        self.click(other, modifiers=2)
        self.assertEqual("2 selected", self.browser.text(".selection-count"))
        self.key("Delete", 46) if self.browser.focused() == other else self.script(
            "[...document.querySelectorAll('.selection-bar button')].find((one) => one.textContent === 'Delete').click()")
        wait_for(lambda: self.client.get("/v1/lists/long?limit=1")["counts"]["items"] == COUNT - 2, "both deleted")
        self.assertEqual(404, self.client.ask("GET", "/v1/lists/long/items/r2")[0])
        self.assert_quiet()

    def test_sections_and_outlines(self):
        sections = [{"id": f"s{section}", "header": f"Section {section}", "items": [
            {"id": f"p{section}", "expanded": section % 2 == 0, "content": {"title": f"Parent {section}"}},
            *({"id": f"c{section}-{index}", "parent": f"p{section}", "content": {"title": f"Child {index} of {section}"}} for index in range(200))]}
            for section in range(150)]
        self.create("outline", {"title": "Outline", "layout": {"kind": "list", "appearance": "sidebar", "headerMode": "supplementary"},
                                "sections": sections})
        self.browser.open("outline")
        self.assert_right("outline")
        # The focus does not stay behind with a section: it goes on to what is seen, and nothing moves.
        self.script("arguments[0].focus()", self.browser.row("c0-3"))
        self.leap(0.7)
        self.assert_right("outline")
        wait_for(lambda: self.browser.focused() in self.ids(), self.browser.focused)
        self.assertAlmostEqual(0.7, self.script(SCROLLED) / self.script(HEIGHT), delta=0.01)
        # The one below the middle is closed: it opens, and closes again.
        self.leap(0.5)
        self.assert_right("outline")
        parent = next(item for item in self.served(self.number() + 4, 400, "outline") if item[0] == "p")
        for _ in range(60):
            if parent in self.ids()[2:-6]:
                break
            before = self.script(SCROLLED)
            self.wheel(120)
            wait_for(lambda: self.script(SCROLLED) != before, "a step")
        wait_for(lambda: parent in self.ids(), self.ids)
        for _ in range(2):
            was = self.browser.row(parent).get_attribute("aria-expanded")
            self.script("arguments[0].focus()", self.browser.row(parent))
            self.key("Enter", 13)
            wait_for(lambda: self.browser.row(parent).get_attribute("aria-expanded") not in (None, was), "another state")
            wait_for(lambda: self.browser.pending() == "", self.browser.pending)
            self.assert_right("outline")
        self.assertIn(parent, self.ids())
        titles = self.script("""return [...document.querySelectorAll(".section")].filter((one) => one.querySelector(".row"))
            .map((one) => [one.dataset.id, one.querySelector(".supplementary-text")?.textContent])""")
        self.assertEqual([[f"s{title.split()[1]}", title] for _, title in titles], titles)
        self.assert_quiet()

    def test_the_past_has_windows_too(self):
        version = self.client.get("/v1/lists/long?limit=1")["version"]
        self.client.edit("long", {"op": "deleteItems", "items": [f"r{index}" for index in range(1_000)]})
        last = self.client.edit("long", {"op": "deleteItems", "items": ["r15500"]})["version"]
        self.browser.driver.get("about:blank")
        self.browser.driver.get(f"{self.browser.base}/#/lists/long?version={version}")
        wait_for(lambda: self.browser.one(".scroller.is-past"), "the past")
        self.assert_right(at=version)
        self.leap(0.5)
        wait_for(lambda: self.number() > 1_000, self.number)
        self.assert_right(at=version)
        self.assertEqual(f"r{self.number()}", self.ids()[0])
        self.script("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Back to now').click()")
        wait_for(lambda: not self.browser.one(".scroller.is-past"), "the present")
        self.assert_right()
        self.assertNotEqual(version, last)
        self.assert_quiet()

    def test_the_list_goes_and_comes_back(self):
        self.browser.open("long")
        self.leap(0.5)
        self.assert_right()
        self.client.write("DELETE", "/v1/lists/long")
        wait_for(lambda: "was deleted" in self.browser.text(".failure"), lambda: self.browser.text(".failure"))
        # Another list under the name, without the item that the window was around.
        self.client.write("PUT", "/v1/lists/long", {**many(25_000), "title": "Again"})
        items = [{"id": f"q{index}", "kind": "k", "content": {"title": f"Q {index}"}} for index in range(25_000)]
        self.client.write("PUT", "/v1/lists/long", {"title": "Again", "sections": [{"id": "s", "items": items}]})
        wait_for(lambda: self.browser.text("h1") == "Again" and self.browser.state() == "live", self.browser.state)
        self.assert_right()
        self.browser.console()

    def test_all_may_use_it(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme):
                self.browser.show_as(scheme, reduced_motion=True)
                self.browser.open("long")
                self.leap(0.5)
                self.assert_right()
                result = self.browser.axe()
                self.assertIn("color-contrast", {one["id"] for one in result["passes"]})
                self.assertEqual([], [(one["id"], one["nodes"][0]["html"][:200]) for one in result["violations"]])
        self.browser.show_as("light")
