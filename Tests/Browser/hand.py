"""What a hand does in the page: it holds rows, swipes and taps, with a mouse or a finger."""

import contextlib
import pathlib
import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys

from browser import wait_for


def page_time(file, name):
    """A time of the page in milliseconds, from its source."""
    text = (pathlib.Path(__file__).parents[2] / "Sources/CAssets/page" / file).read_text()
    return int(re.search(rf"^const {name} = ([\d_]+);", text, re.MULTILINE).group(1))


LONG_PRESSES = (page_time("hand/drag.js", "longPressMilliseconds"), page_time("list/selection.js", "longPressMilliseconds"))
LANDING = page_time("hand/landing.js", "patience")
GHOST = "return document.querySelector('.ghost')?.getBoundingClientRect().toJSON() ?? null"
# A place in the row without a button, as offsets from the row's corner.
GRIP = """
const box = arguments[0].getBoundingClientRect();
for (const [across, down] of [[0.3, 0.4], [0.5, 0.5], [0.1, 0.8]]) {
  const [x, y] = [Math.round(box.width * across), Math.round(box.height * down)];
  const under = document.elementFromPoint(box.x + x, box.y + y);
  if (arguments[0].contains(under) && !under.closest("button")) return {x, y};
}
return null;
"""
# In each frame: how far the picture of the row is from the place where the pointer holds it.
RECORD_PATH = """
const [x, y] = arguments;
const path = window.path_ = {most: 0, frames: 0, at: null};
addEventListener("pointermove", (event) => { path.at = [event.clientX, event.clientY]; }, true);
const look = () => {
  const box = document.querySelector(".ghost")?.getBoundingClientRect();
  if (box && path.at) {
    path.frames += 1;
    path.most = Math.max(path.most, Math.abs(box.x + x - path.at[0]), Math.abs(box.y + y - path.at[1]));
  }
  if (window.path_ === path) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
# In each frame: where the picture of the row is, and where the row is seen.
RECORD_LANDING = """
const [id] = arguments;
const frames = window.frames_ = [];
const place = (element) => {
  const box = element?.getBoundingClientRect();
  return box ? [box.x, box.y, box.width, box.height] : null;
};
const look = () => {
  const host = document.querySelector(".ghost-host");
  const row = document.querySelector(`.row[data-id="${CSS.escape(id)}"]`);
  const isSeen = row?.querySelector(":scope > .cell")?.checkVisibility({visibilityProperty: true, opacityProperty: true});
  frames.push({isLanding: host?.classList.contains("is-landing") ?? false, ghost: place(host?.firstElementChild),
    row: isSeen ? place(row) : null});
  if (window.frames_ === frames) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
MARK = """
const mark = document.querySelector(".marker");
if (!mark || mark.hidden) return null;
const box = mark.getBoundingClientRect();
return {shape: mark.className.replace("marker is-", ""), left: box.left, top: box.top, right: box.right, bottom: box.bottom};
"""


class Grip:
    """A row held by a pointer, with the place of the pointer."""

    def __init__(self, browser, item, is_finger=False, handle=None, is_still=False):
        self.browser, self.item, self._is_finger = browser, item, is_finger
        # The picture of another row may still be on its way.
        wait_for(lambda: nothing_of_a_drag(browser), "nothing of the drag before")
        box = browser.box(browser.row(item)) if is_still else browser.bring_to_rest(browser.row(item))
        if handle:
            part = browser.box(handle)
            self.offset = {"x": part["x"] + part["width"] / 2 - box["x"], "y": part["y"] + part["height"] / 2 - box["y"]}
        else:
            self.offset = browser.driver.execute_script(GRIP, browser.row(item))
        self.start = (box["x"] + self.offset["x"], box["y"] + self.offset["y"])
        self._send("touchStart" if is_finger else "mousePressed", *self.start)

    def _send(self, kind, x, y):
        self.x, self.y = x, y
        if self._is_finger:
            self.browser.touch(kind, x, y)
        else:
            self.browser.mouse(kind, x, y, is_held=True)

    def lift(self):
        """Waits until a finger has pressed long enough; moves a mouse far enough."""
        if not self._is_finger:
            self.move(self.start[0] + 4, self.start[1] + 7)
        wait_for(lambda: self.away() is not None, f"{self.item} held")
        return self

    def move(self, x, y):
        self._send("touchMove" if self._is_finger else "mouseMoved", x, y)

    def over(self, item, across=0.5, down=0.5):
        """Moves to a place of another row, as parts of its width and height."""
        box = self.browser.box(self.browser.row(item))
        self.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)

    def below(self, item, down=0.5):
        """Moves straight down or up to a place of another row."""
        box = self.browser.box(self.browser.row(item))
        self.move(self.x, box["y"] + box["height"] * down)

    def away(self):
        """The distance between the picture of the row and the place where the pointer holds it; None if there is no
        picture."""
        box = self.browser.driver.execute_script(GHOST)
        if box is None:
            return None
        return max(abs(box["x"] + self.offset["x"] - self.x), abs(box["y"] + self.offset["y"] - self.y))

    def mark(self):
        """The mark of the place where the row would go; None if it would stay."""
        return self.browser.driver.execute_script(MARK)

    def let_go(self):
        if self._is_finger:
            self.browser.touch("touchEnd")
        else:
            self.browser.mouse("mouseReleased", self.x, self.y)

    def leave(self):
        """Ends the drag without a move."""
        ActionChains(self.browser.driver, duration=0).send_keys(Keys.ESCAPE).perform()
        self.let_go()
        wait_for(lambda: nothing_of_a_drag(self.browser), "nothing of the drag")


def nothing_of_a_drag(browser):
    return browser.driver.execute_script(
        "return document.querySelectorAll('.ghost, .ghost-host, .marker, .dragged, .landing, .gliding').length") == 0


@contextlib.contextmanager
def timers_held(browser, *times):
    """Meanwhile no timer of the page ends that begins with one of these times, in milliseconds. A machine that is busy
    may take so long for what a hand does at once."""
    browser.driver.execute_script("""const real = window.timer_ = window.setTimeout, times = arguments[0];
        window.setTimeout = (done, time, ...rest) => times.includes(time) ? 0 : real(done, time, ...rest);""", list(times))
    try:
        yield
    finally:
        browser.driver.execute_script("window.setTimeout = window.timer_")


@contextlib.contextmanager
def no_pause(browser):
    """Meanwhile a row that is dragged never rests so long over another one that something comes of it."""
    browser.driver.execute_script("performance.now = () => 1e12")
    try:
        yield
    finally:
        browser.driver.execute_script("delete performance.now")


def tap(browser, x, y):
    finger(browser, (x, y))


def finger(browser, *places):
    """Sets a finger down, moves it over places of the window, and lifts it at rest, so that it flings nothing."""
    actions = ActionChains(browser.driver, duration=0, devices=[PointerInput("touch", "finger")])
    pointer = actions.w3c_actions.pointer_action
    pointer.move_to_location(*map(round, places[0]))
    pointer.pointer_down()
    for place in places[1:]:
        pointer.move_to_location(*map(round, place))
    if len(places) > 1:
        pointer.pause(0.1)
    pointer.pointer_up()
    with timers_held(browser, *LONG_PRESSES):
        actions.perform()


def middle(browser, element):
    box = browser.box(element)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def swipe(browser, item, distance, part=0.5):
    """Moves a finger over a row from a part of its width to the side, and lifts it at rest."""
    box = browser.box(browser.row(item))
    stroke(browser, box["x"] + box["width"] * part, box["y"] + box["height"] / 2, across=distance)


def stroke(browser, x, y, across=0, down=0):
    """Moves a finger from a place in ten steps."""
    finger(browser, *((x + across * step / 10, y + down * step / 10) for step in range(11)))
