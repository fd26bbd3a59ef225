package chromium

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/testserver/fakeprogram"
)

func TestFind(t *testing.T) {
	own := filepath.Join(fakeprogram.Folder(t, "", "own"), "own")
	for name, test := range map[string]struct{ configured, path, want string }{
		"in PATH":                              {"", fakeprogram.Folder(t, "", "chromium"), "chromium"},
		"without a screen before with one":     {" ", fakeprogram.Folder(t, "", "chromium", "chromium-headless-shell"), "chromium-headless-shell"},
		"the one that is named, before others": {own, fakeprogram.Folder(t, "", "chromium"), "own"},
		"the one that is named, by name":       {"google-chrome", fakeprogram.Folder(t, "", "chromium", "google-chrome"), "google-chrome"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			if got, err := find(test.configured); err != nil || filepath.Base(got) != test.want {
				t.Errorf("found %q, %v; want %s", got, err, test.want)
			}
		})
	}
	t.Run("a wrong TEST_BROWSER is a mistake, whatever is in PATH", func(t *testing.T) {
		t.Setenv("PATH", fakeprogram.Folder(t, "", "chromium"))
		if got, err := find("/no/such/browser"); err == nil || !strings.HasPrefix(err.Error(), "TEST_BROWSER does not name a program: ") {
			t.Errorf("found %q, %v", got, err)
		}
	})
}

// TestTheErrorStatesWhatToDo in one sentence.
func TestTheErrorStatesWhatToDo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"apt-get install", "dnf install", "brew install", "TEST_BROWSER"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
	if errors.Unwrap(ErrNotInstalled) != nil {
		t.Error("the sentence should stand alone")
	}
}

func TestInstallLeavesABrowserAlone(t *testing.T) {
	t.Setenv("PATH", fakeprogram.Folder(t, "", "chromium"))
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("a program was run: %v\n%s", err, log.String())
	}
}
