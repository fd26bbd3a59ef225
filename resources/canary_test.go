package resources_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/resources"
)

// Nothing that a caller signs in with, or is signed in by, is ever logged,
// reported, stored, or answered to a request other than the one it is issued
// to: not by a server that works, nor by one that is busy, or has no TLS, or
// has lost its database.
func TestCanary(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		k := newCanary(t)
		k.must(db.Migrate(t.Context(), nil, resources.Migrations()...))
		k.observes(db)
		keys := k.keys()
		f := &flight{canary: k, db: db, common: k.plant("common password")}
		k.allows("printed", "common password") // of the policy itself it is no secret
		f.courier = k.serve(db, auth.Config{
			Passwords: auth.PasswordPolicy{Minimum: 20, Common: []string{f.common}}, Rates: ratesOf(1_000_000, time.Second), JWT: auth.JWTOptions{Keys: keys},
		}, troubles())
		f.fly()
		f.hashes()
		f.prints(keys)

		busy := k.serve(db, auth.Config{Rates: ratesOf(1, time.Hour), JWT: auth.JWTOptions{Keys: keys}}, troubles())
		f.again(busy, http.StatusTooManyRequests)
		inTheClear := k.serve(db, auth.Config{RequireTLS: true, JWT: auth.JWTOptions{Keys: keys}}, troubles())
		f.again(inTheClear, http.StatusForbidden)
		f.sweeps()
		k.searches(db)
		k.must(db.Close())
		f.again(f.courier, http.StatusInternalServerError, http.StatusServiceUnavailable)
		f.sweeps()
		for _, sighting := range k.sightings() {
			t.Error(sighting)
		}
		t.Logf("%d secrets, %d requests, %d utterances", len(k.secrets), len(f.errands), len(k.heard))
	})
}

// ratesOf are one rate for everything that is limited by default.
func ratesOf(limit int, per time.Duration) map[string]throttle.Rate {
	all := map[string]throttle.Rate{}
	for scope := range auth.DefaultRates() {
		all[scope] = throttle.Rate{Limit: limit, Per: per}
	}
	return all
}

// observes lets the canary hear statements and their errors. The values beside
// a statement are left out: those end in tables, which are searched.
func (k *canary) observes(db *sqldb.DB) {
	db.Observe(func(_ context.Context, e sqldb.Event) {
		k.hears("statement", []byte(e.SQL))
		if e.Err != nil {
			k.hears("error of a statement", []byte(e.Err.Error()))
		}
	})
}

// keys are for JWTs; and errors about those that cannot be used are heard.
func (k *canary) keys() *auth.Keys {
	k.tb.Helper()
	var entries []string
	for _, algorithm := range []string{auth.EdDSA, auth.HS256} {
		made, err := auth.GenerateKey("key-"+strings.ToLower(algorithm), algorithm)
		k.must(err)
		entries = append(entries, made.Reveal())
		_, text, _ := strings.Cut(strings.TrimPrefix(made.Reveal(), "key-"), ":")
		_, text, _ = strings.Cut(text, ":")
		material, err := base64.RawURLEncoding.DecodeString(text)
		k.must(err)
		k.knows("JWT key, "+algorithm, string(material[len(material)-32:])) // after what every such key begins with
	}
	for _, wrong := range []string{
		k.word("key alone"), "a:HS256:" + k.word("key that is no base64") + "!", "b:none:" + k.word("key of no algorithm"), k.word("key for a kid") + "/:HS256:x",
	} {
		_, err := auth.ParseKeys(wrong)
		k.expects(err)
	}
	_, err := sqldb.Open("postgres://user:"+k.word("password of the database")+"@localhost:port/name", sqldb.Options{})
	k.expects(err)
	keys, err := auth.ParseKeys(strings.Join(entries, ","))
	k.must(err)
	return keys
}

// expects hears an error that has to be there.
func (k *canary) expects(err error) {
	k.tb.Helper()
	if err == nil {
		k.tb.Error("what cannot be used was taken")
		return
	}
	k.report(err)
}

// again sends everything to another server, which rejects many of the requests
// with one of the statuses.
func (f *flight) again(to *courier, refusals ...int) {
	f.tb.Helper()
	statuses, refused := map[int]int{}, 0
	for _, e := range f.errands {
		statuses[to.run(e).status]++
	}
	for _, status := range refusals {
		refused += statuses[status]
	}
	f.tb.Logf("sent again: %v", statuses)
	if refused < len(f.errands)/4 {
		f.tb.Errorf("sent again, %d of %d are refused by %v", refused, len(f.errands), refusals)
	}
}

// sweeps is what a server does beside its requests, and reports.
func (f *flight) sweeps() {
	ended, end := context.WithCancel(f.tb.Context())
	end()
	f.identity.Run(ended, f.db, f.report)
	for _, purge := range []func(context.Context, *sqldb.Session) (int64, error){f.identity.Sessions.Purge, f.identity.JWT.Purge} {
		if _, err := purge(f.tb.Context(), f.db.Session()); err != nil {
			f.report(err)
		}
	}
	_, err := f.identity.Users.CreateUser(f.tb.Context(), f.db.Session(), auth.NewUser{Email: "asha@example.org", Password: f.plant("password of nobody")})
	f.expects(err)
}
