"""One server of lists, which is killed and started again on its one port."""
import re
import signal
import socket
import subprocess

from client import Connection, Lost
from cluster import ending_with_this


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Node:
    def __init__(self, name, address, authority, binary, folder, options, fault=None):
        """`address`: where it listens, a host and a port. `authority`: the user, the hosts and the ports of the
        database, as in its URL."""
        self.name, self.address, self.log = name, address, folder / f"{name}.log"
        # Two seconds are the shortest that libpq knows.
        url = (f"postgres://{authority}/lists?application_name={name}&connect_timeout=2&sslmode=disable"
               "&gssencmode=disable")
        self._words = ["env", *([f"LISTSTATE_PLANTED_FAULT={fault}"] if fault else []), f"LISTSTATE_STORE={url}",
                       *ending_with_this(False), str(binary), "serve", "--insecure", "--host", address[0],
                       "--port", str(address[1]), "--loops", "2", "--heartbeat-seconds", "1", "--log-level", "notice",
                       *options]
        self._process, self._log_start = None, 0
        self.is_stopped = False

    def start(self):
        """Starts the server. Returns at once."""
        with open(self.log, "ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(self._words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def pid(self):
        return self._process.pid

    @property
    def has_ended(self):
        return self._process.poll() is not None

    @property
    def said(self):
        """The log of this life of the server."""
        with open(self.log, "rb") as log:
            log.seek(self._log_start)
            return log.read().decode(errors="replace")

    @property
    def has_listened(self):
        return re.search(r"listens on", self.said) is not None

    @property
    def is_ready(self):
        """Whether the server says that writes can succeed."""
        return self.ask_ready(2) == 200

    def ask_ready(self, patience):
        """The status with which the server says whether writes can succeed; None if it says nothing in time."""
        try:
            connection = Connection(self.address, 1)
            try:
                return connection.ask("GET", "/readyz", patience=patience).status
            finally:
                connection.close()
        except Lost:
            return None

    def pause(self):
        self.is_stopped = True
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self):
        if self.is_stopped:
            self._process.send_signal(signal.SIGCONT)
        self.is_stopped = False

    def kill(self):
        """Kills the server, and waits for its end."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self.is_stopped = False
