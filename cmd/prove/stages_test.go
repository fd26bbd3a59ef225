package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEveryStageIsThere: its test, its folder or the target of make, under a name
// of its own.
func TestEveryStageIsThere(t *testing.T) {
	t.Chdir("../..")
	all, err := stages(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		if names = append(names, s.name); s.sees == "" {
			t.Errorf("%s: whatever its command does, it has proved something", s.name)
		}
		if slices.Contains(s.command, "make") {
			if target := s.command[len(s.command)-1]; !strings.Contains(string(makefile), "\n"+target+":") {
				t.Errorf("%s: there is no make %s", s.name, target)
			}
			continue
		}
		if of, one, found := strings.Cut(strings.TrimSuffix(s.sees, " ("), "PASS: "); found && !hasTest(t, s.command[len(s.command)-1], one) {
			t.Errorf("%s: there is no test %s, which %s says has passed", s.name, one, of)
		}
		at := max(slices.Index(s.command, "-run"), slices.Index(s.command, "-fuzz"))
		pattern, folder := strings.Trim(s.command[at+1], "^$"), s.command[len(s.command)-1]
		if !hasTest(t, folder, pattern) {
			t.Errorf("%s: %s has no test %s", s.name, folder, pattern)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("two stages have one name: %v", names)
	}
}

// hasTest reports whether a folder, or for "/..." the highest of several, has a test
// whose name is, or begins as, this.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(strings.TrimSuffix(folder, "/..."), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?m)^func ` + name + `\(`)
	if name == "Test" {
		pattern = regexp.MustCompile(`(?m)^func Test`)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && pattern.Match(text)
	})
}

func TestAStageOfATestThatIsOverriddenIsAnother(t *testing.T) {
	t.Setenv("TRESTLE_SOAK", "8h")
	t.Setenv("TRESTLE_SOAK_RATE", "7")
	env := strings.Join(whole(), " ")
	for name, want := range map[string]struct{ command, proves string }{
		"soak": {env + " TRESTLE_PROVE=1 TRESTLE_SOAK=8h TRESTLE_SOAK_RATE=7 go run ./cmd/withpg --install -- " +
			"go test -count=1 -timeout 24h -v -run ^TestSoak$ ./here", "it stands, but with TRESTLE_SOAK=8h TRESTLE_SOAK_RATE=7"},
		"other": {env + " TRESTLE_PROVE=1 go run ./cmd/withpg --install -- go test -count=1 -timeout 90m -v -run ^TestSoak$ ./here", "it stands"},
	} {
		got := tests(name, "it stands", "./here", "TestSoak")
		if command := strings.Join(got.command, " "); command != want.command || got.proves != want.proves {
			t.Errorf("%s is\n%s\nand proves %s; want\n%s\nand %s", name, command, got.proves, want.command, want.proves)
		}
	}
}

func TestEveryMutatedAreaIsAStage(t *testing.T) {
	t.Chdir("../..")
	all, err := stages(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	areas, err := mutated("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, area := range areas {
		if !slices.ContainsFunc(all, func(s stage) bool {
			return slices.Contains(s.command, "MUTATE="+area) && strings.Contains(s.sees, area)
		}) {
			t.Errorf("none changes %s", area)
		}
		files, tests, _ := strings.Cut(area, "+")
		for _, pattern := range []string{files + "/*.go", files + "*.go"} {
			if found, _ := filepath.Glob(pattern); len(found) > 0 {
				files = ""
			}
		}
		if found, _ := filepath.Glob(tests + "/*_test.go"); files != "" || tests != "" && len(found) == 0 {
			t.Errorf("%s names no files, or no tests", area)
		}
	}
	for name, test := range map[string]struct{ makefile, want string }{
		"none":     {"", "no such file"},
		"no areas": {"MUTATE := a", "does not say"},
	} {
		at := filepath.Join(t.TempDir(), "Makefile")
		if test.makefile != "" {
			if err := os.WriteFile(at, []byte(test.makefile), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := mutated(at); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestNamedStages(t *testing.T) {
	t.Parallel()
	all := []stage{{name: "crash"}, {name: "fuzz-A"}, {name: "fuzz-B"}}
	for name, test := range map[string]struct{ words, want string }{
		"all":                  {"", "crash fuzz-A fuzz-B"},
		"one":                  {"crash", "crash"},
		"those that begin so":  {"fuzz", "fuzz-A fuzz-B"},
		"in the order asked":   {"fuzz-B crash", "fuzz-B crash"},
		"one twice, once":      {"fuzz fuzz-B", "fuzz-A fuzz-B"},
		"none":                 {"crush", "error"},
		"one and one of none":  {"crash crush", "error"},
		"not in the middle":    {"A", "error"},
		"the case tells apart": {"Crash", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := named(all, strings.Fields(test.words))
			var names []string
			for _, s := range got {
				names = append(names, s.name)
			}
			if err != nil {
				names = []string{"error"}
			}
			if strings.Join(names, " ") != test.want {
				t.Errorf("they are %v, %v; want %s", names, err, test.want)
			}
		})
	}
}

func TestCalls(t *testing.T) {
	t.Chdir("../..")
	for name, test := range map[string]struct {
		call           string
		code           int
		stdout, stderr string
	}{
		"the list":       {"--list", exitOK, "twice ", ""},
		"part of it":     {"--list soak", exitOK, "soak ", ""},
		"no such stage":  {"sock", exitUsage, "", `prove: no stage is called "sock"; --list prints them`},
		"no such flag":   {"--sock", exitUsage, "", "usage: prove"},
		"help":           {"--help", exitOK, "", "usage: prove"},
		"no time at all": {"--fuzz long", exitUsage, "", "usage: prove"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), strings.Fields(test.call), &stdout, &stderr)
			if code != test.code || !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("exit code %d, %q, %q; want %d, %q, %q", code, stdout.String(), stderr.String(), test.code, test.stdout, test.stderr)
			}
		})
	}
	t.Run("elsewhere", func(t *testing.T) {
		t.Chdir(t.TempDir())
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"--list"}, &stdout, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "prove runs in the project's folder") {
			t.Errorf("exit code %d, %q", code, stderr.String())
		}
	})
}
