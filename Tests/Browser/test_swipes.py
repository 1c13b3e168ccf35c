"""Swipes of a finger in lists and in rows of rows: to both sides, short and long, and what closes them."""

from browser import BrowserTestCase, wait_for
from hand import finger, middle, swipe, tap

LAYOUT = {"kind": "list", "appearance": "insetGrouped", "leadingSwipe": ["star"], "trailingSwipe": ["delete"]}
LETTERS = {"title": "Letters", "layout": LAYOUT, "sections": [
    {"id": "in", "items": [{"id": f"l{index}", "content": {"title": f"Letter {index}"}} for index in range(30)]}]}
CARDS = {"title": "Cards", "layout": {"kind": "orthogonal", "leadingSwipe": ["star"], "trailingSwipe": ["delete"]}, "sections": [
    {"id": "many", "items": [{"id": f"c{index}", "content": {"title": f"Card {index}"}} for index in range(20)]},
    {"id": "few", "items": [{"id": "f0", "content": {"title": "Few"}}, {"id": "f1", "content": {"title": "Fewer"}}]}]}
TRAY = """
const tray = document.querySelector(".swipe-tray");
return tray && {row: tray.parentElement.dataset.id, width: Math.round(tray.getBoundingClientRect().width),
  buttons: [...tray.querySelectorAll("button")].map((one) => [one.innerText.trim(), Boolean(one.querySelector("svg"))])};
"""


class SwipeTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.narrow = cls.window(size="narrow")

    def setUp(self):
        for name, snapshot in (("letters", LETTERS), ("cards", CARDS)):
            self.client.ask("DELETE", f"/v1/lists/{name}?purge=true")
            self.create(name, snapshot)

    def tearDown(self):
        self.assert_quiet(self.narrow)

    def wait_for_tray(self, row, *titles, window=None):
        tray = lambda: (window or self.narrow).driver.execute_script(TRAY)
        wanted = row and {"row": row, "width": 76 * len(titles), "buttons": [[title, True] for title in titles]}
        wait_for(lambda: tray() == wanted, lambda: f"{wanted}, not {tray()}")

    def starred(self, list_id):
        return [row[0] for _, rows in self.client.visible(list_id) for row in rows if row[2]]

    def ids(self, list_id, section=0):
        return [row[0] for row in self.client.visible(list_id)[section][1]]

    def settle(self, list_id):
        self.narrow.wait_until_equal(self.client, list_id)

    def test_to_both_sides(self):
        self.narrow.open("letters")
        for distance, title, part in ((70, "Star", 0.3), (-70, "Delete", 0.7)):
            swipe(self.narrow, "l2", distance, part)
            self.wait_for_tray("l2", title)
        # One that is swiped closes the other.
        swipe(self.narrow, "l4", 70, 0.3)
        self.wait_for_tray("l4", "Star")
        tap(self.narrow, *middle(self.narrow, self.narrow.one(".swipe-tray button")))
        wait_for(lambda: self.starred("letters") == ["l4"], "a star")
        self.wait_for_tray(None)
        self.settle("letters")
        # Swiped through, they act.
        swipe(self.narrow, "l5", 200, 0.3)
        wait_for(lambda: self.starred("letters") == ["l4", "l5"], "another star")
        swipe(self.narrow, "l6", -220, 0.8)
        wait_for(lambda: "l6" not in self.ids("letters"), "a deleted row")
        self.wait_for_tray(None)
        self.settle("letters")
        # A short one is none, and so is one that is taken back.
        version = self.client.get("/v1/lists/letters")["version"]
        swipe(self.narrow, "l7", 24, 0.3)
        box = self.narrow.box(self.narrow.row("l8"))
        x, y = box["x"] + 100, box["y"] + box["height"] / 2
        finger(self.narrow, *((x + to, y) for to in (0, 8, 40, 120, 180, 120, 30, 4)))
        self.wait_for_tray(None)
        self.assertEqual(version, self.client.get("/v1/lists/letters")["version"])

    def test_what_closes_it(self):
        self.narrow.open("letters")
        version = self.client.get("/v1/lists/letters")["version"]

        def scroll():
            self.narrow.driver.execute_script("arguments[0].scrollBy(0, 120)", self.narrow.one(".scroller"))
            wait_for(lambda: self.narrow.driver.execute_script("return arguments[0].scrollTop", self.narrow.one(".scroller")) > 20,
                     "a page that scrolls")
        ways = {
            "another row": lambda: tap(self.narrow, *middle(self.narrow, self.narrow.row("l5"))),
            "its own row": lambda: tap(self.narrow, *middle(self.narrow, self.narrow.row("l1"))),
            "the title": lambda: tap(self.narrow, *middle(self.narrow, self.narrow.one("h1"))),
            "the bar": lambda: tap(self.narrow, *middle(self.narrow, self.narrow.one(".bar-title"))),
            "a scroll": scroll,
        }
        for name, act in ways.items():
            with self.subTest(name):
                swipe(self.narrow, "l1", -70, 0.7)
                self.wait_for_tray("l1", "Delete")
                act()
                self.wait_for_tray(None)
                wait_for(lambda: not self.narrow.one(".swiped, .swipe-leaving"), "a row at rest")
        self.assertEqual(version, self.client.get("/v1/lists/letters")["version"])
        self.assertIsNone(self.narrow.one(".row.is-selected"))

    def test_others_do_not_close_it(self):
        """Rows that come above keep it where it is."""
        self.narrow.open("letters")
        self.narrow.driver.execute_script("arguments[0].scrollTop = 300", self.narrow.one(".scroller"))
        wait_for(lambda: self.narrow.driver.execute_script("return arguments[0].scrollTop", self.narrow.one(".scroller")) == 300, "")
        swipe(self.narrow, "l12", -70, 0.7)
        self.wait_for_tray("l12", "Delete")
        self.client.edit("letters", {"op": "insertItems", "items": [{"id": "new", "content": {"title": "New"}}], "before": "l0"})
        self.settle("letters")
        self.wait_for_tray("l12", "Delete")

    def test_rows_of_rows(self):
        """A finger scrolls across; where that ends, or on a row that was tapped, it swipes."""
        self.narrow.open("cards")
        rail = self.narrow.one('.section[data-id="many"] > .rows')
        place = lambda: self.narrow.driver.execute_script("return Math.round(arguments[0].scrollLeft)", rail)
        # At the start there is nothing on the left.
        swipe(self.narrow, "c1", 70, 0.2)
        self.wait_for_tray("c1", "Star")
        self.assertEqual(0, place())
        tap(self.narrow, *middle(self.narrow, self.narrow.one(".swipe-tray button")))
        wait_for(lambda: self.starred("cards") == ["c1"], "a star")
        self.settle("cards")
        # To the left it scrolls, and opens nothing.
        self.narrow.scroll(rail, lambda: swipe(self.narrow, "c1", -90, 0.8))
        self.assertGreater(place(), 30)
        self.wait_for_tray(None)
        # At the end there is nothing on the right.
        end = self.narrow.driver.execute_script("const one = arguments[0]; return one.scrollLeft = one.scrollWidth", rail)
        self.assertGreater(end, 400)
        wait_for(lambda: self.narrow.one('.row[data-id="c19"]'), "the last card")
        before = place()
        swipe(self.narrow, "c19", -130, 0.9)
        wait_for(lambda: "c19" not in self.ids("cards"), "a deleted card")
        self.settle("cards")
        self.assertGreater(before, 400)
        # In the middle, a tap and a swipe.
        self.narrow.driver.execute_script("arguments[0].scrollLeft = 600", rail)
        wait_for(lambda: place() == 600, "the middle")
        # Those of the end are in the document until the page has seen that it was scrolled.
        shown = wait_for(lambda: self.narrow.driver.execute_script("""
            const isSeen = ({ left, right }) => left > 60 && right < innerWidth;
            return [...arguments[0].querySelectorAll(".row")].find((one) => isSeen(one.getBoundingClientRect()))?.dataset.id;
            """, rail), "a card in the middle")
        box = self.narrow.box(self.narrow.row(shown))
        tap(self.narrow, box["x"] + 10, box["y"] + box["height"] - 8)
        wait_for(lambda: self.narrow.one(f'.row[data-id="{shown}"] > .row-actions:not([hidden])'), "buttons")
        swipe(self.narrow, shown, -70, 0.2)
        self.wait_for_tray(shown, "Delete")
        self.assertEqual(600, place())
        # Where all rows are seen, nothing scrolls.
        swipe(self.narrow, "f0", -70, 0.9)
        self.wait_for_tray("f0", "Delete")
        swipe(self.narrow, "f1", 130, 0.1)
        wait_for(lambda: "f1" in self.starred("cards"), "a star")
        self.settle("cards")

    def test_from_right_to_left(self):
        """Leading actions are at the right, and trailing ones at the left."""
        window = self.window(size="narrow")
        window.run_from_right_to_left()
        window.open("letters")
        for distance, title, part in ((-70, "Star", 0.7), (70, "Delete", 0.3)):
            swipe(window, "l2", distance, part)
            self.wait_for_tray("l2", title, window=window)
        swipe(window, "l6", 220, 0.2)
        wait_for(lambda: "l6" not in self.ids("letters"), "a deleted row")
        window.wait_until_equal(self.client, "letters")
        window.open("cards")
        rail = window.one('.section[data-id="many"] > .rows')
        place = lambda: window.driver.execute_script("return Math.round(arguments[0].scrollLeft)", rail)
        # At the start there is nothing on the right, and to the right it scrolls.
        swipe(window, "c0", -130, 0.9)
        wait_for(lambda: self.starred("cards") == ["c0"], "a star")
        self.assertEqual(0, place())
        window.wait_until_equal(self.client, "cards")
        window.scroll(rail, lambda: swipe(window, "c1", 90, 0.2))
        self.assertLess(place(), -30)
        self.wait_for_tray(None, window=window)
        # At the end there is nothing on the left.
        window.driver.execute_script("arguments[0].scrollLeft = -arguments[0].scrollWidth", rail)
        wait_for(lambda: window.one('.row[data-id="c19"]'), "the last card")
        swipe(window, "c19", 130, 0.1)
        wait_for(lambda: "c19" not in self.ids("cards"), "a deleted card")
        window.wait_until_equal(self.client, "cards")
        self.assert_quiet(window)

    def test_a_finger_that_scrolls(self):
        """A browser that scrolls with a finger sends touches that cannot be cancelled, and the page swipes no more."""
        self.narrow.open("letters")
        for is_cancelable, wanted in ((True, ("l3", "Delete")), (False, (None,))):
            with self.subTest(is_cancelable=is_cancelable):
                cancelled = self.narrow.driver.execute_script("""
                    const [row, cancelable] = arguments;
                    const { left, top, width } = row.getBoundingClientRect();
                    const point = (kind, across) => row.dispatchEvent(new PointerEvent(kind, { bubbles: true, isPrimary: true,
                      pointerId: 7, pointerType: "touch", clientX: left + width * 0.8 + across, clientY: top + 9 }));
                    point("pointerdown", 0);
                    point("pointermove", -70);
                    const cancelled = !row.dispatchEvent(new TouchEvent("touchmove", { bubbles: true, cancelable }));
                    point("pointermove", -72);
                    point("pointerup", -72);
                    return cancelled;""", self.narrow.row("l3"), is_cancelable)
                self.assertEqual(is_cancelable, cancelled)
                self.wait_for_tray(*wanted)

    def test_a_mouse_scrolls_no_row(self):
        """The same actions are buttons for a mouse, also in a row of rows."""
        self.browser.open("cards")
        box = self.browser.bring_to_rest(self.browser.row("c2"))
        self.browser.mouse("mouseMoved", box["x"] + 8, box["y"] + box["height"] - 8)
        button = wait_for(lambda: self.browser.one('.row[data-id="c2"] > .row-actions:not([hidden]) .star'), "buttons")
        x, y = middle(self.browser, button)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.mouse(kind, x, y)
        wait_for(lambda: self.starred("cards") == ["c2"], "a star")
        self.assert_quiet()
