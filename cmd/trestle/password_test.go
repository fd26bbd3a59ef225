package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestThePasswordOfTheDatabaseIsNeverShown: no command shows it, for any fault in the
// URL and any way of setting it.
func TestThePasswordOfTheDatabaseIsNeverShown(t *testing.T) {
	t.Parallel()
	// Three commands read, report and use the address in all ways; the others do as one of them.
	each := []string{"config", "doctor --json", "migrate status"}
	others := []string{
		"check", "config --json", "doctor", "migrate up", "migrate down --yes", "seed", "reindex patients", "user list", "group list",
		"createsuperuser --email a@example.com", "backup " + filepath.Join(t.TempDir(), "a"), "restore /nowhere", "health", "routes", "permissions", "openapi",
	}
	const unread, unreached = "a slash", "two hosts"
	wrong := map[string]string{
		"two hosts":                        "postgres://u:S3CRET@127.0.0.1:1,127.0.0.2:1/x?target_session_attrs=read-write",
		"one host that is away":            "postgres://u:S3CRET@127.0.0.1:1/x",
		"two hosts and a wrong port":       "postgres://u:S3CRET@h1:5432,h2:x/x",
		"two hosts without a name":         "postgres://u:S3CRET@h1:5432,h2:5432",
		"IPv6 that is not closed":          "postgres://u:S3CRET@[::1/x",
		"a slash":                          "postgres://u:SE/CRET@h/x",
		"digits and a slash":               "postgres://u:12/S3CRET@h/x",
		"digits and a question mark":       "postgres://u:12?S3CRET@h/x",
		"a number sign":                    "postgres://u:SE#CRET@h/x",
		"a percent sign":                   "postgres://u:S3CRET%@h/x",
		"a space":                          "postgres://u:S3CRET x@h/x",
		"a line end":                       "postgres://u:S3CRET\n@h/x",
		"one slash":                        "postgres:/u:S3CRET@h/x",
		"no scheme":                        "u:S3CRET@h/x",
		"another scheme":                   "mysql://u:S3CRET@h/x",
		"another scheme, digits, a slash":  "mysql://u:12/S3CRET@h/x",
		"a connection string":              "host=h password=S3CRET dbname=x",
		"the password as a parameter":      "postgres://u@h/x?password=S3CRET",
		"the password as an odd parameter": "postgres://u@h/x?p%61ssword=S3CRET&x=%zz",
		"an unknown parameter":             "postgres://u:S3CRET@h/x?pgbouncer=true",
		"an unknown sslmode":               "postgres://u:S3CRET@h/x?sslmode=no",
		"an unknown target":                "postgres://u:S3CRET@h/x?target_session_attrs=no",
	}
	shows := func(t *testing.T, command, way string, got result) {
		t.Helper()
		if text := got.stdout + got.stderr; strings.Contains(text, "S3CRET") || strings.Contains(text, "CRET@") || strings.Contains(text, "CRET%40") {
			t.Errorf("%s by %s shows the password: %s", command, way, text)
		}
	}
	for name, address := range wrong {
		t.Run(name, func(t *testing.T) {
			for _, command := range each {
				words := strings.Fields(command)
				shows(t, command, "the variable", newRig(t, address).call(words...))
				shows(t, command, "the flag", newRig(t, "").call(append(words, "--database", address)...))
				shows(t, command, "the replica's", newRig(t, "postgres://u@127.0.0.1:1/x", replicaVariable+"="+address).call(words...))
				shows(t, command, "the variable, as JSON", newRig(t, address, "TRESTLE_LOG=json").call(words...))
			}
			if name != unread && name != unreached {
				return
			}
			for _, command := range others {
				shows(t, command, "the variable", newRig(t, address).call(strings.Fields(command)...))
			}
		})
	}
}
