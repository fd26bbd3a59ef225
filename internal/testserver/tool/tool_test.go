package tool

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/testserver/fakeprogram"
)

func TestFind(t *testing.T) {
	empty, folder := t.TempDir(), fakeprogram.Folder(t, "", "haproxy")
	program := filepath.Join(folder, "haproxy")
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
