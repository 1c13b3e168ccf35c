"""Long bodies, each of a kind that could take much memory for its bytes. Limits are raised so that all of it is read."""
import json

from scripts import EDITS, LIST, Script, flat

OPTIONS = [word for name, value in (
    ("body-bytes-max", 1 << 28), ("list-body-bytes-max", 1 << 28), ("operations-max", 1 << 30),
    ("content-bytes-max", 1 << 28), ("items-max", 1 << 30), ("sections-max", 1 << 30),
    ("transaction-bytes-max", 1 << 32), ("transaction-rows-max", 1 << 32),
) for word in (f"--{name}", str(value))]
"""For a server that takes such bodies."""
MINIMAL = (("Prefer", "return=minimal"),)


def item(number):
    return json.dumps({"id": f"item-{number}", "content": {
        "name": f"Item number {number}", "done": False, "note": "some text that is there"}}, separators=(",", ":"))


def note(word):
    """Makes items whose content has this word."""
    return lambda number: '{"id":"item-%d","content":{"name":"%s number %d","note":"%s"}}' % (
        number, word, number, 100 * word[:1])


def name(number):
    return f'"i{number}"'


def bare(number):
    return '{"id":"i%d"}' % number


def update(number):
    return '{"op":"updateItem","item":"i%d","content":{"name":"Item number %d","done":true,"note":"some text"}}' % (
        number % 20, number)


def long_bodies(size):
    """Bodies of about this number of bytes."""
    def many(text, around, count=None):
        """The same text, or a text for each number, repeated and set into another text."""
        made = text if callable(text) else lambda number: text
        count = count or size // (len(made(size // 100)) + 1)
        return (around % ",".join(map(made, range(count)))).encode()

    def sent(method, path, text, around, count=None):
        return lambda: (method, path, many(text, around, count), MINIMAL)

    def row(name, request, status, times, prepare=lambda server: 0, cpu=0.15, is_on_disk=False):
        # Most are sent to a server without a disk, which keeps nothing of what it has written.
        return Script(name, request, (status,), prepare, times=times, cpu=cpu * size / (1 << 20), options=OPTIONS,
                      is_on_disk=is_on_disk)

    def put(text, count=None):
        def prepare(server):
            answer = server.ask("PUT", LIST, many(text, whole, count))
            if answer.status != 201:
                raise RuntimeError(f"PUT of the list: {answer.status} {answer.body[:500]}")
            return 0
        return prepare

    whole = '{"sections":[{"id":"s","items":[%s]}]}'
    twenty = flat(20)
    names = size // 9
    return [
        row("a long list", sent("PUT", LIST, item, whole), 201, 4),
        row("a long list once more", sent("PUT", LIST, item, whole), 204, 4, put(item)),
        row("a long list in which every content changes", sent("PUT", LIST, note("new"), whole), 204, 4,
            put(note("old"))),
        row("a long list on a disk in which every content changes", sent("PUT", LIST, note("new"), whole), 204, 4,
            put(note("old")), is_on_disk=True),
        row("a star taken from many items that have none",
            sent("POST", EDITS, name, '{"operations":[{"op":"unstarItems","items":[%s]}]}', names), 204, 4,
            put(bare, names)),
        # The rows of a reorder take more than the few bytes of their ids.
        row("a final order of many rows", sent("POST", f"{LIST}/reorders", name, '{"sections":{"s":{"final":[%s]}}}',
            names), 204, 20, put(bare, names), cpu=0.4),
        row("a long list whose last item is wrong",
            sent("PUT", LIST, item, '{"sections":[{"id":"s","items":[%s,{"id":1}]}]}'), 422, 4),
        row("a long list with a name that is spelled oddly",
            sent("PUT", LIST, item, '{"s\\u0065ctions":[{"id":"s","items":[%s]}]}'), 201, 4),
        row("a long list with a byte too much", sent("PUT", LIST, item, whole + "x"), 400, 3),
        row("a long array of empty objects for items", sent("PUT", LIST, "{}", whole), 422, 3),
        row("a long array of empty arrays for items", sent("PUT", LIST, "[]", whole), 422, 3),
        row("a long array of digits for items", sent("PUT", LIST, "1", whole), 422, 3),
        row("a long array of empty objects for sections", sent("PUT", LIST, "{}", '{"sections":[%s]}'), 422, 3),
        row("a long array of empty objects for operations", sent("POST", EDITS, "{}", '{"operations":[%s]}'), 422, 3,
            twenty),
        row("a long array of digits in a content",
            sent("POST", f"{LIST}/items", "1", '{"items":[{"id":"x","content":{"a":[%s]}}]}'), 204, 3, twenty),
        row("a long content of short members",
            sent("POST", f"{LIST}/items", lambda n: '"%x":1' % n, '{"items":[{"id":"x","content":{%s}}]}'), 204, 3,
            twenty),
        row("a long body of members that nobody knows",
            sent("POST", f"{LIST}/items", lambda n: '"%x":1' % n, '{"items":[],%s}'), 422, 3, twenty),
        row("a few long names with escapes",
            lambda: ("POST", f"{LIST}/items", ("{%s}" % ",".join(
                '"\\u0061%s%d":1' % ("x" * (size // 16), number) for number in range(16))).encode(), MINIMAL), 422, 4,
            twenty),
        row("a long array of digits for the ids of a transaction",
            sent("POST", EDITS, "1", '{"operations":[{"op":"starItems","items":[%s]}]}'), 422, 3, twenty),
        row("a long array of digits for sections", sent("PUT", LIST, "1", '{"sections":[%s]}'), 422, 3),
        row("a long transaction", sent("POST", EDITS, update, '{"operations":[%s]}'), 204, 4, twenty),
        row("a long transaction whose last operation is wrong",
            sent("POST", EDITS, update, '{"operations":[%s,{"op":"x"}]}'), 422, 4, twenty),
        row("many items to append, the last of which is wrong",
            sent("POST", f"{LIST}/items", item, '{"items":[%s,1]}'), 422, 4, twenty),
    ]
