package clinic_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A diary is the service's log in every test, in both formats and at every level.
// The credentials of a request must not be in it, not even their first twelve characters.
type diary struct {
	tb      func() testing.TB
	next    http.Handler
	mu      sync.Mutex
	secrets map[string]bool // their beginnings
}

func newDiary(tb func() testing.TB) *diary { return &diary{tb: tb, secrets: map[string]bool{}} }

// reportsTo is the test that gets the reports of faults.
func (w *watch) reportsTo() testing.TB {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tb
}

// log writes into the diary.
func (d *diary) log() *slog.Logger {
	everything := &slog.HandlerOptions{Level: slog.LevelDebug}
	return slog.New(slog.NewMultiHandler(slog.NewTextHandler(d, everything), slog.NewJSONHandler(d, everything)))
}

// conceal adds secrets; what is shorter is no secret of this service.
func (d *diary) conceal(secrets ...string) {
	const beginning = 12
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) > beginning {
			d.secrets[secret[:beginning]] = true
		}
	}
}

// Write reads a line of the log.
func (d *diary) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for secret := range d.secrets {
		if bytes.Contains(line, []byte(secret)) {
			d.tb().Errorf("the log has a credential that begins with %q: %s", secret, line)
		}
	}
	return len(line), nil
}

// passwords finds those of a body.
var passwords = regexp.MustCompile(`"password"\s*:\s*"([^"\\]*)`)

// ServeHTTP conceals what a request carries.
func (d *diary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, header := range r.Header.Values("Authorization") {
		d.conceal(strings.Fields(header)...)
	}
	for _, cookie := range r.Cookies() {
		d.conceal(cookie.Value)
	}
	d.conceal(r.Header.Get("X-CSRFToken"))
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		d.tb().Errorf("reading a request's body: %v", err)
	}
	for _, found := range passwords.FindAllStringSubmatch(body.String(), -1) {
		d.conceal(found[1])
	}
	r.Body = http.NoBody
	if body.Len() > 0 {
		r.Body = readCloser{&body}
	}
	d.next.ServeHTTP(w, r)
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }

// failing is a test that notes its failures.
type failing struct {
	testing.TB

	told []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.told = append(f.told, fmt.Sprintf(format, args...))
}

// The diary notices what it is there to notice, and nothing else.
func TestDiary(t *testing.T) {
	const token, cookie, password = "trs_a-token-of-somebody", "a-session-of-somebody", "a-password-of-somebody"
	for name, c := range map[string]struct {
		says    string
		noticed bool
	}{
		"nothing":                   {"somebody came", false},
		"a token":                   {"somebody came with " + token, true},
		"the beginning of a token":  {"somebody came with trs_a-token-", true},
		"eight characters of it":    {"somebody came with trs_a-to...", false},
		"a session":                 {"cookie: sessionid=" + cookie, true},
		"a password":                {`{"password": "` + password + `"}`, true},
		"another's token beside it": {"trs_b-token-of-somebody", false},
	} {
		t.Run(name, func(t *testing.T) {
			told := &failing{TB: t}
			d := newDiary(func() testing.TB { return told })
			log := d.log()
			d.next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { log.Debug("request", "says", c.says) })
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"password": "`+password+`"}`))
			r.Header.Set("Authorization", "Token "+token)
			r.Header.Set("Cookie", "sessionid="+cookie)
			d.ServeHTTP(httptest.NewRecorder(), r)
			if (len(told.told) > 0) != c.noticed {
				t.Errorf("it tells %q", told.told)
			}
		})
	}
}
