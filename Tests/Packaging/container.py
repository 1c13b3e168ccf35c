#!/usr/bin/env python3
"""Builds the image of docker/Dockerfile and runs it, without an engine and without a registry.

    container.py [--binary FILE] [--bases FOLDER]

It takes root: buildah unpacks files of several owners, and a small file system is mounted for the full volume. Each
line says what was looked at, and `ok` or `FAULT`. With --binary, FILE takes the place of the compiler's program; all
steps of the Dockerfile run all the same. FILE must hold Swift's runtime (`--static-swift-stdlib`).
"""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from image import TOP, Builder, files, size
from sandbox import USER, Sandbox, status

ADDED_BYTES_MAX = 60_000_000
OURS = "usr/local/bin/liststate"
SBOM = "usr/share/doc/liststate/sbom.spdx.json"
VOLUME_BYTES = 4 << 20
TOOLS = re.compile(r"(^|/)(bin|sbin)/(swiftc?|clang(\+\+)?|gcc|g\+\+|cc|ld|as|make|git|pkg-config|strip)(-[0-9.]+)?$")
LEFT = re.compile(r"(^|/)(\.git|\.build|\.netrc|\.ssh|\.gitconfig|Package\.(swift|resolved))(/|$)|^src(/|$)"
                  r"|\.swift$|^var/lib/apt/lists/.+_|^var/cache/apt/.+\.(deb|bin)$")
KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/]")
SECRET = re.compile(r"TOKEN|PASSWORD|SECRET|KEY")
LIST = "/v1/lists/groceries"


class Report:
    """The lines, and how many of them are faults."""

    def __init__(self):
        self.faults = 0

    def say(self, what, is_good, figure=""):
        self.faults += not is_good
        print(f"{'ok   ' if is_good else 'FAULT'} {what}{': ' if figure != '' else ''}{figure}", flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(sandbox, *arguments, volume=None):
    """A server that is killed at the end, if it still runs then."""
    process = sandbox.serve(*arguments, volume=volume)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.kill(process.inside, signal.SIGKILL)
        process.communicate()


def new_volume(folder, image_root):
    """A folder with the owner and the permissions that a new volume takes from the image."""
    made = image_root / "var/lib/liststate"
    folder.mkdir()
    os.chown(folder, made.stat().st_uid, made.stat().st_gid)
    os.chmod(folder, made.stat().st_mode & 0o7777)
    return folder


def check_layers(report, image):
    total = 0
    for layer, made_by in zip(image.added, image.instructions(), strict=True):
        total += size(layer)
        print(f"      {size(layer) / 1e6:7.2f} MB  {' '.join(made_by.split())[:80]}")
    report.say(f"at most {ADDED_BYTES_MAX / 1e6:.0f} MB over the base", total <= ADDED_BYTES_MAX,
               f"{total / 1e6:.2f} MB")


def check_contents(report, image, is_given):
    names, leaks = [], []
    places = {str(TOP), str(pathlib.Path.home()), str(pathlib.Path(shutil.which("swift") or "/").resolve().parents[1])}
    places = [place.encode() + b"/" for place in places if place.count("/") > 0 and place != "/"]
    for layer in image.added:
        for name, content in files(layer):
            names.append(name)
            marks = places + [b"/src/", b"/toolchain/"] if name == OURS else places
            # Whoever built a given program has put its paths into it.
            marks = [] if name == OURS and is_given else marks
            leaks += [f"{mark.decode()} in {name}" for mark in marks if mark in content and mark != b"/root/"]
            leaks += [f"a private key in {name}"] if KEY.search(content) else []
    report.say("the program is in the image", OURS in names)
    found = [name for name in names if TOOLS.search(name)]
    report.say("no build tool", not found, f"{len(names)} files" if not found else found[:5])
    found = [name for name in names if LEFT.search(name)]
    report.say("no source, no git folder, no lists of apt", not found, "" if not found else found[:5])
    report.say("no path of the builder, no private key", not leaks, "" if not leaks else leaks[:5])
    said = image.configuration["config"]["Env"] + image.instructions()
    found = [line for line in said if SECRET.search(line) or any(place.decode() in line for place in places)]
    report.say("the SBOM is in the image", SBOM in names)
    report.say("no secret in variables and instructions", not found, "" if not found else found[:5])


def check_configuration(report, image):
    settings = image.configuration["config"]
    for name, value in [("User", f"{USER}:{USER}"), ("StopSignal", "SIGTERM"), ("Cmd", ["serve", "--first-token"]),
                        ("Volumes", {"/var/lib/liststate": {}}), ("ExposedPorts", {"8080/tcp": {}})]:
        report.say(f"{name} of the image", settings.get(name) == value, settings.get(name))
    test = settings.get("Healthcheck", {}).get("Test")
    report.say("health check of the image", test == ["CMD", f"/{OURS}", "health"], test)


def check_confinement(report, sandbox, process):
    said = status(process)
    report.say("runs as 10001", said["Uid"].split() == [str(USER)] * 4 and said["Gid"].split() == [str(USER)] * 4,
               f"uid {said['Uid'].split()[0]}, gid {said['Gid'].split()[0]}")
    sets = {said[name].strip() for name in ("CapPrm", "CapEff", "CapInh", "CapAmb", "CapBnd")}
    report.say("no capability, no new privileges", sets == {"0" * 16} and said["NoNewPrivs"].strip() == "1")
    code, text = sandbox.run("-c", "touch /usr/local/bin/x; touch /x; touch /var/lib/liststate/x && rm "
                             "/var/lib/liststate/x && touch /tmp/x && echo writes", program=["/bin/sh"])
    report.say("only the volume and /tmp can be written",
               code == 0 and text.count("Read-only file system") == 2 and "writes" in text)


def check_first_token(report, sandbox, process):
    """The first start has printed a token, and without it there is nothing to be had."""
    tokens = re.findall(r"lst_[A-Za-z0-9]{43}$", "".join(process.lines), re.MULTILINE)
    report.say("the first start prints a token", len(tokens) == 1 and len(process.lines) == 1, len(process.lines))
    given = sandbox.ask("GET", "/v1/lists")[0]
    sandbox.token, token = None, sandbox.token
    without = sandbox.ask("GET", "/v1/lists")[0]
    sandbox.token = token
    report.say("it lets its holder in, and nobody else", (given, without) == (200, 401), (given, without))


def check_main_job(report, sandbox):
    """Makes a list, follows it by a stream, writes, and catches up. Returns the versions of the list."""
    made, head, _ = sandbox.ask("PUT", LIST, {"sections": [{"id": "main", "items": [{"id": "pear"}]}]})
    first = head["List-Version"]
    report.say("makes a list", made == 201, first)
    stream = sandbox.follow(f"{LIST}/changes?since={first}")
    done, _, result = sandbox.ask("POST", f"{LIST}/transactions", {"operations": [
        {"op": "appendItems", "items": [{"id": "plum"}], "section": "main"},
        {"op": "starItems", "items": ["pear"]}]})
    report.say("applies a transaction", done == 200 and result["changed"], result.get("version"))
    event = {}
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        event[name] = value
        if not line.strip() and event.get("event") == "change":
            break
    stream.close()
    report.say("sends it on a stream", event.get("id") == result["version"], event.get("id"))
    _, _, changes = sandbox.ask("GET", f"{LIST}/changes?since={first}")
    report.say("tells the changes since a version",
               changes["from"] == first and changes["to"] == result["version"] and "plum" in str(changes))


def check_kill(report, sandbox):
    """Kills the server right after its answers; a restart has all of them."""
    answered, head = 0, None
    with running(sandbox) as process:
        report.say("the second start prints none", not process.lines, len(process.lines))
        for number in range(200):
            body = {"items": [{"id": f"kept-{number}"}], "section": "main"}
            _, _, result = sandbox.ask("POST", f"{LIST}/items", body, {"Idempotency-Key": f"key-{number}"})
            answered, head = answered + 1, result["version"]
        os.kill(process.inside, signal.SIGKILL)
        process.wait()
    with running(sandbox):
        _, _, body = sandbox.ask("GET", LIST)
        items = [item["id"] for item in body["sections"][0]["items"]]
        lost = [number for number in range(answered) if f"kept-{number}" not in items]
        report.say("kill -9 and a restart lose nothing that was answered", not lost and body["version"] == head,
                   f"{answered} writes, {len(lost)} lost")
        body = {"items": [{"id": "kept-7"}], "section": "main"}
        code, head, _ = sandbox.ask("POST", f"{LIST}/items", body, {"Idempotency-Key": "key-7"})
        report.say("a retry after that is answered as before", head["Idempotency-Replayed"] == "true", code)


def check_stop(report, sandbox):
    with running(sandbox) as process:
        stream = sandbox.follow(f"{LIST}/changes")
        os.kill(process.inside, signal.SIGTERM)
        said = stream.read().decode()
        _, errors = process.communicate(timeout=30)
        report.say("SIGTERM ends streams with bye, and the server with 0",
                   "event: bye" in said and process.returncode == 0, process.returncode if not errors else errors[-90:])


def check_health(report, sandbox):
    with running(sandbox):
        code, text = sandbox.run("health")
        report.say("health of a ready server exits with 0", code == 0, text.strip())
    code, text = sandbox.run("health")
    report.say("health of no server exits with 1", code == 1, text.strip()[:80])


def check_two_servers(report, sandbox):
    with running(sandbox):
        code, text = sandbox.run(port=free_port())
        report.say("a second server on the volume refuses", code == 75, f"{code}, {text.strip()[:80]}")
        report.say("and the first goes on", sandbox.ask("GET", LIST)[0] == 200)


def check_full_volume(report, sandbox, folder):
    """Writes to a volume of a few MiB until it is full, and makes room again."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={VOLUME_BYTES},uid={USER},gid={USER},mode=0755", "none",
                    folder], check=True)
    try:
        with running(sandbox, volume=folder):
            sandbox.ask("PUT", LIST, {"sections": [{"id": "main", "items": [{"id": "pear"}]}]})
            with open(folder / "filler", "wb") as filler, contextlib.suppress(OSError):
                while True:
                    os.write(filler.fileno(), bytes(4096))
            codes, head = [], None
            while len(codes) < 500 and (not codes or codes[-1] == 200):
                body = {"operations": [{"op": "updateItem", "item": "pear", "content": {"text": "x" * 4000}},
                                       {"op": "updateList", "title": str(len(codes))}]}
                code, fields, problem = sandbox.ask("POST", f"{LIST}/transactions", body)
                codes.append(code)
                head = fields["List-Version"] if code == 200 else head
            report.say("a write to a full volume is 507", codes[-1] == 507,
                       f"{problem.get('code')} after {len(codes) - 1} more writes")
            code, fields, _ = sandbox.ask("GET", LIST)
            report.say("reads go on, at the last version that was answered",
                       code == 200 and head in (None, fields["List-Version"]), fields["List-Version"])
            (folder / "filler").unlink()
            code, fields, _ = sandbox.ask("POST", f"{LIST}/transactions", body)
            report.say("with room again, writes go on without a restart", code == 200, fields["List-Version"])
            last = fields["List-Version"]
        with running(sandbox, volume=folder):
            report.say("and are there after a restart", sandbox.ask("GET", LIST)[1]["List-Version"] == last, last)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binary", type=pathlib.Path)
    arguments.add_argument("--bases", type=pathlib.Path, default=TOP / ".build-container")
    options = arguments.parse_args()
    if os.geteuid() != 0:
        sys.exit("The image's test takes root.")
    report = Report()
    with tempfile.TemporaryDirectory(prefix="liststate-image-") as name:
        folder = pathlib.Path(name)
        # The user of the image passes through to what is mounted from here. Nobody else can list it.
        os.chmod(folder, 0o711)
        image = Builder(folder, options.bases).build(options.binary)
        report.say("builds", True, f"{len(image.added)} layers over the base")
        check_layers(report, image)
        check_contents(report, image, options.binary is not None)
        check_configuration(report, image)
        root = image.unpack(folder / "root")
        sandbox = Sandbox(root, image.configuration, new_volume(folder / "volume", root), free_port())
        code, text = sandbox.run("--version")
        report.say("says its version", code == 0, text.strip())
        with running(sandbox) as process:
            check_confinement(report, sandbox, process)
            check_first_token(report, sandbox, process)
            check_main_job(report, sandbox)
        check_kill(report, sandbox)
        check_stop(report, sandbox)
        check_health(report, sandbox)
        check_two_servers(report, sandbox)
        check_full_volume(report, sandbox, folder / "small")
    print(f"{report.faults} faults")
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
