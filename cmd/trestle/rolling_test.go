package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
)

// TestRollingRestart: two servers behind a proxy are restarted in turn, and no
// client sees any of it: no answer of 5xx, no connection that breaks, nothing
// that was acknowledged and is not there, nothing twice. Clients repeat nothing.
func TestRollingRestart(t *testing.T) {
	rounds := 20
	if !proving.On() {
		t.Parallel()
		rounds = 1
	}
	f := openFleet(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sent := make(chan []*phase, 1)
	go func() { sent <- f.stream.until(ctx, 100) }()
	began := time.Now()
	for round := range rounds {
		for _, i := range f.servers {
			i.stop()
			i.begin()
			untilSo(t, "the proxy sends to both servers", f.both)
		}
		t.Logf("round %d after %s", round+1, time.Since(began).Round(time.Second))
	}
	stop()
	all := merged(ended(<-sent)...).check(t)
	f.stream.close()
	t.Log(all)
	failed := all.odd + all.refused.n
	figure(t, failed == 0, "%d restarts: %d of %d requests failed (bound 0), p99 %s",
		rounds*len(f.servers), failed, all.offered, all.accepted.quantile(0.99))
	if all.refused.n > 0 {
		t.Errorf("%d requests were refused", all.refused.n)
	}
	f.audit()
}

// A fleet is two servers on one database behind a proxy, and the writes that their clients
// have an answer for.
type fleet struct {
	t       *testing.T
	db      *sqldb.DB
	servers []*instance
	proxy   string // its address
	stream  *stream

	patients, products acknowledged
	tokens             pass
	jwts               pass
	password           string
}

// openFleet starts everything.
func openFleet(t *testing.T) *fleet {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice, database := rand.New(rand.NewPCG(seed, 0)), postgres.Database(t)
	r := newRig(t, database)
	r.ok("migrate up")
	f := &fleet{t: t, password: passwordsOf(t, r.ok("seed"))[triedOut]}
	db, err := sqldb.Open(database, sqldb.Options{StatementTimeout: waitLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f.db = db
	env := []string{
		"DATABASE_URL=" + database, "REDIS_URL=" + redis.Server(t), "TRESTLE_JWT_KEYS=" + strings.TrimSpace(r.ok("jwt keygen")),
		"TRESTLE_TRUSTED_PROXIES=127.0.0.1", "TRESTLE_DRAIN_DELAY=3s", "TRESTLE_RATES=login=100000/min,login_address=100000/min",
	}
	for range 2 {
		f.servers = append(f.servers, newInstance(t, freeAddress(t, dice), nil, env))
	}
	f.proxy = startProxy(t, freeAddress(t, dice), f.servers)
	for _, i := range f.servers {
		i.begin()
	}
	untilSo(t, "the proxy sends to both servers", f.both)
	f.stream = newStream(f.proxy, seed, f.errands(r)...)
	if !proving.On() {
		f.stream.limit = waitLimit
	}
	return f
}

// both reports whether the proxy takes both servers for ready.
func (f *fleet) both() bool { return healthOf(f.proxy, bothReady) == http.StatusOK }

// errands read, write with and without a key, and sign in by token and by JWT,
// which one server makes and any other is to take.
func (f *fleet) errands(r *rig) []errand {
	asha := strings.TrimSpace(r.ok("token create --email " + triedOut))
	staff := strings.TrimSpace(r.ok("token create --email staff@example.com"))
	credentials := fmt.Sprintf(`{"email": %q, "password": %q}`, triedOut, f.password)
	same := func(made []byte) func(*rand.Rand) []byte { return func(*rand.Rand) []byte { return made } }
	var products atomic.Int64
	return []errand{
		{"list", 30, same(request("GET", "/api/patients/?search=an", asha, "")), nil},
		{"catalogue", 20, same(request("GET", "/api/products?q=atta", "", "")), nil},
		{"make a patient", 20, same(request("POST", "/api/patients/", asha, `{"name": "Zara Rolling", "phone": "555 0100"}`)), f.patients.note},
		{"make a product", 15, func(*rand.Rand) []byte {
			n := products.Add(1)
			body := fmt.Sprintf(`{"name": "Rolling %d", "category": {"slug": "rolling", "name": "Rolling"},
				"variants": [{"sku": "R-%d", "label": "1 kg", "unit": "kg", "pricePaise": 100, "stock": 1}]}`, n, n)
			return request("POST", "/api/admin/products", staff, body, fmt.Sprintf("Idempotency-Key: rolling-%d", n))
		}, f.products.note},
		{"sign in", 1, same(request("POST", "/api/auth/login", "", credentials)), f.tokens.note("token")},
		{"sign in for a JWT", 1, same(request("POST", "/api/auth/jwt", "", credentials)), f.jwts.note("access")},
		{"by a new token", 7, func(*rand.Rand) []byte { return request("GET", "/api/auth/me", f.tokens.last(asha), "") }, nil},
		{"by a JWT", 6, func(*rand.Rand) []byte {
			jwt := f.jwts.last("")
			if jwt == "" {
				return request("GET", "/api/auth/me", asha, "")
			}
			return request("GET", "/api/auth/me", "", "", "Authorization: Bearer "+jwt)
		}, nil},
	}
}

// until sends until ctx ends.
func (s *stream) until(ctx context.Context, rate float64) (all []*phase) {
	for ctx.Err() == nil {
		all = append(all, s.run(ctx, rate, time.Second))
	}
	return all
}

// audit checks that what was acknowledged is there, once, and nothing else.
func (f *fleet) audit() {
	f.t.Helper()
	for what, told := range map[string]*acknowledged{
		"SELECT id::text FROM patients WHERE name = 'Zara Rolling'": &f.patients,
		"SELECT id::text FROM products WHERE name LIKE 'Rolling %'": &f.products,
	} {
		var there []string
		if err := f.db.NewRaw(what).Scan(f.t.Context(), &there); err != nil {
			f.t.Fatal(err)
		}
		slices.Sort(there)
		slices.Sort(told.ids)
		lost := 0
		for _, id := range told.ids {
			if _, found := slices.BinarySearch(there, id); !found {
				lost++
			}
		}
		f.t.Logf("FIGURE %s: %d acknowledged, %d there, %d lost (bound 0)", what, len(told.ids), len(there), lost)
		if lost > 0 || len(told.ids) != len(there) || len(there) == 0 {
			f.t.Errorf("%s: %d were acknowledged, %d of them are lost, %d are there", what, len(told.ids), lost, len(there))
		}
	}
}

// acknowledged are the ids of writes that the clients have an answer for.
type acknowledged struct {
	mu  sync.Mutex
	ids []string
}

func (a *acknowledged) note(body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids = append(a.ids, idOf(body))
}

// A pass is what the last one who signed in got.
type pass struct{ text atomic.Pointer[string] }

// note keeps a member of an answer.
func (p *pass) note(member string) func(body []byte) {
	return func(body []byte) {
		var all map[string]any
		if json.Unmarshal(body, &all) == nil {
			if text, ok := all[member].(string); ok {
				p.text.Store(&text)
			}
		}
	}
}

// last is the pass, or another before there is one.
func (p *pass) last(before string) string {
	if text := p.text.Load(); text != nil {
		return *text
	}
	return before
}
