"""Mistakes in the Kubernetes files, each of which must be found."""
import contextlib
import dataclasses
import pathlib
import shutil
import tempfile

from manifests import FOLDER


@dataclasses.dataclass
class Mistake:
    file: str
    """Below docker/kubernetes, with the name of its set."""
    old: str
    new: str
    complaint: str
    """A part of the complaint that the check must make."""


@contextlib.contextmanager
def planted(mistake):
    """A copy of the set with the mistake in it."""
    with tempfile.TemporaryDirectory() as folder:
        yield plant(mistake, pathlib.Path(folder) / "copy")


def plant(mistake, copy):
    """Makes `copy`, a copy of the set with the mistake in it."""
    name, file = mistake.file.split("/")
    shutil.copytree(FOLDER / name, copy)
    text = (copy / file).read_text()
    if text.count(mistake.old) < 1:
        raise LookupError(f"{mistake.file} does not have {mistake.old!r}")
    (copy / file).write_text(text.replace(mistake.old, mistake.new, 1))
    return copy


EMBEDDED, NODES = "embedded/statefulset.yaml", "nodes/deployment.yaml"
OF_RULES = [Mistake(*row) for row in [
    ("embedded/settings.env", "LISTSTATE_LOOPS", "LISTSTATE_LOOP", "variables: LISTSTATE_LOOP is no setting"),
    (NODES, "- name: LISTSTATE_STORE", "- name: LISTSTATE_DATABASE", "variables: LISTSTATE_DATABASE is no setting"),
    (NODES, "- name: LISTSTATE_STORE", "- name: LISTSTATE_PORT", "variables: LISTSTATE_PORT is set twice"),
    (NODES, "args: [serve, --first-token]", "args: [serve]", "tokens: nobody makes the first token"),
    ("embedded/settings.env", "LISTSTATE_LOOPS", "LISTSTATE_INSECURE=true\nLISTSTATE_LOOPS",
     "tokens: everybody may do everything"),
    (EMBEDDED, "path: /readyz", "path: /healthz", "probes: readinessProbe asks /healthz and not /readyz"),
    (EMBEDDED, "path: /readyz", "path: /ready", "probes: readinessProbe asks a path that openapi.yaml does not have"),
    # While the database is away, this would kill every server.
    (NODES, "livenessProbe:\n            httpGet: {path: /healthz",
     "livenessProbe:\n            httpGet: {path: /readyz", "probes: livenessProbe asks /readyz and not /healthz"),
    (NODES, "startupProbe:", "lateProbe:", "probes: startupProbe asks None"),
    (EMBEDDED, "httpGet: {path: /readyz, port: http}", "httpGet: {path: /readyz, port: 8081}",
     "probes: readinessProbe asks a port that the container does not name"),
    (EMBEDDED, "containerPort: 8080", "containerPort: 8081", "ports: the container has the ports [8081]"),
    ("embedded/settings.env", "PORT=8080", "PORT=80", "ports: the server listens on 80, and openapi.yaml says 8080"),
    ("nodes/service.yaml", "targetPort: http", "targetPort: web", "ports: the Service liststate leads to a port"),
    ("nodes/service.yaml", "port: 8080", "port: 80", "ports: the Service liststate leads to a port"),
    ("nodes/networkpolicy.yaml", "port: http", "port: 80", "ports: the NetworkPolicy lets others reach"),
    (EMBEDDED, "matchLabels: {app.kubernetes.io/name: liststate}", "matchLabels: {app.kubernetes.io/name: lists}",
     "selectors: the workload selects"),
    ("nodes/service.yaml", "selector: {app.kubernetes.io/name: liststate}", "selector: {app: liststate}",
     "selectors: the Service liststate selects"),
    ("nodes/poddisruptionbudget.yaml", "matchLabels: {app.kubernetes.io/name: liststate}", "matchLabels: {app: lists}",
     "selectors: the PodDisruptionBudget selects"),
    ("embedded/networkpolicy.yaml", "matchLabels: {app.kubernetes.io/name: liststate}", "matchLabels: {app: lists}",
     "selectors: the NetworkPolicy selects"),
    (NODES, "labelSelector:\n            matchLabels: {app.kubernetes.io/name: liststate}",
     "labelSelector:\n            matchLabels: {app: lists}", "selectors: the spread selects"),
    ("embedded/serviceaccount.yaml", "kind: ServiceAccount", "kind: Account", "selectors: there is no ServiceAccount"),
    (EMBEDDED, "serviceName: liststate-each", "serviceName: liststate", "selectors: the StatefulSet names a Service"),
    (NODES, "serviceAccountName: liststate", "serviceAccountName: other", "selectors: the pod names a ServiceAccount"),
    ("nodes/service.yaml", "namespace: liststate-nodes", "namespace: liststate",
     "namespaces: liststate is in the namespace liststate, and not in liststate-nodes"),
    ("nodes/kustomization.yaml", "namespace: liststate-nodes", "namespace: liststate", "namespaces: liststate is in"),
    ("nodes/settings.env", "liststate.liststate-nodes.svc,", "", "hosts: the server does not know the name"),
    ("embedded/service.yaml", "name: liststate\n", "name: lists\n", "hosts: the server does not know the name lists"),
    (EMBEDDED, "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 13", "grace: the pod has 13 s"),
    (NODES, "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 18", "grace: the pod has 18 s"),
    (NODES, "sleep: {seconds: 5}", "sleep: {seconds: 20}", "grace: the pod has 30 s to end, and takes 20 s"),
    (NODES, "preStop:", "postStart:", "grace: a server drains before balancers know"),
    ("embedded/settings.env", "LISTSTATE_LOOPS=1", "LISTSTATE_LOOPS=1\nLISTSTATE_DRAIN_GRACE_SECONDS=60",
     "grace: the pod has 30 s to end, and takes 0 s for preStop and 63 s"),
    (EMBEDDED, "limits: {cpu: \"2\", memory: 1Gi", "limits: {cpu: \"2\", memory: 512Mi",
     "memory: the container may have 512 MiB"),
    # Each default is too much for the container.
    *[("nodes/settings.env", line, "", "memory: the container may have 1024 MiB") for line in [
        "LISTSTATE_LISTS_MEMORY_MEBIBYTES=256", "LISTSTATE_LIST_BODY_BYTES_MAX=16777216",
        "LISTSTATE_CONNECTIONS_MAX=8192"]],
    (NODES, "sizeLimit: 64Mi", "sizeLimit: 128Mi", "memory: the container may have 1024 MiB"),
    (NODES, "requests: {cpu: 250m, memory: 1Gi", "requests: {cpu: 250m, memory: 256Mi",
     "memory: the machine has not set aside"),
    ("nodes/settings.env", "LISTSTATE_LOOPS=1", "", "memory: the number of loops follows"),
    (EMBEDDED, "runAsNonRoot: true\n        runAsUser", "runAsUser", "security: runAsNonRoot of the pod is None"),
    (EMBEDDED, "runAsNonRoot: true\n            allow", "allow", "security: runAsNonRoot of the container is None"),
    (EMBEDDED, "runAsUser: 10001", "runAsUser: 1000", "security: runAsUser is 1000 and not 10001"),
    (EMBEDDED, "runAsGroup: 10001", "runAsGroup: 0", "security: runAsGroup is 0"),
    (NODES, "seccompProfile: {type: RuntimeDefault}", "", "security: seccompProfile is None"),
    (NODES, "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "security: allowPrivilegeEscalation"),
    (NODES, "readOnlyRootFilesystem: true", "privileged: true", "security: readOnlyRootFilesystem is None"),
    (NODES, "drop: [ALL]", "drop: [NET_RAW]", "security: capabilities"),
    (NODES, "automountServiceAccountToken: false", "", "security: automountServiceAccountToken of the pod"),
    ("embedded/serviceaccount.yaml", "automountServiceAccountToken: false", "",
     "security: automountServiceAccountToken of the account"),
    (NODES, "enableServiceLinks: false", "", "security: enableServiceLinks is None"),
    (NODES, "volumeMounts:", "volumeMounts: []\n        - name: second\n          volumeMounts:",
     "security: the number of containers is 2"),
    ("embedded/namespace.yaml", "enforce: restricted", "enforce: baseline", "security: the security of the namespace"),
    (EMBEDDED, "- {name: lists, mountPath", "- {name: data, mountPath",
     "volumes: /var/lib/liststate is the volume data"),
    (EMBEDDED, "mountPath: /tmp", "mountPath: /temporary", "volumes: SQLite has no place"),
    ("embedded/settings.env", "DATA=/var/lib/liststate/data", "DATA=/tmp/data", "volumes: /tmp/data is not below"),
    (NODES, "valueFrom:\n                secretKeyRef: {name: liststate-store, key: url}",
     "value: postgres://liststate:secret@db/lists", "store: the URL of the database is in the files"),
    ("nodes/settings.env", "LISTSTATE_LOOPS=1", "LISTSTATE_LOOPS=1\nLISTSTATE_STORE=postgres://db",
     "store: the URL of the database is in the files"),
    ("nodes/serviceaccount.yaml", "kind: ServiceAccount", "kind: Secret", "store: the URL of the database is in"),
    (NODES, "secretKeyRef:", "configMapKeyRef:", "store: several servers have no database"),
    (EMBEDDED, "replicas: 1", "replicas: 2", "store: a folder has one server"),
    ("nodes/poddisruptionbudget.yaml", "minAvailable: 2", "minAvailable: 3", "disruption: minAvailable is 3"),
    ("nodes/poddisruptionbudget.yaml", "minAvailable: 2", "maxUnavailable: 2", "disruption: minAvailable is None"),
    (NODES, "replicas: 3", "replicas: 5", "disruption: minAvailable is 2 and not 4"),
    (NODES, "maxUnavailable: 0", "maxUnavailable: 1", "disruption: an update takes a server away"),
    (NODES, "minReadySeconds: 30", "minReadySeconds: 5", "disruption: an update replaces the next server while"),
    (EMBEDDED, "podManagementPolicy: Parallel", "podManagementPolicy: OrderedReady", "store: a change waits"),
    ("embedded/kustomization.yaml", "resources:\n", "resources:\n  - namespace.yaml\n", "kustomization: the kustomization"),
    (NODES, "topologyKey: kubernetes.io/hostname", "topologyKey: kubernetes.io/arch",
     "disruption: one machine may have"),
    ("embedded/networkpolicy.yaml", "egress: []", "egress: [{}]", "egress: the server can reach the ports"),
    ("embedded/networkpolicy.yaml", "[Ingress, Egress]", "[Ingress]", "egress: the NetworkPolicy has no rule"),
    ("nodes/networkpolicy.yaml", "port: 5432", "port: 5433", "egress: the server can reach the ports [5433]"),
    ("nodes/networkpolicy.yaml", "port: 5432", "port: 53", "egress: the server cannot reach the ports [5432]"),
    ("nodes/networkpolicy.yaml", "    - from:\n        - namespaceSelector:\n            matchLabels: "
     "{liststate/client: \"true\"}\n      ports:", "    - ports:", "egress: everybody in the cluster"),
    ("nodes/kustomization.yaml", "  - networkpolicy.yaml\n", "", "kustomization: the kustomization has"),
    ("nodes/kustomization.yaml", "- name: liststate\n    namespace", "- name: settings\n    namespace",
     "kustomization: the container takes settings"),
    ("embedded/kustomization.yaml", "newTag: 0.1.0", "newTag: latest", "kustomization: the image is not that of"),
    (EMBEDDED, "image: liststate:0.1.0", "image: liststates:0.1.0", "kustomization: the image is not that of"),
]]
OF_SCHEMAS = [Mistake(*row) for row in [
    (EMBEDDED, "replicas: 1", "replicas: one", "'one' is not of type"),
    (EMBEDDED, "readinessProbe:", "readinesProbe:", "readinesProbe"),
    (NODES, "maxSkew: 1", "maxSkew: []", "[] is not of type"),
    (NODES, "      containers:", "      container:", "container"),
    ("nodes/service.yaml", "ports:", "port:", "port"),
    ("nodes/networkpolicy.yaml", "podSelector:\n", "podsSelector:\n", "podsSelector"),
    ("embedded/poddisruptionbudget.yaml", "policy/v1", "policy/v0", "policy"),
]]
OF_CHECKOV = [Mistake(*row) for row in [
    (EMBEDDED, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "CKV_K8S_22"),
    (EMBEDDED, "livenessProbe:", "lateProbe:", "CKV_K8S_8"),
    (NODES, "allowPrivilegeEscalation: false", "privileged: true", "CKV_K8S_16"),
    (NODES, "      serviceAccountName: liststate", "      hostNetwork: true", "CKV_K8S_19"),
    (NODES, "capabilities: {drop: [ALL]}", "capabilities: {add: [SYS_ADMIN]}", "CKV_K8S_39"),
    (NODES, "limits: {cpu: \"2\", memory: 1Gi", "limits: {cpu: \"2\"", "CKV_K8S_13"),
    (NODES, "namespace: liststate-nodes", "namespace: default", "CKV_K8S_21"),
]]
