package nodejs

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
	for name, test := range map[string]struct {
		programs []string
		want     error
	}{
		"both":       {[]string{"node", "npm"}, nil},
		"npm alone":  {[]string{"npm"}, ErrNotInstalled},
		"node alone": {[]string{"node"}, ErrNotInstalled},
		"neither":    {nil, ErrNotInstalled},
	} {
		t.Run(name, func(t *testing.T) {
			folder := folderOf(t, test.programs...)
			t.Setenv("PATH", folder)
			got, err := find()
			if !errors.Is(err, test.want) {
				t.Fatalf("found %q, %v; want %v", got, err, test.want)
			}
			if err == nil && got != filepath.Join(folder, "npm") {
				t.Errorf("found %q; want npm", got)
			}
		})
	}
}

// TestTheErrorStatesWhatToDo in one sentence.
func TestTheErrorStatesWhatToDo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"apt-get install npm", "dnf install", "brew install"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
}

func TestInstallLeavesNodeAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs programs that are shell scripts")
	}
	t.Setenv("PATH", folderOf(t, "node", "npm"))
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("a program was run: %v\n%s", err, log.String())
	}
}

// folderOf returns a folder with programs that do nothing.
func folderOf(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
