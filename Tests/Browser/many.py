"""Lists of many rows, and the page's own counts of the work that they cause."""

WORDS = ("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo "
         "sierra tango uniform victor").split()


def many(count):
    """A list with this number of rows. Each row has two lines of text."""
    items = [{"id": f"r{index}", "kind": "k", "content": {
        "title": f"{WORDS[index % 22]} {WORDS[index * 7 % 19]} {index}", "detail": f"number {index * 31 % 977}"}}
        for index in range(count)]
    layout = {"kind": "list", "appearance": "plain", "leadingSwipe": ["star"], "cells": {"k": {
        "configuration": "subtitleCell", "text": "title", "secondaryText": "detail", "accessories": ["star", "disclosure"]}}}
    return {"title": f"{count} rows", "layout": layout, "sections": [{"id": "s", "items": items}]}


def work(browser):
    """The counters of the collection: rows made, cells made."""
    return browser.driver.execute_script("return {...document.getElementById('collection').work}")
