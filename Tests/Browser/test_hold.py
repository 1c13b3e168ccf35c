"""A dragged row follows the pointer in every frame, says where it would go, and lands there."""

import functools

from browser import BrowserTestCase, wait_for
from hand import LANDING, RECORD_LANDING, RECORD_PATH, Grip, no_pause, nothing_of_a_drag, timers_held

TREE = {"title": "Tree", "sections": [
    {"id": "s", "header": "Tree", "items": [
        {"id": "a", "content": {"title": "A"}},
        {"id": "p", "expanded": True, "content": {"title": "P"}},
        {"id": "q", "parent": "p", "content": {"title": "Q"}},
        {"id": "r", "parent": "p", "expanded": True, "content": {"title": "R"}},
        {"id": "t", "parent": "r", "content": {"title": "T"}},
        {"id": "c", "content": {"title": "C"}},
        {"id": "inner", "parent": "c", "content": {"title": "Inner"}},
        {"id": "z", "content": {"title": "Z"}}]},
    {"id": "empty", "header": "Nothing here", "items": []},
    {"id": "e", "items": [{"id": "n", "content": {"title": "N"}}]}]}
LONG = {"title": "Long", "sections": [
    {"id": "s", "items": [{"id": f"r{index}", "content": {"title": f"Row {index}"}} for index in range(60)]},
    {"id": "rail", "layout": {"kind": "orthogonal"}, "items": [
        {"id": f"o{index}", "content": {"title": f"Card {index}"}} for index in range(30)]}]}


def by_both_hands(test):
    """Runs a test with a mouse on a desk, and with a finger on a phone."""
    @functools.wraps(test)
    def run(self):
        for name, browser, is_finger in (("mouse", self.browser, False), ("finger", self.narrow, True)):
            with self.subTest(name):
                self.setUp()
                test(self, browser, is_finger)
                self.assert_quiet(browser)
    return run


SCROLL = "const one = arguments[0]; return [one.scrollTop, one.scrollHeight - one.clientHeight, one.scrollLeft, one.scrollWidth - one.clientWidth]"


class HoldTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.narrow = cls.window(size="narrow")

    def setUp(self):
        for name, snapshot in (("tree", TREE), ("long", LONG)):
            self.client.ask("DELETE", f"/v1/lists/{name}?purge=true")
            self.create(name, snapshot)

    def order(self, list_id, section=0):
        return [row[0] for row in self.client.visible(list_id)[section][1]]

    def version(self, list_id):
        return self.client.get(f"/v1/lists/{list_id}")["version"]

    def parent(self, item):
        return self.client.get(f"/v1/lists/tree/items/{item}").get("parent")

    def scrolled(self, browser, selector=".scroller"):
        return browser.driver.execute_script(SCROLL, browser.one(selector))

    def wait_for_mark(self, grip, shape, what):
        wait_for(lambda: (grip.mark() or {}).get("shape") == shape, lambda: f"{what}: a {shape}, not {grip.mark()}")
        return grip.mark()

    @by_both_hands
    def test_the_row_is_at_the_pointer_in_every_frame(self, browser, is_finger):
        browser.open("long")
        grip = Grip(browser, "r3", is_finger).lift()
        browser.driver.execute_script(RECORD_PATH, grip.offset["x"], grip.offset["y"])
        width, height = browser.driver.execute_script("return [innerWidth, innerHeight]")
        for step in range(90):
            # To and fro over the whole window, and beyond the edges at which it scrolls.
            across, down = step * 37 % (2 * width), step * 61 % (2 * height)
            grip.move(min(across, 2 * width - across) * 0.98 + 3, min(down, 2 * height - down) * 0.98 + 3)
        path = browser.driver.execute_script("const path = window.path_; window.path_ = null; return path")
        self.assertGreater(path["frames"], 20)
        self.assertLessEqual(path["most"], 2)
        grip.leave()

    @by_both_hands
    def test_it_lands_where_it_was_put(self, browser, is_finger):
        """In each frame either the picture of the row is seen or the row, and the row begins where the picture ends."""
        browser.open("long")
        grip = Grip(browser, "r2", is_finger).lift()
        grip.below("r8", 0.9)
        self.wait_for_mark(grip, "line", "below a row")
        self.land(browser, grip)
        wait_for(lambda: self.order("long")[8] == "r2", lambda: self.order("long")[:10])
        browser.wait_until_equal(self.client, "long")

    def land(self, browser, grip):
        browser.driver.execute_script(RECORD_LANDING, grip.item)
        count = lambda name: browser.driver.execute_script(f"return window.frames_.filter((one) => {name}).length")
        wait_for(lambda: count("one.ghost") > 1, "frames of the drag")
        with timers_held(browser, LANDING):
            grip.let_go()
            wait_for(lambda: nothing_of_a_drag(browser) and count("!one.ghost && one.row") > 4, "frames of the row at rest")
        frames = browser.driver.execute_script("const frames = window.frames_; window.frames_ = null; return frames")
        first = next(index for index, one in enumerate(frames) if one["isLanding"])
        seen = frames[first:]
        self.assertEqual([], [one for one in seen if bool(one["ghost"]) == bool(one["row"])])
        held = frames[first - 1]["ghost"]
        flight = [one["ghost"] for one in seen if one["ghost"]]
        rest = [one["row"] for one in seen if one["row"]]
        far = lambda one, other: max(abs(a - b) for a, b in zip(one, other))
        self.assertEqual([one["ghost"] for one in seen], flight + [None] * len(rest), "no picture comes back")
        self.assertLessEqual(far(flight[-1], rest[0]), 2, "the row begins where its picture ends")
        self.assertLessEqual(max(far(one, rest[-1]) for one in rest), 2, "the row rests")
        ways = [far(one, rest[-1]) for one in [held, *flight]]
        self.assertTrue(all(later <= earlier + 1 for earlier, later in zip(ways, ways[1:])), ways)

    @by_both_hands
    def test_escape_takes_it_back(self, browser, is_finger):
        browser.open("long")
        before, order = self.version("long"), browser.rows()
        grip = Grip(browser, "r2", is_finger).lift()
        grip.below("r7", 0.9)
        self.wait_for_mark(grip, "line", "below a row")
        browser.driver.execute_script(RECORD_LANDING, "r2")
        with timers_held(browser, LANDING):
            grip.leave()
        frames = browser.driver.execute_script("const frames = window.frames_; window.frames_ = null; return frames")
        flight = [one["ghost"] for one in frames if one["isLanding"]]
        row = browser.box(browser.row("r2"))
        self.assertGreater(len(flight), 1)
        self.assertLess(abs(flight[-1][1] - row["y"]), 2, "the picture goes back to the row")
        self.assertEqual(order, browser.rows())
        self.assertEqual(before, self.version("long"))
        self.assertEqual("Not moved", browser.text("#announcements"))

    @by_both_hands
    def test_the_window_scrolls_at_its_edges(self, browser, is_finger):
        browser.open("long")
        grip = Grip(browser, "r1", is_finger).lift()
        box = browser.box(browser.one(".scroller"))
        x = grip.start[0]
        grip.move(x, box["bottom"] - 4)
        wait_for(lambda: self.scrolled(browser)[0] >= self.scrolled(browser)[1] - 1, "the end", seconds=60)
        self.assertLessEqual(grip.away(), 2)
        grip.move(x, box["top"] + 3)
        wait_for(lambda: self.scrolled(browser)[0] == 0, "the start", seconds=60)
        grip.move(x, box["top"] + box["height"] / 2)
        wait_for(lambda: grip.mark(), "a mark")
        grip.leave()

    @by_both_hands
    def test_a_row_of_rows_scrolls_at_its_edges(self, browser, is_finger):
        browser.open("long")
        browser.driver.execute_script("const one = arguments[0]; one.scrollTop = one.scrollHeight", browser.one(".scroller"))
        wait_for(lambda: browser.one('.row[data-id="o0"]'), "cards")
        grip = Grip(browser, "o0", is_finger, is_still=True).lift()
        rail = ".kind-orthogonal > .rows"
        box = browser.box(browser.one(rail))
        grip.move(box["right"] - 5, grip.start[1] + 4)
        wait_for(lambda: self.scrolled(browser, rail)[2] >= self.scrolled(browser, rail)[3] - 1, "the end", seconds=60)
        last = browser.box(browser.row("o29"))
        grip.move(last["left"] + last["width"] * 0.8, grip.start[1])
        self.wait_for_mark(grip, "bar", "behind the last card")
        grip.let_go()
        wait_for(lambda: self.order("long", 1)[-1] == "o0", lambda: self.order("long", 1))
        browser.wait_until_equal(self.client, "long")

    @by_both_hands
    def test_into_another_section_and_into_an_empty_one(self, browser, is_finger):
        browser.open("tree")
        grip = Grip(browser, "a", is_finger).lift()
        grip.below("n", 0.2)
        mark = self.wait_for_mark(grip, "line", "before a row of another section")
        self.assertLess(abs(mark["top"] - browser.box(browser.row("n"))["top"]), 4)
        self.land(browser, grip)
        wait_for(lambda: self.order("tree", 2) == ["a", "n"], lambda: self.client.visible("tree"))
        browser.wait_until_equal(self.client, "tree")
        grip = Grip(browser, "z", is_finger).lift()
        box = browser.box(browser.one('.section[data-id="empty"]'))
        grip.move(grip.x, box["y"] + box["height"] / 2)
        mark = self.wait_for_mark(grip, "box", "a section without rows")
        self.assertLess(abs(mark["top"] - box["top"]), 3)
        grip.let_go()
        wait_for(lambda: self.order("tree", 1) == ["z"], lambda: self.client.visible("tree"))
        browser.wait_until_equal(self.client, "tree")

    @by_both_hands
    def test_before_into_and_after_in_an_outline(self, browser, is_finger):
        """The three parts of a parent's row, each with its mark."""
        browser.open("tree")
        for down, shape, order in (
                (0.1, "line", ["a", "z", "p", "q", "r", "t", "c"]), (0.5, "box", ["a", "p", "q", "r", "t", "z", "c"]),
                (0.9, "line", ["a", "p", "z", "q", "r", "t", "c"])):
            self.client.write("PUT", "/v1/lists/tree", TREE)
            browser.wait_until_equal(self.client, "tree")
            grip = Grip(browser, "z", is_finger).lift()
            grip.below("p", down)
            mark = self.wait_for_mark(grip, shape, f"at {down}")
            row = browser.box(browser.row("p"))
            if shape == "box":
                self.assertLess(abs(mark["bottom"] - row["bottom"]), 2)
            else:
                self.assertLess(abs((mark["top"] + mark["bottom"]) / 2 - row["top" if down < 0.5 else "bottom"]), 3)
            grip.let_go()
            wait_for(lambda: self.order("tree") == order, lambda: f"{down}: {self.order('tree')}")
            browser.wait_until_equal(self.client, "tree")
            self.assertEqual(None if down == 0.1 else "p", self.parent("z"))

    @by_both_hands
    def test_into_a_closed_parent(self, browser, is_finger):
        """A drop goes in at once. After a pause the parent opens, and Escape closes it again."""
        browser.open("tree")
        grip = Grip(browser, "a", is_finger).lift()
        with no_pause(browser):
            grip.below("c")
            self.wait_for_mark(grip, "box", "a closed parent")
            grip.let_go()
        wait_for(lambda: self.parent("a") == "c", "a child")
        self.assertFalse(self.client.get("/v1/lists/tree/items/c").get("expanded", False))
        wait_for(lambda: "moved into C" in browser.text("#announcements"), lambda: browser.text("#announcements"))
        browser.wait_until_equal(self.client, "tree")
        wait_for(lambda: nothing_of_a_drag(browser), "nothing of the drag")
        before = browser.rows()
        for is_taken_back in (True, False):
            grip = Grip(browser, "z", is_finger).lift()
            grip.below("c")
            wait_for(lambda: browser.one('.row[data-id="inner"]'), "an open parent")
            if is_taken_back:
                grip.leave()
                browser.wait_until_equal(self.client, "tree")
                self.assertEqual(before, browser.rows())
                continue
            browser.wait_for_rest()
            grip.below("inner", 0.2)
            self.wait_for_mark(grip, "line", "before a child")
            grip.let_go()
        wait_for(lambda: self.parent("z") == "c", "another child")
        browser.wait_until_equal(self.client, "tree")
        self.assertEqual(["c", "z", "inner", "a"], self.order("tree")[-4:])

    @by_both_hands
    def test_the_levels_of_an_outline(self, browser, is_finger):
        """Below the end of a branch the pointer chooses the level by its way to the side."""
        browser.open("tree")
        grip = Grip(browser, "z", is_finger).lift()
        marks = []
        for across, parent in ((0, None), (30, "p"), (55, "r"), (140, "r")):
            box = browser.box(browser.row("t"))
            grip.move(grip.start[0] + across, box["y"] + box["height"] * 0.9)
            marks.append(self.wait_for_mark(grip, "line", f"by {across}")["left"])
        self.assertEqual(sorted(marks), marks)
        self.assertEqual(3, len(set(marks)), marks)
        self.land(browser, grip)
        wait_for(lambda: self.parent("z") == "r", lambda: self.parent("z"))
        browser.wait_until_equal(self.client, "tree")
        # And out again, on the spot.
        grip = Grip(browser, "z", is_finger).lift()
        grip.move(grip.start[0] - 30, grip.start[1] + 2)
        self.wait_for_mark(grip, "line", "a level less")
        grip.let_go()
        wait_for(lambda: self.parent("z") == "p", lambda: self.parent("z"))
        browser.wait_until_equal(self.client, "tree")
        self.assertEqual(["a", "p", "q", "r", "t", "z", "c"], self.order("tree"))

    def test_a_drag_selects_nothing(self):
        """A finger that rests long enough selects a row; if it goes on, it drags the row, and selects nothing."""
        self.narrow.open("long")
        grip = Grip(self.narrow, "r1", is_finger=True).lift()
        wait_for(lambda: self.narrow.one(".row.is-selected"), "a selected row")
        grip.below("r4", 0.9)
        wait_for(lambda: not self.narrow.one(".row.is-selected"), "no selected row")
        grip.let_go()
        wait_for(lambda: self.order("long")[4] == "r1", lambda: self.order("long")[:6])
        self.narrow.wait_until_equal(self.client, "long")
        self.assertIsNotNone(self.narrow.one(".selection-bar[hidden]"))
        self.assert_quiet(self.narrow)

    def test_no_row_goes_into_itself(self):
        self.browser.open("tree")
        before = self.version("tree")
        grip = Grip(self.browser, "p").lift()
        for item in ("q", "r", "t", "p"):
            grip.below(item)
            self.assertIsNone(grip.mark())
        grip.let_go()
        wait_for(lambda: nothing_of_a_drag(self.browser), "nothing of the drag")
        self.assertEqual(before, self.version("tree"))

    def test_the_header_of_a_section_stays_first(self):
        self.client.write("POST", "/v1/samples/main-sub")
        self.browser.open("main-sub")
        first, second = self.order("main-sub")[:2]
        grip = Grip(self.browser, self.order("main-sub")[2]).lift()
        grip.below(first, 0.1)
        mark = self.wait_for_mark(grip, "line", "below the header")
        self.assertLess(abs(mark["top"] - self.browser.box(self.browser.row(first))["bottom"]), 4)
        grip.let_go()
        wait_for(lambda: self.order("main-sub")[:3] == [first, grip.item, second], lambda: self.order("main-sub")[:3])
        self.browser.wait_until_equal(self.client, "main-sub")
