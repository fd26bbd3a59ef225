package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

// figure prints what was measured beside its bound. Where figures decide, one
// out of bounds fails the test.
//
//nolint:goprintffuncname // it is called as what it prints
func figure(t *testing.T, holds bool, format string, args ...any) {
	t.Helper()
	verdict := ""
	if !holds {
		verdict = ": BROKEN"
	}
	t.Logf("FIGURE "+format+"%s", append(args, verdict)...)
	if !holds && proving.On() {
		t.Errorf("out of bounds: "+format, args...)
	}
}

// lasting is how long something lasts: as a variable says, else the usual time.
func lasting(t *testing.T, variable string, usual time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return d
}

// A practice is a clinic and its store on PostgreSQL, served by the real
// program, and a stream of what their clients do.
type practice struct {
	*instance

	db     *sqldb.DB
	stream *stream
}

// openPractice seeds a database and serves it. Where figures decide, the load
// has a core for itself.
func openPractice(t *testing.T, env ...string) *practice {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice, size, database := rand.New(rand.NewPCG(seed, 0)), "", postgres.Database(t)
	if proving.On() {
		size = " --patients 4000 --appointments 4000 --products 2000"
	}
	r := newRig(t, database)
	r.ok("migrate up")
	r.ok("seed" + size)
	db, err := sqldb.Open(database, sqldb.Options{StatementTimeout: waitLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	var before []string
	if proving.On() {
		before = apart(t, db, database)
		env = append([]string{"TRESTLE_DB_CONNS=2"}, env...) // for a database of one core
	}
	p := &practice{newInstance(t, freeAddress(t, dice), before, append(env, "DATABASE_URL="+database)), db, nil}
	p.watching = freeAddress(t, dice)
	p.env = append(p.env, "TRESTLE_METRICS_ADDR="+p.watching)
	p.stream = newStream(p.address, seed, p.errands(r)...)
	p.begin()
	t.Cleanup(p.stream.close)
	return p
}

// texts are the rows of a question to the database.
func (p *practice) texts(question string, args ...any) (all []string) {
	p.t.Helper()
	if err := p.db.NewRaw(question, args...).Scan(p.t.Context(), &all); err != nil {
		p.t.Fatal(err)
	}
	if len(all) == 0 {
		p.t.Fatalf("%s finds nothing", question)
	}
	return all
}

// errands are what clients do. Reads and changes are one user's, what is made
// and deleted is another's: what is read does not grow.
func (p *practice) errands(r *rig) []errand {
	asha := strings.TrimSpace(r.ok("token create --email asha@example.com"))
	ravi := strings.TrimSpace(r.ok("token create --email ravi@example.com"))
	const hers = " FROM patients WHERE owner_id = (SELECT id FROM auth_users WHERE email = 'asha@example.com')"
	ids := p.texts("SELECT id::text" + hers + " LIMIT 1000")
	names := p.texts("SELECT DISTINCT split_part(name, ' ', 1)" + hers + " LIMIT 50")
	return []errand{
		{"retrieve", 40, oneOf(ids, func(id string) []byte { return request("GET", "/api/patients/"+id+"/", asha, "") }), nil},
		{"list", 15, oneOf(pages(len(ids)/20), func(page string) []byte { return request("GET", "/api/patients/?page="+page, asha, "") }), nil},
		{"search", 10, oneOf(names, func(name string) []byte { return request("GET", "/api/patients/?search="+name, asha, "") }), nil},
		{"appointments", 5, oneOf(pages(5), func(page string) []byte {
			return request("GET", "/api/appointments/?status=booked&page="+page, asha, "")
		}), nil},
		{"change", 10, oneOf(ids, func(id string) []byte {
			return request("PATCH", "/api/patients/"+id+"/", asha, `{"city": "Pune"}`)
		}), nil},
		turnover(ravi),
		{"catalogue", 10, oneOf(pages(5), func(page string) []byte { return request("GET", "/api/products?page="+page, "", "") }), nil},
	}
}

// turnover makes patients, and deletes them when there are some hundred.
func turnover(token string) errand {
	var mu sync.Mutex
	var made []string
	creating := request("POST", "/api/patients/", token, `{"name": "Zara Load", "phone": "555 0100", "city": "Pune"}`)
	return errand{"make or delete", 10, func(*rand.Rand) []byte {
		mu.Lock()
		defer mu.Unlock()
		if len(made) < 300 {
			return creating
		}
		id := made[0]
		made = made[1:]
		return request("DELETE", "/api/patients/"+id+"/", token, "")
	}, func(body []byte) {
		if id := idOf(body); id != "" {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, id)
		}
	}}
}

// idOf is the first id of an answer, "" without.
func idOf(body []byte) string {
	_, after, _ := bytes.Cut(body, []byte(`"id":"`))
	id, _, _ := bytes.Cut(after, []byte(`"`))
	return string(id)
}

// pages are the numbers from 1.
func pages(last int) (all []string) {
	for i := range max(last, 1) {
		all = append(all, strconv.Itoa(i+1))
	}
	return all
}

// oneOf makes the requests of some words beforehand.
func oneOf(words []string, of func(word string) []byte) func(*rand.Rand) []byte {
	var made [][]byte
	for _, word := range words {
		made = append(made, of(word))
	}
	return func(dice *rand.Rand) []byte { return made[dice.IntN(len(made))] }
}

// request is a whole one; headers are whole lines.
func request(method, path, token, body string, headers ...string) []byte {
	lines := []string{method + " " + path + " HTTP/1.1", "Host: localhost"}
	if token != "" {
		lines = append(lines, "Authorization: Token "+token)
	}
	if body != "" {
		lines = append(lines, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return []byte(strings.Join(append(lines, headers...), "\r\n") + "\r\n\r\n" + body)
}

// knee is the highest rate that the server keeps up with. It goes up in steps
// until that is too much, halves what is between, and goes down again until the
// server holds that for a minute: a moment in which the machine was fast is no knee.
func (p *practice) knee(step time.Duration) float64 {
	p.t.Helper()
	p.try(50, 2*time.Second) // what is made at first use
	low, high := 0.0, 200.0
	for p.try(high, step) {
		low, high = high, high*1.6
	}
	for high > 1.06*low && high > 10 {
		if middle := (low + high) / 2; p.try(middle, step) {
			low = middle
		} else {
			high = middle
		}
	}
	for low >= 10 && !p.holds(low) {
		low *= 0.95
	}
	if low < 10 {
		p.t.Fatal("the server keeps up with nothing")
	}
	return low
}

// try reports whether the server keeps up with a rate. What went wrong once may
// have been the machine's doing.
func (p *practice) try(rate float64, lasts time.Duration) bool {
	p.t.Helper()
	for range 2 {
		if p.keepsUp(rate, lasts) {
			return true
		}
	}
	return false
}

// holds reports whether the server keeps up with a rate for a minute, and answers 999 of
// 1,000 requests with 2xx. It stops when too many have another answer.
func (p *practice) holds(rate float64) bool {
	p.t.Helper()
	var all []*phase
	spare := int(rate * 60 / 1000)
	for range 12 {
		all = append(all, p.stream.run(p.t.Context(), rate, 5*time.Second).wait())
		if got := merged(all...).check(p.t); got.refused.n > spare || got.accepted.quantile(0.99) > mostKneeDelay {
			p.t.Logf("not for a minute: %s", got)
			return false
		}
	}
	got := merged(all...)
	p.t.Log(got)
	return got.keepsUp()
}

// keepsUp is try, once.
func (p *practice) keepsUp(rate float64, lasts time.Duration) bool {
	p.t.Helper()
	got := p.stream.run(p.t.Context(), rate, lasts).wait().check(p.t)
	p.t.Log(got)
	return got.keepsUp()
}

// in runs the stream for a while, in phases of a second.
func (p *practice) in(ctx context.Context, rate float64, lasts time.Duration) (all []*phase) {
	for range max(1, int(lasts/time.Second)) {
		all = append(all, p.stream.run(ctx, rate, time.Second))
	}
	return all
}

// ended waits for all phases.
func ended(phases []*phase) []*phase {
	for _, p := range phases {
		p.wait()
	}
	return phases
}

// lockTable keeps a table of PostgreSQL from all other sessions until release is called.
func lockTable(t *testing.T, db *sqldb.DB, table string) (release func()) {
	t.Helper()
	return hold(t, db, "LOCK TABLE ? IN ACCESS EXCLUSIVE MODE", bun.Ident(table))
}

// hold runs a statement whose locks are kept until release is called.
func hold(t *testing.T, db *sqldb.DB, statement string, args ...any) (release func()) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	release = func() { _ = tx.Rollback() }
	t.Cleanup(release)
	if _, err := tx.NewRaw(statement, args...).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	return release
}
