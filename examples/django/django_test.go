package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
)

func long(n int) string { return strings.Repeat("x", n) }

// TestBesideDjango runs Django and this program on one database, and sends a table of requests
// to both.
func TestBesideDjango(t *testing.T) {
	s := startBoth(t)
	s.keep()
	all := requests()
	if len(all) < 60 {
		t.Errorf("the table has %d requests; want 60 or more", len(all))
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) { s.on(t).compare(r) })
	}
	t.Run("the tokens are an authenticator", func(t *testing.T) { s.on(t).authenticator() })
	t.Run("a renewed hash", func(t *testing.T) { s.on(t).renew() })
	t.Run("a first token", func(t *testing.T) { s.on(t).firstToken() })
	t.Run("writes at once", func(t *testing.T) { s.on(t).writeAtOnce() })
	if after := s.query(schema); after != s.before {
		t.Errorf("the schema was\n%s\nand is\n%s", s.before, after)
	}
}

// An answer is what a server answered, in a form that can be compared.
type answer struct {
	status int
	body   any
	rows   string // those of the tables afterwards
}

// compare sends a request to both, from the same rows, and compares the answers and the rows.
func (s *site) compare(r request) {
	s.Helper()
	theirs, ours := s.answer(s.django, r), s.answer(s.trestle, r)
	for _, a := range []*answer{&theirs, &ours} {
		if a.status >= http.StatusBadRequest {
			a.body = names(a.body) // the texts differ
		}
	}
	if r.meant != "" {
		if theirs.status != r.status || ours.status != r.trestle {
			s.Errorf("Django answers %d and this program %d; want %d and %d, because %s", theirs.status, ours.status, r.status, r.trestle, r.meant)
		}
		if reflect.DeepEqual(theirs, ours) {
			s.Errorf("the answers do not differ, but it is written that %s", r.meant)
		}
		return
	}
	if r.status >= http.StatusBadRequest {
		want := r.faults
		if want == nil {
			want = []string{"detail"}
		}
		if !reflect.DeepEqual(theirs.body, any(want)) {
			s.Errorf("Django names %v; want %v", theirs.body, want)
		}
	}
	if theirs.status != r.status || ours.status != r.status {
		s.Errorf("Django answers %d and this program %d; want %d", theirs.status, ours.status, r.status)
	}
	if !reflect.DeepEqual(theirs.body, ours.body) {
		s.Errorf("Django answers\n%v\nand this program\n%v", theirs.body, ours.body)
	}
	if theirs.rows != ours.rows {
		after, other := lines(theirs.rows), lines(ours.rows)
		maps.DeleteFunc(after, func(line string, _ bool) bool { same := other[line]; delete(other, line); return same })
		s.Errorf("after Django there are the rows\n%v\nand after this program\n%v", after, other)
	}
}

// lines returns the set of the lines of a text.
func lines(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		set[strings.TrimSpace(line)] = true
	}
	return set
}

// names returns the names in the body of an error.
func names(body any) any {
	object, ok := body.(map[string]any)
	if !ok {
		return body
	}
	return slices.Sorted(maps.Keys(object))
}

// answer sends a request from the rows of the seed.
func (s *site) answer(server string, r request) answer {
	s.Helper()
	writes := r.method != ""
	if writes {
		s.restore()
	}
	status, text := s.send(server, r)
	a := answer{status: status}
	if err := json.Unmarshal(text, &a.body); err != nil {
		a.body = string(text)
	}
	a.body = withoutAddress(a.body, server)
	if writes {
		a.rows = s.query(rows)
	}
	return a
}

// withoutAddress returns the body without what differs by nature: the address of the server in links,
// how a time is written, and the time of a new row.
func withoutAddress(body any, server string) any {
	switch body := body.(type) {
	case map[string]any:
		for name, value := range body {
			body[name] = withoutAddress(value, server)
		}
	case []any:
		for i, value := range body {
			body[i] = withoutAddress(value, server)
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, body); err == nil {
			if at.Year() > 2025 {
				return "now"
			}
			return at.UTC().String()
		}
		if link, ok := strings.CutPrefix(body, server); ok {
			at, _ := url.Parse(link)
			return at.Path + "?" + at.Query().Encode()
		}
	}
	return body
}

// send sends a request and returns the status and the body.
func (s *site) send(server string, r request) (int, []byte) {
	s.Helper()
	status, text, err := s.try(server, r)
	s.must(err)
	return status, text
}

// try is send for any goroutine.
func (s *site) try(server string, r request) (int, []byte, error) {
	q, err := http.NewRequestWithContext(s.Context(), cmp.Or(r.method, http.MethodGet), server+r.path, strings.NewReader(r.body))
	if err != nil {
		return 0, nil, err
	}
	if r.body != "" {
		q.Header.Set("Content-Type", cmp.Or(r.media, "application/json"))
	}
	if r.as != "" {
		q.Header.Set("Authorization", "Token "+cmp.Or(s.tokens[r.as], r.as))
	}
	response, err := s.client.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if challenge := response.Header.Get("WWW-Authenticate"); response.StatusCode == http.StatusUnauthorized && challenge != "Token" {
		err = fmt.Errorf("the challenge is %q; want Token", challenge)
	}
	return response.StatusCode, bytes.TrimSpace(text), err
}

// authenticator checks the tokens against the contract of authenticators.
func (s *site) authenticator() {
	s.Helper()
	send := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", text) }
	}
	frameworktest.TestAuthenticator(s.T, frameworktest.AuthenticatorCase{
		Authenticator: DjangoTokens{},
		DB:            s.db,
		Valid:         send("Token " + s.tokens["ada"]),
		Caller:        int64(1),
		Invalid: map[string]func(*http.Request){
			"unknown":             send("Token " + long(40)),
			"of an inactive user": send("Token " + s.tokens["ina"]),
			"too short":           send("Token " + s.tokens["ada"][:39]),
			"two":                 send("Token " + s.tokens["ada"] + " " + s.tokens["ada"]),
			"with SQL":            send("Token ' OR '1'='1"),
		},
		Secrets: []string{s.tokens["ada"], s.tokens["ina"]},
	})
}

// renew lets the two sign a user in whose hash is outdated.
func (s *site) renew() {
	s.Helper()
	s.manage("shell", "--verbosity", "0", "-c", `from django.contrib.auth.hashers import PBKDF2PasswordHasher as H
from django.contrib.auth.models import User
User.objects.filter(username="ada").update(password=H().encode("four unrelated words", "seasalt", 1000))`)
	const hash = "SELECT password FROM auth_user WHERE username = 'ada'"
	old := s.query(hash)
	signIn := request{method: http.MethodPost, path: "/auth/token/", body: `{"username": "ada", "password": "four unrelated words"}`}
	wrong := request{method: http.MethodPost, path: "/auth/token/", body: `{"username": "ada", "password": "four related words"}`}

	if s.send(s.trestle, wrong); s.query(hash) != old {
		s.Error("a wrong password renews the hash")
	}
	var renewed string
	for _, server := range []string{s.trestle, s.django, s.trestle} {
		status, text := s.send(server, signIn)
		if want := fmt.Sprintf(`{"token":%q}`, s.tokens["ada"]); status != http.StatusOK || string(text) != want {
			s.Errorf("%s answers %d %s; want %s", server, status, text, want)
		}
		now := s.query(hash)
		if renewed == "" {
			renewed = now
		}
		if now != renewed {
			s.Errorf("%s has written the renewed hash again", server)
		}
	}
	if want := fmt.Sprintf("pbkdf2_sha256$%d$", s.iterations); !strings.HasPrefix(renewed, want) {
		s.Errorf("the renewed hash begins with %.20s; want %s", renewed, want)
	}
	if status, _ := s.send(s.django, wrong); status != http.StatusBadRequest {
		s.Errorf("Django answers a wrong password %d after the renewal", status)
	}
}

// firstToken lets this program make the token of a user, which Django then accepts.
func (s *site) firstToken() {
	s.Helper()
	_, text := s.send(s.trestle, request{method: http.MethodPost, path: "/auth/token/", body: `{"username": "new", "password": "four unrelated words"}`})
	var made TokenView
	s.must(json.Unmarshal(text, &made))
	for _, server := range []string{s.django, s.trestle} {
		if status, text := s.send(server, request{as: made.Token, path: "/api/patients/"}); status != http.StatusOK {
			s.Errorf("%s answers the new token %d %s", server, status, text)
		}
	}
}

// writeAtOnce lets both create rows of one table at once.
func (s *site) writeAtOnce() {
	s.Helper()
	s.restore()
	const each = 10
	var clients sync.WaitGroup
	for _, server := range []string{s.django, s.trestle} {
		for n := range each {
			clients.Go(func() {
				body := fmt.Sprintf(`{"name": "Twelve %d", "city": "Goa"}`, n)
				status, text, err := s.try(server, request{as: "bob", method: http.MethodPost, path: "/api/patients/", body: body})
				if status != http.StatusCreated || err != nil {
					s.Errorf("%s answers %d %s, %v", server, status, text, err)
				}
			})
		}
	}
	clients.Wait()
	for _, server := range []string{s.django, s.trestle} {
		var list struct{ Count int }
		_, text := s.send(server, request{as: "bob", path: "/api/patients/?city=Goa"})
		s.must(json.Unmarshal(text, &list))
		if list.Count != 2*each {
			s.Errorf("%s lists %d rows; want %d", server, list.Count, 2*each)
		}
	}
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *site) exec(statements ...string) {
	s.Helper()
	for _, statement := range statements {
		_, err := s.db.ExecContext(s.Context(), statement)
		s.must(err)
	}
}

// query returns the one text that a statement selects.
func (s *site) query(statement string) (text string) {
	s.Helper()
	s.must(s.db.QueryRowContext(s.Context(), statement).Scan(&text))
	return text
}

// keep copies the rows of the seed.
func (s *site) keep() {
	s.exec("CREATE SCHEMA seed", "CREATE TABLE seed.patient AS TABLE clinic_patient", "CREATE TABLE seed.appointment AS TABLE clinic_appointment")
}

// restore makes the rows those of the seed, and sets the next keys.
func (s *site) restore() {
	s.exec("TRUNCATE clinic_appointment, clinic_patient",
		"INSERT INTO clinic_patient TABLE seed.patient", "INSERT INTO clinic_appointment TABLE seed.appointment",
		"SELECT setval(pg_get_serial_sequence('clinic_patient', 'id'), 1000), setval(pg_get_serial_sequence('clinic_appointment', 'id'), 1000)")
}

// rows selects the rows that requests may change, as one text. The time of a new row is left out.
const rows = `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
	SELECT 'patient ' || (to_jsonb(p) || CASE WHEN created_at > '2026-01-01' THEN '{"created_at": "now"}' ELSE '{}' END::jsonb)::text AS line FROM clinic_patient AS p
	UNION ALL SELECT 'appointment ' || to_jsonb(a)::text FROM clinic_appointment AS a
	UNION ALL SELECT 'user ' || to_jsonb(u)::text FROM auth_user AS u
	UNION ALL SELECT 'token ' || to_jsonb(t)::text FROM authtoken_token AS t) AS lines`

// schema selects the tables, columns, constraints and indexes, as one text.
const schema = `SELECT string_agg(line, E'\n' ORDER BY line) FROM (
	SELECT 'column ' || concat_ws(' ', table_name, column_name, ordinal_position, data_type, character_maximum_length, numeric_precision, numeric_scale, is_nullable, column_default) AS line
		FROM information_schema.columns WHERE table_schema = 'public'
	UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'public'
	UNION ALL SELECT 'sequence ' || sequence_name || ' ' || data_type FROM information_schema.sequences WHERE sequence_schema = 'public'
	UNION ALL SELECT 'table ' || schemaname || '.' || tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'seed')) AS lines`
