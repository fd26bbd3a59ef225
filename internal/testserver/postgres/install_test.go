package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestInstallLeavesAnInstalledPostgreSQLAlone(t *testing.T) {
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("a program was run:\n%s", log.String())
	}
}

func TestDeclineDefaultCluster(t *testing.T) {
	t.Parallel()
	const declined = "create_main_cluster = false\n"
	for name, test := range map[string]struct{ before, after string }{
		"no file yet":             {"", declined},
		"the package's own file":  {"# Default values\n#create_main_cluster = true\nssl = on\n", "# Default values\n#create_main_cluster = true\nssl = on\n" + declined},
		"a file that asks for it": {"create_main_cluster = true\nssl = on\n", "ssl = on\n" + declined},
		"already declined":        {declined, declined},
		"no newline at the end":   {"ssl = on", "ssl = on\n" + declined},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "postgresql-common", "createcluster.conf")
			if test.before != "" {
				write(t, file, test.before, 0o644)
			}
			if err := declineDefaultCluster(file); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.after {
				t.Errorf("the file holds %q; want %q", got, test.after)
			}
		})
	}
}

func TestMajorVersion(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1\n":                        18,
		"postgres (PostgreSQL) 9.6.24\n":                         9,
		"another program 17\n":                                   0,
		"":                                                       0,
	} {
		if got := majorVersion(output); got != want {
			t.Errorf("version %d in %q; want %d", got, output, want)
		}
	}
}

func TestFindBinaries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs programs that are shell scripts")
	}
	t.Run("passes over an old, an incomplete and a missing folder of PATH", func(t *testing.T) {
		incomplete, old, good := t.TempDir(), programs(t, "14.9"), programs(t, "16.2")
		write(t, filepath.Join(incomplete, "initdb"), "#!/bin/sh\n", 0o755)
		setPath(t, filepath.Join(incomplete, "none"), incomplete, old, good)
		if got, err := findBinaries(t.Context()); err != nil || got != good {
			t.Errorf("found %q, %v; want %q", got, err, good)
		}
	})
	t.Run("follows a link in PATH to the folder with all programs", func(t *testing.T) {
		good, links := programs(t, "17.0"), t.TempDir()
		if err := os.Symlink(filepath.Join(good, "initdb"), filepath.Join(links, "initdb")); err != nil {
			t.Fatal(err)
		}
		setPath(t, links)
		if got, err := findBinaries(t.Context()); err != nil || got != good {
			t.Errorf("found %q, %v; want %q", got, err, good)
		}
	})
	t.Run("takes the newest of the usual places", func(t *testing.T) {
		root := t.TempDir()
		for _, version := range []string{"15", "9", "18", "17"} {
			if err := os.Rename(programs(t, version), filepath.Join(root, version)); err != nil {
				t.Fatal(err)
			}
		}
		dir, version := findNewest(t.Context(), []string{filepath.Join(root, "*")})
		if want := filepath.Join(root, "18"); dir != want || version != 18 {
			t.Errorf("found %q, version %d; want %q, version 18", dir, version, want)
		}
	})
	t.Run("finds nothing where there is nothing", func(t *testing.T) {
		if dir, version := findNewest(t.Context(), []string{filepath.Join(t.TempDir(), "*")}); version != 0 {
			t.Errorf("found %q, version %d", dir, version)
		}
	})
}

func TestTheErrorStatesWhatToDo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"apt-get install", "dnf install", "brew install", "TEST_DATABASE_URL"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
	if errors.Unwrap(ErrNotInstalled) != nil {
		t.Error("the sentence should stand alone")
	}
}

// programs returns a folder of stand-ins that only print a version.
func programs(t *testing.T, version string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		write(t, filepath.Join(dir, name), "#!/bin/sh\necho '"+name+" (PostgreSQL) "+version+"'\n", 0o755)
	}
	return dir
}

func setPath(t *testing.T, dirs ...string) {
	t.Helper()
	t.Setenv("PATH", strings.Join(dirs, string(os.PathListSeparator)))
}

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
