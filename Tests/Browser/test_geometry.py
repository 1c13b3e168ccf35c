"""Nothing is cut: each text stands within its cell, each cell within its column, and the page within the window."""

from browser import SIZES, BrowserTestCase, wait_for
from hand import stroke

# All that reaches beyond its place, in every part of the list: the window moves over all of it. A text that ends in an
# ellipsis is as wide as its element.
CUT = """
const done = arguments[0];
const found = new Set();
const slop = 1.5;
const round = (box) => [box.left, box.top, box.right, box.bottom].map(Math.round).join(" ");
const tell = (what, node, box, place) => found.add(
  `${what}: ${(node.textContent ?? "").trim().slice(0, 24)} [${round(box)}] in [${round(place)}]`);
const ends = (element) => getComputedStyle(element).textOverflow === "ellipsis" || getComputedStyle(element).webkitLineClamp !== "none";
const holds = (place, box, isAcross) => box.width === 0 || box.left >= place.left - slop && box.right <= place.right + slop
  && (isAcross || box.top >= place.top - slop && box.bottom <= place.bottom + slop);
const texts = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const boxes = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest(".hidden-text, .badge, [hidden]")) continue;
    const clipped = parent.closest("[class]");
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of clipped && ends(clipped) ? [clipped.getBoundingClientRect()] : range.getClientRects()) boxes.push([node, box]);
  }
  return boxes;
};
const look = () => {
  for (const box of [document.documentElement, document.querySelector(".scroller")]) {
    if (box.scrollWidth > box.clientWidth) found.add(`${box.className || "document"} is ${box.scrollWidth} wide in ${box.clientWidth}`);
  }
  const column = document.querySelector(".collection").getBoundingClientRect();
  for (const section of document.querySelectorAll(".collection > .section")) {
    const scrolls = section.classList.contains("kind-orthogonal");
    for (const part of section.querySelectorAll(":scope > .supplementary")) {
      if (!holds(column, part.getBoundingClientRect(), true)) tell("header", part, part.getBoundingClientRect(), column);
      for (const [node, box] of texts(part)) if (!holds(part.getBoundingClientRect(), box)) tell("text of a header", node, box, part.getBoundingClientRect());
    }
    for (const row of section.querySelectorAll(".row:not(.kept)")) {
      const own = row.getBoundingClientRect();
      const cell = row.querySelector(".cell");
      if (!scrolls && !holds(column, own, true)) tell("row", row, own, column);
      if (!holds(own, cell.getBoundingClientRect())) tell("cell", row, cell.getBoundingClientRect(), own);
      for (const [node, box] of texts(cell)) if (!holds(own, box)) tell("text", node, box, own);
      for (const badge of row.querySelectorAll(".badge")) {
        if (!scrolls && !holds(column, badge.getBoundingClientRect(), true)) tell("badge", badge, badge.getBoundingClientRect(), column);
      }
    }
  }
};
const frame = () => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)));
(async () => {
  const scroller = document.querySelector(".scroller");
  look();
  for (let place = 0; place < scroller.scrollHeight; place += 600) {
    scroller.scrollTop = place;
    await frame();
    look();
  }
  scroller.scrollTop = 0;
  await frame();
  done([...found].slice(0, 6));
})();
"""


class GeometryTests(BrowserTestCase):
    def test_nothing_is_cut_in_any_sample(self):
        self.client.write("POST", "/v1/lists/emoji-explorer/items/outline.food/expand")
        for size in SIZES:
            browser = self.window(size=size, reduced_motion=True)
            for sample in [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]:
                with self.subTest(sample, size=size):
                    browser.open(sample)
                    self.assertEqual([], browser.driver.execute_async_script(CUT))
            self.assert_quiet(browser)

    def test_an_empty_section_is_its_header_and_insets_high(self):
        """The layout of the sample says 48 points of header, and insets of 0 above and 12 below."""
        self.client.write("POST", "/v1/samples/reactor-sections")
        for size in SIZES:
            with self.subTest(size):
                browser = self.window(size=size)
                browser.open("reactor-sections")
                heights = browser.driver.execute_script(
                    "return [...document.querySelectorAll('.section')].map((one) => one.getBoundingClientRect().height)")
                self.assertEqual([132, 132, 60], heights)

    def test_groups_come_to_rest_as_the_behaviour_says(self):
        narrow = self.window(size="narrow")
        narrow.open("orthogonal-behaviors")
        width = narrow.driver.execute_script("return document.querySelector('.rows').clientWidth")
        group = 0.85 * width
        # By behaviour: where the first group begins, and how far one rest is from the next.
        wanted = {"continuousGroupLeadingBoundary": (0, group), "paging": (0, width), "groupPaging": (0, group),
                  "groupPagingCentered": ((width - group) / 2, group)}
        for section, (first, step) in wanted.items():
            rows = narrow.one(f'.section[data-id="{section}"] .rows')
            box = narrow.bring_to_rest(rows)
            place = lambda: narrow.driver.execute_script("return arguments[0].scrollLeft", rows)
            # The first cell has an inset of 10 points.
            left = narrow.driver.execute_script("return arguments[0].querySelector('.row').getBoundingClientRect().left", rows)
            self.assertAlmostEqual(first + 10, left, delta=1.5)
            for wanted_place, distance in ((step, -240), (2 * step, -240), (step, 240), (0, 240)):
                with self.subTest(section, to=wanted_place):
                    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
                    narrow.scroll(rows, lambda: stroke(narrow, x - distance / 2, y, across=distance))
                    # A stroke that began again may have ended a scroll before.
                    wait_for(lambda: abs(place() - wanted_place) <= 1.5, lambda: f"a rest at {wanted_place}, not {place()}")
        self.assert_quiet(narrow)

    def test_pages_on_a_desktop(self):
        """Pages are as wide as the list is, also backwards from the far end, where the groups between are not there."""
        self.browser.open("orthogonal-behaviors")
        rows = self.browser.one('.section[data-id="paging"] .rows')
        box = self.browser.bring_to_rest(rows)
        width, end = self.browser.driver.execute_script(
            "return [arguments[0].clientWidth, arguments[0].scrollWidth - arguments[0].clientWidth]", rows)
        place = lambda: self.browser.driver.execute_script("return arguments[0].scrollLeft", rows)
        for direction, last in ((1, end), (-1, 0)):
            while abs(place() - last) >= 2:
                now = place()
                # An end that is less than half of a page away is reached from nearer.
                near = abs(now - last) < width / 2 and direction > 0
                self.browser.scroll(rows, lambda: self.browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                    "type": "mouseWheel", "x": box["x"] + 300, "y": box["y"] + 100, "deltaY": 0,
                    "deltaX": direction * (width if near else 0.7 * width)}))
                pages, step = place() / width, direction * (place() - now)
                self.assertTrue(abs(pages - round(pages)) * width < 2 or abs(place() - end) < 2, (now, place(), width, end))
                # Each turn of the wheel leads on, by one page or to an end.
                self.assertGreater(step, 2)
                self.assertLess(step, 1.5 * width)
        self.assert_quiet()
