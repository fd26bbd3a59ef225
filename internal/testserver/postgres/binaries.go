package postgres

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without the server
// programs of PostgreSQL 15 or newer.
var ErrNotInstalled = errors.New("PostgreSQL 15 or newer (initdb, pg_ctl, postgres) was found neither in PATH nor where systems install it: " +
	"install it (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql@17), " +
	"or set TEST_DATABASE_URL to a server's address, such as postgres://user:password@localhost:5432/postgres")

const oldestVersion = 15

// Programs returns the folder of the PostgreSQL programs, for a test that starts servers
// itself. Without them the error is [ErrNotInstalled].
func Programs(ctx context.Context) (string, error) { return findBinaries(ctx) }

// findBinaries returns the folder of the PostgreSQL programs to use.
func findBinaries(ctx context.Context) (string, error) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if dir, version := binariesIn(ctx, dir); version >= oldestVersion {
			return dir, nil
		}
	}
	if dir, version := findNewest(ctx, installPlaces()); version >= oldestVersion {
		return dir, nil
	}
	return "", ErrNotInstalled
}

// installPlaces are patterns of folders that are often not in PATH.
func installPlaces() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",       // Debian, Ubuntu
		"/usr/pgsql-*/bin",                // packages of postgresql.org for Fedora and similar systems
		"/usr/libexec/postgresql*",        // Alpine
		"/opt/homebrew/opt/postgres*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgres*/bin",    // Homebrew on Intel
		"/home/linuxbrew/.linuxbrew/opt/postgres*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	}
}

func findNewest(ctx context.Context, patterns []string) (string, int) {
	type place struct {
		dir     string
		version int
	}
	var found []place
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(pattern) // the only error is a malformed pattern; ours are constant
		for _, match := range matches {
			dir, version := binariesIn(ctx, match)
			found = append(found, place{dir, version})
		}
	}
	if len(found) == 0 {
		return "", 0
	}
	best := slices.MaxFunc(found, func(a, b place) int { return cmp.Compare(a.version, b.version) })
	return best.dir, best.version
}

// binariesIn returns the real folder behind dir and the major version of the PostgreSQL
// in it. The version is 0 if a program is missing: a PATH often contains only links to
// some of the programs.
func binariesIn(ctx context.Context, dir string) (string, int) {
	initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
	if err != nil || !filepath.IsAbs(initdb) {
		return "", 0
	}
	dir = filepath.Dir(initdb)
	for _, name := range []string{"pg_ctl", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return "", 0
		}
	}
	output, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return "", 0
	}
	return dir, majorVersion(string(output))
}

// majorVersion reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func majorVersion(output string) int {
	match := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindStringSubmatch(output)
	if match == nil {
		return 0
	}
	version, _ := strconv.Atoi(match[1]) // digits; one too long is no version
	return version
}
