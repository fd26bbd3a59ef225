package main

import (
	"strings"
	"testing"
)

func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variable string
		says     string // "" for no warning
	}{
		"an underscore left out":            {"TRESTLE_PAGESIZE", "did you mean TRESTLE_PAGE_SIZE?"},
		"two letters swapped":               {"TRESTLE_ADRD", "did you mean TRESTLE_ADDR?"},
		"a letter left out":                 {"TRESTLE_HOST", "did you mean TRESTLE_HOSTS?"},
		"a letter too many":                 {"TRESTLE_LOGLEVELL", "did you mean TRESTLE_LOG_LEVEL?"},
		"one without the program's name":    {"TRESTLE_DATABASE_URL", "did you mean DATABASE_URL?"},
		"nothing like a setting":            {"TRESTLE_FAVOURITE_COLOUR", "trestle serve --help lists them"},
		"a setting that was removed":        {"TRESTLE_MAX_REQUESTS", "trestle serve --help lists them"},
		"a setting":                         {"TRESTLE_PAGE_SIZE", ""},
		"the password of a superuser":       {"TRESTLE_PASSWORD", ""},
		"for the program's tests":           {"TRESTLE_TEST_X", ""},
		"another program's":                 {"PAGESIZE", ""},
		"another program's, of our letters": {"TRESTLEBOARD", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, call := range []string{"check", "routes", "migrate up", "token list --email a@example.com"} {
				got := newRig(t, sqliteURL(t), test.variable+"=7").run(call)
				warned := strings.Contains(got.stderr, "is no setting and has no effect")
				if warned != (test.says != "") || !strings.Contains(got.stderr, test.says) || warned && !strings.Contains(got.stderr, test.variable) {
					t.Errorf("%s says %q; want %q", call, got.stderr, test.says)
				}
			}
		})
	}
}
