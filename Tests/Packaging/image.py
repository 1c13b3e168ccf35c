"""An image of docker/Dockerfile, built without an engine and without a registry, and what is in its layers.

buildah builds it from two bases that mmdebstrap makes of Debian's packages. They stand for the two public images:

- RUN_IMAGE is Debian without anything else.
- BUILD_IMAGE is Debian with what Swift needs. The toolchain of this machine is mounted into it. If the machine's git
  is configured to find packages in folders (`url.FOLDER.insteadOf`), the folders are mounted as well.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

TOP = pathlib.Path(__file__).resolve().parents[2]
RELEASE = "bookworm"
# What the public images of Swift install, except for what only its debugger needs.
FOR_SWIFT = ["binutils", "ca-certificates", "git", "libc6-dev", "libcurl4", "libedit2", "libgcc-12-dev", "libncurses6",
             "libsqlite3-0", "libstdc++-12-dev", "libxml2", "libz3-4", "pkg-config", "tzdata", "zlib1g-dev"]
# As in the public images: no manuals, and nothing kept of what was downloaded.
SLIM = ["--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/doc/*",
        "--dpkgopt=path-include=/usr/share/doc/*/copyright",
        '--aptopt=DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; }',
        '--aptopt=Dir::Cache::pkgcache ""', '--aptopt=Dir::Cache::srcpkgcache ""']
# Stands for the compiler: it says where a program is that was built before. It knows no packages.
GIVEN_SWIFT = r"""#!/bin/sh
case "$*" in
    *--show-bin-path*) echo /given ;;
    "package resolve") [ -e Package.resolved ] || printf '"%s" : "none"\n' identity location version > Package.resolved ;;
esac
"""


def mounted_packages():
    """The folders in which this machine's git looks for packages, by the address that each stands for."""
    listed = subprocess.run(["git", "config", "--get-regexp", r"^url\..*\.insteadof$"], cwd="/", text=True,
                            stdout=subprocess.PIPE, check=False).stdout
    folders = []
    for line in listed.splitlines():
        name, _, address = line.partition(" ")
        folder = name.removeprefix("url.").removesuffix(".insteadof")
        if folder.startswith("/"):
            folders.append((folder, address))
    return folders


class Builder:
    """A store of images in a folder. It is gone with the folder."""

    def __init__(self, folder, bases):
        self.folder = folder
        self._bases = bases
        """Where the bases stay for the next run."""
        bases.mkdir(parents=True, exist_ok=True)
        policy = folder / "policy.json"
        policy.write_text('{"default":[{"type":"insecureAcceptAnything"}]}')
        self._start = ["buildah", "--root", folder / "storage", "--runroot", folder / "run", "--storage-driver", "vfs"]
        self._policy = ["--signature-policy", policy]

    def _buildah(self, command, *arguments, log=None):
        if command in ("bud", "commit", "push", "from"):
            arguments = (*self._policy, *arguments)
        words = [str(word) for word in (*self._start, command, *arguments)]
        if log is None:
            return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        with open(log, "w") as file:
            done = subprocess.run(words, stdout=file, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            lines = pathlib.Path(log).read_text(errors="replace").splitlines()
            raise SystemExit("\n".join(["buildah failed:", *lines[-30:]]))
        return ""

    def _base(self, name, packages):
        """A base as an archive, made of Debian's packages unless it is there."""
        file = self._bases / f"{name}.tar"
        if not file.exists():
            part = file.with_suffix(".part.tar")
            with open(self._bases / f"{name}.log", "w") as log:
                include = [f"--include={','.join(packages)}"] if packages else []
                subprocess.run(["mmdebstrap", "--variant=minbase", *SLIM, *include, RELEASE, part], check=True,
                               stdout=log, stderr=log)
            part.rename(file)
        return file

    def _imported(self, name, packages, files=(), settings=()):
        """An image of a base, with files by their path and settings of `buildah config`."""
        container = self._buildah("from", "scratch")
        self._buildah("add", container, self._base(name, packages), "/")
        for path, source in files:
            self._buildah("add", "--chmod", "0755", container, source, path)
        if settings:
            self._buildah("config", *settings, container)
        image = f"localhost/liststate-{name}"
        self._buildah("commit", "--format", "docker", "--rm", container, image)
        return image

    def _for_compiler(self):
        """The base of the build with this machine's toolchain, and the mounts that it needs."""
        swift = shutil.which("swift") or "/swift"
        toolchain = pathlib.Path(swift).resolve().parent.parent
        git = self.folder / "gitconfig"
        lines = ['[safe]\n\tdirectory = *\n']
        mounts = ["--volume", f"{toolchain}:/toolchain:ro"]
        for folder, address in mounted_packages():
            lines.append(f'[url "{folder}"]\n\tinsteadOf = {address}\n')
            mount = f"{folder.rstrip('/')}:{folder.rstrip('/')}:ro"
            if mount not in mounts:
                mounts += ["--volume", mount]
        git.write_text("".join(lines))
        path = "/toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        image = self._imported("build", FOR_SWIFT, [("/etc/gitconfig", git)], ["--env", f"PATH={path}"])
        return image, mounts

    def _for_program(self, program):
        """A base of the build whose compiler is a program that was built before."""
        swift = self.folder / "swift"
        swift.write_text(GIVEN_SWIFT)
        files = [("/usr/local/bin/swift", swift), ("/given/liststate", program)]
        return self._imported("given", ["binutils"], files), []

    def build(self, program=None):
        """Builds docker/Dockerfile.

        program: A program that takes the place of the compiler's.
        """
        run = self._imported("run", [])
        base, mounts = self._for_program(program) if program else self._for_compiler()
        self._buildah("bud", "--isolation", "chroot", "--format", "docker", "--layers", "--pull-never", *mounts,
                      "--build-arg", f"BUILD_IMAGE={base}", "--build-arg", f"RUN_IMAGE={run}",
                      "--file", TOP / "docker/Dockerfile", "--tag", "liststate", TOP, log=self.folder / "build.log")
        return Image(self, self.folder / "image")

    def push(self, image, folder):
        self._buildah("push", image, f"dir:{folder}")


class Image:
    """The built image: its configuration, and its layers over the base."""

    def __init__(self, builder, folder):
        builder.push("liststate", folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        blob = lambda entry: folder / entry["digest"].removeprefix("sha256:")
        self.configuration = json.loads(blob(manifest["config"]).read_text())
        self._layers = [blob(layer) for layer in manifest["layers"]]
        self.added = self._layers[1:]
        """The base is one layer."""

    def instructions(self):
        """The instructions that made the layers over the base, one for each."""
        made = [entry for entry in self.configuration["history"] if not entry.get("empty_layer")]
        return [entry.get("created_by", "") for entry in made[1:]]

    def unpack(self, folder):
        """Puts all layers into a folder, one over the other."""
        folder.mkdir()
        os.chmod(folder, 0o755)
        for layer in self._layers:
            with tarfile.open(layer) as archive:
                for member in archive:
                    path = pathlib.PurePosixPath(member.name)
                    if path.name.startswith(".wh."):
                        gone = folder / path.parent / path.name.removeprefix(".wh.")
                        shutil.rmtree(gone) if gone.is_dir() and not gone.is_symlink() else gone.unlink()
                        continue
                    archive.extract(member, folder, numeric_owner=True, filter="fully_trusted")
        return folder


def size(layer):
    """The bytes of the files in a layer."""
    with tarfile.open(layer) as archive:
        return sum(member.size for member in archive if member.isfile())


def files(layer):
    """The files of a layer, with their contents."""
    with tarfile.open(layer) as archive:
        for member in archive:
            opened = archive.extractfile(member) if member.isfile() else None
            yield member.name.removeprefix("./"), opened.read() if opened else b""
