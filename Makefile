# The ways to build, run and check ListState. `make` alone lists them.
#
#   make run ARGS="--port 9000"       more arguments for `liststate serve`
#   make test ARGS="--filter Readme"  more arguments for `swift test`

# Debian packages, each for what it says; what is missing is installed.
FOR_BUILD := libgnutls28-dev libjemalloc-dev libmicrohttpd-dev libpq-dev libsqlite3-dev nettle-dev zlib1g-dev pkg-config
FOR_SWIFT_TESTS := curl gcc libcurl3-gnutls patch postgresql strace nginx-light
FOR_PAGE_TESTS := chromium chromium-driver fonts-noto-color-emoji node-react node-react-dom
FOR_JAVASCRIPT := nodejs
FOR_PYTHON := python3-venv
FOR_BENCHMARKS := gcc wrk
FOR_HOSTS := iproute2 mount util-linux
FOR_IMAGES := buildah bubblewrap mmdebstrap mount util-linux
FOR_RUN := ca-certificates libcurl3-gnutls libgnutls30 libjemalloc2 libmicrohttpd12 libnettle8 libpq5 libsqlite3-0 \
	libstdc++6 zlib1g
FOR_PACKAGE := debhelper dpkg-dev python3
FOR_FIRST_SERVER := mmdebstrap mount util-linux
FOR_PACKAGE_TESTS := bash fish groff-base lintian mandoc mmdebstrap mount strace util-linux zsh

SERVER := .build/release/liststate
# What `make deb` packs. Another program must have Swift's runtime inside (--static-swift-stdlib), and is not built.
PROGRAM ?= $(SERVER)
FAULTY_SERVER := .build-faults/release/liststate
ARGS ?=
FUZZ_TARGETS ?= $(notdir $(wildcard Tests/Fuzz/Corpus/*))
# Swift's own report of a crash would wait for a process that libFuzzer has ended.
FUZZ := SWIFT_BACKTRACE=enable=no LSAN_OPTIONS=suppressions=.ci/leaks:print_suppressions=0 .build-fuzz/release/Fuzz
# Builds for tests take a sixth less time without debug information. `swift build` alone makes it.
BUILD_FOR_TESTS := swift build -Xswiftc -gnone
# XCTest is off because no test here uses it: its empty summary would only hide the real one.
TEST := swift test --disable-xctest -Xswiftc -gnone
HOSTILE_TEST := python3 Tests/Hostile/hostile.py
CONFORMANCE := python3 Tests/Conformance/conformance.py
STORY := python3 Tests/Story/story.py
BROWSER_TEST := LISTSTATE_ALL_VIEWS=1 .venv/bin/python -m unittest discover -s Tests/Browser -v

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests setup-page setup-bench build run test test-page test-javascript conformance bench-javascript bench-page bench-frames screenshots check lint format bench bench-http bench-client bench-durable \
	bench-live bench-crowd bench-access bench-fairness bench-lists bench-store bench-memory bench-nodes clients-check soak soak-lists soak-streams soak-javascript soak-story soak-consistency soak-readers soak-nodes soak-ha soak-power soak-faults \
	soak-node-faults faulty-server soak-damage soak-simulation soak-faultcalls soak-migration soak-schema soak-fuzz fuzz-keep fuzzer \
	model hostile tsan tsan-loops asan apple-check scripts reference docs container-check container-test kubernetes-check sbom reproducible tls-check deb deb-test first-server-test program clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install what the server is built with (asks apt only for what is missing)
	@.ci/setup $(FOR_BUILD)

setup-tests: .build-prometheus ## install what the build and all tests need
	@.ci/setup $(FOR_BUILD) $(FOR_SWIFT_TESTS) $(FOR_PAGE_TESTS) $(FOR_JAVASCRIPT) $(FOR_PYTHON)

setup-page: ## install what the build and the tests of the page need
	@.ci/setup $(FOR_BUILD) $(FOR_PAGE_TESTS) $(FOR_PYTHON)

setup-bench: ## install what the build and the benchmarks need
	@.ci/setup $(FOR_BUILD) $(FOR_BENCHMARKS)

build: setup ## build the server, optimised
	.ci/build-release

run: build ## build and serve the samples from ./data on http://localhost:8080
	@# exec, so that Ctrl-C and `kill` reach the server itself and it can drain.
	exec $(SERVER) serve --samples --data data $(ARGS)

test: setup-tests .venv ## build and run all tests; with ARGS, only those in Swift
	@# Building is a step of its own, so that what does not compile is told apart from what does not pass.
	$(BUILD_FOR_TESTS) $(if $(ARGS),--build-tests,--product liststate)
	@.ci/run-tests $(ARGS)

test-page: setup-page .venv ## only the tests of the page in a browser (ARGS="-k keyboard")
	$(BUILD_FOR_TESTS) --product liststate
	$(BROWSER_TEST) $(ARGS)

test-javascript: ## only the tests of the client in JavaScript (ARGS="--test-name-pattern undo")
	@.ci/setup $(FOR_BUILD) $(FOR_JAVASCRIPT)
	$(BUILD_FOR_TESTS) --product liststate
	LISTSTATE_SERVER=.build/debug/liststate node --test $(ARGS) Tests/Clients/javascript/*.test.mjs

conformance: ## the server and the clients in JavaScript and Swift against the cases for others (ARGS="--url http://… --token …" or ARGS='--client "COMMAND"')
	$(if $(ARGS),,@.ci/setup $(FOR_BUILD) $(FOR_JAVASCRIPT))
	$(if $(ARGS),,$(BUILD_FOR_TESTS) --product liststate)
	$(if $(ARGS),,$(BUILD_FOR_TESTS) --product ConformanceAdapter)
	$(CONFORMANCE) $(or $(ARGS),--serve .build/debug/liststate --client "node Tests/Conformance/client.mjs --adapter")
	$(if $(ARGS),,$(CONFORMANCE) --client .build/debug/ConformanceAdapter)

bench-javascript: ## what an edit and a foreign change cost in 100,000 rows with 1,000 pending edits, and how fast a queue drains (with goals)
	@.ci/setup $(FOR_JAVASCRIPT)
	node Tests/Clients/javascript/bench.mjs

bench-page: setup-page build .venv bench-frames ## lists of 10,000 to 1,000,000 rows in the page: time, memory, elements (with goals)
	.venv/bin/python Tests/Browser/bench.py $(SERVER)

bench-frames: setup-page build .venv ## the longest frames of the page with all of Unicode's emoji (with goals; needs unicode-data)
	@.ci/setup unicode-data
	.venv/bin/python Tests/Browser/frames.py $(SERVER) /usr/share/unicode/emoji/emoji-test.txt

screenshots: setup-page .venv ## every list in the page, light and dark, narrow and wide, into ./screenshots
	$(BUILD_FOR_TESTS) --product liststate
	.venv/bin/python Tests/Browser/screenshots.py screenshots

check: lint test ## what must pass before a commit: format and tests

lint:
	swift format lint -r --strict Sources Tests Package.swift

format: ## format the sources in place
	swift format -r -i Sources Tests Package.swift

bench: setup-bench ## all benchmarks; goals missed end it with an error
	@status=0; for part in http durable live crowd access fairness lists store memory nodes client; do $(MAKE) bench-$$part || status=1; done; exit $$status

bench-http: setup-bench build ## CPU time per request, as ratios to libmicrohttpd alone in C (ARGS=--quick)
	python3 Tests/Benchmarks/http/bench.py $(SERVER) $(ARGS)

bench-client: setup-bench ## what an edit and a foreign change cost a Swift client with 1,000 pending edits in 100,000 rows, and how fast a long queue is drained (goals)
	LISTSTATE_BENCHMARKS=1 swift run -c release ClientBenchmark

bench-durable: setup-bench build ## durable stars a second, as ratios to those in memory, raw syncs and PostgreSQL (ARGS=--quick)
	@.ci/setup postgresql
	python3 Tests/Benchmarks/durable/bench.py $(SERVER) $(ARGS)

bench-live: setup-bench build ## what 10,000 event streams cost, as ratios to a plain loop in C (ARGS=--quick)
	python3 Tests/Benchmarks/live/bench.py $(SERVER) $(ARGS)

bench-crowd: setup-bench build ## what neighbours of a heavy client wait, as ratios to a C program that computes (ARGS=--quick)
	python3 Tests/Benchmarks/crowd/bench.py $(SERVER) $(ARGS)

bench-access: setup-bench build ## what tokens cost, and how soon 10,000 streams of a revoked one end (needs valgrind and openssl)
	@.ci/setup valgrind binutils openssl
	python3 Tests/Benchmarks/access/bench.py $(SERVER) $(ARGS)

bench-fairness: setup-bench build ## what a client beyond its quota costs the others, as ratios to what they get alone (ARGS=--quick)
	python3 Tests/Benchmarks/fairness/bench.py $(SERVER) $(ARGS)

bench-lists: setup-bench ## what lists cost, as ratios to other ways and of long lists to short ones (ARGS=--quick)
	LISTSTATE_BENCHMARKS=1 swift run -c release ListsBenchmark $(ARGS)

bench-store: setup-bench ## what keeping lists on a disk costs, as ratios to raw syncs and to reading the bytes (ARGS=--quick)
	LISTSTATE_BENCHMARKS=1 swift run -c release StorageBenchmark $(ARGS)

bench-memory: setup-bench build ## how much memory 100,000 lists on a disk take, and whether those that left it come back whole (ARGS=--quick)
	python3 Tests/Benchmarks/memory/bench.py $(SERVER) $(ARGS)

bench-nodes: setup-bench build ## what several servers on one PostgreSQL do, as ratios to its own tools, to one server and to C (ARGS=--quick)
	@.ci/setup postgresql
	LISTSTATE_BENCHMARKS=1 swift build -c release --product StorageBenchmark --static-swift-stdlib
	python3 Tests/Benchmarks/nodes/bench.py $(SERVER) .build/release/StorageBenchmark $(ARGS)

soak: soak-lists soak-streams soak-javascript soak-story soak-consistency soak-readers soak-nodes soak-ha soak-power soak-faults soak-node-faults soak-damage soak-simulation soak-faultcalls soak-migration soak-schema soak-fuzz ## the long forms of the tests that have one

soak-lists: setup-tests ## 60,000 random histories of net changes, 20,000 of lists and 20,000 of windows bound to a strict view in Swift, and lists with 1,000,000 items
	LISTSTATE_SOAK_HISTORIES=$${LISTSTATE_SOAK_HISTORIES:-60000} LISTSTATE_SOAK_ITEMS=$${LISTSTATE_SOAK_ITEMS:-1000000} \
		$(TEST) --skip '^(EndToEndTests|SQLiteJournalTests)\.' $(ARGS)

soak-javascript: build ## the client in JavaScript: 20,000 random histories, and 50 clients with 200 edits each through faults
	@.ci/setup $(FOR_JAVASCRIPT)
	LISTSTATE_SERVER=$(SERVER) LISTSTATE_CLIENT_HISTORIES=$${LISTSTATE_CLIENT_HISTORIES:-20000} \
		LISTSTATE_CLIENT_EDITS=$${LISTSTATE_CLIENT_EDITS:-200} node --test $(ARGS) Tests/Clients/javascript/*.test.mjs

soak-story: setup-tests setup-page build ## 50 clients with 10,000 edits each, in Swift, in Node and in Chromium: away for 1,000,000 writes of others, killed, put back to a copy
	swift build -c release --product StoryAdapter
	$(STORY) $(SERVER) .build/release/StoryAdapter --edits 10000 --others 1000000 $(ARGS)
	$(STORY) $(SERVER) "node Tests/Story/node.mjs" --edits 10000 --others 1000000 $(ARGS)
	$(STORY) $(SERVER) "python3 Tests/Story/chromium.py" --serve=--allow-origin=* --edits 10000 --others 1000000 $(ARGS)

soak-streams: setup-tests ## 1,000 audiences of random subscribers, with and without a disk, and streams through ten deaths of a server
	LISTSTATE_SOAK_SUBSCRIBERS=$${LISTSTATE_SOAK_SUBSCRIBERS:-1000} \
		LISTSTATE_SOAK_CHAIN_SECONDS=$${LISTSTATE_SOAK_CHAIN_SECONDS:-120} \
		$(TEST) --filter 'SubscriberTests|StreamChainTests' $(ARGS)

soak-consistency: setup-tests build ## 1,000 kill -9 under 250,000 acknowledged writes and 20,000 faulted connections, and all checks
	LISTSTATE_SERVER=$(SERVER) LISTSTATE_CONSISTENCY_SEEDS=$${LISTSTATE_CONSISTENCY_SEEDS:-20} \
		LISTSTATE_CONSISTENCY_KILLS=$${LISTSTATE_CONSISTENCY_KILLS:-50} \
		LISTSTATE_CONSISTENCY_ANSWERS=$${LISTSTATE_CONSISTENCY_ANSWERS:-550} $(TEST) --filter ConsistencyTests $(ARGS)

soak-nodes: setup-tests build ## three servers on one PostgreSQL: 300 faults under 250,000 acknowledged writes, and two checkers
	@.ci/setup haproxy
	python3 -m unittest discover -s Tests/Nodes
	python3 Tests/Nodes/nodes.py $(SERVER) $(ARGS)

# Only for promtool, which checks metrics and alerts. Installed, it would start a service.
.build-prometheus:
	@.ci/unpack prometheus $@

# It starts no service of the machine: etcd is only unpacked, and Patroni lives in a virtual environment. That is one of
# Debian's own Python, because PostgreSQL's user has to run it.
.build-ha/etcd:
	@.ci/unpack etcd-server $@

.build-ha/python: Tests/Nodes/requirements.txt
	@.ci/setup $(FOR_PYTHON)
	/usr/bin/python3 -m venv $@
	$@/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

soak-ha: setup-tests build .build-ha/etcd .build-ha/python ## three hosts with etcd, Patroni, PostgreSQL and a server each: five times each of seven faults, some 30 min (needs root)
	@[ "$$(id -u)" = 0 ] || { echo "make soak-ha makes network namespaces, which takes root." >&2; exit 1; }
	@.ci/setup $(FOR_HOSTS)
	python3 -m unittest discover -s Tests/Nodes
	@# Networks, mounts and processes of their own, which all go when the first process ends, by whatever.
	unshare --net --mount-proc --pid --fork --kill-child sh -c 'trap "exit 1" INT TERM; "$$@" & wait $$!' sh \
		python3 Tests/Nodes/availability.py $(SERVER) --etcd .build-ha/etcd/usr/bin/etcd \
		--python .build-ha/python/bin/python $(ARGS)

soak-readers: setup-tests build ## 100,000 readers of one list through nginx, by polls and by long polls (ARGS=--quick)
	python3 Tests/Readers/readers.py $(SERVER) $(ARGS)

soak-power: setup-tests build ## 220 power losses of a loop-mounted disk under load, and some within starts and backups (needs root)
	@[ "$$(id -u)" = 0 ] || { echo "make soak-power mounts disks, which takes root." >&2; exit 1; }
	@.ci/setup e2fsprogs mount util-linux
	$(BUILD_FOR_TESTS) --build-tests
	@# Processes and mounts of their own, which all go when the first ends, by whatever.
	LISTSTATE_SERVER=$(SERVER) LISTSTATE_POWER_ROUNDS=$${LISTSTATE_POWER_ROUNDS:-200} \
		LISTSTATE_POWER_ASYNC_ROUNDS=$${LISTSTATE_POWER_ASYNC_ROUNDS:-20} \
		unshare --mount-proc --pid --fork --kill-child sh -c 'trap "exit 1" INT TERM; "$$@" & wait $$!' sh \
		$(TEST) --skip-build --filter PowerLoss $(ARGS)

# The address sanitizer stops at the first wrong pointer. Without -enable-testing, what is internal could not be reached.
# With gold it does not link.
fuzzer: setup-tests
	LISTSTATE_FUZZ=1 swift build -c release --product Fuzz --scratch-path .build-fuzz -Xswiftc -gnone \
		-Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=fuzzer-no-link,address \
		-Xswiftc -use-ld=lld

soak-fuzz: fuzzer ## libFuzzer on the readers of heads, JSON, writes, exports and damaged pages, 10 minutes each (FUZZ_SECONDS=, FUZZ_TARGETS=)
	@mkdir -p .build-fuzz/found; failed=; for target in $(FUZZ_TARGETS); do \
		mkdir -p .build-fuzz/corpus/$$target; echo "== $$target"; \
		FUZZ_TARGET=$$target $(FUZZ) -max_total_time=$${FUZZ_SECONDS:-600} -timeout=20 -rss_limit_mb=3000 -max_len=4096 \
			-dict=Tests/Fuzz/words.txt -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=.build-fuzz/found/$$target- .build-fuzz/corpus/$$target Tests/Fuzz/Corpus/$$target \
			|| failed="$$failed $$target"; \
	done; [ -z "$$failed" ] || { echo "Found something:$$failed. The inputs are in .build-fuzz/found." >&2; exit 1; }

fuzz-keep: fuzzer ## add some of what earlier runs have found to Tests/Fuzz/Corpus, so that it reaches more (FUZZ_TARGETS=)
	python3 Tests/Fuzz/keep.py $(FUZZ_TARGETS)

faulty-server: setup-tests
	@.ci/plant-faults .build-faults/source
	swift build -c release --product liststate --package-path .build-faults/source --scratch-path .build-faults

soak-faults: faulty-server ## a server with planted faults: each must be found with each of 5 seeds
	LISTSTATE_SERVER=$(FAULTY_SERVER) LISTSTATE_FAULT_SEEDS=$${LISTSTATE_FAULT_SEEDS:-5} \
		$(TEST) --filter PlantedFaultTests $(ARGS)

soak-node-faults: faulty-server ## three servers with planted faults on one PostgreSQL: each must be found with each of 5 seeds
	python3 Tests/Nodes/nodes.py $(FAULTY_SERVER) --planted $(ARGS)

soak-damage: setup-tests ## small stores cut and flipped at every byte, and requests cut at every byte
	LISTSTATE_SOAK_DAMAGE=1 LISTSTATE_SOAK_CUTS=1 $(TEST) --filter 'DamageTests|MaintenanceTests|FramingTests' $(ARGS)

soak-simulation: setup-tests ## 1,000,000 simulated steps of a store on a disk that loses power, tears, fills up and fails, over 1,000 seeds
	LISTSTATE_SOAK_SIMULATIONS=$${LISTSTATE_SOAK_SIMULATIONS:-1000} $(TEST) --filter SimulationTests $(ARGS)

soak-faultcalls: setup-tests ## each of six faults at every call by which the server and every command change files
	LISTSTATE_SOAK_FAULTCALLS=1 $(TEST) --filter EveryCallTests $(ARGS)

soak-migration: setup-tests build ## 50 migrations there and back that are killed, and 150 that fail at random writes
	LISTSTATE_SERVER=$(SERVER) LISTSTATE_SOAK_MIGRATIONS=$${LISTSTATE_SOAK_MIGRATIONS:-50} $(TEST) --filter 'MigrationTests|MigrateCommandTests' $(ARGS)

soak-schema: build .venv ## 40,000 cases that Schemathesis makes of openapi.yaml, with all of its checks (ARGS="--seed 7")
	.venv/bin/python Tests/Schemathesis/contract.py $(SERVER) $(ARGS)

model: ## all states of the protocol of several servers on one database, with two crashes (needs spin)
	@.ci/setup spin gcc
	python3 Tests/Model/check.py

clients-check: setup-tests .venv ## clients of five generators, compiled and run against a server (needs Java, TypeScript and node)
	@.ci/setup openjdk-17-jre-headless node-typescript nodejs
	$(BUILD_FOR_TESTS) --product liststate
	.venv/bin/pip install --quiet --disable-pip-version-check -r Tests/Clients/requirements.txt
	.venv/bin/python Tests/Clients/clients.py .build/debug/liststate --all

tls-check: setup-tests build ## nginx and HAProxy with the files of docker/tls before a server
	@.ci/setup nginx-light haproxy openssl
	LISTSTATE_SERVER=$(SERVER) python3 -m unittest Tests/TLS/test_tls.py $(ARGS)

hostile: setup-tests build ## requests that try to hang, fill or trick a server, and what each costs it (ARGS="--only stars")
	@.ci/setup valgrind binutils
	$(HOSTILE_TEST) $(SERVER) $(ARGS)
	python3 Tests/Hostile/fairness.py $(SERVER)

tsan: setup-tests ## all tests under the thread sanitizer
	@.ci/sanitize thread $(ARGS)

tsan-loops: setup-tests ## 80,000 random requests to an optimised server with four loops under the thread sanitizer
	@.ci/sanitize loops $(ARGS)

asan: setup-tests ## all tests under the address sanitizer, which also finds leaks
	@.ci/sanitize address $(ARGS)

scripts: ## make /client.js, and the script and the styles of the page, of their sources
	@.ci/setup esbuild
	.ci/join

reference: .venv ## make the page at /docs of openapi.yaml
	.venv/bin/python .ci/write-reference

apple-check: ## what the client in Swift needs against the standard library of macOS 14, without an SDK (half a minute)
	.ci/check-apple availability

docs: .venv ## validate openapi.yaml, and make the reference of the Swift products, of which all must be documented
	.venv/bin/openapi-spec-validator openapi.yaml
	$(BUILD_FOR_TESTS) --product ListStateClient
	@.ci/reference

container-check: .venv ## check the Dockerfile and the compose files (needs no container engine)
	.venv/bin/hadolint --config docker/hadolint.yaml docker/Dockerfile
	.venv/bin/check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml docker/nodes.yaml

container-test: ## build the image from bases of Debian's packages, run it, and check both (needs root; ARGS="--binary FILE")
	@.ci/setup $(FOR_IMAGES)
	python3 Tests/Packaging/container.py $(ARGS)

sbom: .build-sbom/python ## what the server is made of, into ./liststate.spdx.json, in the form of SPDX 2.3
	@.ci/setup $(FOR_RUN)
	swift package resolve
	docker/sbom dev Package.resolved $(FOR_RUN) > liststate.spdx.json
	.build-sbom/python/bin/pyspdxtools --infile liststate.spdx.json

kubernetes-check: .build-kubernetes ## check the Kubernetes files: rules of the project, schemas, checkov (needs no cluster)
	.build-kubernetes/bin/python -B Tests/Packaging/kubernetes.py

# An environment of its own: checkov wants older packages than those of .venv.
.build-kubernetes: Tests/Packaging/requirements.txt
	@.ci/setup $(FOR_PYTHON)
	python3 -m venv $@
	$@/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

.build-sbom/python: Tests/Packaging/requirements-sbom.txt
	@.ci/setup $(FOR_PYTHON)
	python3 -m venv $@
	$@/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

reproducible: setup ## build the server twice, in two folders, and compare the programs
	.ci/reproducible

program: $(if $(filter $(SERVER),$(PROGRAM)),build)

deb: program ## the Debian package, in .build/deb (PROGRAM=path packs another program)
	@.ci/setup $(FOR_PACKAGE)
	docker/debian/build $(PROGRAM) .build/deb

deb-test: program ## build, check, install, upgrade, use and purge the package in a clean Debian (needs root)
	@[ "$$(id -u)" = 0 ] || { echo "make deb-test makes a Debian in a folder, which takes root." >&2; exit 1; }
	@.ci/setup $(FOR_PACKAGE) $(FOR_PACKAGE_TESTS)
	@# Processes and mounts of their own, which all go when the first ends, by whatever.
	unshare --mount --mount-proc --pid --fork --kill-child sh -c 'trap "exit 1" INT TERM; "$$@" & wait $$!' sh \
		python3 Tests/Packaging/deb.py $(PROGRAM)

.PHONY: first-server-test
first-server-test: program ## run every command of docs/first-server.md in a clean Debian (needs root; ARGS="--until HEADING")
	@[ "$$(id -u)" = 0 ] || { echo "make first-server-test makes a Debian in a folder, which takes root." >&2; exit 1; }
	@.ci/setup $(FOR_PACKAGE) $(FOR_FIRST_SERVER)
	unshare --mount --mount-proc --pid --fork --kill-child sh -c 'trap "exit 1" INT TERM; "$$@" & wait $$!' sh \
		python3 Tests/Packaging/first_server.py $(PROGRAM) $(ARGS)

.venv: Tests/requirements.txt
	@.ci/setup $(FOR_PYTHON)
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r Tests/requirements.txt
	@touch .venv

clean: ## remove everything that was built (never ./data)
	rm -rf .build .build-tsan .build-asan .build-fuzz .build-faults .build-ha .build-container .build-kubernetes .build-prometheus .build-sbom .venv
