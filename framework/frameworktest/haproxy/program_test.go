package haproxy

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs programs that are shell scripts")
	}
	folder, away := t.TempDir(), t.TempDir()
	program := filepath.Join(away, "haproxy")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"in PATH": away, "where PATH does not lead": folder} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", path)
			if got, err := find("haproxy", program); err != nil || got != program {
				t.Errorf("found %q, %v; want %q", got, err, program)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("PATH", folder)
		if got, err := find("haproxy", filepath.Join(folder, "haproxy")); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("found %q, %v; want ErrNotInstalled", got, err)
		}
	})
}

// TestTheRefusalSaysWhatToDo in one sentence.
func TestTheRefusalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"/usr/sbin", "apt-get install haproxy", "dnf install", "brew install"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
}

func TestInstallLeavesHAProxyAlone(t *testing.T) {
	t.Parallel()
	if _, err := Program(); err != nil {
		t.Skip(err)
	}
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("something was run: %v\n%s", err, log.String())
	}
}
