"""All checks of the Kubernetes files: the rules of the project, the schemas of Kubernetes, and checkov.

    .build-kubernetes/bin/python Tests/Packaging/kubernetes.py

No cluster is needed. `make test` runs the rules alone.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import kubernetes_validate

import mistakes
import test_kubernetes
from manifests import FOLDER, SETS, objects

VERSIONS = ["1.30", kubernetes_validate.latest_version()]
"""The oldest Kubernetes that the files are for (`preStop.sleep` is on by default since then), and the newest one that
the tool knows."""
CHECKOV = pathlib.Path(sys.executable).parent / "checkov"
ALLOWED = {
    "CKV_K8S_15": "imagePullPolicy is IfNotPresent, so that a server starts again while the registry is away. The tag "
                  "is that of a version, and no version is built twice.",
    "CKV_K8S_35": "LISTSTATE_STORE is a variable of the environment: the server reads its URL from no file, and libpq "
                  "refuses a password file that a group can read, and a mounted secret can be read only so.",
    "CKV_K8S_43": "No image is published, so there is no digest to name. Whoever pushes one puts its digest in the "
                  "place of newTag.",
}
"""The failures of checkov that stay, with their reasons. One that is no failure any more is reported too."""
ALLOWED_IN_MAINTENANCE = {
    **{check: ALLOWED[check] for check in ["CKV_K8S_15", "CKV_K8S_43"]},
    "CKV_K8S_8": "The pod for maintenance serves nobody, so nobody asks whether it lives,",
    "CKV_K8S_9": "or whether it is ready.",
}
"""Those of the pod for maintenance."""


class Schemas(unittest.TestCase):
    """The schemas of Kubernetes, which know every field."""

    def faults(self, folder, version):
        faults = []
        for object in objects(folder):
            try:
                kubernetes_validate.validate(object, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                faults.append(f"{object['kind']}: {getattr(error, 'message', '')} {error}")
        return faults

    def test_the_files(self):
        for folder in [FOLDER, *(FOLDER / name for name in SETS)]:
            for version in VERSIONS:
                with self.subTest(folder.name, version=version):
                    self.assertEqual(self.faults(folder, version), [])

    def test_each_mistake_is_found(self):
        for row in mistakes.OF_SCHEMAS:
            with self.subTest(row.new), mistakes.planted(row) as folder:
                found = [fault for version in VERSIONS for fault in self.faults(folder, version)]
                self.assertTrue(any(row.complaint in fault for fault in found), found)


class Checkov(unittest.TestCase):
    """The rules of checkov. It sends nothing and downloads nothing."""

    def failures(self, folder):
        """The failed checks, each with the folder of its file."""
        run = subprocess.run(
            [CHECKOV, "--directory", folder, "--framework", "kubernetes", "--output", "json", "--quiet",
             "--skip-download"],
            capture_output=True, text=True)
        self.assertIn(run.returncode, [0, 1], run.stderr)
        report = json.loads(run.stdout)
        self.assertGreater(report["summary"]["passed"], 100)
        self.assertEqual(report["summary"]["parsing_errors"], 0)
        return {(failure["check_id"], failure["file_path"].strip("/").split("/")[0])
                for failure in report["results"]["failed_checks"]}

    def test_nothing_fails_but_what_is_allowed(self):
        failures = self.failures(FOLDER)
        self.assertEqual({check for check, place in failures if place in SETS}, {*ALLOWED})
        self.assertEqual({check for check, place in failures if place not in SETS}, {*ALLOWED_IN_MAINTENANCE})

    def test_each_mistake_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, row in enumerate(mistakes.OF_CHECKOV):
                mistakes.plant(row, pathlib.Path(folder) / str(number))
            failures = self.failures(folder)
        for number, row in enumerate(mistakes.OF_CHECKOV):
            with self.subTest(row.complaint):
                self.assertIn((row.complaint, str(number)), failures)


if __name__ == "__main__":
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromModule(module)
        for module in [test_kubernetes, sys.modules["__main__"]])
    passed = unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()
    sys.exit(0 if passed else 1)
