package resources_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// A leak is a handler that lets something out which it must not, and what the
// canary has to say to it.
type leak struct {
	name string
	want string // the sighting
	by   func(*leaky) error
}

// leaky is what a leaking handler works with.
type leaky struct {
	*framework.Call

	log                     *slog.Logger
	report                  func(error)
	token, cookie, password string
}

// says puts a text into the log.
func (l *leaky) says(format string, args ...any) error {
	l.log.Debug("the handler says", "text", fmt.Sprintf(format, args...))
	return nil
}

// stores puts a text into a column.
func (l *leaky) stores(text string) error {
	_, err := l.DB.NewInsert().Model(&auth.Group{ID: newLeakID(), Name: text}).Exec(l)
	return err
}

var leaks = []leak{
	{"the header as it is", "log: token, plain", func(l *leaky) error { return l.says("%s", l.Request().Header.Get("Authorization")) }},
	{"all headers", "log: cookie, plain", func(l *leaky) error { return l.says("%v", l.Request().Header) }},
	{"the body", "log: password, in JSON", func(l *leaky) error { return l.says("%s", l.password) }},
	{"the body, quoted by the log's text form", "log: password, quoted", func(l *leaky) error { return l.says("%s", l.password) }},
	{"the beginning alone", "log: token, the beginning plain", func(l *leaky) error { return l.says("%.12s...", l.token) }},
	{"in base64", "log: token, in base64, shifted by 0", func(l *leaky) error { return l.says("%s", base64.StdEncoding.EncodeToString([]byte(l.token))) }},
	{"as Basic credentials", "log: password, in base64, shifted by 1", func(l *leaky) error {
		return l.says("%s", base64.StdEncoding.EncodeToString([]byte("ash:"+l.password)))
	}},
	{"in base64url", "log: password, in base64url, shifted by 2", func(l *leaky) error {
		return l.says("%s", base64.RawURLEncoding.EncodeToString([]byte("as"+l.password+"!")))
	}},
	{"in hex", "log: cookie, in hex", func(l *leaky) error { return l.says("%x", l.cookie) }},
	{"in capital hex", "log: cookie, in hex", func(l *leaky) error { return l.says("%X", l.cookie) }},
	{"as bytes", "log: cookie, as numbers", func(l *leaky) error { return l.says("%v", []byte(l.cookie)) }},
	{"in capitals", "log: token, plain", func(l *leaky) error { return l.says("%s", strings.ToUpper(l.token)) }},
	{"backwards", "log: token, reversed", func(l *leaky) error { return l.says("%s", reversed(l.token)) }},
	{"in a URL", "log: password, escaped for a query", func(l *leaky) error { return l.says("/?%s", queryOf(l.password)) }},
	{"escaped all over", "log: token, the beginning in JSON, all of it escaped", func(l *leaky) error {
		var b strings.Builder
		for _, r := range l.token {
			fmt.Fprintf(&b, "%%%02X", r)
		}
		return errors.Join(l.says("%s", b.String()), l.says("%s", strings.ReplaceAll(b.String(), "%", `\u00`)))
	}},
	{"an error", "log: password, the beginning plain", func(l *leaky) error { return fmt.Errorf("%q is not good enough", l.password) }},
	{"a panic", "log: token, plain", func(l *leaky) error { panic("nobody has the token " + l.token) }},
	{"a cause", "log: token, plain", func(l *leaky) error { return framework.Refuse(500, "leak", "No.").Because(errors.New(l.token)) }},
	{"a refusal's sentence", "answer to POST /api/leaks/leak: password, in JSON", func(l *leaky) error {
		return framework.Refuse(400, "leak", "The password "+l.password+" is wrong.")
	}},
	{"a refusal's fault", "answer to POST /api/leaks/leak: token, plain", func(l *leaky) error {
		return framework.Invalid(framework.Fault{Pointer: "/password", Code: "leak", Detail: l.token})
	}},
	{"a header", "answer to POST /api/leaks/leak: cookie, plain", func(l *leaky) error { l.Header().Set("X-Session", l.cookie); return nil }},
	{"a location", "answer to POST /api/leaks/leak: password, escaped for a query", func(l *leaky) error {
		l.Header().Set("Location", "/?"+queryOf(l.password))
		return nil
	}},
	{"a cookie", "answer to POST /api/leaks/leak: token, plain", func(l *leaky) error { l.Header().Set("Set-Cookie", "last="+l.token); return nil }},
	{"a column", "column auth_groups.name: token, plain", func(l *leaky) error { return l.stores(l.token) }},
	{"a column, in hex", "column auth_groups.name: cookie, in hex", func(l *leaky) error { return l.stores(fmt.Sprintf("%x", l.cookie)) }},
	{"a statement", "statement: token, plain", func(l *leaky) error {
		_, err := l.DB.NewRaw("SELECT 1 WHERE 'x' = ?", l.token).Exec(l)
		return err
	}},
	{"a report", "report: password, plain", func(l *leaky) error { l.report(errors.New(l.password)); return nil }},
}

// TestTheCanaryHearsLeaks: the canary reports each leak with its place, and nothing else.
func TestTheCanaryHearsLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("sends a service for each leak, one after the other")
	}
	nothing := leak{name: "nothing", by: func(l *leaky) error { return l.says("the password has %d bytes", len(l.password)) }}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		newCanary(t).must(db.Migrate(t.Context(), nil, resources.Migrations()...))
		for _, l := range append(leaks, nothing) {
			t.Run(l.name, func(t *testing.T) {
				k := newCanary(t)
				k.observes(db)
				k.springs(db, l)
				k.searches(db)
				seen := k.sightings()
				if (len(seen) > 0) != (l.want != "") || l.want != "" && !slices.Contains(seen, l.want) {
					t.Errorf("it says %q\nwant %q", seen, l.want)
				}
			})
		}
	})
}

// springs serves a leak and sends it secrets.
func (k *canary) springs(db *sqldb.DB, l leak) {
	k.tb.Helper()
	token, cookie, password := k.word("token"), k.key("cookie"), k.plant("password")
	handler := func(c *framework.Call, in credentialsInput) (framework.None, error) {
		return framework.None{}, l.by(&leaky{c, k.log("log"), k.report, token, cookie, in.Password})
	}
	k.lies = true
	c := k.serve(db, auth.Config{}, framework.ViewSet[auth.Group]{
		Name: "leaks", Scope: framework.Public(), Permission: framework.Anyone(), Authentication: []framework.Authenticator{},
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "leak", handler)},
	})
	c.send("POST", "/api/leaks/leak", accountOf("asha@example.org", password), "Authorization: Token "+token, "Cookie: sessionid="+cookie)
}

func newLeakID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func queryOf(password string) string { return url.Values{"password": {password}}.Encode() }
