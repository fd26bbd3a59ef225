package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A shownSetting is one element of what config --json prints.
type shownSetting struct {
	Setting, Flag, Value, From, Wrong string
}

// configured runs config, and returns what it shows by setting.
func (r *rig) configured(code int, words string) map[string]shownSetting {
	r.t.Helper()
	got := r.run("config --json " + words)
	got.is(r.t, code)
	var list []shownSetting
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil {
		r.t.Fatalf("%v: %s", err, got.stdout)
	}
	shown := map[string]shownSetting{}
	for _, s := range list {
		shown[s.Setting] = s
	}
	if len(shown) != len(list) || len(list) < 30 {
		r.t.Errorf("it shows %d settings, of which %d differ; want all, each once", len(list), len(shown))
	}
	return shown
}

func TestConfigShowsWhereValuesComeFrom(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@db.example/shop?sslmode=require&application_name=shop",
		"REDIS_URL=redis://:hidden@localhost:6379/1", "TRESTLE_PAGE_SIZE=30", "TRESTLE_LOG=",
		"TRESTLE_PASSWORD=hidden", "OTEL_EXPORTER_OTLP_HEADERS=Authorization=hidden", "TRESTLE_JWT_KEYS=a:HS256:aGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVu")
	shown := r.configured(exitOK, "--page-size 40 --hosts a.example,b.example")
	for setting, want := range map[string]shownSetting{
		"TRESTLE_PAGE_SIZE":  {Flag: "--page-size", Value: "40", From: "--page-size"},
		"TRESTLE_HOSTS":      {Flag: "--hosts", Value: "a.example,b.example", From: "--hosts"},
		"TRESTLE_DB_CONNS":   {Flag: "--db-conns", Value: "4", From: "TRESTLE_DB_CONNS"},
		"TRESTLE_LOG":        {Flag: "--log", Value: "text", From: "default"},
		"TRESTLE_PUBLIC_URL": {Flag: "--public-url", Value: "(the host that the request names)", From: "default"},
		"TRESTLE_JWT_KEYS":   {Value: "(set, and not shown)", From: "TRESTLE_JWT_KEYS"},
		"DATABASE_URL":       {Flag: "--database", Value: "postgres://***@db.example/shop?sslmode=require&application_name=shop", From: "DATABASE_URL"},
		"REDIS_URL":          {Flag: "--redis", Value: "redis://***@localhost:6379/1", From: "REDIS_URL"},
	} {
		want.Setting = setting
		if shown[setting] != want {
			t.Errorf("%+v; want %+v", shown[setting], want)
		}
	}
	text := r.ok("config --page-size 40")
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != len(shown)+1 || !slices.Equal(strings.Fields(lines[0]), []string{"SETTING", "VALUE", "FROM"}) {
		t.Errorf("it prints\n%s\nwant a line for each setting", text)
	}
	if strings.Contains(text, "hidden") {
		t.Errorf("it prints a secret:\n%s", text)
	}
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "cert.pem")
	for name, test := range map[string]struct {
		pair, words string
		setting     string
		value, says string
	}{
		"a wrong number":                  {"TRESTLE_PAGE_SIZE=many", "", "TRESTLE_PAGE_SIZE", "many", `TRESTLE_PAGE_SIZE is "many": it must be a whole number from 1 to 1000; for example TRESTLE_PAGE_SIZE=20`},
		"a wrong flag":                    {"X=", "--page-size many", "TRESTLE_PAGE_SIZE", "many", `--page-size is "many"`},
		"a database of no known kind":     {"DATABASE_URL=mysql://app:hidden@h/db", "", "DATABASE_URL", "(set, and not shown)", `the scheme "mysql" is not one of`},
		"a Redis that may be a secret":    {"REDIS_URL=hidden", "", "REDIS_URL", "(set, and not shown)", "this is not the address of a Redis server"},
		"a line that is two":              {"TRESTLE_LOG=text\nx", "", "TRESTLE_LOG", `"text\nx"`, "it must be text or json"},
		"a key that is short":             {"TRESTLE_JWT_KEYS=a:HS256:hiddenhi", "", "TRESTLE_JWT_KEYS", "(set, and not shown)", "HS256 needs at least 32 random bytes"},
		"no key in production":            {"TRESTLE_ENV=production", "", "TRESTLE_JWT_KEYS", "(generated for the process; required in production)", "in production the server generates no key"},
		"no name in production":           {"TRESTLE_ENV=production", "", "TRESTLE_PUBLIC_URL", "(the host that the request names)", "set TRESTLE_PUBLIC_URL (--public-url) or TRESTLE_HOSTS (--hosts)"},
		"metrics where the API is":        {"TRESTLE_METRICS_ADDR=127.0.0.1:8080", "", "TRESTLE_METRICS_ADDR", "127.0.0.1:8080", "the API is served there"},
		"a certificate without a key":     {"TRESTLE_TLS_CERT=" + nowhere, "", "TRESTLE_TLS_KEY", "(no TLS)", "name its key too"},
		"a key without a certificate":     {"TRESTLE_TLS_KEY=" + nowhere, "", "TRESTLE_TLS_CERT", "(no TLS)", "name its certificate too"},
		"a certificate that is not there": {"TRESTLE_TLS_CERT=" + nowhere, "--tls-key " + nowhere, "TRESTLE_TLS_CERT", nowhere, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "postgres://app:hidden@h/db", test.pair)
			got := r.configured(exitUsage, test.words)[test.setting]
			if got.Value != test.value || !strings.Contains(got.Wrong, test.says) {
				t.Errorf("%+v; want the value %q and that it says %q", got, test.value, test.says)
			}
			for _, form := range []string{"config ", "config --json "} {
				told := r.run(form + test.words)
				told.is(t, exitUsage, test.says)
				if strings.Contains(told.stdout+told.stderr, "hidden") {
					t.Errorf("%s shows a secret: %s%s", form, told.stdout, told.stderr)
				}
			}
		})
	}
}

const someKey = "TRESTLE_JWT_KEYS=a:HS256:aGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVuaGlkZGVu"

// What config finds wrong is what check finds wrong.
func TestConfigAgreesWithCheck(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"nothing is wrong":      {"X="},
		"one thing is wrong":    {"TRESTLE_ENV=production", "TRESTLE_HOSTS=a.example"},
		"many things are":       {"TRESTLE_ADDR=x", "TRESTLE_PAGE_SIZE=0", "TRESTLE_TLS_CERT=/nowhere.pem", "TRESTLE_JWT_KEYS=x"},
		"an unknown variable":   {"TRESTLE_ADR=x"},
		"no mail server":        {"TRESTLE_ENV=production", "TRESTLE_HOSTS=a.example", someKey},
		"production, all right": {"TRESTLE_ENV=production", "TRESTLE_HOSTS=a.example", someKey, "TRESTLE_SMTP_URL=" + aMailServer, "TRESTLE_MAIL_FROM=" + aSender},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sqliteURL(t), env...)
			check, shown := r.run("check"), r.run("config")
			if check.code != shown.code || len(strings.Split(check.stderr, "\n")) != len(strings.Split(shown.stderr, "\n")) {
				t.Errorf("check ends with %d and says %q; config with %d and says %q", check.code, check.stderr, shown.code, shown.stderr)
			}
		})
	}
}
