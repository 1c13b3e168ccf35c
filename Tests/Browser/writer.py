"""Random edits of a list, as a user of curl would make them."""

import random


class Writer:
    """Makes transactions of one to three operations on the present items of the list."""

    def __init__(self, client, list_id, seed):
        self._client = client
        self._list = list_id
        self._random = random.Random(seed)
        self._made = 0

    def write(self, count):
        """Returns when this number of transactions has changed the list."""
        changed = 0
        while changed < count:
            operations = [self._operation() for _ in range(self._random.randint(1, 3))]
            status, answer = self._client.ask(
                "POST", f"/v1/lists/{self._list}/transactions", {"operations": operations})
            if status == 200:
                changed += answer["changed"]
            elif status != 409:
                raise AssertionError(f"{operations}: {status} {answer}")

    def _operation(self):
        snapshot = self._client.get(f"/v1/lists/{self._list}")
        sections = [section["id"] for section in snapshot["sections"]]
        items = [item["id"] for section in snapshot["sections"] for item in section.get("items", [])]
        if len(sections) < 2:
            return {"op": "appendSections", "sections": [{"id": self._name("s"), "title": "Section"}]}
        if len(items) < 4:
            return self._insertion(sections, items)
        edits = [
            self._insertion, self._insertion, self._deletion, self._move, self._move, self._move, self._update, self._flag,
            self._flag, self._section_edit,
        ]
        return self._random.choice(edits)(sections, items)

    def _insertion(self, sections, items):
        item = {"id": self._name("i"), "kind": "k", "content": {"title": f"Item {self._made}"}}
        if items and self._random.random() < 0.4:
            return {"op": "appendItems", "items": [item], "parent": self._random.choice(items)}
        if items and self._random.random() < 0.7:
            return {"op": "insertItems", "items": [item], self._side(): self._random.choice(items)}
        return {"op": "appendItems", "items": [item], "section": self._random.choice(sections)}

    def _deletion(self, sections, items):
        return {"op": "deleteItems", "items": [self._random.choice(items)]}

    def _move(self, sections, items):
        item = self._random.choice(items)
        kind = self._random.random()
        if kind < 0.6:
            other = self._random.choice([one for one in items if one != item])
            return {"op": "moveItem", "item": item, self._side(): other}
        place = {"section": self._random.choice(sections)} if kind < 0.8 else {
            "parent": self._random.choice([one for one in items if one != item])}
        return {"op": "moveItem", "item": item, "at": self._random.choice(["first", "last"]), **place}

    def _update(self, sections, items):
        self._made += 1
        return {"op": "updateItem", "item": self._random.choice(items), "content": {"title": f"Item {self._made}"}}

    def _flag(self, sections, items):
        name = self._random.choice(["starItems", "unstarItems", "expandItems", "expandItems", "collapseItems"])
        return {"op": name, "items": [self._random.choice(items)]}

    def _section_edit(self, sections, items):
        kind = self._random.random()
        section = self._random.choice(sections)
        other = self._random.choice([one for one in sections if one != section])
        if kind < 0.4:
            return {"op": "moveSection", "section": section, self._side(): other}
        if kind < 0.6:
            return {"op": "updateSection", "section": section, "title": self._name("Title ")}
        if kind < 0.7 and len(sections) > 3:
            return {"op": "deleteSections", "sections": [section]}
        new = {"id": self._name("s"), "items": [{"id": self._name("i"), "content": {"title": "First"}}]}
        return {"op": "insertSections", "sections": [new], self._side(): other}

    def _side(self):
        return self._random.choice(["before", "after"])

    def _name(self, letter):
        self._made += 1
        return f"{letter}{self._made}"
