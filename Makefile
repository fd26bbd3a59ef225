# Everything here needs Go and nothing else, except: test and race want
# PostgreSQL and Redis servers or their programs, test a browser and Node.js too
# (as root on Debian all are installed), and race wants a C compiler.

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

# The programs under examples/ that are modules of their own.
MODULES := $(patsubst %/go.mod,%,$(wildcard examples/*/go.mod examples/*/*/go.mod))

# -race makes the C library inside SQLite's driver, which has no goroutines of
# its own, many times slower and finds nothing there.
RACE := -race -short -gcflags='modernc.org/...=-race=false'

# Runs a command with TEST_DATABASE_URL set: yours, or a throw-away server's.
WITHPG := go run ./cmd/withpg --install --

# Go keeps its caches below HOME; a container may come without one.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/.bin/home
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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
	$(WITHPG) go test -shuffle=on ./...
	@set -e; for module in $(MODULES); do echo "cd $$module && go test ./..."; (cd "$$module" && go test -shuffle=on ./...); done

.PHONY: race
race: ## Run the tests of what runs at once, without the longest, under the race detector
	$(WITHPG) go test $(RACE) -shuffle=on ./framework/... ./resources/clinic ./resources/store

# What takes too long for every change: timings of refused logins, and every
# round of the races for stock, kills of the server under load.
.PHONY: prove
prove: ## Run the long proofs, about half an hour
	TRESTLE_PROVE=1 $(WITHPG) go test -count=1 -timeout 60m -v ./framework/auth ./resources ./resources/store ./cmd/trestle

.PHONY: lint
lint: $(LINTER)-$(LINT_VERSION) ## Run go vet and golangci-lint
	go vet ./...
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

# BENCH_SECONDS, BENCH_ROUNDS and BENCH_SERVERS say how much; bench/README.md has
# the rest. As root on Debian it installs what it lacks: wrk, PostgreSQL and
# Django REST framework with gunicorn.
.PHONY: bench
bench: ## Measure Trestle beside its peers into bench/RESULTS.md, under an hour
	bench/bench.py --results bench/RESULTS.md

.PHONY: bench-quick
bench-quick: ## The same for a look: one round, one second each, nothing written
	BENCH_SECONDS=1 BENCH_ROUNDS=1 bench/bench.py

.PHONY: bench-go
bench-go: ## Run the Go benchmarks BENCH_COUNT (1) times, for benchstat to read
	go test -run '^$$' -bench . -benchmem -count $(BENCH_COUNT) ./framework/...

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

.PHONY: clean
clean: ## Remove what these targets built; ./data stays
	@if [ -d .bin ]; then chmod -R u+w .bin; fi
	rm -rf .bin coverage.*
