"""Writes a picture of every list into a folder: on a phone and on a desktop, in light and in dark colours."""

import pathlib
import sys

from browser import SIZES, Browser, wait_for
from server import Server


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    try:
        names = sorted(server.client.lists())
        for size in SIZES:
            browser = Browser(f"http://127.0.0.1:{server.port}", size=size, reduced_motion=True)
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
    finally:
        server.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


def save(browser, path):
    wait_for(lambda: browser.driver.execute_script("return document.fonts.status") == "loaded", "fonts")
    if not browser.driver.save_screenshot(str(path)):
        raise OSError(f"{path} could not be written.")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
