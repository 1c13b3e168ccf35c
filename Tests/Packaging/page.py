"""The commands of a page, and whether an answer is the one that stands below them."""
import re

COMMANDS = "console"
ANSWERS = ("text", "json")


class Step:
    """A block of commands, and the answer that is expected of it."""

    def __init__(self, heading, commands):
        self.heading, self.commands, self.expected = heading, commands, None

    @property
    def name(self):
        return f"{self.heading}: {self.commands.splitlines()[0]}"


def steps(text):
    """The steps of a page, in its order.

    - Raises: ValueError for a block that is neither commands nor the answer to some, because nobody would run it.
    """
    found, heading = [], ""
    for match in re.finditer(r"^## (?P<heading>[^\n]*)$|^```(?P<language>\w*)\n(?P<block>.*?)^```$", text, re.M | re.S):
        language, block = match["language"], match["block"]
        if block is None:
            heading = match["heading"]
        elif language == COMMANDS:
            found.append(Step(heading, block))
        elif language in ANSWERS and found and found[-1].expected is None:
            found[-1].expected = block
        else:
            raise ValueError(f"below {heading} is a block of {language or 'nothing'} that nobody runs")
    return found


def matches(answer, expected):
    """Whether the answer is the expected text. `…` stands for any text, and white space is not compared."""
    answer, expected = ("".join(text.split()) for text in (answer, expected))
    return re.fullmatch(".*".join(map(re.escape, expected.split("…"))), answer, re.S) is not None
