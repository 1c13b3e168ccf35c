"""The Kubernetes files keep the rules, each rule finds a planted mistake, and the server takes the settings."""
import http.client
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import mistakes
from manifests import FOLDER, SETS, Facts, Files, objects, text, variable
from rules import RULES, complaints

SERVER = os.environ.get("LISTSTATE_SERVER")


class Rules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.facts = Facts.read()

    def test_no_file_breaks_a_rule(self):
        for name in SETS:
            with self.subTest(name):
                self.assertEqual(complaints(Files(FOLDER / name), self.facts), [])

    def test_each_mistake_is_found(self):
        for row in mistakes.OF_RULES:
            with self.subTest(row.complaint), mistakes.planted(row) as folder:
                found = complaints(Files(folder), self.facts)
                self.assertTrue(any(row.complaint in complaint for complaint in found), found)

    def test_the_pod_for_maintenance_is_confined_as_the_server_is(self):
        (pod,) = objects(FOLDER)
        server = Files(FOLDER / "embedded")
        (container,) = pod["spec"]["containers"]
        for member in ["securityContext", "automountServiceAccountToken", "enableServiceLinks"]:
            self.assertEqual(pod["spec"][member], server.pod[member])
        for member in ["securityContext", "volumeMounts"]:
            self.assertEqual(container[member], server.container[member])
        (image,) = server.kustomization["images"]
        self.assertEqual(container["image"], f"{image['newName']}:{image['newTag']}")
        (claim,) = server.workload["spec"]["volumeClaimTemplates"]
        name = f"{claim['metadata']['name']}-{server.workload['metadata']['name']}-0"
        self.assertIn({"name": "lists", "persistentVolumeClaim": {"claimName": name}}, pod["spec"]["volumes"])
        self.assertEqual(pod["metadata"]["namespace"], server.workload["metadata"]["namespace"])

    def test_each_rule_has_a_mistake(self):
        """A rule that finds nothing would otherwise go unnoticed."""
        self.assertEqual({row.complaint.split(":")[0] for row in mistakes.OF_RULES}, {it.__name__ for it in RULES})

    def test_the_variables_are_those_of_the_manual(self):
        """The options were found by a pattern in the sources; the manual has a table that a test in Swift checks."""
        options = text("docs/operations.md").split("\n## Options\n")[1].split("\n## ")[0]
        named = {variable(name) for name in re.findall(r"^\| `--([a-z-]+)` \|", options, re.MULTILINE)}
        self.assertEqual(self.facts.variables, named)

    @unittest.skipUnless(shutil.which("kubectl"), "there is no kubectl to build the kustomizations with")
    def test_the_kustomizations_build(self):
        for name in SETS:
            with self.subTest(name):
                built = subprocess.run(["kubectl", "kustomize", FOLDER / name], capture_output=True, text=True)
                self.assertEqual((built.returncode, built.stderr), (0, ""))
                self.assertIn("name: liststate-", built.stdout)


@unittest.skipUnless(SERVER, "LISTSTATE_SERVER names no server")
class Settings(unittest.TestCase):
    """A server with the settings of a folder, but for the place where it listens and keeps its lists."""

    def test_the_server_takes_the_settings(self):
        for name in SETS:
            files = Files(FOLDER / name)
            settings = files.settings
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, \
                    open(pathlib.Path(folder) / "said", "w+") as said:
                own = {"LISTSTATE_HOST": "127.0.0.1", "LISTSTATE_PORT": "0", "LISTSTATE_DATA": f"{folder}/data"}
                server = subprocess.Popen([SERVER, *files.container["args"]], env={**settings, **own}, text=True,
                                          stdout=subprocess.PIPE, stderr=said)
                try:
                    token = re.search(r"lst_\w{43}$", server.stdout.readline())[0]
                    port = int(re.search(r":(\d+), data in", server.stdout.readline())[1])
                    known = settings["LISTSTATE_ALLOW_HOST"].split(",")
                    self.assertEqual([host for host in known if self.status(port, host) == 403], [])
                    self.assertEqual(self.status(port, "liststate.elsewhere"), 403)
                    self.assertEqual(self.status(port, known[0]), 401)
                    self.assertEqual(self.status(port, known[0], token=token), 200)
                    for path in ["/healthz", "/readyz"]:
                        self.assertEqual(self.status(port, "10.0.0.1", path), 200)
                finally:
                    server.terminate()
                    server.communicate()
                said.seek(0)
                self.assertNotIn("is no setting", said.read())
                self.assertEqual(server.returncode, 0)

    def status(self, port, host, path="/v1/lists", token=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        headers = {"Host": host, **({"Authorization": f"Bearer {token}"} if token else {})}
        connection.request("GET", path, headers=headers)
        status = connection.getresponse().status
        connection.close()
        return status


if __name__ == "__main__":
    unittest.main()
