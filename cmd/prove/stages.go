package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"trestle.example/internal/proving"
)

// A stage is one proof.
type stage struct {
	name    string
	proves  string // what it proves, with its limits and the variables that change them
	command []string
	sees    string // a text that its output contains only if it did its work
	always  bool   // run it even if it passed before, because its result depends on the day
}

// fuzzFor is how long a fuzz test runs unless --fuzz says otherwise.
const fuzzFor = 10 * time.Minute

// stages returns all stages: the fixed ones, then those of mutants, then those of fuzz tests. It
// returns an error if it does not run in the project's folder.
func stages(fuzzing time.Duration) ([]stage, error) {
	targets, err := fuzzTargets("framework", "resources", "cmd")
	if err != nil {
		return nil, err
	}
	areas, err := mutated("Makefile")
	if err != nil {
		return nil, err
	}
	all := fixedStages()
	for _, area := range areas {
		files, _, _ := strings.Cut(area, "+")
		all = append(all, makes("mutants-"+filepath.Base(files), "its tests notice 85 % of the mutants of "+files, "mutate",
			"FIGURE "+area+": killed ", "MUTATE="+area))
	}
	for _, t := range targets {
		proves := fmt.Sprintf("%s of generated input: 0 findings", fuzzing)
		all = append(all, stage{name: "fuzz-" + t.name, proves: proves, sees: "fuzz: elapsed: ", command: append(whole(),
			"go", "run", "./cmd/withpg", "--install", "--", "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fuzzing.String(), t.folder,
		)})
	}
	return all, nil
}

// fixedStages returns the stages that do not depend on the contents of the project's files.
func fixedStages() []stage {
	audit := makes("audit", "0 known faults can be reached, by a database 120 days old at most; 0 unjustified findings", "audit", "FIGURE unsafe code: 0 findings")
	audit.always = true
	return []stage{
		makes("reproducible", "two builds are one and the same", "reproducible", "two builds are the same"),
		audit,
		makes("sbom", "what the program is made of is written down, every module of it", "sbom", "FIGURE .bin/trestle.spdx.json: it names "),
		makes("race", "the race detector finds nothing in the short tests of the framework, the clinic and the store", "race", "ok  \ttrestle.example/framework\t"),
		tests("isolation", "the proofs that no caller reaches another's row, of all programs here, with 20 seeds: 0 false alarms", "./cmd/trestle", "TestProveRaisesNoFalseAlarm"),
		{
			name: "isolation-faults", proves: "the proof finds the faults of all servers that have some, on both databases",
			sees: "ok  \ttrestle.example/framework/internal/prove\t", command: append(
				whole(), proving.Variable+"=1", "go", "run", "./cmd/withpg", "--install", "--",
				"go", "test", "-count=1", "-timeout", "40m", "-run", "^Test", "./framework/internal/prove"),
		},
		tests("isolation-mutants", "the framework without one of its checks: the proof of a program fails", "./cmd/trestle", "TestProveFindsMutants"),
		tests("isolation-fresh", "65 mutants that were made after the proof: at least 55 are found", "./cmd/trestle", "TestFreshMutants"),
		tests("disconnects", "500 clients disconnect: 0 statements after 500 ms", "./cmd/trestle", "TestWhoIsGoneLeavesNoStatement"),
		tests("bombs", "gzip, depth, dripping connections: memory + 64 MiB at most, p99 of others under twice", "./cmd/trestle", "TestBombs"),
		tests("migrations", "8 replicas at once, 20 times, 5 killed: each migration once, no unlocking by hand", "./cmd/trestle", "TestReplicasMigrateAtOnce"),
		tests("outage", "database unavailable: 0 answers of 500, 503 p99 under 1 s (frozen: 3 s), recovery of every client under 5 s", "./cmd/trestle", "TestOutage"),
		tests("failover", "Patroni's leader killed under writes, 5 times, with synchronous replication: 0 acknowledged writes lost, 0 answers of 500, the first write 3 s after the promotion (median); planned switchover 4 s", "./cmd/trestle", "TestFailover"),
		tests("rolling", "2 replicas behind a proxy restarted 20 times: 0 failed requests", "./cmd/trestle", "TestRollingRestart"),
		tests("alerts", "Prometheus with deploy/alerts.yaml: 0 alerts in 30 s of calm; each alert fires under its trouble, and ends with it", "./cmd/trestle", "TestAlerts"),
		tests("crash", "50 kills of server and database under load: 0 lost, 0 twice, stock exact, requests for several patients done as a whole, histories complete", "./cmd/trestle", "TestAKillUnderLoadLosesNothing"),
		tests("deletions", "20 kills of a server on each database while rows are put several at once, deleted softly and restored: 0 lost, 0 in part, 0 entries of histories missing or extra, 0 answers without an entry of the reads", "./framework/internal/restore", "TestKillsLoseNoDeletion"),
		tests("logins", "rejected logins take the same time", "./framework/auth", "TestFailedLoginsTakeTheSameTime"),
		allTests("contract", "10,000 requests at least for each service: 0 answers of 5xx, 0 undocumented; every header that could override a method, at every address behind the guard of the staff", "./resources", "TestTheServicesKeepTheirContract"),
		allTests("store", "races for stock, a model of the store, and every hostile body at each write of the catalogue", "./resources/store/...", "TestTheStoreIsWhatItsModelIs"),
		allTests("clinic", "every hostile value in every place; the pages of 1,000 questions joined are the whole answer", "./resources/clinic", "TestPagesJoinedAreTheWholeAnswer"),
		tests("search", "any search reads a bounded number of words of 20,000 rows", "./framework/ranked", "TestCost"),
		tests("twice", "list and search at twice their capacity, server and clients on a core each: goodput 85 % of the capacity at least", "./cmd/trestle", "TestTwiceTheCapacity"),
		tests("serve", "32, 128 and 512 connections: 0 answers other than 2xx, p99 at most 2 x connections / throughput + p99 of 1 connection, goodput at 512 90 % of that at 32 and 95 % of a hand-written server's; 2,000 connections: 80 %, 256 MiB", "./cmd/trestle", "TestServesEveryone"),
		tests("fair", "8 greedy clients: a polite client at another address loses 0 of 200 requests, p95 500 ms; one at the same address loses 1 %, p95 1 s", "./cmd/trestle", "TestNobodyStarves"),
		tests("growth", "1,000,000 patients in place of 10,000: retrieve and create take at most 1.5 times as long, lists 3 times", "./cmd/trestle", "TestGrowth"),
		tests("console", "every page of the console as 4 kinds of users, on both databases, at 3 widths, light and dark: 0 violations of axe-core, none wider than its window, 0 messages of the browser, 0 requests to other hosts", "./cmd/trestle", "TestTheConsoleIsForEveryone"),
		tests("soak", "30 minutes at 70 %, 2 connections: 0 answers of 5xx; goroutines and files within 2 at rest and, beside those of connections, 5 (or 2 %) under load, the heap does not grow", "./cmd/trestle", "TestSoak"),
	}
}

// whole returns the beginning of a command, which removes the variables that could leave out a
// part of the stage.
func whole() []string {
	return []string{"env", "-u", "GOFLAGS", "-u", "MAKEFLAGS", "-u", "GNUMAKEFLAGS", "-u", "MAKEFILES", "-u", "TRESTLE_SEED"}
}

// makes returns a stage that runs a target of the Makefile. set sets variables of the target;
// variables of the environment and of a calling make cannot leave out a part of it. For the
// audit, the variable VULNDB, a copy of the vulnerability database, is part of the command.
func makes(name, proves, target, sees string, set ...string) stage {
	command := append(whole(), "-u", "MUTATE", "-u", "RACED")
	if copied := os.Getenv("VULNDB"); copied != "" && target == "audit" {
		command = append(command, "VULNDB="+copied)
	}
	command = append(command, set...)
	return stage{name: name, proves: proves, command: append(command, "make", "--no-print-directory", target), sees: sees}
}

// tests returns a stage that runs the long form of one test.
func tests(name, proves, folder, test string) stage {
	limit := "90m"
	if name == "soak" { // TRESTLE_SOAK may say eight hours
		limit = "24h"
	}
	changed := overrides(name)
	if len(changed) > 0 {
		proves += ", but with " + strings.Join(changed, " ")
	}
	command := append(append(whole(), proving.Variable+"=1"), changed...)
	return stage{name: name, proves: proves, sees: "--- PASS: " + test + " (", command: append(
		command, "go", "run", "./cmd/withpg", "--install", "--",
		"go", "test", "-count=1", "-timeout", limit, "-v", "-run", "^"+test+"$", folder,
	)}
}

// allTests returns the stage of tests, which then runs all tests of the folder.
func allTests(name, proves, folder, test string) stage {
	s := tests(name, proves, folder, test)
	s.command[len(s.command)-2] = "^Test"
	return s
}

// overrides returns the variables of the environment that change a stage, such as TRESTLE_SOAK,
// sorted. Their names begin with TRESTLE_ and the name of the stage.
func overrides(name string) (set []string) {
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "TRESTLE_"+strings.ToUpper(name)) {
			set = append(set, pair)
		}
	}
	slices.Sort(set)
	return set
}

var mutateDefault = regexp.MustCompile(`(?m)^MUTATE \?= (.+)$`)

// mutated returns the areas of the code that make mutate changes by default.
func mutated(makefile string) ([]string, error) {
	text, err := os.ReadFile(makefile)
	if err != nil {
		return nil, fmt.Errorf("looking for what make mutate changes (prove runs in the project's folder): %w", err)
	}
	line := mutateDefault.FindSubmatch(text)
	if line == nil {
		return nil, fmt.Errorf("%s does not say what make mutate changes: it has no line MUTATE ?= AREA", makefile)
	}
	return strings.Fields(string(line[1])), nil
}

// A target is a fuzz test.
type target struct{ name, folder string }

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzTargets finds the fuzz tests below folders, and sorts them by name.
func fuzzTargets(folders ...string) ([]target, error) {
	var found []target
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // the folders are the project's own
			for _, match := range fuzzFunction.FindAllStringSubmatch(string(text), -1) {
				found = append(found, target{match[1], "./" + filepath.ToSlash(filepath.Dir(path))})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("looking for fuzz tests (prove runs in the project's folder): %w", err)
		}
	}
	slices.SortFunc(found, func(a, b target) int { return strings.Compare(a.name, b.name) })
	return found, nil
}
