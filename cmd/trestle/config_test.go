package main

import (
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// configOf reads the settings of a server.
func configOf(t *testing.T, args []string, env ...string) (config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	addSettings(flags, true)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return readConfig(flags, variables(env))
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := configOf(t, nil, "TRESTLE_ADDR=", "DATABASE_URL=") // empty is absent
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs("data/trestle.db")
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		addr: "127.0.0.1:8080", databaseURL: "sqlite://" + file, pageSize: 20, dbConns: 16,
		statementTimeout: 10 * time.Second, requestTimeout: 15 * time.Second, prepare: true, logLevel: slog.LevelInfo,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestAFlagBeatsAVariableBeatsADefault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args, env []string
		want      int
	}{
		"neither":                               {nil, nil, 20},
		"the variable":                          {nil, []string{"TRESTLE_PAGE_SIZE=30"}, 30},
		"the flag":                              {[]string{"--page-size=40"}, nil, 40},
		"both":                                  {[]string{"--page-size=40"}, []string{"TRESTLE_PAGE_SIZE=30"}, 40},
		"a variable wrong that a flag replaces": {[]string{"--page-size=40"}, []string{"TRESTLE_PAGE_SIZE=no"}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := configOf(t, test.args, test.env...)
			if err != nil || got.pageSize != test.want {
				t.Errorf("page size %d, %v; want %d", got.pageSize, err, test.want)
			}
		})
	}
}

func TestEverySettingFromItsVariable(t *testing.T) {
	t.Parallel()
	got, err := configOf(t, nil,
		"TRESTLE_ADDR=[::1]:09", "DATABASE_URL=postgres://h/db", "TRESTLE_PUBLIC_URL=https://api.example.org/", "TRESTLE_HOSTS= a.example, ::1,,[::2]",
		"TRESTLE_PAGE_SIZE=7", "TRESTLE_DB_CONNS=8", "TRESTLE_STATEMENT_TIMEOUT=2s", "TRESTLE_REQUEST_TIMEOUT=3s", "TRESTLE_PREPARE=OFF",
		"TRESTLE_LOG=json", "TRESTLE_LOG_LEVEL=Warn", "TRESTLE_ENV=production")
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		addr: "[::1]:9", databaseURL: "postgres://h/db", publicURL: "https://api.example.org", hosts: []string{"a.example", "::1", "[::2]"},
		pageSize: 7, dbConns: 8, statementTimeout: 2 * time.Second, requestTimeout: 3 * time.Second,
		logJSON: true, logLevel: slog.LevelWarn, production: true,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestWrongValues(t *testing.T) {
	t.Parallel()
	for pair, says := range map[string]string{
		"TRESTLE_ADDR=8080":                        "a host and a port",
		"TRESTLE_ADDR=localhost:http":              "from 0 to 65535",
		"TRESTLE_ADDR=:70000":                      "from 0 to 65535",
		"TRESTLE_ADDR=a/b:1":                       "a name or an IP address",
		"TRESTLE_PUBLIC_URL=api.example.org":       "begins with https://",
		"TRESTLE_PUBLIC_URL=ftp://api.example.org": "begins with https://",
		"TRESTLE_PUBLIC_URL=https://":              "begins with https://",
		"TRESTLE_PUBLIC_URL=https://a.example?x=1": "nothing of a user, a query or a fragment",
		"TRESTLE_PUBLIC_URL=https://a:hidden@b":    "nothing of a user, a query or a fragment",
		"TRESTLE_HOSTS=https://a.example":          "without scheme, port or path",
		"TRESTLE_HOSTS=a.example:8080":             "without scheme, port or path",
		"TRESTLE_HOSTS=*.example":                  "without scheme, port or path",
		"TRESTLE_PAGE_SIZE=0":                      "from 1 to 1000",
		"TRESTLE_PAGE_SIZE=twenty":                 "from 1 to 1000",
		"TRESTLE_DB_CONNS=-1":                      "from 1 to 10000",
		"TRESTLE_STATEMENT_TIMEOUT=10":             "a time with its unit",
		"TRESTLE_STATEMENT_TIMEOUT=1ms":            "from 100ms to 1h0m0s",
		"TRESTLE_REQUEST_TIMEOUT=2m":               "from 100ms to 50s",
		"TRESTLE_PREPARE=maybe":                    "on or off",
		"TRESTLE_LOG=xml":                          "text or json",
		"TRESTLE_LOG_LEVEL=loud":                   "debug, info, warn or error",
		"TRESTLE_ENV=prod":                         "development or production",
	} {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(pair, "=")
			_, err := configOf(t, nil, pair)
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, words := range []string{name + " is ", says, "for example " + name + "="} {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q; want it to say %q", err, words)
				}
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("it shows a password: %v", err)
			}
		})
	}
}

func TestAllWrongValuesAtOnce(t *testing.T) {
	t.Parallel()
	got := newRig(t, "postgres://app:hidden@host", "TRESTLE_ADDR=x", "TRESTLE_LOG=y").run("serve --page-size z")
	got.is(t, exitUsage, "TRESTLE_ADDR", "TRESTLE_LOG", "--page-size", "it names no database after the host")
	if strings.Contains(got.stderr, "hidden") {
		t.Errorf("it shows the password: %s", got.stderr)
	}
}

func TestEveryExampleIsRight(t *testing.T) {
	t.Parallel()
	for _, s := range settings() {
		if s.example == "" {
			continue
		}
		if err := s.read(&config{}, s.example); err != nil {
			t.Errorf("the example of %s: %v", s.variable, err)
		}
	}
}
