package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

// A population is a clinic and a store with many users. User n owns the patients
// n, n + users, n + 2 users and so on. A user with an even number sees all patients.
type population struct {
	maker

	rig         *rig
	database    string
	seed        uint64
	dice        *rand.Rand
	users, each int // how many users there are, and how many patients each owns
}

// eachDatabase runs a test on a fresh database of each kind: one after the other
// where figures decide, else at once.
func eachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	if !proving.On() {
		t.Parallel()
		onBoth(t, func(t *testing.T, r *rig) { t.Helper(); test(t, strings.TrimPrefix(r.env[0], "DATABASE_URL=")) })
		return
	}
	t.Run("sqlite", func(t *testing.T) { test(t, sqliteURL(t)) })
	t.Run("postgresql", func(t *testing.T) { test(t, postgres.Database(t)) })
}

// openPopulation fills a database.
func openPopulation(t *testing.T, database string) *population {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	p := &population{rig: newRig(t, database), database: database, seed: seed, dice: rand.New(rand.NewPCG(seed, 0)), users: 20, each: 5}
	products := 100
	if proving.On() {
		ungroup(t)
		p.users, p.each, products = 200, 50, 2000
	}
	p.rig.ok("migrate up")
	p.rig.ok(fmt.Sprintf("seed --patients 200 --appointments 200 --products %d", products))
	db, err := sqldb.Open(database, sqldb.Options{MaxConns: 2, StatementTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p.maker = maker{t, db}
	p.maker.users(p.users)
	p.patients(0, p.users*p.each, fmt.Sprintf("i %% %d", p.users))
	p.appointments(0, p.users*p.each)
	p.exec("ANALYZE")
	return p
}

// serve starts a server with its default settings, and those of env.
func (p *population) serve(t *testing.T, before []string, env ...string) *instance {
	t.Helper()
	watching := freeAddress(t, p.dice)
	i := newInstance(t, freeAddress(t, p.dice), before, append([]string{"DATABASE_URL=" + p.database, "TRESTLE_METRICS_ADDR=" + watching}, env...))
	i.watching = watching
	i.begin()
	return i
}

// patientOf is a patient of a user.
func (p *population) patientOf(user int, dice *rand.Rand) string {
	return rowID(patientRows, user+p.users*dice.IntN(p.each)).String()
}

// seenBy is a patient that a user sees.
func (p *population) seenBy(user int, dice *rand.Rand) string {
	if user%2 == 0 {
		user = dice.IntN(p.users)
	}
	return p.patientOf(user, dice)
}

// pagesOf is how many pages a user's list has.
func (p *population) pagesOf(user int) int {
	rows := p.each
	if user%2 == 0 {
		rows *= p.users
	}
	return max(1, min(50, rows/20))
}

// manyRequests is how many requests of a kind are made beforehand.
const manyRequests = 4000

// byUsers makes the requests of many users.
func (p *population) byUsers(of func(user int, dice *rand.Rand) []byte) func(*rand.Rand) []byte {
	return p.bySome(0, p.users, of)
}

// bySome makes the requests of some users: from the first up to, but without, end.
func (p *population) bySome(first, end int, of func(user int, dice *rand.Rand) []byte) func(*rand.Rand) []byte {
	made, dice := make([][]byte, manyRequests), rand.New(rand.NewPCG(p.seed, 2))
	for i := range made {
		made[i] = of(first+i%(end-first), dice)
	}
	return func(dice *rand.Rand) []byte { return made[dice.IntN(len(made))] }
}

// operations are what the users do, by name.
func (p *population) operations() map[string]errand {
	all := map[string]errand{}
	for name, of := range map[string]func(user int, dice *rand.Rand) []byte{
		"retrieve": func(user int, dice *rand.Rand) []byte {
			return request("GET", "/api/patients/"+p.seenBy(user, dice)+"/", tokenOfUser(user), "")
		},
		"appointments": func(user int, dice *rand.Rand) []byte {
			return request("GET", "/api/patients/"+p.seenBy(user, dice)+"/appointments/", tokenOfUser(user), "")
		},
		"list": func(user int, dice *rand.Rand) []byte {
			return request("GET", fmt.Sprintf("/api/patients/?page=%d", 1+dice.IntN(p.pagesOf(user))), tokenOfUser(user), "")
		},
		"search": func(user int, dice *rand.Rand) []byte {
			return request("GET", "/api/patients/?search="+url.QueryEscape(pieceOfName(dice)), tokenOfUser(user), "")
		},
		"patch": func(user int, dice *rand.Rand) []byte {
			return request("PATCH", "/api/patients/"+p.patientOf(user, dice)+"/", tokenOfUser(user), fmt.Sprintf(`{"phone": "+1-555-%07d"}`, dice.IntN(1e7)))
		},
		"create": func(user int, dice *rand.Rand) []byte {
			return request("POST", "/api/patients/", tokenOfUser(user),
				fmt.Sprintf(`{"name": "Load %06d Patient", "phone": "+1-555-%07d", "city": "Dover"}`, dice.IntN(1e6), dice.IntN(1e7)))
		},
	} {
		all[name] = errand{name: name, weight: 1, next: p.byUsers(of)}
	}
	return all
}

// mixed is what the users do together: 40 % retrieve, 20 % a patient's appointments,
// 15 % list, 5 % search, 13 % change and 7 % create.
func mixed(operations map[string]errand) (all []errand) {
	for name, weight := range map[string]int{"retrieve": 40, "appointments": 20, "list": 15, "search": 5, "patch": 13, "create": 7} {
		e := operations[name]
		e.weight = weight
		all = append(all, e)
	}
	return all
}

// pieceOfName is three to five letters of a family name.
func pieceOfName(dice *rand.Rand) string {
	names := strings.Fields(strings.ToLower(familyNames))
	name := names[dice.IntN(len(names))]
	length := min(len(name), 3+dice.IntN(3))
	at := dice.IntN(len(name) - length + 1)
	return name[at : at+length]
}

// isPostgres reports whether the database is PostgreSQL.
func (p *population) isPostgres() bool { return p.db.Kind() == sqldb.PostgreSQL }
