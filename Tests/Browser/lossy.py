"""A window whose answers can be lost on the way."""

from server import Wire

# The waits between attempts are not tested, so they are shortened, but not the time for an answer. Messages are kept,
# because each is shown only until the next.
HASTE = """
const real = window.setTimeout;
window.setTimeout = (done, milliseconds, ...rest) => real(done, milliseconds < 20_000 ? milliseconds / 50 : milliseconds, ...rest);
window.news_ = [];
addEventListener("DOMContentLoaded", () => new MutationObserver(() =>
  window.news_.push(document.getElementById("toast").firstChild?.data)).observe(
    document.getElementById("toast"), {childList: true}));
"""


def open_lossy(tests):
    """A wire to the server of a class of tests, which loses answers, and a window that asks over it and waits little."""
    wire = Wire(tests.server)
    tests.addClassCleanup(wire.close)
    window = tests.window(wire.port)
    window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HASTE})
    return wire, window
