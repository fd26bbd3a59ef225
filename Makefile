# Everything here needs Go and nothing else, except: test, race, mutate and prove want
# PostgreSQL and Redis servers or their programs, test also a browser, Node.js, Django, proxies
# and Prometheus (as root on Debian all are installed), and race wants a C compiler; clients wants
# Node.js, generators Python, bench what bench/README.md says, and conformance a database.

FUZZTIME     ?= 30s
BENCH_COUNT  ?= 1
LINT_VERSION := 2.15.0
LINTER       := .bin/golangci-lint
PROGRAM      := .bin/trestle
REFERENCE    := .bin/openapi.json
CLIENTS      := examples/clients

# What makes the Go client; package-lock.json has the version of the other.
CODEGEN_VERSION := 2.8.2
CODEGEN         := .bin/oapi-codegen

# What else generates clients, to try: examples/clients/python/requirements.txt has the
# versions of the other.
OGEN_VERSION := 1.24.0
OGEN         := .bin/ogen
PYTHON       ?= python3
VENV         := .bin/python
TRIALS       := .bin/clients

# What compares the Go API with that of the last version. It has no versions of its own.
APIDIFF_VERSION := 0.0.0-20261113113407-e3970619a1a4
APIDIFF         := .bin/apidiff
# The S3 server of the tests of files.
VERSITYGW_VERSION := 1.8.0
VERSITYGW         := .bin/versitygw

# What looks for vulnerabilities and unsafe code, tells what the program is made
# of, and tests the tests.
VULNCHECK_VERSION := 1.1.4
VULNCHECK         := .bin/govulncheck
GOSEC_VERSION     := 2.22.11
GOSEC             := .bin/gosec
SYFT_VERSION      := 1.30.0
SYFT              := .bin/syft
GREMLINS_VERSION  := 0.6.0
GREMLINS          := .bin/gremlins

# What make mutate changes: folders, or the beginnings of the names of files, as permission.go in
# framework/internal/access. Behind a plus, another folder whose tests have to notice it.
MUTATE ?= framework/filter framework/internal/access/permission+framework framework/auth+framework/console framework/internal/ordering+framework resources/store/order

# The tests against a real identity provider, which is no dependency of the framework.
PROVIDERTEST := framework/auth/oidc/providertest

# The programs, and tests, that are modules of their own.
MODULES := $(patsubst %/go.mod,%,$(wildcard cmd/*/go.mod examples/*/go.mod examples/*/*/go.mod)) $(PROVIDERTEST)

# What is tested once needs no names for a debugger, which take a third of the time
# to link, and vet is a part of the linter.
TEST := -vet=off -ldflags=-s -shuffle=on -timeout=20m

# Tests of a few seconds spend a fifth of their time on collecting garbage by default. It is for go test
# and the tests in its processes: the programs that tests start have an environment of their own.
LATE := GOGC=400

# -race makes the C library inside SQLite's driver, which has no goroutines of
# its own, many times slower and finds nothing there.
RACE := -race -short -gcflags='modernc.org/...=-race=false'

# Runs a command with TEST_DATABASE_URL set: yours, or a throw-away server's.
WITHPG := go run ./cmd/withpg --install

# Go keeps its caches below HOME; a container may come without one.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/.bin/home
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Built and then run, because "go run" turns every exit code into 1. The version
# control's stamp is left out: git may refuse a folder of another user.
.PHONY: build
build: ## Build the program into .bin
	go build -buildvcs=false -o $(PROGRAM) ./cmd/trestle

.PHONY: run
run: build ## Serve the API with demo data on SQLite in ./data
	@exec $(PROGRAM) serve --migrate --seed

.PHONY: test
test: ## Run every test, on SQLite and PostgreSQL
	$(LATE) $(WITHPG) --memory -- go test $(TEST) ./...
	@set -e; for module in $(MODULES); do echo "cd $$module && go test ./..."; (cd "$$module" && $(LATE) go test $(TEST) ./...); done

.PHONY: oidc
oidc: ## Run the tests of the sign-in by OpenID Connect against a real provider
	$(WITHPG) --memory -- go -C $(PROVIDERTEST) test $(TEST) ./...

# RACED is fewer packages where time is short, as for every change: what shares
# between requests.
RACED ?= ./framework/... ./resources/clinic ./resources/store/...

.PHONY: race
race: ## Run the tests of what runs at once, without the longest, under the race detector
	$(LATE) $(WITHPG) --memory -- go test $(TEST) $(RACE) $(RACED)

# What takes too long for every change, hours in all: PROVE="crash soak" is
# some of it, "go run ./cmd/prove --list" prints the stages. A run that was
# stopped goes on where it was.
.PHONY: prove
prove: ## Run the long proofs, or those that PROVE names, and print a table
	go run ./cmd/prove $(PROVE)

# The S3 server is built once into .bin, as the linter is. Its folder needs a file system with
# extended attributes, as /tmp usually is.
.PHONY: files
files: $(VERSITYGW)-$(VERSITYGW_VERSION) ## Test files on a real S3 server, and uploads of 1 GiB
	TEST_VERSITYGW='$(CURDIR)/$(VERSITYGW)-$(VERSITYGW_VERSION)' $(WITHPG) -- go test $(TEST) -count=1 ./framework/files/...
	TEST_FILE_MIB=1024 $(WITHPG) -- go test $(TEST) -count=1 -v -run '^TestFilesAreStreamed$$' ./framework

# The documents show them. Text on the images depends on the fonts of the machine.
.PHONY: screenshots
screenshots: ## Write the screenshots of the console into docs/images (needs a browser)
	mkdir -p docs/images
	TRESTLE_SCREENSHOTS='$(CURDIR)/docs/images' go test $(TEST) -count=1 -run '^TestScreenshots$$' ./cmd/trestle

.PHONY: exports
exports: ## Export lists of 1,000,000 rows, and measure the memory
	TEST_EXPORT_ROWS=1000000 $(WITHPG) -- go test $(TEST) -count=1 -v -run '^TestExportsAreStreamed$$' ./framework/internal/export

$(VERSITYGW)-$(VERSITYGW_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install github.com/versity/versitygw/cmd/versitygw@v$(VERSITYGW_VERSION)
	mv $(VERSITYGW) $@

# TRESTLE_PREPARE=off is for a pooler that gives a connection to each transaction.
.PHONY: conformance
conformance: ## Run the services' tests on the database of DATABASE_URL, which speaks PostgreSQL's protocol
	@go run ./cmd/conformance

.PHONY: lint
lint: $(LINTER)-$(LINT_VERSION) ## Run golangci-lint, go vet within it
	$(LINTER)-$(LINT_VERSION) run
	@set -e; for module in $(MODULES); do echo "cd $$module && go vet ./..."; (cd "$$module" && go vet ./...); done

# Built once into .bin, apart from go.mod: a linter is no dependency of the code.
$(LINTER)-$(LINT_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION)
	mv $(LINTER) $@

# They are committed, with the sum of the reference that they were made of, which
# is that of a program without settings.
.PHONY: clients
clients: build $(CODEGEN)-$(CODEGEN_VERSION) ## Make the clients in examples/clients of the reference (needs Node.js)
	env -i $(PROGRAM) openapi > $(REFERENCE)
	cd $(CLIENTS)/go && ../../../$(CODEGEN)-$(CODEGEN_VERSION) -config oapi-codegen.yaml ../../../$(REFERENCE)
	cd $(CLIENTS)/typescript && npm ci && npm run generate
	sha256sum < $(REFERENCE) > $(CLIENTS)/openapi.sha256

# Built once into .bin, as the linter is.
$(CODEGEN)-$(CODEGEN_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$(CODEGEN_VERSION)
	mv $(CODEGEN) $@

# Their code is not committed: that of ogen is 8 MB, and both are generated anew in
# seconds. The flows run against a server of their own, which flow.sh starts.
.PHONY: generators
generators: build $(OGEN)-$(OGEN_VERSION) $(VENV)/installed ## Generate clients with ogen and openapi-python-client, and run their flows
	env -i $(PROGRAM) openapi > $(REFERENCE)
	rm -rf $(TRIALS) && mkdir -p $(TRIALS) && cp -R $(CLIENTS)/ogen $(CLIENTS)/python $(TRIALS)
	cd $(TRIALS)/ogen && ../../../$(OGEN)-$(OGEN_VERSION) -package api -target api -clean -loglevel error ../../../$(REFERENCE)
	cd $(TRIALS)/python && PATH='$(CURDIR)/$(VENV)/bin':"$$PATH" openapi-python-client generate --path ../../../$(REFERENCE) \
		--output-path trestle_client --meta none --config config.yaml --fail-on-warning
	cd $(TRIALS)/python && '$(CURDIR)/$(VENV)/bin/mypy' --strict --follow-imports=silent flow.py
	$(CLIENTS)/flow.sh $(PROGRAM) "cd $(TRIALS)/python && '$(CURDIR)/$(VENV)/bin/python' flow.py" "cd $(TRIALS)/ogen && go test $(TEST) -tags ogen -count=1 ."

# Built once into .bin, as the linter is.
$(OGEN)-$(OGEN_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install github.com/ogen-go/ogen/cmd/ogen@v$(OGEN_VERSION)
	mv $(OGEN) $@

$(VENV)/installed: $(CLIENTS)/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --requirement $<
	touch $@

# BENCH_SECONDS, BENCH_ROUNDS and BENCH_SERVERS set how much is measured;
# bench/README.md has the rest. As root on Debian it installs what it lacks: wrk,
# PostgreSQL and Django REST framework with gunicorn.
.PHONY: bench
bench: bench-peers bench-growth ## Measure Trestle beside its peers and with larger tables, for about one and a half hours

.PHONY: bench-peers
bench-peers: ## Measure Trestle beside its peers into bench/RESULTS.md, for about an hour
	bench/bench.py --results bench/RESULTS.md

.PHONY: bench-growth
bench-growth: ## Measure latency at up to 1,000,000 patients into bench/GROWTH.md, for about 20 minutes
	bench/growth.py --results bench/GROWTH.md

.PHONY: bench-quick
bench-quick: ## Measure once for one second each and write nothing
	BENCH_SECONDS=1 BENCH_ROUNDS=1 bench/bench.py

.PHONY: bench-go
bench-go: ## Run the Go benchmarks BENCH_COUNT (1) times, for benchstat to read
	go test -run '^$$' -bench . -benchmem -count $(BENCH_COUNT) ./framework/...

# VULNDB=file:///path is a copy of the database of vulnerabilities; CONTRIBUTING.md
# says how it is made.
.PHONY: audit
audit: $(VULNCHECK)-$(VULNCHECK_VERSION) $(GOSEC)-$(GOSEC_VERSION) ## Look for known vulnerabilities and unsafe code
	.ci/audit $^

.PHONY: sbom
sbom: build $(SYFT)-$(SYFT_VERSION) ## Write what the program is made of into .bin, as SPDX
	.ci/sbom $(SYFT)-$(SYFT_VERSION) $(PROGRAM)

.PHONY: reproducible
reproducible: ## Build the program twice, and compare
	.ci/reproducible

.PHONY: mutate
mutate: $(GREMLINS)-$(GREMLINS_VERSION) ## Test the tests of MUTATE by changing the code, for hours
	$(WITHPG) -- .ci/mutate $(GREMLINS)-$(GREMLINS_VERSION) $(MUTATE)

# Built once into .bin, as the linter is.
$(VULNCHECK)-$(VULNCHECK_VERSION): TOOL := golang.org/x/vuln/cmd/govulncheck@v$(VULNCHECK_VERSION)
$(GOSEC)-$(GOSEC_VERSION): TOOL := github.com/securego/gosec/v2/cmd/gosec@v$(GOSEC_VERSION)
$(SYFT)-$(SYFT_VERSION): TOOL := github.com/anchore/syft/cmd/syft@v$(SYFT_VERSION)
$(GREMLINS)-$(GREMLINS_VERSION): TOOL := github.com/go-gremlins/gremlins/cmd/gremlins@v$(GREMLINS_VERSION)
$(VULNCHECK)-$(VULNCHECK_VERSION) $(GOSEC)-$(GOSEC_VERSION) $(SYFT)-$(SYFT_VERSION) $(GREMLINS)-$(GREMLINS_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install $(TOOL)
	mv $(firstword $(subst -, ,$@)) $@

# A Python with Django makes the hashes that the tests read, and accepts those that Go made.
HASHERS     := framework/auth/internal/hashers
DJANGO_VENV := .bin/django

.PHONY: django-hashes
django-hashes: $(DJANGO_VENV)/installed ## Make the password hashes of the tests with Django, and let Django check those of Go
	$(DJANGO_VENV)/bin/python $(HASHERS)/testdata/hashes.py make > $(HASHERS)/testdata/django.json.new
	mv $(HASHERS)/testdata/django.json.new $(HASHERS)/testdata/django.json
	TRESTLE_DJANGO_PYTHON='$(CURDIR)/$(DJANGO_VENV)/bin/python' go test $(TEST) -count=1 ./$(HASHERS)

$(DJANGO_VENV)/installed: $(HASHERS)/testdata/requirements.txt
	$(PYTHON) -m venv $(DJANGO_VENV)
	$(DJANGO_VENV)/bin/pip install --quiet --requirement $<
	touch $@

.PHONY: fuzz
fuzz: ## Run every fuzz test for FUZZTIME (30s)
	@set -e; \
	for package in $$(grep -rl '^func Fuzz' --include='*_test.go' framework resources cmd | xargs -n 1 dirname | sort -u); do \
		names=$$(go test -list '^Fuzz' "./$$package"); \
		for name in $$(echo "$$names" | grep '^Fuzz'); do \
			echo "fuzzing $$package $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "./$$package"; \
		done; \
	done

.PHONY: seed
seed: build ## Fill the database that DATABASE_URL names with demo data
	@exec $(PROGRAM) seed

# BASE is another commit to compare with. Without a tag v* there is nothing to compare with.
.PHONY: api-diff
api-diff: $(APIDIFF)-$(APIDIFF_VERSION) ## List incompatible changes of the Go API since the last tag v*
	.ci/apidiff $(APIDIFF)-$(APIDIFF_VERSION) $(BASE)

# Built once into .bin, as the linter is.
$(APIDIFF)-$(APIDIFF_VERSION):
	GOBIN='$(CURDIR)/.bin' CGO_ENABLED=0 go install golang.org/x/exp/cmd/apidiff@v$(APIDIFF_VERSION)
	mv $(APIDIFF) $@

# Both are files in JSON or YAML, as "trestle openapi" prints them.
.PHONY: openapi-diff
openapi-diff: ## List the changes from the OpenAPI document OLD to NEW that break clients
	@cd cmd/openapidiff && go run . $(foreach file,$(OLD) $(NEW),'$(abspath $(file))')

# A project is written, tested and served from a module proxy of files, with empty caches
# and without a network; and a copy with another module path is built.
.PHONY: install-test
install-test: ## Test that a new user can install Trestle by go run, for a few minutes
	go test $(TEST) -count=1 -tags=install ./cmd/rename ./framework/program/internal/scaffold

# The path is the module line of go.mod. Commit first: git then shows what has changed.
.PHONY: rename
rename: ## Change the module path to MODULE (example.org/trestle) in code, documents and examples
	go run ./cmd/rename '$(MODULE)'

.PHONY: clean
clean: ## Remove what these targets built; ./data stays
	@if [ -d .bin ]; then chmod -R u+w .bin; fi
	rm -rf .bin coverage.*
