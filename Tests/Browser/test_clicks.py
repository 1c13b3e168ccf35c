"""A click acts on the element under it, and does nothing on an empty place. Nine points of every kind of row are
tested."""

import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import BrowserTestCase, wait_for
from hand import tap

AWAY = (640, 3)

# The first row of each kind, with the kind. The kind is told by the section, the cell and the elements in it.
KINDS = """
const found = new Map();
for (const row of document.querySelectorAll(".row")) {
  const parts = [...row.querySelectorAll(".cell, .cell [class]:not(path)")].map((one) => one.getAttribute("class"));
  const kind = [row.closest(".section").className, ...parts, row.matches(":first-child") && "first"].join(" | ");
  if (!found.has(kind)) found.set(kind, row.dataset.id);
}
return [...found];
"""

# The nine points of a row and the middle of each button in it, with the element that is there. An element with a name
# for its action acts.
POINTS = """
const box = arguments[0].getBoundingClientRect();
const inset = 3;
const points = [];
const places = [...arguments[0].querySelectorAll("[data-action]")].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect())
  .map((one) => [one.left + one.width / 2, one.top + one.height / 2]);
for (const y of [box.top + inset, box.top + box.height / 2, box.bottom - inset]) {
  for (const x of [box.left + inset, box.left + box.width / 2, box.right - inset]) places.push([x, y]);
}
for (const at of places.map((place) => place.map(Math.round))) {
  if (at[0] < 0 || at[0] >= innerWidth) continue;
  const actor = document.elementFromPoint(...at)?.closest("a, button, input, [data-action]");
  const isSeen = actor?.checkVisibility({opacityProperty: true, visibilityProperty: true}) ?? false;
  points.push({at, action: actor && (actor.dataset.action ?? actor.tagName), isSeen, isCell: actor?.matches(".cell") ?? false});
}
return points;
"""

# The writes that the page begins, each with its body.
RECORDER = """
window.writes_ = [];
const real = window.fetch;
window.fetch = (path, options = {}) => {
  if ((options.method ?? "GET") !== "GET") window.writes_.push([String(path), options.body]);
  return real(path, options);
};
"""

# The operations that each action may send.
MEANING = {"toggle": ("expandItems", "collapseItems"), "switch": ("updateItem",), "star": ("starItems", "unstarItems"),
           "delete": ("deleteItems",)}


class ClickTests(BrowserTestCase):
    def writes(self, browser):
        """The writes that have begun since the last call."""
        return browser.driver.execute_script("return window.writes_.splice(0)")

    def samples(self):
        return [sample["id"] for sample in self.client.get("/v1/samples")["samples"]]

    def version(self, list_id):
        return self.client.get(f"/v1/lists/{list_id}")["version"]

    def reset(self, list_id):
        self.client.write("POST", f"/v1/samples/{list_id}")
        # While somebody looks the server scans by itself, which would pass for an effect of a click.
        if list_id == "wifi":
            self.client.write("PATCH", "/v1/lists/wifi/items/config.wi-fi", {"content": {"scanning": False}})

    def open(self, browser, list_id):
        self.reset(list_id)
        browser.open(list_id)
        browser.driver.execute_script(RECORDER)

    def new_kinds(self, browser, seen):
        """The first row in the page of each kind that is not in `seen`, which then has it."""
        rows = browser.driver.execute_script(KINDS)
        self.assertTrue(rows)
        found = [item for kind, item in rows if kind not in seen]
        seen.update(kind for kind, _ in rows)
        return found

    def points(self, browser, item):
        browser.bring_to_rest(browser.row(item))
        return browser.driver.execute_script(POINTS, browser.row(item))

    def click_twice(self, points):
        """Clicks twice at each point, with the pointer coming from elsewhere. An element that appears after the
        first click must not take the second one."""
        actions = ActionChains(self.browser.driver, duration=0)
        pointer = actions.w3c_actions.pointer_action
        for point in points:
            pointer.move_to_location(*AWAY)
            pointer.move_to_location(*point["at"])
            for _ in range(2):
                pointer.pointer_down()
                pointer.pointer_up()
        pointer.move_to_location(*AWAY)
        actions.perform()
        # Two clicks on an item edit its title, which goes over the row.
        if self.browser.one(".title-edit"):
            ActionChains(self.browser.driver).send_keys(Keys.ESCAPE).perform()

    def tap_twice(self, browser, item):
        """Taps twice at each empty point, with the finger coming from elsewhere."""
        for point in self.points(browser, item):
            tap(browser, 195, 3)
            wait_for(lambda: not browser.one(".row-actions"), "no buttons")
            for _ in range(0 if point["action"] else 2):
                tap(browser, *point["at"])

    def test_nine_points_of_every_kind_of_row(self):
        kinds, acting = set(), set()
        for sample in self.samples():
            self.open(self.browser, sample)
            for item in self.new_kinds(self.browser, kinds):
                with self.subTest(sample=sample, item=item):
                    points = self.points(self.browser, item)
                    inert = [point for point in points if not point["action"]]
                    # A cell that acts does so wherever nothing else is.
                    self.assertGreaterEqual(len(inert) + sum(point["isCell"] for point in points), 5, points)
                    version = self.version(sample)
                    self.click_twice(inert)
                    self.assertEqual([], self.writes(self.browser), points)
                    self.assertEqual(version, self.version(sample))
                    for action in {(point["action"], point["isCell"]): point for point in points if point["action"]}.values():
                        self.press(sample, item, action)
                        acting.add(action["action"])
        # Without these numbers the clicks would have tested nothing.
        self.assertGreater(len(kinds), 35)
        self.assertLessEqual({"toggle", "switch", "detail"}, acting)
        self.assert_quiet()

    def press(self, sample, item, point):
        """An element that acts is visible, and one click carries out its action once, on this row."""
        self.assertTrue(point["isSeen"], point)
        if point["action"] == "detail":
            return self.follow(sample, point)
        self.assertIn(point["action"], MEANING)
        actions = ActionChains(self.browser.driver, duration=0)
        pointer = actions.w3c_actions.pointer_action
        pointer.move_to_location(*point["at"])
        pointer.pointer_down()
        pointer.pointer_up()
        actions.perform()
        self.browser.wait_until_equal(self.client, sample)
        writes = self.writes(self.browser)
        self.assertEqual(1, len(writes), writes)
        path, body = writes[0]
        self.assertEqual(f"/v1/lists/{sample}/transactions", path)
        operation, = json.loads(body)["operations"]
        self.assertEqual([item], operation.get("items", [operation.get("item")]))
        self.assertIn(operation["op"], MEANING[point["action"]])
        self.reset(sample)
        self.browser.wait_until_equal(self.client, sample)

    def follow(self, sample, point):
        """One click shows the details, and changes nothing."""
        version = self.version(sample)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.mouse(kind, *point["at"])
        wait_for(lambda: self.browser.one("dialog[open] .detail"), "the details")
        ActionChains(self.browser.driver).send_keys(Keys.ESCAPE).perform()
        wait_for(lambda: not self.browser.one("dialog"), "no window")
        self.assertEqual([], self.writes(self.browser))
        self.assertEqual(version, self.version(sample))

    def test_nine_points_by_a_finger(self):
        narrow, kinds = self.window(size="narrow"), set()
        for sample in ("editing", "reactor-sections", "emoji-explorer", "emoji-explorer-list", "list-appearances", "grid"):
            self.open(narrow, sample)
            for item in self.new_kinds(narrow, kinds):
                with self.subTest(sample=sample, item=item):
                    version = self.version(sample)
                    self.tap_twice(narrow, item)
                    self.assertEqual([], self.writes(narrow))
                    self.assertEqual(version, self.version(sample))

    def buttons(self, item):
        """Moves the pointer to the leading end of a row, and waits for its buttons."""
        box = self.browser.bring_to_rest(self.browser.row(item))
        self.browser.mouse("mouseMoved", *AWAY)
        self.browser.mouse("mouseMoved", box["x"] + 40, box["y"] + box["height"] / 2)
        return wait_for(lambda: self.browser.one(f'.row[data-id="{item}"] > .row-actions:not([hidden])'), f"buttons of {item}")

    def test_buttons_stand_beside_the_accessories(self):
        """The accessories of a row can be reached while its buttons are shown."""
        self.open(self.browser, "emoji-explorer")
        for item in [row[0] for row in self.client.visible("emoji-explorer")[2][1]][:3]:
            self.buttons(item)
            over = self.browser.driver.execute_script("""
                const row = arguments[0];
                const [one, other] = [".row-actions", ".accessories"].map((name) => row.querySelector(name).getBoundingClientRect());
                return one.right > other.left;""", self.browser.row(item))
            self.assertFalse(over, item)

    def test_a_second_click_deletes_no_second_row(self):
        self.open(self.browser, "editing")
        rows = lambda: [row[0] for row in self.client.visible("editing")[0][1]]
        before = rows()
        delete = self.buttons(before[1]).find_element("css selector", "[data-action=delete]")
        box = self.browser.box(delete)
        place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.browser.mouse("mouseMoved", *place)
        for _ in range(3):
            self.browser.mouse("mousePressed", *place)
            self.browser.mouse("mouseReleased", *place)
            wait_for(lambda: before[1] not in rows(), "a deleted row")
            self.browser.wait_until_equal(self.client, "editing")
            self.browser.bring_to_rest(self.browser.row(before[2]))
        self.assertEqual(before[:1] + before[2:], rows())
        self.assertEqual(1, len(self.writes(self.browser)))
