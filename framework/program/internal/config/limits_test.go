package config

import (
	"testing"
	"time"
)

// TestLimitSettings as the server gets them.
func TestLimitSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		c     Config
		delay time.Duration
	}{
		"by default":               {Config{limitConfig: limitConfig{drainDelay: -1}}, 0},
		"by default in production": {Config{Production: true, limitConfig: limitConfig{drainDelay: -1}}, 3 * time.Second},
		"as it is set":             {Config{Production: true, limitConfig: limitConfig{drainDelay: time.Second}}, time.Second},
	} {
		if got := test.c.Delay(); got != test.delay {
			t.Errorf("%s: a delay of %s; want %s", name, got, test.delay)
		}
	}
}

// TestPathOfTheConsole: a setting wins over the declaration, and the declaration over the default of programs with users.
func TestPathOfTheConsole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		setting, declared string
		users             bool
		want              string
	}{
		{"", "", true, "/admin/"},
		{"", "", false, ""},
		{"", "/people/", true, "/people/"},
		{"", "/people/", false, "/people/"},
		{"/staff/", "/people/", true, "/staff/"},
		{"/staff/", "", false, "/staff/"},
		{"on", "/people/", false, "/admin/"},
		{"off", "/people/", true, ""},
		{"No", "", true, ""},
	} {
		c, err := configOf(t, nil, "TRESTLE_CONSOLE="+test.setting)
		if got := c.ConsolePath(test.declared, test.users); err != nil || got != test.want {
			t.Errorf("the setting %q, declared %q, users %t: %q, %v; want %q", test.setting, test.declared, test.users, got, err, test.want)
		}
	}
}
