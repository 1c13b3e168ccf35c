"""Generates clients from openapi.yaml as it is, and lets each do the main job against a server.

    .venv/bin/python Tests/Clients/clients.py .build/debug/liststate          the two generators in Python
    .venv/bin/python Tests/Clients/clients.py .build/debug/liststate --all    also those of openapi-generator

The main job is to get a list, star an item, reorder in both ways, send a transaction, get changes and resets, and
use a long poll. Generated code is not changed. It is an error if a generator fails, if a client does not compile, or
if a name such as `InlineObject` was made up.
"""

import concurrent.futures
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
# The declarations of a runtime with `fetch`, which TypeScript needs.
TYPESCRIPT = ["--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom"]


class Failure(Exception):
    pass


def run(*command, folder=None, path=None):
    """The output of the command; an error if the command fails."""
    environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    if path:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout[-20000:]}")
    return done.stdout


class Clients:
    """All clients that are generated from one page into one folder."""

    def __init__(self, contract, folder, server):
        self.contract, self.folder, self.server = contract, folder, server

    def openapi_python_client(self):
        said = run(
            "openapi-python-client", "generate", "--path", self.contract, "--meta", "none", "--overwrite",
            "--output-path", self.folder / "liststate_client")
        # A generator may leave out only the page that is not JSON.
        left_out = set(re.findall(r"WARNING parsing (.*) within", said)) - {"GET /openapi.yaml"}
        if left_out or "ERROR" in said:
            raise Failure(f"openapi-python-client leaves out {left_out}\n{said}")
        self.import_all("liststate_client")
        return self.job("job_openapi_python_client.py")

    def datamodel_code_generator(self):
        run(
            "datamodel-codegen", "--input", self.contract, "--input-file-type", "openapi", "--output-model-type",
            "pydantic_v2.BaseModel", "--collapse-root-models", "--formatters", "builtin",
            "--output", self.folder / "liststate_models.py")
        return self.job("job_datamodel_codegen.py")

    def python(self):
        self.openapi_generator("python")
        self.import_all("openapi_client", self.folder / "python")
        return self.job("job_openapi_generator.py", self.folder / "python")

    def typescript_fetch(self):
        self.openapi_generator("typescript-fetch")
        sources = self.folder / "typescript"
        shutil.copytree(HERE / "typescript", sources)
        shutil.copytree(self.folder / "typescript-fetch", sources / "client")
        run("tsc", *TYPESCRIPT, "--outDir", sources / "built", sources / "job.ts")
        return run("node", sources / "built/job.js", self.server)

    def client_types(self):
        """The types of /client.js, which are no generated ones."""
        sources = self.folder / "client-types"
        sources.mkdir()
        for path in [HERE / "typescript/client_types.ts", TOP / "Sources/CAssets/client.d.ts"]:
            shutil.copy(path, sources)
        run("tsc", *TYPESCRIPT, "--strict", "--noEmit", sources / "client_types.ts")
        return "client.d.ts: TypeScript takes what it must take, and refuses what it must refuse"

    def swift6(self):
        self.openapi_generator("swift6")
        package = self.folder / "swift"
        shutil.copytree(HERE / "swift", package)
        run("swift", "build", folder=package)
        return run(package / ".build/debug/job", self.server)

    def openapi_generator(self, generator):
        package = importlib.util.find_spec("openapi_generator_cli").submodule_search_locations[0]
        run(
            "java", "-jar", pathlib.Path(package) / "openapi-generator.jar", "generate", "-g", generator, "-i",
            self.contract, "-o", self.folder / generator)

    def import_all(self, package, path=None):
        """Imports each module of a package, because a missing name shows only then."""
        run(
            sys.executable, "-c",
            f"import importlib, pkgutil, {package} as p\n"
            "for module in pkgutil.walk_packages(p.__path__, p.__name__ + '.'): importlib.import_module(module.name)",
            path=path or self.folder)

    def job(self, name, path=None):
        return run(sys.executable, HERE / name, self.server, path=path or self.folder)

    def unnamed(self):
        """The files and lines with a name that a generator has made up."""
        made_up = re.compile(r"(?i)inline_?object|inline_?response|(oneOf|anyOf|allOf|_inner|Inner)\b")
        names = [path.stem for path in self.folder.rglob("*") if path.suffix in {".py", ".ts", ".swift"}]
        return sorted({name for name in names if made_up.search(name)})


class Server:
    def __init__(self, binary):
        self._process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--memory"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if not found:
            raise Failure(f"The server did not start: {line!r}")
        self.address = found[0]

    def __enter__(self):
        return self.address

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


def main():
    binary, *options = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory(prefix="liststate-clients-") as folder, Server(binary) as address:
        clients = Clients(TOP / "openapi.yaml", pathlib.Path(folder), address)
        jobs = [clients.openapi_python_client, clients.datamodel_code_generator]
        if "--all" in options:
            jobs += [clients.python, clients.typescript_fetch, clients.client_types, clients.swift6]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for job in [pool.submit(job) for job in jobs]:
                try:
                    print(job.result().strip().splitlines()[-1], flush=True)
                except Failure as failure:
                    failed = True
                    print(f"✘ {failure}", flush=True)
        if unnamed := clients.unnamed():
            failed = True
            print(f"✘ names that a generator made up: {', '.join(unnamed)}")
    print("clients: FAILED" if failed else f"clients: {len(jobs)} of {len(jobs)} do the main job")
    sys.exit(failed)


if __name__ == "__main__":
    main()
