package nodejs

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/testserver/fakeprogram"
)

func TestFind(t *testing.T) {
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
			folder := fakeprogram.Folder(t, "", test.programs...)
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
	t.Setenv("PATH", fakeprogram.Folder(t, "", "node", "npm"))
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("a program was run: %v\n%s", err, log.String())
	}
}
