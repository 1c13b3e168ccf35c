"""The rules for the Kubernetes files that no tool knows. Each yields a sentence for each fault."""
from manifests import bytes_of

CLUSTER = "cluster.local"
BASE_BYTES = 64 << 20
"""The memory of the process without lists, connections and requests."""
CONNECTION_BYTES = 12 << 10
"""The memory of a connection with a stream (docs/operations.md, Sizing)."""
BODY_TIMES = 4
"""The peak memory of a request with a long body, as a multiple of the body (`make hostile`)."""


def variables(files, facts):
    names = [*files.settings, *(entry["name"] for entry in files.container.get("env", []))]
    for name in names:
        if name not in facts.variables:
            yield f"{name} is no setting of liststate serve"
        if names.count(name) > 1:
            yield f"{name} is set twice"


def probes(files, facts):
    ports = {port["name"]: port["containerPort"] for port in files.container["ports"]}
    for name, path in [("startupProbe", "/healthz"), ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")]:
        get = files.container.get(name, {}).get("httpGet", {})
        if get.get("path") != path:
            yield f"{name} asks {get.get('path')} and not {path}"
        if get.get("path") not in facts.paths:
            yield f"{name} asks a path that openapi.yaml does not have"
        if get.get("port") not in ports:
            yield f"{name} asks a port that the container does not name"


def ports(files, facts):
    given = files.number("LISTSTATE_PORT", facts) or facts.port
    ports = {port["name"]: port["containerPort"] for port in files.container["ports"]}
    if list(ports.values()) != [given]:
        yield f"the container has the ports {list(ports.values())}, and the server listens on {given}"
    if given != facts.port:
        yield f"the server listens on {given}, and openapi.yaml says {facts.port}"
    for service in files.all("Service"):
        for port in service["spec"]["ports"]:
            if port["targetPort"] not in ports or port["port"] != given:
                yield f"the Service {service['metadata']['name']} leads to a port that is not the server's"
    for policy in files.all("NetworkPolicy"):
        for rule in policy["spec"]["ingress"]:
            if [port["port"] for port in rule.get("ports", [])] != list(ports):
                yield "the NetworkPolicy lets others reach a port that is not the server's"


def selectors(files, facts):
    selectors = [("the workload", files.workload["spec"]["selector"]["matchLabels"])]
    selectors += [(f"the Service {it['metadata']['name']}", it["spec"]["selector"]) for it in files.all("Service")]
    selectors += [("the PodDisruptionBudget", it["spec"]["selector"]["matchLabels"])
                  for it in files.all("PodDisruptionBudget")]
    selectors += [("the NetworkPolicy", it["spec"]["podSelector"]["matchLabels"]) for it in files.all("NetworkPolicy")]
    selectors += [("the spread", it["labelSelector"]["matchLabels"])
                  for it in files.pod.get("topologySpreadConstraints", [])]
    for name, labels in selectors:
        if not labels or not labels.items() <= files.labels.items():
            yield f"{name} selects {labels}, and the pods have {files.labels}"
    for kind in ["Service", "PodDisruptionBudget", "NetworkPolicy", "ServiceAccount", "Namespace"]:
        if not files.all(kind):
            yield f"there is no {kind}"
    headless = [it["metadata"]["name"] for it in files.all("Service") if it["spec"].get("clusterIP") == "None"]
    if files.workload["spec"].get("serviceName", headless[0]) not in headless:
        yield "the StatefulSet names a Service that is not there, or that has an address"
    if files.pod["serviceAccountName"] not in [it["metadata"]["name"] for it in files.all("ServiceAccount")]:
        yield "the pod names a ServiceAccount that is not there"


def namespaces(files, facts):
    (namespace,) = [object["metadata"]["name"] for object in files.all("Namespace")]
    named = [object for object in files.objects if object["kind"] != "Namespace"]
    for where in [*(it["metadata"] for it in named), *files.kustomization["configMapGenerator"]]:
        if where.get("namespace") != namespace:
            yield f"{where['name']} is in the namespace {where.get('namespace')}, and not in {namespace}"


def tokens(files, facts):
    """On an address that others reach, a server without tokens refuses to start."""
    made = "--first-token" in files.container["args"] or files.settings.get("LISTSTATE_FIRST_TOKEN") == "true"
    if files.settings.get("LISTSTATE_HOST") != "127.0.0.1" and not made:
        yield "nobody makes the first token, and the server refuses to start without one"
    if "--insecure" in files.container["args"] or "LISTSTATE_INSECURE" in files.settings:
        yield "everybody may do everything"


def hosts(files, facts):
    known = files.settings.get("LISTSTATE_ALLOW_HOST", "").split(",")
    for service in files.all("Service"):
        if service["spec"].get("clusterIP") == "None":
            continue
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        for suffix in ["", f".{namespace}", f".{namespace}.svc", f".{namespace}.svc.{CLUSTER}"]:
            if name + suffix not in known:
                yield f"the server does not know the name {name + suffix}"


def grace(files, facts):
    pause = files.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    drain = files.number("LISTSTATE_DRAIN_GRACE_SECONDS", facts) + facts.drain_margin
    given = files.pod.get("terminationGracePeriodSeconds", 30)
    if given <= pause + drain:
        yield f"the pod has {given} s to end, and takes {pause} s for preStop and {drain} s for its drain"
    if files.workload["spec"]["replicas"] > 1 and pause == 0:
        yield "a server drains before balancers know that it goes: there is no preStop"


def memory(files, facts):
    """The server's bounds. Each is its default, if no setting says otherwise.

    Short bodies on their way are not in the sum: the server has no bound on all of them together.
    """
    limit = bytes_of(files.container["resources"]["limits"]["memory"])
    lists = files.number("LISTSTATE_LISTS_MEMORY_MEBIBYTES", facts) << 20
    connection = max(CONNECTION_BYTES, files.number("LISTSTATE_HEAD_POOL_BYTES", facts) + 2048)
    parts = {
        "lists": lists or limit // 2,
        "receipts": facts.receipt_bytes,
        "connections": files.number("LISTSTATE_CONNECTIONS_MAX", facts) * connection,
        "long bodies": files.number("LISTSTATE_LIST_BODY_BYTES_MAX", facts) * facts.workers * BODY_TIMES,
        "files in memory": sum(
            bytes_of(volume["emptyDir"]["sizeLimit"])
            for volume in files.pod["volumes"] if volume.get("emptyDir", {}).get("medium") == "Memory"),
        "the rest": BASE_BYTES,
    }
    if sum(parts.values()) > limit:
        sizes = ", ".join(f"{name} {size >> 20}" for name, size in parts.items())
        yield f"the container may have {limit >> 20} MiB, and the server's bounds are {sizes} MiB"
    if files.container["resources"]["requests"]["memory"] != files.container["resources"]["limits"]["memory"]:
        yield "the machine has not set aside the memory that the container may have"
    if files.number("LISTSTATE_LOOPS", facts) == 0:
        yield "the number of loops follows the processors of the machine, and not those of the container"


def security(files, facts):
    pod, container = files.pod.get("securityContext", {}), files.container.get("securityContext", {})
    rows = [
        ("runAsNonRoot of the pod", pod.get("runAsNonRoot"), True),
        ("runAsUser", pod.get("runAsUser"), facts.user),
        ("runAsGroup", pod.get("runAsGroup"), facts.user),
        ("seccompProfile", pod.get("seccompProfile"), {"type": "RuntimeDefault"}),
        ("runAsNonRoot of the container", container.get("runAsNonRoot"), True),
        ("allowPrivilegeEscalation", container.get("allowPrivilegeEscalation"), False),
        ("readOnlyRootFilesystem", container.get("readOnlyRootFilesystem"), True),
        ("capabilities", container.get("capabilities"), {"drop": ["ALL"]}),
        ("automountServiceAccountToken of the pod", files.pod.get("automountServiceAccountToken"), False),
        ("enableServiceLinks", files.pod.get("enableServiceLinks"), False),
        ("the number of containers", len(files.pod["containers"]) + len(files.pod.get("initContainers", [])), 1),
    ]
    rows += [("automountServiceAccountToken of the account", account.get("automountServiceAccountToken"), False)
             for account in files.all("ServiceAccount")]
    rows += [("the security of the namespace",
              namespace["metadata"].get("labels", {}).get("pod-security.kubernetes.io/enforce"), "restricted")
             for namespace in files.all("Namespace")]
    for name, given, wanted in rows:
        # 1 is no user id for True.
        if type(given) is not type(wanted) or given != wanted:
            yield f"{name} is {given} and not {wanted}"


def volumes(files, facts):
    names = {volume["name"] for volume in files.pod["volumes"]}
    names |= {claim["metadata"]["name"] for claim in files.workload["spec"].get("volumeClaimTemplates", [])}
    mounts = {mount["mountPath"]: mount["name"] for mount in files.container["volumeMounts"]}
    for path, name in mounts.items():
        if name not in names:
            yield f"{path} is the volume {name}, which is not there"
    if "/tmp" not in mounts:
        yield "SQLite has no place for its temporary files"
    folder = files.settings.get("LISTSTATE_DATA")
    claims = [claim["metadata"]["name"] for claim in files.workload["spec"].get("volumeClaimTemplates", [])]
    kept = [path for path, name in mounts.items() if name in claims]
    if folder is not None and not any(folder.startswith(path + "/") for path in kept):
        yield f"{folder} is not below a volume that stays"


def store(files, facts):
    """Either a folder and one server, or a database and a Secret."""
    sources = {entry["name"]: entry.get("valueFrom", {}) for entry in files.container.get("env", [])}
    secret = sources.get("LISTSTATE_STORE", {}).get("secretKeyRef")
    if files.all("Secret") or "LISTSTATE_STORE" in files.settings or any(not source for source in sources.values()):
        yield "the URL of the database is in the files, and not in a Secret"
    if files.workload["kind"] == "Deployment" and secret is None:
        yield "several servers have no database"
    if files.workload["kind"] == "StatefulSet" and (files.workload["spec"]["replicas"] != 1 or secret is not None):
        yield "a folder has one server"
    # The cure for a pod that is not ready would wait until it is.
    if files.workload["kind"] == "StatefulSet" and files.workload["spec"].get("podManagementPolicy") != "Parallel":
        yield "a change waits for a pod that is not ready"


def disruption(files, facts):
    spec = files.workload["spec"]
    for budget in files.all("PodDisruptionBudget"):
        wanted = max(1, spec["replicas"] - 1)
        if budget["spec"].get("minAvailable") != wanted:
            yield f"minAvailable is {budget['spec'].get('minAvailable')} and not {wanted}"
    if files.workload["kind"] == "Deployment":
        if spec["strategy"].get("rollingUpdate") != {"maxUnavailable": 0, "maxSurge": 1}:
            yield "an update takes a server away before the next one is ready"
        if spec.get("minReadySeconds", 0) < files.pod["terminationGracePeriodSeconds"]:
            yield "an update replaces the next server while the one before still drains"
        if "kubernetes.io/hostname" not in [
                spread["topologyKey"] for spread in files.pod.get("topologySpreadConstraints", [])]:
            yield "one machine may have all servers"


def egress(files, facts):
    allowed = {"StatefulSet": set(), "Deployment": {53, 5432}}[files.workload["kind"]]
    for policy in files.all("NetworkPolicy"):
        spec = policy["spec"]
        if sorted(spec["policyTypes"]) != ["Egress", "Ingress"]:
            yield "the NetworkPolicy has no rule for one of both directions"
        if any(not rule.get("from") for rule in spec["ingress"]):
            yield "everybody in the cluster can reach the server"
        for rule in spec["egress"]:
            ports = {port["port"] for port in rule.get("ports", [])}
            if not rule.get("to") or not ports or not ports <= allowed:
                yield f"the server can reach the ports {sorted(ports) or 'of every kind'} of {rule.get('to')}"
        given = {port["port"] for rule in spec["egress"] for port in rule.get("ports", [])}
        if not allowed <= given:
            yield f"the server cannot reach the ports {sorted(allowed - given)}"


def kustomization(files, facts):
    # With the namespace among them, `kubectl delete -k` would delete the volumes, too.
    apart = {"kustomization.yaml", "namespace.yaml"}
    present = {name for name in files.names if name.endswith(".yaml")} - apart
    if {*files.kustomization["resources"]} != present:
        yield f"the kustomization has {files.kustomization['resources']}, and the folder {sorted(present)}"
    generated = [generator["name"] for generator in files.kustomization["configMapGenerator"]]
    if [source["configMapRef"]["name"] for source in files.container["envFrom"]] != generated:
        yield "the container takes settings that the kustomization does not make"
    (image,) = files.kustomization["images"]
    if files.container["image"] != f"{image['name']}:{facts.version}" or image["newTag"] != facts.version:
        yield f"the image is not that of version {facts.version}"


RULES = [variables, probes, ports, selectors, namespaces, tokens, hosts, grace, memory, security, volumes, store,
         disruption, egress, kustomization]


def complaints(files, facts):
    """A sentence for each fault, with the name of its rule."""
    return [f"{rule.__name__}: {sentence}" for rule in RULES for sentence in rule(files, facts)]
