"""A dragged row stays under the pointer, in every layout and while anything scrolls."""

import pathlib

from browser import BrowserTestCase, wait_for
from hand import Grip, no_pause, nothing_of_a_drag

PLACES = pathlib.Path(__file__).parents[2] / "Sources/CAssets/page/hand/places.js"

WAYS = [(0, 12), (-40, 150), (130, 90), (210, -170), (-90, -60), (0, 0)]


class DragTests(BrowserTestCase):
    def assert_under(self, grip, what):
        wait_for(lambda: (grip.away() or 0) <= 2 and grip.away() is not None,
                 lambda: f"{what}: the row at the pointer, not {grip.away()} px away", seconds=10)

    def movable(self, list_id):
        """The first row of each section that may be moved."""
        snapshot = self.client.get(f"/v1/lists/{list_id}?view=visible")
        for section in snapshot["sections"]:
            layout = section.get("layout") or snapshot.get("layout") or {}
            rows = section.get("items", [])[int(layout.get("headerMode") == "firstItemInSection"):]
            free = [row["id"] for row in rows if row.get("reorderable", True) and section.get("reorderable", True)]
            yield from free[:1]

    def look(self, browser, item):
        """The properties by which the layout of a row's section differs from others."""
        return browser.driver.execute_script("""
            const section = arguments[0].closest(".section");
            const names = [...section.classList].filter((name) => name !== "section" && name !== "is-empty");
            const tracks = section.matches(".kind-list") ? "" : getComputedStyle(section.querySelector(".rows")).gridTemplateRows;
            return [...names, tracks.slice(0, 40)].join(" ").trim();""", browser.row(item))

    def walk(self, browser, item, is_finger=False):
        grip = Grip(browser, item, is_finger)
        if is_finger:
            wait_for(lambda: grip.away() is not None, f"{item} held by a finger")
        width, height = browser.driver.execute_script("return [innerWidth, innerHeight]")
        for across, down in WAYS:
            grip.move(min(max(grip.start[0] + across, 10), width - 10), min(max(grip.start[1] + down, 10), height - 10))
            self.assert_under(grip, f"{item} by {across}, {down}")
        grip.leave()
        self.assertTrue(nothing_of_a_drag(browser))

    def walk_everywhere(self, browser, lists, seen, **how):
        for list_id in lists:
            browser.open(list_id)
            version = self.client.get(f"/v1/lists/{list_id}")["version"]
            for item in self.movable(list_id):
                look = self.look(browser, item)
                if look in seen:
                    continue
                seen.add(look)
                with self.subTest(list=list_id, item=item, look=look):
                    with no_pause(browser):
                        self.walk(browser, item, **how)
            self.assertEqual(version, self.client.get(f"/v1/lists/{list_id}")["version"])

    def test_the_mouse_in_every_layout(self):
        # While somebody looks the server scans by itself.
        self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})
        seen = set()
        self.walk_everywhere(self.browser, [one["id"] for one in self.client.get("/v1/samples")["samples"]], seen)
        layout = self.client.get("/v1/lists/list-appearances")["layout"]
        for appearance in layout["appearances"]:
            self.client.write("PATCH", "/v1/lists/list-appearances", {"layout": {**layout, "appearance": appearance}})
            self.walk_everywhere(self.browser, ["list-appearances"], seen)
        kinds = {look.split()[0] for look in seen}
        self.assertEqual({"kind-list", "kind-grid", "kind-orthogonal"}, kinds)
        for appearance in layout["appearances"]:
            self.assertTrue(any(f"appearance-{appearance}" in look.split() for look in seen), appearance)
        self.assert_quiet()

    def test_a_finger_in_each_kind_of_layout(self):
        narrow = self.window(size="narrow")
        self.walk_everywhere(narrow, ["editing", "grid", "orthogonal-sections", "emoji-explorer"], set(), is_finger=True)
        self.assert_quiet(narrow)

    def test_a_handle(self):
        self.client.write("POST", "/v1/samples/editing")
        narrow = self.window(size="narrow")
        for browser, is_finger in ((self.browser, False), (narrow, True)):
            browser.open("editing")
            # Its layout shows the handles while the list is edited.
            wait_for(lambda: browser.one(".edit-list:not([hidden])"), "the edit mode").click()
            handle = browser.row("visited.makalu").find_element("css selector", "[data-handle]")
            grip = Grip(browser, "visited.makalu", is_finger, handle)
            grip.move(grip.start[0] - 30, grip.start[1] + 60)
            self.assert_under(grip, "by its handle")
            grip.leave()

    def test_the_page_scrolls_under_it(self):
        self.create("long", {"title": "Long", "sections": [
            {"id": "s", "items": [{"id": f"r{index}", "content": {"title": f"Row {index}"}} for index in range(60)]}]})
        self.browser.open("long")
        scroller = self.browser.one(".scroller")
        scrolled = lambda: self.browser.driver.execute_script(
            "const one = arguments[0]; return [one.scrollTop, one.scrollHeight - one.clientHeight]", scroller)
        grip = Grip(self.browser, "r0")
        grip.move(grip.start[0], grip.start[1] + 40)
        self.browser.driver.execute_script("arguments[0].scrollBy(0, 90)", scroller)
        self.assert_under(grip, "scrolled by something else")
        grip.move(grip.start[0] + 20, self.browser.box(scroller)["bottom"] - 3)
        wait_for(lambda: scrolled()[0] >= scrolled()[1] - 1, "the end of the page", seconds=60)
        self.assert_under(grip, "scrolled by the edge")
        last = self.browser.box(self.browser.row("r59"))
        grip.move(grip.start[0], last["bottom"] - 4)
        grip.let_go()
        wait_for(lambda: self.client.visible("long")[0][1][-1][0] == "r0", "the first row as the last one")
        self.browser.wait_until_equal(self.client, "long")

    def test_from_right_to_left(self):
        """Before a cell is at its right, and a level deeper is to the left."""
        whole = {"fractionalWidth": 1}
        grid = {"kind": "grid", "group": {"direction": "horizontal", "width": whole, "height": {"absolute": 60}, "count": 4,
                                          "item": {"width": whole, "height": {"fractionalHeight": 1}}}}
        leaf = lambda name: {"id": name, "content": {"title": name}}
        tree = [{**leaf("parent"), "expanded": True}, {**leaf("child"), "parent": "parent"}, leaf("other"), leaf("last")]
        for name, layout, items in (("cells", grid, [leaf(f"c{n}") for n in range(8)]), ("tree", {"kind": "list"}, tree)):
            self.create(name, {"title": name, "layout": layout, "sections": [{"id": "s", "items": items}]})
        window = self.window()
        window.run_from_right_to_left()
        window.open("cells")
        order = lambda: [row[0] for row in self.client.visible("cells")[0][1]]
        self.assertGreater(window.box(window.row("c0"))["left"], window.box(window.row("c1"))["left"])
        for across, wanted in ((0.8, ["c1", "c7", "c2"]), (0.2, ["c1", "c2", "c7"])):
            grip = Grip(window, "c7").lift()
            grip.over("c2", across=across)
            self.assert_under(grip, "over a cell")
            cell = window.box(window.row("c2"))
            mark = wait_for(grip.mark, "a mark")
            self.assertEqual("bar", mark["shape"])
            self.assertAlmostEqual(cell["right" if across > 0.5 else "left"], (mark["left"] + mark["right"]) / 2, delta=2)
            grip.let_go()
            wait_for(lambda: [one for one in order() if one in wanted] == wanted, order)
            window.wait_until_equal(self.client, "cells")
            wait_for(lambda: nothing_of_a_drag(window), "nothing of the drag")
        window.open("tree")
        levels = lambda: {row[0]: row[1] for row in self.client.visible("tree")[0][1]}
        self.assertEqual(0, levels()["other"])
        grip = Grip(window, "other").lift()
        grip.move(grip.start[0] - 40, grip.start[1] + 4)
        grip.let_go()
        wait_for(lambda: levels()["other"] == 1, levels)
        window.wait_until_equal(self.client, "tree")
        self.assert_quiet(window)

    def test_a_row_of_rows_scrolls_under_it(self):
        self.browser.open("orthogonal-behaviors")
        for rail in self.browser.driver.find_elements("css selector", ".kind-orthogonal > .rows"):
            item = rail.find_element("css selector", ".row").get_attribute("data-id")
            with self.subTest(item):
                grip = Grip(self.browser, item)
                box = self.browser.box(rail)
                grip.move(min(box["right"], 1280) - 4, grip.start[1] + 9)
                at_end = "const one = arguments[0]; return one.scrollLeft >= one.scrollWidth - one.clientWidth - 1"
                wait_for(lambda: self.browser.driver.execute_script(at_end, rail), "the end of the row", seconds=60)
                self.assert_under(grip, "scrolled across")
                grip.leave()
        self.assert_quiet()

    def test_a_button_let_go_of_elsewhere(self):
        """A drag never begins without a pressed button."""
        self.browser.open("long" if "long" in self.client.lists() else "editing")
        item = self.browser.driver.execute_script("return document.querySelector('.row').dataset.id")
        grip = Grip(self.browser, item)
        # If the button was released outside of the window, the window gets only moves without a button.
        self.browser.mouse("mouseMoved", grip.start[0] + 5, grip.start[1] + 40)
        self.browser.mouse("mouseMoved", grip.start[0] + 5, grip.start[1] + 80)
        self.assertIsNone(grip.away())
        grip.let_go()


class MeaningTests(BrowserTestCase):
    """The page says what a drop means by ids and anchors. The server's reorder says the same by an order of rows."""

    LIST = {"title": "Trees", "sections": [
        {"id": "s", "items": [
            {"id": "a"}, {"id": "p", "expanded": True}, {"id": "q", "parent": "p"},
            {"id": "r", "parent": "p", "expanded": True}, {"id": "t", "parent": "r"}, {"id": "u", "parent": "r"},
            {"id": "c"}, {"id": "hidden", "parent": "c"}, {"id": "z"}]},
        {"id": "e", "items": [{"id": "n", "expanded": True}, {"id": "o", "parent": "n"}]}, {"id": "empty"}]}
    # For each row and each place: the row, the place, the rows that travel, and what the page makes of it.
    TARGETS = """
    const [source, given, done] = arguments;
    import(`data:text/javascript,${encodeURIComponent(source)}`).then(({ blockLength, targetOf }) => {
      const sections = given.map(([id, items]) => ({ id, items }));
      const found = [];
      for (const from of sections) for (let index = 0; index < from.items.length; index += 1) {
        for (const [number, to] of sections.entries()) for (let at = 0; at <= to.items.length; at += 1) {
          const target = targetOf({ section: from, index }, { section: to, index: at });
          const { id } = from.items[index], block = blockLength(from.items, index);
          found.push([id, number, to.items[at]?.id ?? null, block, target]);
        }
      }
      done(found);
    });
    """

    def test_every_drop_in_trees(self):
        self.browser.open_gallery()
        self.client.write("PUT", "/v1/lists/trees", self.LIST)
        rows = [[section["id"], section.get("items", [])]
                for section in self.client.get("/v1/lists/trees?view=visible")["sections"]]
        # Away from the page, which lets in no scripts of others.
        self.browser.driver.get("about:blank")
        found = self.browser.driver.execute_async_script(self.TARGETS, PLACES.read_text(), rows)
        self.assertGreater(len(found), 100)
        first = {item["id"]: item.get("parent") for section in self.LIST["sections"] for item in section.get("items", [])}
        stays, compared = 0, 0
        for item, number, before, block, target in found:
            if target is None:
                stays += 1
                continue
            with self.subTest(item=item, section=rows[number][0], before=before, target=target):
                orders, difference = self.reorder(rows, item, number, before, block)
                order, parents = self.after("transactions", {"operations": [{"op": "moveItem", "item": item, **target}]})
                self.assertEqual(orders, order)
                self.assertEqual({**first, item: parents[item]}, parents, "only this row has another parent")
                reordered, others = self.after("reorders", difference)
                # Of a branch and fewer rows that change places, the server may take the others for moved.
                if reordered == orders and {**others, item: None} == {**first, item: None}:
                    self.assertEqual(others[item], parents[item])
                    compared += 1
        self.assertGreater(compared, 90)
        # A row stays if it is dropped at its own places, or on the rows that travel with it.
        self.assertEqual(sum(block + 1 for _, block in {(one[0], one[3]) for one in found}), stays)

    def reorder(self, rows, item, number, before, block):
        """The visible rows after a drop, and the difference that names the rows that travel."""
        old = [[row["id"] for row in items] for _, items in rows]
        new = [list(order) for order in old]
        source = next(order for order in new if item in order)
        at = source.index(item)
        travelling = source[at:at + block]
        del source[at:at + block]
        end = new[number].index(before) if before else len(new[number])
        new[number][end:end] = travelling

        def places(order):
            return [{"offset": offset, "element": one} for offset, one in enumerate(order) if one in travelling]
        return new, {"view": "visible", "sections": {
            section: {"difference": {"insertions": places(after), "removals": places(order)}}
            for (section, _), order, after in zip(rows, old, new) if order != after}}

    def after(self, resource, body):
        """The list after a write to it: its visible rows, and the parent of each item."""
        base = self.client.write("PUT", "/v1/lists/trees", self.LIST)["version"]
        self.client.write("POST", f"/v1/lists/trees/{resource}", {"base": base, **body})
        items = [item for section in self.client.get("/v1/lists/trees")["sections"] for item in section.get("items", [])]
        order = [[row[0] for row in rows] for _, rows in self.client.visible("trees")]
        return order, {item["id"]: item.get("parent") for item in items}
