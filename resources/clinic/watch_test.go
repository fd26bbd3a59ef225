package clinic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A watch reads each response of the service in every test:
// it must not contain internals of the service, and no
// request may be answered with a 5xx.
type watch struct {
	tb      testing.TB
	next    http.Handler
	mu      sync.Mutex
	secrets []string // ids of users and their tokens
}

func newWatch(tb testing.TB, next http.Handler) *watch { return &watch{tb: tb, next: next} }

// reportTo changes the test that gets the reports of faults.
func (w *watch) reportTo(tb testing.TB) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tb = tb
}

// forbid adds texts that no response may have.
func (w *watch) forbid(texts ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets = append(w.secrets, texts...)
}

func (w *watch) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	tb := w.tb
	w.mu.Unlock()
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		tb.Errorf("reading a request's body: %v", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	seen := &seen{ResponseWriter: to, status: http.StatusOK}
	w.next.ServeHTTP(seen, r)
	for _, fault := range w.faults(r, string(sent), seen) {
		tb.Errorf("%s %s %.300q\n%d %s\n%s", r.Method, r.URL.RequestURI(), sent, seen.status, fault, seen.body.String())
	}
}

// seen keeps what it passes on.
type seen struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (s *seen) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(p []byte) (int, error) {
	s.body.Write(p)
	return s.ResponseWriter.Write(p)
}

// faults are what a response should not have said.
func (w *watch) faults(r *http.Request, sent string, got *seen) (faults []string) {
	if got.status >= 500 {
		faults = append(faults, "the server failed")
	}
	asked := r.URL.RequestURI() + r.URL.Path + r.URL.Query().Encode() + sent + unescaped(sent)
	w.mu.Lock()
	secrets := slices.Clone(w.secrets)
	w.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/history/") && got.status == http.StatusOK {
		secrets = nil // a history names the callers
	}
	for _, secret := range secrets {
		if bytes.Contains(got.body.Bytes(), []byte(secret)) && !strings.Contains(asked, secret) {
			faults = append(faults, "tells a user's id or token: "+secret)
		}
	}
	s := &scan{asked: strings.ToLower(asked)}
	for name, values := range got.Header() {
		s.header(name, strings.Join(values, ", "))
	}
	s.body(got.body.Bytes())
	return append(faults, s.faults...)
}

// inside are words of the inside of the service, in lower case: SQL, tables,
// columns and constraints, Go packages and their types, drivers.
var inside = []string{
	"select ", "insert ", "update ", " where ", "delete from", " join ", "sql", "postgres", "pgdriver", "bun", "modernc",
	"owner_id", "ownerid", "patient_id", "patientid", "doctor_id", "doctorid", "auth_", "_fts", "trestle_", "_row", "rowid",
	"patients_", "doctors_", "appointments_", "constraint", "foreign key", "primary key", "violat", "duplicate key", "column", "relation ",
	"uuid.", "time.time", "clinic.", "framework", "sqldb", "jsontext", "json: unknown", "json: cannot", "unmarshal", "strconv", "reflect", "validator", "echo", "go.mod",
	"goroutine", "panic", "runtime", ".go:", "nil pointer", "interface {}", "map[", "0xc0", "\x1f", "\\u001f", "context deadline",
	"password_hash", "passwordhash", "argon2", "key_hash", "/work", "/tmp", "/root", "/home",
}

// members are all the names that a body may have.
var members = strings.Fields(`
	id name phone city created_at updated_at speciality patient doctor status fee starts_at notes
	count next previous results row problem
	patients appointments doctors manage/doctors
	categories products cart cart/items orders admin/products admin/variants admin/orders patient_name
	auth/register auth/login auth/logout auth/me auth/token auth/session auth/jwt auth/jwt/refresh auth/jwt/revoke
	auth/password auth/password/reset auth/password/reset/confirm auth/email auth/email/verify auth/email/verification
	type title detail code instance errors pointer parameter details resource signIn
	description renders parses parameters actions GET POST PUT PATCH DELETE summary body schema in required style explode properties items
	format enum default examples pattern minLength maxLength minimum maximum multipleOf
	at caller action request changes from to forgotten`)

// own are the members whose values are the client's, and may say anything.
var own = []string{"name", "patient_name", "phone", "city", "speciality", "notes"}

// A scan checks one response. It may repeat the text of the request itself.
type scan struct {
	asked  string
	faults []string
}

var (
	escaped    = regexp.MustCompile(`\\u00([0-9a-fA-F]{2})`)
	suggested  = regexp.MustCompile(`did you mean [^?]*\?`)
	givenTwice = regexp.MustCompile(`The name at (?s:.*) is given twice`)
)

// unescaped is a body whose ASCII letters are not hidden behind \u.
func unescaped(body string) string {
	return escaped.ReplaceAllStringFunc(body, func(at string) string {
		n, _ := strconv.ParseUint(at[2:], 16, 8)
		return string(rune(n))
	})
}

// header reads one header. What is ignored is the client's own words, but for
// the names that are suggested for it.
func (s *scan) header(name, value string) {
	if name == "Trestle-Ignored" {
		value = strings.Join(suggested.FindAllString(value, -1), " ")
	}
	s.text(name + ": " + value)
}

func (s *scan) text(text string) {
	text = strings.ToLower(givenTwice.ReplaceAllString(text, ""))
	for _, word := range inside {
		if strings.Contains(text, word) && !strings.Contains(s.asked, word) {
			s.faults = append(s.faults, "says "+word+" in: "+text)
		}
	}
}

func (s *scan) body(body []byte) {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		s.text(string(body))
		return
	}
	s.value(value)
}

func (s *scan) value(value any) {
	switch value := value.(type) {
	case string:
		s.text(value)
	case []any:
		for _, v := range value {
			s.value(v)
		}
	case map[string]any:
		for name, v := range value {
			if !slices.Contains(members, name) {
				s.faults = append(s.faults, "has a member "+name)
			}
			if _, isText := v.(string); !isText || !slices.Contains(own, name) {
				s.value(v)
			}
		}
	}
}
