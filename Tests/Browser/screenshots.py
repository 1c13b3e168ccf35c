"""Writes a picture of every list and of every view into a folder: on a phone and on a desktop, in light and in dark
colours; of views also from right to left, in forced colours, and of a desktop at twice the size."""

import pathlib
import sys

from browser import SIZES, Browser, wait_for
from server import Server
from views import Views


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    try:
        names = sorted(server.client.lists())
        for size in SIZES:
            browser = window(server, size)
            try:
                for scheme in ("light", "dark"):
                    browser.show_as(scheme, reduced_motion=True)
                    browser.open_gallery()
                    save(browser, folder / f"gallery-{size}-{scheme}.png")
                    for name in names:
                        browser.open(name)
                        save(browser, folder / f"{name}-{size}-{scheme}.png")
            finally:
                browser.close()
        views(server, folder)
    finally:
        server.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


def window(server, size):
    browser = Browser(f"http://127.0.0.1:{server.port}", size=size, reduced_motion=True)
    if size == "wide":
        look_through(browser, size)
    return browser


def look_through(browser, size):
    """The page has the whole size, and not that of a window less the bars of the browser."""
    width, height = SIZES[size]
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def views(server, folder):
    for size in SIZES:
        browser = window(server, size)
        try:
            shown = Views(browser, server.client)
            for scheme in ("light", "dark"):
                browser.show_as(scheme, reduced_motion=True)
                for name in shown.names:
                    shown.show(name)
                    save(browser, folder / f"view-{name}-{size}-{scheme}.png")
            browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
                {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}]})
            for name in ("gallery", "list", "several", "old-version", "edit-mode", "arabic", "item-as-json", "history"):
                shown.show(name)
                save(browser, folder / f"forced-{name}-{size}.png")
            browser.show_as("light", reduced_motion=True)
            if size == "wide":
                browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                    "width": 640, "height": 450, "deviceScaleFactor": 2, "mobile": False})
                for name in shown.names:
                    shown.show(name)
                    save(browser, folder / f"double-{name}.png")
                look_through(browser, size)
            browser.run_from_right_to_left()
            for name in ("gallery", "list", "sample", "inspector", "history", "edit-mode", "arabic", "all-lists", "new-list"):
                shown.show(name)
                save(browser, folder / f"rtl-{name}-{size}.png")
        finally:
            browser.close()
    signing = Server("--first-token")
    try:
        signing.client.write("PUT", "/v1/access/anonymous", {"grants": []})
        for size in SIZES:
            browser = window(signing, size)
            try:
                for scheme in ("light", "dark"):
                    browser.show_as(scheme, reduced_motion=True)
                    browser.driver.get(f"{browser.base}/#/")
                    wait_for(lambda: browser.one(".sign-in input"), "a form")
                    save(browser, folder / f"view-sign-in-{size}-{scheme}.png")
            finally:
                browser.close()
    finally:
        signing.close()


def save(browser, path):
    wait_for(lambda: browser.driver.execute_script("return document.fonts.status") == "loaded", "fonts")
    if not browser.driver.save_screenshot(str(path)):
        raise OSError(f"{path} could not be written.")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
