package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trestle.example/internal/testserver/nodejs"
)

// clients is where the clients are that are made of the reference.
var clients = filepath.Join("..", "..", "examples", "clients")

// TestTheClientsAreOfThisReference and not of an older one. Those of Go are
// tested in their own module.
func TestTheClientsAreOfThisReference(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile(filepath.Join(clients, "openapi.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	now := sha256.Sum256([]byte(newRig(t, "").ok("openapi")))
	if sum, _, _ := strings.Cut(string(recorded), " "); sum != hex.EncodeToString(now[:]) {
		t.Error("the reference has changed since the clients in examples/clients were made of it: run make clients")
	}
}

// TestTheTypeScriptClient compiles, and its flows run against the program, whose
// reference is as redocly recommends. Ajv in its strict mode compiles every schema.
func TestTheTypeScriptClient(t *testing.T) {
	if testing.Short() {
		t.Skip("installs a compiler")
	}
	t.Parallel()
	npm, folder := nodejs.NPM(t), copyOf(t, filepath.Join(clients, "typescript"))
	const reference = "openapi.json"
	if err := os.WriteFile(filepath.Join(folder, reference), []byte(newRig(t, "").ok("openapi")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startProgram(t, buildProgram(t), sqliteURL(t))
	admin := regexp.MustCompile(`(?m)^(admin@\S+)\s+(\S+)`).FindStringSubmatch(s.before)
	if admin == nil {
		t.Fatalf("the program prints no demo user: %s", s.before)
	}
	for _, args := range [][]string{{"ci", "--prefer-offline"}, {"run", "lint", "--", reference}, {"run", "strict", "--", reference}, {"test"}} {
		cmd := exec.CommandContext(t.Context(), npm, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "TRESTLE_URL="+s.base(t), "TRESTLE_EMAIL="+admin[1], "TRESTLE_PASSWORD="+admin[2])
		if printed, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("npm %s: %v: %s", strings.Join(args, " "), err, printed)
		}
	}
}

// copyOf is a folder with the same files, but for what was installed or
// compiled in subfolders.
func copyOf(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
