"""The instructions of single requests, counted by callgrind. The counts are the same in every run, whatever else the
machine does."""
import pathlib
import re
import shutil
import subprocess

from server import Server


class CountedServer(Server):
    """A server in callgrind. Its binary is a copy without debug information, because callgrind cannot read that."""

    def __init__(self, binary, work, *options):
        self._work = pathlib.Path(work)
        stripped = self._work / "liststate"
        subprocess.run(["objcopy", "--strip-debug", binary, stripped], check=True)
        self._out = self._work / "callgrind.out"
        super().__init__(
            stripped, *options, in_memory=True,
            command=["valgrind", "--tool=callgrind", f"--callgrind-out-file={self._out}", "--quiet"])

    def _control(self, what):
        subprocess.run(["callgrind_control", what, str(self.pid)], check=True, capture_output=True)

    def instructions(self, *request):
        """The instructions of one request, and its answer."""
        self._control("--zero")
        answer = self.ask(*request, timeout=600)
        for file in self._work.glob("callgrind.out.*"):
            file.unlink()
        self._control("--dump")
        text = "".join(file.read_text() for file in self._work.glob("callgrind.out.*"))
        totals = re.findall(r"(?m)^(?:totals|summary): (\d+)", text)
        if not totals:
            raise RuntimeError("callgrind wrote no counts")
        return int(totals[-1]), answer


def is_at_hand():
    return all(shutil.which(tool) for tool in ("valgrind", "callgrind_control", "objcopy"))
