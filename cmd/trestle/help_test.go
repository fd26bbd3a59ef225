package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestHelp(t *testing.T) {
	for _, command := range []string{
		"", "serve", "migrate", "migrate up", "migrate down", "migrate status", "migrate new", "seed", "createsuperuser",
		"token", "token create", "token list", "token revoke", "routes", "openapi", "permissions", "check", "config", "doctor", "reindex", "backup", "restore", "health",
		"user", "user create", "user list", "user disable", "user enable", "user set-password", "user grant", "user revoke",
		"group", "group create", "group list", "group grant", "group revoke", "group join", "group leave", "jwt", "jwt keygen",
		"new", "generate", "generate resource",
	} {
		t.Run("trestle "+command, func(t *testing.T) {
			got := newRig(t, "").ok(command + " --help")
			golden(t, filepath.Join("testdata", "help", strings.ReplaceAll("trestle "+command, " ", "_")+".txt"), got)
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s; run the test with -update and read the difference:\n%s", file, got)
	}
}
