"""The Kubernetes files, and the facts of the project that they have to agree with."""
import dataclasses
import pathlib
import re

import yaml

TOP = pathlib.Path(__file__).parents[2]
FOLDER = TOP / "docker/kubernetes"
SETS = ["embedded", "nodes"]
"""The folders, each of which `kubectl apply -k` takes as a whole."""


@dataclasses.dataclass
class Facts:
    """Facts of the project: values from the sources, the image and openapi.yaml."""

    variables: set
    """The variables that `liststate serve` knows."""
    paths: set
    """The paths of openapi.yaml that answer a GET."""
    port: int
    user: int
    """The user of the image."""
    version: str
    defaults: dict
    """The values of options with a number, by the name of their variable."""
    drain_margin: int
    """Seconds after the grace of the drain, after which the process ends itself."""
    receipt_bytes: int
    """The most bytes of all answers that are kept for retries."""
    workers: int
    """The most threads that read long bodies at the same time."""

    @classmethod
    def read(cls):
        environment = text("Sources/liststate/Environment.swift")
        limits = text("Sources/liststate/LimitOptions.swift")
        table = found(r"static let all:.*? = \[\n(.*?)\n    \]\n", limits)
        names = re.findall(r'"([a-z-]+)"', found(r"static let options =\s*\[(.*?)\]", environment))
        names += re.findall(r'"([a-z-]+)"', found(r"static let flags = \[(.*?)\]", environment))
        names += re.findall(r'\("([a-z-]+)",', table)
        for file in ("IssuerOptions", "WatchOptions"):
            part = text(f"Sources/liststate/{file}.swift")
            names += re.findall(r'"([a-z-]+)"', found(r"static let names = \[(.*?)\]", part))
        document = yaml.load(text("openapi.yaml"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return cls(
            variables={variable(name) for name in names},
            paths={path for path, item in document["paths"].items() if "get" in item},
            port=int(found(r":(\d+)$", document["servers"][0]["url"])),
            user=int(found(r"^USER (\d+):", text("docker/Dockerfile"))),
            version=found(r'static let version = "(.+?)"', text("Sources/ListAPI/Version.swift")),
            defaults={
                variable(re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), name)): int(value.replace("_", ""))
                for name, value in re.findall(r"^    var (\w+) = ([\d_]+)$", limits, re.MULTILINE)
            },
            drain_margin=int(found(r"marginSeconds = (\d+)", text("Sources/liststate/StopDeadline.swift"))),
            receipt_bytes=1 << int(found(r"receiptBytesMax = 1 << (\d+)", text("Sources/ListStore/Store.swift"))),
            workers=int(found(r"workers = min\(max\(coreCount, \d\), (\d+)\)", limits)),
        )


class Files:
    """One folder: its objects, and its settings."""

    def __init__(self, folder):
        self.names = {path.name for path in folder.iterdir()}
        self.kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
        self.objects = objects(folder)
        lines = (folder / "settings.env").read_text().splitlines()
        self.settings = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
        self.workload = next(object for object in self.objects if object["kind"] in ("StatefulSet", "Deployment"))
        self.template = self.workload["spec"]["template"]
        self.pod = self.template["spec"]
        self.container = self.pod["containers"][0]
        self.labels = self.template["metadata"]["labels"]

    def all(self, kind):
        return [object for object in self.objects if object["kind"] == kind]

    def number(self, name, facts):
        """A setting, or the default of its option."""
        return int(self.settings.get(name, facts.defaults.get(name, 0)))


def objects(folder):
    """The objects of all files in a folder, but for its kustomization."""
    paths = [path for path in sorted(folder.glob("*.yaml")) if path.name != "kustomization.yaml"]
    return [object for path in paths for object in yaml.safe_load_all(path.read_text())]


def text(path):
    return (TOP / path).read_text()


def found(pattern, text):
    """The first group. The facts are no facts if it is not there."""
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise LookupError(f"nothing matches {pattern}")
    return match[1]


def variable(option):
    return "LISTSTATE_" + option.upper().replace("-", "_")


def bytes_of(quantity):
    """A quantity of Kubernetes with a binary suffix."""
    number, unit = re.fullmatch(r"(\d+)(Ki|Mi|Gi)", str(quantity)).groups()
    return int(number) << {"Ki": 10, "Mi": 20, "Gi": 30}[unit]
