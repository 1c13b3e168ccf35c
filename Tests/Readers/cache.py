"""nginx with the configuration that docker/nginx.conf has, on a port of this machine."""
import atexit
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

CONFIGURATION = pathlib.Path(__file__).parents[2] / "docker/nginx.conf"
START_SECONDS = 20


class Cache:
    def __init__(self, folder, port, origin_port, workers, descriptors, without=""):
        """`without`: what each line of the configuration that has it does without."""
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        if not program:
            sys.exit("there is no nginx (Debian: apt-get install nginx-light)")
        text = CONFIGURATION.read_text()
        for pattern, value, lines in [
                (r"worker_processes auto", f"worker_processes {workers}", 1),
                (r"worker_rlimit_nofile \d+", f"worker_rlimit_nofile {descriptors}", 1),
                (r"worker_connections \d+", f"worker_connections {descriptors - 1000}", 1),
                (r"/var/cache/nginx/", f"{folder}/", 2),
                (r"server one:8080;", f"server 127.0.0.1:{origin_port};", 1),
                (r"listen 8080 ", f"listen 127.0.0.1:{port} ", 1)]:
            text, count = re.subn(pattern, value, text)
            if count != lines:
                sys.exit(f"{CONFIGURATION} has {count} lines with {pattern}")
        if without:
            if without not in text:
                sys.exit(f"{CONFIGURATION} has no {without}")
            text = text.replace(without, "")
        # Folders that are elsewhere if nothing is said.
        own = "".join(f"    {kind}_temp_path {folder}/{kind};\n"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        file = folder / "nginx.conf"
        file.write_text(text.replace("http {\n", "http {\n" + own))
        # As root, workers would be another user, who cannot reach the folder.
        user = "user root; " if os.geteuid() == 0 else ""
        self._log = folder / "error.log"
        self._process = subprocess.Popen(
            [program, "-p", folder, "-c", file, "-e", self._log, "-g",
             f"{user}daemon off; pid {folder}/pid; error_log {self._log} warn;"], stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        self._wait(port)

    def _wait(self, port):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self._process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.05)
        sys.exit(f"nginx did not start: {self.said}")

    @property
    def said(self):
        return self._log.read_text() if self._log.exists() else ""

    def stop(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(20)
