#!/usr/bin/env python3
"""Builds the Debian package, and installs, upgrades, uses, removes and purges it in a clean Debian. Needs root.

It runs in a mount namespace of its own: see `make deb-test`. systemd itself does not run here. Its units are checked by
its own tools, and the server is run as the unit says: by its command, user, variables, credential and socket.
"""
import argparse
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from debian import TOP, Debian, Failed, check, must, run

UNITS = ["liststate.service", "liststate.socket", "liststate-backup.service", "liststate-backup.timer"]
# The most that `systemd-analyze security` may say of a unit, in tenths.
EXPOSURE_MAX = 20
OLD_VERSION = "0.0.1"
DATA = "/var/lib/liststate"
BACKUPS = "/var/backups/liststate"
SETTINGS = "/etc/liststate/liststate.env"


class Unit:
    """The settings of the installed service, as far as a server without systemd can have them."""

    def __init__(self, debian):
        self.debian = debian
        lines = debian.path("/lib/systemd/system/liststate.service").read_text().splitlines()
        self.rows = [line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")]
        self.command = self.values("ExecStart")[0].split()
        self.user = self.values("User")[0]

    def values(self, name):
        return [value for key, value in self.rows if key == name]

    def variables(self):
        """Those of the unit, and after them those of the file of settings."""
        file = self.values("EnvironmentFile")[0].removeprefix("-")
        lines = self.debian.path(file).read_text().splitlines()
        pairs = self.values("Environment") + [line for line in lines if line and not line.startswith("#")]
        return dict(pair.split("=", 1) for pair in pairs)


class Served:
    """The server of the package, run as the unit says. It is stopped at the end, and that it stops well is a check."""

    def __init__(self, debian, unit, listener=None, credentials=None, trace=None):
        self.debian, self.unit = debian, unit
        self.listener, self.credentials, self.trace = listener, credentials, trace

    def __enter__(self):
        # As systemd, which makes the socket in a place that the service may write to.
        place = self.debian.path("/tmp/notify")
        place.unlink(missing_ok=True)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.settimeout(60)
        self.manager.bind(str(place))
        place.chmod(0o777)
        variables = {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/tmp/notify"} | self.unit.variables()
        if self.credentials:
            variables["CREDENTIALS_DIRECTORY"] = self.credentials
        shell = 'exec "$@"'
        if self.listener:
            variables |= {"LISTEN_FDS": "1"}
            # The shell becomes the server, whose number it then is. Debian's sh knows no descriptor above 9.
            shell = f'exec 3<&{self.listener.fileno()}; export LISTEN_PID=$$; exec "$@"'
        else:
            variables["LISTSTATE_PORT"] = "0"
        command = ["/usr/sbin/chroot", f"--userspec={self.unit.user}:{self.unit.user}", str(self.debian.root),
                   "bash", "-c", shell, "bash", *self.unit.command]
        if self.trace:
            command = ["/usr/bin/strace", "-f", "-qq", "-o", str(self.trace)] + command
        self.process = subprocess.Popen(
            command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
            pass_fds=[self.listener.fileno()] if self.listener else [])
        line = self.process.stdout.readline()
        self.port = int((re.search(r"http://[\w.]+:(\d+)", line) or self.explain(line))[1])
        check("the server says that it is ready", self.manager.recv(100) == b"READY=1", line.split(",")[0])
        return self

    def explain(self, line):
        raise Failed(f"The server has not started: {line}{self.process.stderr.read()}")

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def __exit__(self, kind, value, traceback):
        if kind:
            self.process.kill()
            return
        # strace hands no signals on, so the server is told itself.
        pid = self.process.pid
        if self.trace:
            pid = int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
        os.kill(pid, signal.SIGTERM)
        log = self.process.communicate(timeout=60)[1]
        told = self.manager.recv(100)
        self.manager.close()
        ended = (told, self.process.returncode)
        check("it tells that it stops, and ends with 0", ended == (b"STOPPING=1", 0), log.strip()[-200:])


def older(package, folder):
    """The same package as an older version, with other settings, so that an upgrade has something to decide."""
    tree = folder / "older"
    must("dpkg-deb", "--raw-extract", package, tree)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*$", f"Version: {OLD_VERSION}", control.read_text(), flags=re.M))
    settings = tree / SETTINGS.lstrip("/")
    settings.write_text("# An older file of settings.\n" + settings.read_text())
    made = folder / f"older_{OLD_VERSION}.deb"
    must("dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, made)
    return made


def check_package(package):
    found = run("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", package)
    check("lintian finds no error and no warning", found.returncode == 0, found.stdout.strip())
    fields = must("dpkg-deb", "--field", package, "Depends", "Recommends")
    named = ["libjemalloc2", "libmicrohttpd12", "libsqlite3-0", "libnettle8", "zlib1g", "libcurl3-gnutls",
             "libgnutls30", "libpq5"]
    check("it depends on the libraries", all(name in fields for name in named), " ".join(fields.split()))
    contents = must("dpkg-deb", "--contents", package)
    check("it has no path of a builder", str(TOP) not in contents and "/home/" not in contents)
    toolchain = pathlib.Path(shutil.which("swift")).resolve().parents[1]
    unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, stdout=subprocess.PIPE).stdout
    named = [str(place) for place in (TOP, toolchain) if f"{place}/".encode() in unpacked]
    check("no file of it names a folder of the machine that built it", not named, " ".join(named))


def check_texts(debian):
    page = debian.path("/usr/share/man/man1/liststate.1.gz")
    plain = page.with_suffix("")
    plain.write_bytes(subprocess.run(["gzip", "-dc", page], check=True, stdout=subprocess.PIPE).stdout)
    said = run("mandoc", "-T", "lint", "-W", "warning", plain)
    check("mandoc has no warning of the manual page", said.returncode == 0, said.stdout.strip())
    said = run("groff", "-man", "-Tutf8", "-ww", "-z", plain)
    check("groff has none", said.returncode == 0 and said.stdout == "", said.stdout.strip())
    plain.unlink()
    for shell, path in [("bash", "/usr/share/bash-completion/completions/liststate"),
                        ("zsh", "/usr/share/zsh/vendor-completions/_liststate"),
                        ("fish", "/usr/share/fish/vendor_completions.d/liststate.fish")]:
        file = debian.path(path)
        said = run(shell, "-n", file)
        check(f"{shell} reads its completions", said.returncode == 0 and "lists-memory-mebibytes" in file.read_text(),
              said.stdout.strip())
    said = run("bash", "-c", f"source {debian.path('/usr/share/bash-completion/completions/liststate')}; "
               "COMP_WORDS=(liststate ver); COMP_CWORD=1; COMP_LINE='liststate ver'; COMP_POINT=13; "
               "_liststate liststate ver liststate; "
               "echo ${COMPREPLY[@]}")
    check("bash completes a command", set(said.stdout.split()) == {"verify", "version"}, said.stdout.strip())


def check_units(debian):
    said = debian.run("systemd-analyze", "verify", "--man=no", *UNITS)
    check("systemd-analyze verify finds nothing", (said.returncode, said.stdout) == (0, ""), said.stdout.strip())
    for unit in UNITS:
        if unit.endswith(".service"):
            said = debian.run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", unit)
            check(f"the exposure of {unit} is at most {EXPOSURE_MAX / 10}", said.returncode == 0,
                  said.stdout.strip().split("\n")[-1].split(": ")[-1])
    links = debian.path("/etc/systemd/system").glob("*.wants/liststate*")
    links = [str(path.relative_to(debian.root)) for path in links]
    wanted = ["etc/systemd/system/multi-user.target.wants/liststate.service",
              "etc/systemd/system/timers.target.wants/liststate-backup.timer"]
    check("the service and the timer are enabled, the socket is not", sorted(links) == wanted)


def allowed_calls(debian, unit):
    """The system calls that the filters of the unit let pass."""
    sets, name = {}, ""
    for line in debian.must("systemd-analyze", "syscall-filter", "--no-pager").splitlines():
        words = line.split("#")[0].split()
        if words and not line.startswith(" "):
            name = words[0]
            sets[name] = set()
        elif words:
            sets[name].add(words[0])

    def members(name):
        return set().union(*(members(part) for part in sets[name])) if name in sets else {name}
    allowed = set()
    for row in unit.values("SystemCallFilter"):
        calls = set().union(*(members(name) for name in row.lstrip("~").split()))
        allowed = allowed - calls if row.startswith("~") else allowed | calls
    # The filter never takes these from a process that starts.
    return allowed | members("@default")


def check_calls(debian, unit, trace):
    """The calls of the server after it took the place of the shell."""
    lines = trace.read_text(errors="replace").split('execve("/usr/bin/liststate"', 1)[1].splitlines()[1:]
    used = {match[1] for match in (re.match(r"\d+ +(\w+)\(", line) for line in lines) if match}
    refused = sorted(used - allowed_calls(debian, unit))
    check("the server needs no system call that the unit refuses", len(used) > 30 and not refused,
          f"{len(used)} calls, {len(refused)} refused {refused}")


def check_backup(debian, unit):
    folder = debian.path(BACKUPS)
    for day in range(1, 5):
        (folder / f"lists-2020010{day}T000000Z.db").write_text("old")
    (folder / "mine.db").write_text("of somebody")
    for kept, code in [("0", 64), ("many", 64), ("", 0), ("3", 0)]:
        before = sorted(os.listdir(folder))
        environment = unit.variables() | ({"BACKUPS_KEPT": kept} if kept else {})
        said = debian.run("/usr/libexec/liststate/backup", user=unit.user, env=environment)
        after = sorted(os.listdir(folder))
        holds = said.returncode == code and (code == 0 or after == before)
        check(f"a backup with BACKUPS_KEPT={kept or 'its default'} ends with {code}", holds, said.stdout.strip())
        new = sorted(set(after) - set(before))
        # The next one has another second in its name.
        while new and subprocess.run(["date", "-u", "+%Y%m%dT%H%M%SZ"], stdout=subprocess.PIPE, text=True
                                     ).stdout.strip() in new[-1]:
            os.sched_yield()
    made = [name for name in after if name.startswith("lists-")]
    check("the newest three are kept, and what is not of the script", len(made) == 3 and "mine.db" in after
          and made[0] == "lists-20200104T000000Z.db", " ".join(after))
    said = debian.must("liststate", "verify", f"{BACKUPS}/{made[-1]}", user=unit.user)
    check("the backup is whole", "is whole: 1 lists" in said, said.strip())


def check_use(debian, unit, folder):
    body = '{"title":"Kept","sections":[{"id":"s","items":[{"id":"a"}]}]}'
    with Served(debian, unit, trace=folder / "trace") as served:
        check("a list is written", served.ask("PUT", "/v1/lists/kept", body)[0] == 201)
        check_backup(debian, unit)
    check_calls(debian, unit, folder / "trace")
    owner = debian.must("stat", "-c", "%U %a", DATA, f"{DATA}/liststate.db").split("\n")
    check("only the user of the service reads the lists", owner[:2] == ["liststate 750", "liststate 600"], owner[:2])
    said = debian.run("liststate", "verify", user="nobody", env={"LISTSTATE_DATA": DATA})
    check("another user does not", said.returncode == 74 or said.returncode == 77, said.stdout.strip())


def check_socket(debian, unit):
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        for _ in range(2):
            # This client comes while no server runs, and waits for the next.
            early = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=60)
            early.request("GET", "/v1/lists/kept")
            with Served(debian, unit, listener=listener) as served:
                check("the server serves the socket that it is given", served.port == listener.getsockname()[1])
                check("a client that came before the server is answered", early.getresponse().status == 200)
            early.close()


def check_credential(debian, unit):
    folder = debian.path("/run/credentials")
    folder.mkdir()
    (folder / "liststate.store").write_text("postgres://me:secret-word@/lists?host=/nowhere\n")
    said = debian.run(*unit.command, user=unit.user,
                      env=unit.variables() | {"CREDENTIALS_DIRECTORY": "/run/credentials", "LISTSTATE_PORT": "0"})
    check("the URL of a database is a credential, and libpq is there",
          said.returncode == 74 and "/nowhere" in said.stdout and "secret-word" not in said.stdout,
          said.stdout.strip()[:120])
    check("the unit loads it", unit.values("LoadCredential") == ["liststate.store"])


def check_life(debian, package, folder):
    """Everything from the first installation to the purge."""
    for made in [older(package, folder), package]:
        debian.path(f"/tmp/{made.name}").write_bytes(made.read_bytes())
    debian.must("apt-get", "install", "-y", "-qq", f"/tmp/older_{OLD_VERSION}.deb")
    user = debian.must("getent", "passwd", "liststate").strip()
    check("the user cannot log in", user.endswith(f":{DATA}:/usr/sbin/nologin"), user)
    mine = debian.path(SETTINGS).read_text() + "LISTSTATE_ITEMS_MAX=1234\n"
    debian.path(SETTINGS).write_text(mine)
    unit = Unit(debian)
    check_use(debian, unit, folder)

    debian.must("apt-get", "install", "-y", "-qq", "-o", "Dpkg::Options::=--force-confdef", f"/tmp/{package.name}")
    version = debian.must("dpkg-query", "-W", "-f", "${Version}", "liststate")
    check("the package is upgraded", version in package.name and version != OLD_VERSION, f"{OLD_VERSION} to {version}")
    check("the program has the version of the package",
          debian.must("liststate", "version").splitlines()[0] == f"liststate {version}")
    check("the changed settings stay", debian.path(SETTINGS).read_text() == mine)
    check("the user stays", debian.must("getent", "passwd", "liststate").strip() == user)
    unit = Unit(debian)
    with Served(debian, unit) as served:
        status, text = served.ask("GET", "/v1/lists/kept")
        check("the list is still there", status == 200 and '"Kept"' in text)
    check_socket(debian, unit)
    check_credential(debian, unit)
    check_units(debian)
    check_texts(debian)

    debian.must("apt-get", "remove", "-y", "-qq", "liststate")
    check("after the removal the program and its units are gone", not any(
        name.startswith(("/usr/", "/lib/")) for name in debian.named()))
    check("the settings and the lists stay", debian.path(SETTINGS).read_text() == mine
          and debian.path(f"{DATA}/liststate.db").exists())
    backups = sorted(os.listdir(debian.path(BACKUPS)))
    debian.must("apt-get", "purge", "-y", "-qq", "liststate")
    left = [name for name in debian.named() if "liststate.store" not in name]
    check("after the purge only the backups are left", left == [BACKUPS] + [f"{BACKUPS}/{name}" for name in backups],
          " ".join(left))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built program, with Swift's runtime inside")
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    with tempfile.TemporaryDirectory(prefix="liststate-deb-") as name:
        folder = pathlib.Path(name)
        # apt reads the package as another user.
        folder.chmod(0o755)
        package = pathlib.Path(must(TOP / "docker/debian/build", program, folder / "built").split()[-1])
        check("the package is built", package.exists(), f"{package.name}, {package.stat().st_size >> 20} MiB")
        check_package(package)
        debian = Debian(folder / "debian", ["systemd"])
        try:
            check_life(debian, package, folder)
        finally:
            must("umount", debian.path("/proc"))
    print("all passed")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"failed: {failure}")
