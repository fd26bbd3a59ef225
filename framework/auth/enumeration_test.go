package auth_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
)

// failures are the reasons for a failed login. A client must not be able to
// distinguish them.
var failures = []struct{ name, email, password string }{
	{"an unknown account", "nobody@example.com", goodPassword},
	{"an inactive account", "gone@example.com", goodPassword},
	{"a wrong password", "asha@example.com", "another four words walk"},
	{"a hash of an unknown format", "old@example.com", goodPassword},
	{"a hash that is too costly", "costly@example.com", goodPassword},
	{"no hash", "none@example.com", goodPassword},
}

// unreadable are stored hashes that cannot be compared, by the account.
var unreadable = map[string]string{
	"old@example.com":    "md5$salt$0123456789abcdef0123456789abcdef",
	"costly@example.com": "$2b$31$" + strings.Repeat("a", 53),
	"none@example.com":   "",
}

// ofTheRequest matches the parts that differ between any two answers.
var ofTheRequest = regexp.MustCompile(`"instance":"urn:uuid:[0-9a-f-]{36}"`)

// An attempt has everything that a client could compare, and the work of the server.
type attempt struct {
	status, hashes int64
	body, headers  string
	statements     []string
}

// watched signs in with an endpoint and records the result.
func (d *desk) watched(statements *frameworktest.Counter, path, email, password string) (a attempt) {
	d.Helper()
	b := d.tab()
	if path == sessionPath {
		b.do(http.MethodGet, nil).Expect(http.StatusOK)
	}
	before := d.hashes.Load()
	var r *frameworktest.Response
	a.statements = statements.During(func() { r = b.client().Post(path, credentialsOf(email, password)) })
	a.status, a.hashes = int64(r.Status()), d.hashes.Load()-before
	a.body = ofTheRequest.ReplaceAllString(r.Body(), `"instance":""`)
	a.headers = alike(r.Headers())
	return a
}

// alike returns the headers without values that differ between any two answers. Of the
// limits it returns only that they are present.
func alike(h http.Header) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], ", ")
		switch name {
		case "X-Request-Id", "Date":
			value = "some"
		case "Ratelimit":
			value = regexp.MustCompile(`[rt]=\d+`).ReplaceAllString(value, "")
		}
		lines = append(lines, name+": "+value)
	}
	return strings.Join(lines, "\n")
}

// TestFailedLoginsAreAlike: the answer and the work are the same for every reason: one
// hash and the same statements.
func TestFailedLoginsAreAlike(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		d.user("asha@example.com")
		d.inactive()
		for email, hash := range unreadable {
			_, err := d.db.NewUpdate().Table("auth_users").Set("password_hash = ?", hash).Where("id = ?", d.user(email).ID).Exec(d.Context())
			must(d.T, err)
		}
		statements := frameworktest.CountStatements(d.db)
		for _, path := range signIns {
			d.Run(path, func(t *testing.T) {
				d := d.on(t)
				var first attempt
				for i, f := range failures {
					got := d.watched(statements, path, f.email, f.password)
					if i == 0 {
						first = got
					}
					if got.status != http.StatusUnauthorized || got.hashes != 1 || len(got.statements) != 1 {
						t.Errorf("%s: status %d after %d hashes and the statements %q", f.name, got.status, got.hashes, got.statements)
					}
					if fmt.Sprint(got) != fmt.Sprint(first) {
						t.Errorf("%s:\n%+v\nbut %s:\n%+v", f.name, got, failures[0].name, first)
					}
				}
			})
		}
	})
}
