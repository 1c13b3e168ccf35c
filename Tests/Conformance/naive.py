#!/usr/bin/env python3
"""A client that is as simple as can be, as an adapter: `conformance.py --client "python3 Tests/Conformance/naive.py"`.

With a fault it is wrong on purpose. The tests of the runner check that each fault is found.
"""

import copy
import json
import sys

import reference

FAULTS = {
    "inserts-first": "puts rows in before it takes rows out",
    "moves-one-by-one": "takes out and puts in one moved row after the other",
    "contents-by-old-index": "counts contents in the old rows",
    "source-in-new-sections": "looks for moved rows in the new order of sections",
    "sections-last": "puts sections in after items",
    "forgets-pending": "shows the server's state without the own edits",
    "echoes": "does an answered edit again when its change has come back",
    "keeps-refused": "goes on showing what was refused",
    "merges-rows": "keeps members of a row that the new row does not have",
    "knows-no-reset": "takes a reset for an empty change set",
}


def apply(sections, changes, fault):
    """The sections after a change set, as docs/clients.md shows it."""
    items, parts = changes.get("items", {}), changes.get("sections", {})
    old = copy.deepcopy(sections)
    contents = items.get("reconfigured", []) + items.get("reloaded", [])
    if fault == "contents-by-old-index":
        change_contents(old, contents, fault)
    coming = {e["index"]: {"items": [], **copy.deepcopy(e["section"])} for e in parts.get("inserted", [])}
    coming |= {e["to"]: old[e["from"]] for e in parts.get("moved", [])}
    going = {e["index"] for e in parts.get("deleted", [])} | {e["from"] for e in parts.get("moved", [])}
    now = [section for at, section in enumerate(old) if at not in going]
    if fault != "sections-last":
        put_sections(now, coming)
    source = now if fault == "source-in-new-sections" else old
    if fault == "inserts-first":
        put(now, [(place(e), e["item"]) for e in items.get("inserted", [])])
    arriving = [(place(e), e["item"]) for e in items.get("inserted", []) if fault != "inserts-first"]
    leaving = [place(e) for e in items.get("deleted", [])]
    for move in items.get("moved", []):
        if fault == "moves-one-by-one":
            put(now, [(place(move["to"]), pop(old, place(move["from"])))])
        else:
            leaving.append(place(move["from"]))
            arriving.append((place(move["to"]), row_at(source, place(move["from"]))))
    for at in sorted(leaving, reverse=True):
        pop(source, at)
    put(now, arriving)
    if fault == "sections-last":
        put_sections(now, coming)
    for e in parts.get("reconfigured", []):
        now[e["index"]] = {**e["section"], "items": now[e["index"]]["items"]}
    for e in parts.get("reloaded", []):
        now[e["index"]] = {"items": [], **e["section"]}
    if fault != "contents-by-old-index":
        change_contents(now, contents, fault)
    return now


def put_sections(now, coming):
    for index in sorted(coming):
        now.insert(index, coming[index])


def change_contents(sections, entries, fault):
    for e in entries:
        rows = sections[e["section"]]["items"]
        rows[e["index"]] = {**rows[e["index"]], **e["item"]} if fault == "merges-rows" else e["item"]


def place(entry):
    return entry["section"], entry["index"]


def row_at(sections, at):
    return sections[at[0]]["items"][at[1]]


def pop(sections, at):
    return sections[at[0]]["items"].pop(at[1])


def put(sections, arriving):
    for (section, index), item in sorted(arriving, key=lambda each: each[0]):
        sections[section]["items"].insert(index, item)


def answer(case, fault):
    state = with_rows(case["state"])
    for one in case["changes"]:
        if one.get("reset"):
            state = state if fault == "knows-no-reset" else with_rows(one["snapshot"])
        else:
            state = {**state, **one.get("properties", {}), "sections": apply(state["sections"], one, fault)}
        state["version"] = one["to"]
    shown = reference.List(state["sections"], **{name: state[name] for name in ("title", "layout") if name in state})
    for edit in case.get("pending", []):
        if is_on_top(edit, state["version"], fault):
            shown.perform(edit["operations"])
    sections = reference.view(shown.sections, view=case["show"]) if "show" in case else shown.sections
    return {**shown.members, "sections": sections}


def with_rows(snapshot):
    return {**snapshot, "sections": [{"items": [], **section} for section in snapshot["sections"]]}


def is_on_top(edit, held, fault):
    """Whether the state that is held does not have the edit."""
    if fault == "forgets-pending":
        return False
    if "refused" in edit:
        return fault == "keeps-refused"
    if "answered" not in edit or fault == "echoes":
        return True
    epoch, revision = edit["answered"].split("-")
    return held.split("-")[0] == epoch and int(held.split("-")[1]) < int(revision)


def main():
    fault = sys.argv[1] if len(sys.argv) > 1 else ""
    if fault and fault not in FAULTS:
        sys.exit(f"There is no fault {fault}. Known here: {', '.join(FAULTS)}.")
    for line in sys.stdin:
        try:
            told = answer(json.loads(line), fault)
        except (IndexError, KeyError) as error:
            told = {"error": f"{error!r}"}
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
