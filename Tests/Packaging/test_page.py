"""The page of a first server is read whole, and the comparison of its answers tells answers apart."""
import pathlib
import unittest

from page import matches, steps

TOP = pathlib.Path(__file__).resolve().parents[2]


class Pages(unittest.TestCase):
    def test_the_steps_of_the_page_are_found(self):
        found = steps((TOP / "docs/first-server.md").read_text())
        self.assertGreaterEqual(len(found), 12)
        self.assertGreaterEqual(sum(step.expected is not None for step in found), 8)
        self.assertEqual([step.heading[0] for step in found], sorted(step.heading[0] for step in found))

    def test_a_block_that_nobody_runs_is_refused(self):
        for text in ["```sh\nls\n```\n", "```text\nan answer\n```\n", "```\nls\n```\n",
                     "```console\nls\n```\n```text\na\n```\n```text\nb\n```\n"]:
            with self.subTest(text), self.assertRaises(ValueError):
                steps(text)

    def test_an_answer_belongs_to_the_commands_before_it(self):
        text = "## 1 A\n```console\nls\npwd\n```\n\n```text\n…\n```\n## 2 B\n```console\nid\n```\n"
        found = [(step.heading, step.commands, step.expected) for step in steps(text)]
        self.assertEqual(found, [("1 A", "ls\npwd\n", "…\n"), ("2 B", "id\n", None)])

    def test_answers_are_told_apart(self):
        for answer, expected, is_match in [
                ('{"a": 1,\n "b":2}', '{"a":1, "b":2}', True), ("k3v9-2", "…-1", False), ("ab", "a…b", True),
                ("abc", "a…b", False), ("aXbYc", "a…b…c", True), ("aXcYb", "a…b…c", False), ("", "", True),
                ("x", "", False), ("anything", "…", True), ("a.c", "abc", False), ("abc", "a.c", False)]:
            with self.subTest(answer=answer, expected=expected):
                self.assertEqual(matches(answer, expected), is_match)
