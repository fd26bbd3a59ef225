package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func digits(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// floors are the oldest versions of modules that may be built, for what was
// mended in them: databases of vulnerabilities do not have all of it.
var floors = map[string]string{
	"github.com/labstack/echo/v4":                  "v4.16.0", // spoofed schemes, encoded paths past guards
	"github.com/uptrace/bun":                       "v1.3.0",  // comments made of negative numbers, NUL in text
	"github.com/uptrace/bun/dialect/pgdialect":     "v1.3.0",  // of bun's own version, or it panics
	"github.com/uptrace/bun/dialect/sqlitedialect": "v1.3.0",
	"github.com/uptrace/bun/driver/pgdriver":       "v1.2.18", // sqldb checks certificates itself
	"github.com/golang-jwt/jwt/v5":                 "v5.3.1",  // memory taken by tokens of many dots
	"github.com/redis/go-redis/v9":                 "v9.23.0",
	"golang.org/x/crypto":                          "v0.58.0",
	"golang.org/x/net":                             "v0.60.0",
	"google.golang.org/grpc":                       "v1.82.1", // GO-2026-6061, by the exporter of traces
	"modernc.org/sqlite":                           "v1.60.1",
}

// modulesOf are the versions of a go.mod.
func modulesOf(file string) map[string]string {
	versions := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\s*(?:require )?([a-z0-9.]+\.[a-z]+/\S+) (v\S+)`).FindAllStringSubmatch(file, -1) {
		versions[line[1]] = line[2]
	}
	return versions
}

// older reports whether a version comes before another; a suffix after the three
// numbers makes it older.
func older(version, floor string) bool {
	var a, b [3]int
	if _, err := fmt.Sscanf(version, "v%d.%d.%d", &a[0], &a[1], &a[2]); err != nil {
		return true
	}
	if _, err := fmt.Sscanf(floor, "v%d.%d.%d", &b[0], &b[1], &b[2]); err != nil {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return strings.Contains(version, "-") && !strings.Contains(floor, "-")
}

func TestDependencyFloors(t *testing.T) {
	t.Parallel()
	file := project(t, "go.mod")
	versions := modulesOf(file)
	if len(versions) < 50 {
		t.Fatalf("go.mod is read as %d modules", len(versions))
	}
	for module, floor := range floors {
		if older(versions[module], floor) {
			t.Errorf("%s has version %q; want at least %s", module, versions[module], floor)
		}
	}
	for _, dialect := range []string{"pgdialect", "sqlitedialect"} {
		if versions["github.com/uptrace/bun/dialect/"+dialect] != versions["github.com/uptrace/bun"] {
			t.Errorf("%s has version %s; want that of bun", dialect, versions["github.com/uptrace/bun/dialect/"+dialect])
		}
	}
	if strings.Contains(file, "\nreplace ") {
		t.Error("go.mod replaces a module, which whoever imports this one does not")
	}
}

func TestOlder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version, floor string
		want           bool
	}{
		"the same":                {"v1.2.3", "v1.2.3", false},
		"a newer patch":           {"v1.2.10", "v1.2.9", false},
		"an older patch":          {"v1.2.9", "v1.2.10", true},
		"a newer minor version":   {"v1.10.0", "v1.9.9", false},
		"an older major version":  {"v1.99.0", "v2.0.0", true},
		"what comes before it":    {"v1.2.3-rc.1", "v1.2.3", true},
		"a version that is none":  {"", "v1.2.3", true},
		"an unreleased newer one": {"v1.2.4-0.20260101000000-abcdef123456", "v1.2.3", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := older(test.version, test.floor); got != test.want {
				t.Errorf("%s before %s: %t; want %t", test.version, test.floor, got, test.want)
			}
		})
	}
}
