"""Runs a command of an image as an engine does, without one: by bubblewrap."""
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.request

USER = 10001


class Sandbox:
    """The image's files, read only, with a volume and a /tmp in memory.

    Commands run as user 10001 with no capability, in process and mount namespaces of their own. Each is process 1 of
    its own. The network is that of the machine.
    """

    def __init__(self, root, configuration, volume, port):
        self._root = root
        self._entry = configuration["config"]["Entrypoint"]
        self._command = configuration["config"]["Cmd"]
        self._environment = dict(line.split("=", 1) for line in configuration["config"]["Env"])
        # Another port than 8080, which something else may have. The rest is as the image says.
        self._environment["LISTSTATE_PORT"] = str(port)
        self._volume = volume
        self.port = port
        self.token = None
        """The token that a first start has printed last."""

    def start(self, *arguments, program=None, volume=None, port=None):
        """Starts the image's entry point with its own command, or others."""
        environment = dict(self._environment, LISTSTATE_PORT=str(port or self.port))
        reading, writing = os.pipe()
        words = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs",
                 "bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1",
                 "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", self._root, "/", "--proc", "/proc",
                 "--dev", "/dev", "--tmpfs", "/tmp", "--bind", volume or self._volume, "/var/lib/liststate",
                 "--info-fd", writing, "--clearenv"]
        for name, value in environment.items():
            words += ["--setenv", name, value]
        words += ["--", *(program or self._entry), *(arguments or ([] if program else self._command))]
        process = subprocess.Popen([str(word) for word in words], pass_fds=[writing], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        process.inside = json.loads(said)["child-pid"] if said else None
        return process

    def run(self, *arguments, program=None, volume=None, port=None):
        """The exit code and everything that a command says."""
        process = self.start(*arguments, program=program, volume=volume, port=port)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output + errors

    def serve(self, *arguments, volume=None):
        """A server that is ready. Its `lines` are those that it printed before it said so."""
        process = self.start(*arguments, volume=volume)
        process.lines = []
        while "listens on" not in (line := process.stdout.readline()):
            if not line:
                raise SystemExit(f"the server did not start: {process.communicate()[1]}")
            process.lines.append(line)
        tokens = re.findall(r"lst_\w+", "".join(process.lines))
        self.token = tokens[0] if tokens else self.token
        return process

    def _headers(self, **others):
        return dict({"Authorization": f"Bearer {self.token}"} if self.token else {}, **others)

    def follow(self, path):
        """A stream of events, to be read line by line."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}",
                                         headers=self._headers(Accept="text/event-stream"))
        return urllib.request.urlopen(request, timeout=30)

    def ask(self, method, path, body=None, headers=None):
        """The status, the head and the JSON of an answer."""
        data = None if body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json"} if data else {}
        headers = self._headers(**given, **(headers or {}))
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return answer.status, answer.headers, json.loads(text) if text else None
        except urllib.error.HTTPError as refusal:
            text = refusal.read()
            return refusal.code, refusal.headers, json.loads(text) if text else None


def status(process):
    """The fields of /proc/PID/status of what runs inside, as the machine sees it."""
    lines = pathlib.Path(f"/proc/{process.inside}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)
