"""Many rows in the page: only those near the window are in the document. Costs are counted in rows and cells that were
made and in changes of the document, never in time."""

from browser import BrowserTestCase, wait_for
from many import many, work

COUNTS = (2_500, 20_000)
# So many rows are near the window at most.
NEAR = 60
OBSERVE = """
window.changes_ = 0;
new MutationObserver((records) => { for (const one of records) window.changes_ += one.addedNodes.length + one.removedNodes.length; })
  .observe(document.querySelector(".rows"), {childList: true});
"""
# The ids of the rows that are seen, from top to bottom, with the places of their tops in the window.
SEEN = """
const {top, bottom} = document.querySelector(".scroller").getBoundingClientRect();
return [...document.querySelectorAll(".row:not(.kept)")].map((row) => [row.dataset.id, row.getBoundingClientRect()])
  .filter(([, box]) => box.bottom > top && box.top < bottom).map(([id, box]) => [id, box.top]);
"""
SCROLL = """
const [place, done] = arguments;
document.querySelector(".scroller").scrollTop = place;
requestAnimationFrame(() => requestAnimationFrame(done));
"""


class ManyRowsTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for count in COUNTS:
            cls.client.write("PUT", f"/v1/lists/many{count}", many(count))

    def cost(self, act, settled):
        """The work of the page between an action and the moment when its effect is shown."""
        before = work(self.browser)
        self.browser.driver.execute_script("window.changes_ = 0")
        act()
        wait_for(lambda: settled() and self.browser.one("#collection[aria-busy=false]"), "the rows of the server")
        after = work(self.browser)
        cost = {name: after[name] - before[name] for name in before}
        return {**cost, "changes": self.browser.driver.execute_script("return window.changes_")}

    def held(self):
        """How many rows the section has, in the document or not."""
        return int(self.browser.one(".rows").get_attribute("data-count"))

    def seen(self):
        return self.browser.driver.execute_script(SEEN)

    def top(self, item):
        """Where the top of a row is, with all that moves at rest."""
        self.browser.wait_for_rest()
        return dict(self.seen())[item]

    def scroll(self, place):
        self.browser.driver.execute_async_script(SCROLL, place)

    def key(self, key, code=0, control=False):
        for kind in ("keyDown", "keyUp"):
            self.browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 2 * control,
                **({"text": key} if len(key) == 1 and kind == "keyDown" and not control else {})})

    def test_work_follows_what_is_seen(self):
        for count in COUNTS:
            list_id = f"many{count}"
            with self.subTest(count):
                self.browser.open(list_id)
                opened = work(self.browser)
                self.assertEqual(count, self.held())
                self.browser.driver.execute_script(OBSERVE)
                starred = lambda: self.browser.one('.row[data-id="r3"].is-starred')
                star = self.cost(lambda: self.client.edit(list_id, {"op": "starItems", "items": ["r3"]}), starred)
                second = lambda: self.seen()[1][0] == "r9"
                move = self.cost(lambda: self.client.edit(list_id, {"op": "moveItem", "item": "r9", "after": "r0"}), second)
                delete = self.cost(lambda: self.client.edit(list_id, {"op": "deleteItems", "items": ["r8"]}),
                                   lambda: self.held() == count - 1)
                self.browser.one("input[type=search]").click()
                found = len(self.client.get(f"/v1/lists/{list_id}?filter=lima")["sections"][0]["items"])
                letters = self.cost(lambda: [self.key(letter) for letter in "lima"], lambda: self.held() == found)
                back = self.cost(lambda: self.key("Escape", 27), lambda: self.held() == count - 1)
                for cost in (opened, letters, back):
                    self.assertLessEqual(cost["rows"], 5 * NEAR)
                    self.assertLessEqual(cost["cells"], 5 * NEAR)
                self.assertEqual({"rows": 0, "cells": 1, "changes": 0}, star)
                for cost in (move, delete):
                    self.assertLessEqual(cost["rows"], 2)
                    self.assertLessEqual(cost["changes"], 4)
                self.assert_quiet()

    def test_few_elements_wherever_one_looks(self):
        self.browser.open("many20000")
        for place in (0, 700, 50_000, 49_000, 10**9, 0):
            self.scroll(place)
            with self.subTest(place):
                self.assertLessEqual(self.browser.driver.execute_script("return document.querySelectorAll('.row').length"), NEAR)
                self.assertLessEqual(self.browser.driver.execute_script("return document.querySelectorAll('*').length"), 1_000)
                tops = [top for _, top in self.seen()]
                self.assertGreaterEqual(len(tops), 10)
                self.assertEqual(sorted(tops), tops)
        self.scroll(10**9)
        self.assertEqual("r19999", self.seen()[-1][0])
        row = self.browser.row("r19999")
        self.assertEqual(["20000", "20000"], [row.get_attribute(f"aria-{name}") for name in ("posinset", "setsize")])

    def test_what_is_seen_stays_where_it_is(self):
        """Rows above differ in height, come and go: what is read does not move."""
        rows = [{"id": f"t{index}", "kind": "k", "content": {"title": f"{index} " + "word " * (index * 37 % 90)}}
                for index in range(600)]
        self.create("uneven", {"title": "Uneven", "sections": [{"id": "s", "items": rows}]})
        self.browser.open("uneven")
        self.scroll(15_000)
        item, top = self.seen()[3]
        self.client.edit("uneven", {"op": "deleteItems", "items": ["t0", "t1", "t2"]})
        wait_for(lambda: self.held() == 597, "fewer rows")
        self.assertAlmostEqual(top, self.top(item), delta=1)
        self.client.edit("uneven", {"op": "insertItems", "before": "t3", "items": [
            {"id": f"new{index}", "content": {"title": "New"}} for index in range(80)]})
        wait_for(lambda: self.held() == 677, "more rows")
        self.assertAlmostEqual(top, self.top(item), delta=1)
        # Up, to rows that were never measured: each step is as long as it was asked to be.
        self.scroll(10**9)
        for _ in range(30):
            item, top = self.seen()[0]
            place = self.browser.driver.execute_script("return document.querySelector('.scroller').scrollTop")
            self.scroll(place - 150)
            self.assertAlmostEqual(top + 150, dict(self.seen()).get(item), delta=1)
        self.browser.wait_until_equal(self.client, "uneven")

    def test_the_focus_waits_out_of_sight(self):
        self.browser.open("many20000")
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("r5"))
        self.scroll(400_000)
        self.assertEqual("r5", self.browser.focused())
        self.assertNotIn("r5", dict(self.seen()))
        self.assertEqual(400_000, self.browser.driver.execute_script("return document.querySelector('.scroller').scrollTop"))
        self.scroll(30)
        self.assertEqual(30, self.browser.driver.execute_script("return document.querySelector('.scroller').scrollTop"))
        self.assertEqual("r5", self.browser.focused())
        self.assertEqual([f"r{index}" for index in range(10)], [row for row, _ in self.seen()][:10])
        self.scroll(400_000)
        self.key("ArrowDown", 40)
        wait_for(lambda: self.browser.focused() == "r6", self.browser.focused)
        self.assertIn("r6", dict(self.seen()))
        self.key("End", 35)
        wait_for(lambda: self.browser.focused() == "r19999", self.browser.focused)
        self.assertIn("r19999", dict(self.seen()))
        self.key("ArrowUp", 38)
        wait_for(lambda: self.browser.focused() == "r19998", self.browser.focused)
        self.key("Home", 36)
        wait_for(lambda: self.browser.focused() == "r0", self.browser.focused)
        self.assertIn("r0", dict(self.seen()))
        self.assert_quiet()

    def test_a_drag_looks_for_no_row(self):
        self.browser.open("many20000")
        self.scroll(600_000)
        # How many rows of the list are looked at to find one of them, at most.
        self.browser.driver.execute_script("""
            window.looked_ = 0;
            for (const name of ["find", "findIndex"]) {
              const real = Array.prototype[name];
              Array.prototype[name] = function (is) {
                let looked = 0;
                const found = real.call(this, (...one) => { looked += 1; return is(...one); });
                window.looked_ = Math.max(window.looked_, looked);
                return found;
              };
            }""")
        items = [item for item, _ in self.seen()[2:7]]
        boxes = [self.browser.box(self.browser.row(item)) for item in items]
        x, y = boxes[0]["x"] + 60, boxes[0]["y"] + 20
        self.browser.mouse("mousePressed", x, y)
        self.browser.mouse("mouseMoved", x, y + 30, is_held=True)
        wait_for(lambda: self.browser.one(".ghost"), "a ghost")
        for box in boxes[1:]:
            for part in (0.2, 0.8):
                self.browser.mouse("mouseMoved", x, box["y"] + part * box["height"], is_held=True)
        wait_for(lambda: self.browser.one(".marker:not([hidden])"), "a mark")
        self.assertLessEqual(self.browser.driver.execute_script("return window.looked_"), NEAR)
        self.browser.mouse("mouseReleased", x, boxes[-1]["y"] + 0.8 * boxes[-1]["height"])
        moved = lambda: self.client.get(f"/v1/lists/many20000?around={items[0]}&before=1&after=0&view=visible")["sections"][0]["items"][0]["id"]
        wait_for(lambda: moved() == items[-1], moved)
        self.assert_quiet()

    def test_the_focus_outlives_its_section(self):
        items = lambda name: [{"id": f"{name}{index}", "content": {"title": name}} for index in range(5)]
        self.create("parts", {"title": "Parts", "sections": [{"id": name, "items": items(name)} for name in "abc"]})
        self.browser.open("parts")
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("b2"))
        self.client.edit("parts", {"op": "deleteSections", "sections": ["b"]})
        wait_for(lambda: self.browser.focused() != "b2" and self.browser.focused() in dict(self.seen()), self.browser.focused)
        self.assert_quiet()

    def test_a_selection_costs_what_is_in_the_document(self):
        self.browser.open("many20000")
        # How often anything is looked up while one scrolls on by some rows.
        self.browser.driver.execute_script("""
            window.lookups_ = 0;
            for (const [prototype, name] of [[Map.prototype, "get"], [Map.prototype, "has"], [Set.prototype, "has"]]) {
              const real = prototype[name];
              prototype[name] = function (key) { window.lookups_ += 1; return real.call(this, key); };
            }""")
        def cost():
            self.browser.driver.execute_script("window.lookups_ = 0")
            self.scroll(self.browser.driver.execute_script("return document.querySelector('.scroller').scrollTop") + 1_000)
            return self.browser.driver.execute_script("return window.lookups_")
        self.browser.driver.execute_script("arguments[0].focus()", self.browser.row("r5"))
        self.scroll(20_000)
        bare = cost()
        self.key("a", 65, control=True)
        self.assertEqual("20000 selected", self.browser.text(".selection-count"))
        self.assertLessEqual(cost() - bare, 10 * NEAR)
        selected = "return [...document.querySelectorAll('.row:not(.kept)')].map((row) => row.classList.contains('is-selected'))"
        self.assertEqual({True}, set(self.browser.driver.execute_script(selected)))
        self.key("Escape", 27)
        wait_for(lambda: set(self.browser.driver.execute_script(selected)) == {False}, "none selected")
        self.assert_quiet()

    def test_the_search_of_the_browser_is_that_of_the_page(self):
        self.browser.open("many20000")
        field = self.browser.one("input[type=search]")
        listen = "window.left_ = null; addEventListener('keydown', (event) => { window.left_ = !event.defaultPrevented; })"
        self.browser.driver.execute_script(listen)
        left = lambda: self.browser.driver.execute_script("return window.left_")
        self.key("f", 70, control=True)
        self.assertEqual(field, self.browser.driver.switch_to.active_element)
        self.assertFalse(left())
        for letter in "19998":
            self.key(letter)
        wait_for(lambda: self.held() == 1, "the one row")
        self.assertEqual(["r19998"], [row for row, _ in self.seen()])
        # A second time, it is the browser's.
        self.key("f", 70, control=True)
        self.assertTrue(left())
        self.assert_quiet()

    def test_grids_and_rows_of_rows(self):
        items = lambda name: [{"id": f"{name}{index}", "kind": "k", "content": {"title": str(index)}} for index in range(5_000)]
        item = {"width": {"fractionalWidth": 0.2}, "height": {"fractionalHeight": 1}}
        grid = {"kind": "grid", "interGroupSpacing": 7, "group": {
            "direction": "horizontal", "width": {"fractionalWidth": 1}, "height": {"absolute": 60}, "item": item}}
        rail = {"kind": "orthogonal", "behavior": "continuous", "group": {
            "direction": "horizontal", "width": {"absolute": 140}, "height": {"absolute": 96},
            "item": {"width": {"fractionalWidth": 1}, "height": {"fractionalHeight": 1}}}}
        self.create("flow", {"title": "Flow", "sections": [
            {"id": "rail", "layout": rail, "items": items("a")}, {"id": "grid", "layout": grid, "items": items("b")}]})
        self.browser.open("flow")
        count = lambda: self.browser.driver.execute_script("return document.querySelectorAll('*').length")
        self.assertLessEqual(count(), 1_500)
        rail = self.browser.one(".kind-orthogonal > .rows")
        # The places of elements are those that all rows would give them.
        self.assertEqual(5_000 * 140, self.browser.driver.execute_script("return arguments[0].scrollWidth", rail))
        self.assertEqual(1_000 * 67 - 7, self.browser.driver.execute_script(
            "const one = arguments[0]; return one.offsetHeight - 7", self.browser.one(".kind-grid > .rows")))
        self.browser.driver.execute_async_script(
            "arguments[0].scrollLeft = 4000 * 140; requestAnimationFrame(() => requestAnimationFrame(arguments[1]))", rail)
        self.assertAlmostEqual(self.browser.box(rail)["left"], self.browser.box(self.browser.row("a4000"))["left"], delta=1)
        self.scroll(40_000)
        rows = self.seen()
        self.assertLessEqual(count(), 1_500)
        self.assertEqual(0, int(rows[0][0][1:]) % 5)
        self.assertEqual(5, sum(top == rows[0][1] for _, top in rows))
        self.scroll(0)
        self.assertAlmostEqual(self.browser.box(rail)["left"], self.browser.box(self.browser.row("a4000"))["left"], delta=1)
        self.assert_quiet()
