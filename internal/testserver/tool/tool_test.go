package tool

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
	empty, folder := t.TempDir(), t.TempDir()
	program := filepath.Join(folder, "haproxy")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"in PATH": folder, "outside PATH": empty} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", path)
			if got, err := HAProxy.find("", folder+"/"); err != nil || got != program {
				t.Errorf("found %q, %v; want %q", got, err, program)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("PATH", empty)
		if got, err := HAProxy.find("", empty+"/"); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("found %q, %v; want ErrNotInstalled", got, err)
		}
	})
}

func TestTheErrorStatesHowToInstall(t *testing.T) {
	t.Parallel()
	for tool, inPackage := range map[Tool]string{Caddy: "caddy", Nginx: "nginx", Promtool: "prometheus"} {
		_, err := tool.find()
		for _, part := range []string{string(tool) + " is not installed", "/usr/sbin", "apt-get install " + inPackage, "dnf install", "brew install"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		}
	}
}

func TestInstallLeavesInstalledTools(t *testing.T) {
	t.Parallel()
	shell := Tool("sh") // every machine that runs these tests has a shell
	var log strings.Builder
	if err := Install(t.Context(), &log, shell); err != nil || log.Len() > 0 {
		t.Errorf("a program was run: %v\n%s", err, log.String())
	}
}
