"""Holds a client against the cases, through an adapter: a process that reads a case a line and answers with rows."""

import json
import queue
import subprocess
import threading

import cases

SECONDS_MAX = 20
# Not for the client: what is to come out, and what only a server needs.
OF_THE_RUNNER = ("expected", "settled", "writes", "list", "why", "generated")


class Ended(Exception):
    """An adapter that has ended, or does not answer."""


class Adapter:
    def __init__(self, command):
        self._process = subprocess.Popen(command, shell=True, text=True, encoding="utf-8", stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, start_new_session=True)
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, case):
        told = {name: value for name, value in cases.complete(case).items() if name not in OF_THE_RUNNER}
        try:
            self._process.stdin.write(json.dumps(told, ensure_ascii=False) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=SECONDS_MAX)
        except (BrokenPipeError, queue.Empty):
            raise Ended(f"the adapter did not answer within {SECONDS_MAX} s") from None
        if line is None:
            raise Ended("the adapter has ended")
        return json.loads(line)

    def close(self):
        try:
            self._process.stdin.close()
            self._process.wait(timeout=5)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._process.stdout.close()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)


def hold(adapter, case):
    """Why a case does not hold for a client, and why it was left out: texts, of which at most one is not empty."""
    try:
        answer = adapter.ask(case)
    except ValueError as error:
        return f"the answer is no JSON: {error}", ""
    if "skip" in answer:
        return "", str(answer["skip"])
    if "error" in answer:
        return str(answer["error"]), ""
    allowed = [case[name] for name in ("expected", "settled") if name in case]
    try:
        others = [cases.difference(answer, one) for one in allowed]
    except (KeyError, TypeError, AttributeError) as error:
        return f"the answer has another form: {error!r}", ""
    return ("" if "" in others else others[0]), ""
