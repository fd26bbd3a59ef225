package django

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/testserver/fakeprogram"
)

func TestFind(t *testing.T) {
	with, without := python(t, "exit 0"), python(t, "exit 1")
	for name, test := range map[string]struct {
		candidates []string
		want       string
		err        error
	}{
		"the first has the packages":       {[]string{with, without}, with, nil},
		"only the second has the packages": {[]string{without, with}, with, nil},
		"a Python without the packages":    {[]string{without}, "", ErrNotInstalled},
		"no Python":                        {[]string{"/no/such/python"}, "", ErrNotInstalled},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := find(t.Context(), test.candidates...)
			if got != test.want || !errors.Is(err, test.err) {
				t.Errorf("found %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}

// TestTheErrorStatesWhatToDo in one sentence.
func TestTheErrorStatesWhatToDo(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"apt-get install python3-django ", "python3-django-filters", "pip install"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
}

func TestInstallLeavesDjangoAlone(t *testing.T) {
	t.Setenv("PATH", fakeprogram.Folder(t, "exit 0", "python3"))
	var log strings.Builder
	if err := Install(t.Context(), &log); err != nil || log.Len() > 0 {
		t.Errorf("a program was run: %v\n%s", err, log.String())
	}
}

// python makes a Python that runs a line of shell, and returns its path.
func python(t *testing.T, line string) string {
	t.Helper()
	return filepath.Join(fakeprogram.Folder(t, line, "python3"), "python3")
}
