package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
)

const (
	// pointGrowth and listGrowth are how many times as long requests may take with a
	// hundred times as many patients.
	pointGrowth = 1.5
	listGrowth  = 3.0
)

// TestGrowth: the server answers hardly later with a million patients than with ten
// thousand. With TRESTLE_PROVE=1 it compares those numbers, and sends each request up to
// 300 times; else it compares 200 and 2,000, and only checks the answers.
func TestGrowth(t *testing.T) {
	few, many, times := 200, 2000, 5
	if proving.On() {
		few, many, times = 10_000, 1_000_000, 300
	}
	eachDatabase(t, func(t *testing.T, database string) {
		g := openGrowth(t, database, times)
		g.patients(0, few, "i % 2")
		g.rest()
		before := g.measure(t)
		began := time.Now()
		g.patients(few, many, "i % 2")
		g.rest()
		t.Logf("making %d more patients took %s", many-few, time.Since(began).Round(time.Second))
		after := g.measure(t)
		for i, b := range before {
			a := after[i]
			ratio := a.took.Seconds() / b.took.Seconds()
			figure(t, b.most == 0 || ratio <= b.most, "%s: %s with %d patients, %s with %d: %.2f times (%s)", b.name, b.took, few, a.took, many, ratio, b.bound())
		}
	})
}

// A manyPatients is a population of two users. Each owns half of the patients, and
// the first sees all.
type manyPatients struct {
	*population

	times int // that each request is sent
}

func openGrowth(t *testing.T, database string, times int) *manyPatients {
	t.Helper()
	p := openPopulation(t, database)
	p.exec("DELETE FROM appointments")
	p.exec("DELETE FROM patients")
	return &manyPatients{p, times}
}

// rest does at once what the database does in the background after many rows are
// inserted: it makes its statistics and, on PostgreSQL, marks the rows as committed.
func (g *manyPatients) rest() {
	if g.db.Kind() == sqldb.PostgreSQL {
		g.exec("VACUUM patients")
	}
	g.exec("ANALYZE")
}

// A pace is how long a request takes, in the median, and how many times as long it may
// take when there are more patients; 0 for any.
type pace struct {
	name string
	took time.Duration
	most float64
}

func (p pace) bound() string {
	if p.most == 0 {
		return "no bound"
	}
	return fmt.Sprintf("bound %.1f", p.most)
}

// measure sends the requests of one client.
func (g *manyPatients) measure(t *testing.T) (all []pace) {
	t.Helper()
	server := g.serve(t, nil)
	defer server.stop()
	for user, name := range []string{"holder", "owner"} {
		c := &visits{t: t, many: g, wire: wire{address: server.address}, token: tokenOfUser(user), user: user}
		all = append(all, c.paces(name)...)
		c.wire.close()
	}
	return all
}

// A visits is one client, which sends one request at a time.
type visits struct {
	t     *testing.T
	many  *manyPatients
	wire  wire
	token string
	user  int
}

// paces measures each kind of request of one user.
func (v *visits) paces(who string) []pace {
	v.t.Helper()
	dice, numbers := v.many.dice, v.many.owned(v.t)
	lists := []struct{ name, query string }{{"page 1", ""}, {"a city, by name", "?city=Dover&ordering=-name"}, {"a search", "?search=garc"}}
	var all []pace
	var first []time.Duration
	for _, list := range lists {
		get := request("GET", "/api/patients/"+list.query, v.token, "")
		first = append(first, v.afterCommit(get))
		all = append(all, pace{who + ", " + list.name, v.median(func(int) []byte { return get }), listGrowth})
	}
	all = append(all,
		pace{who + ", retrieve", v.median(func(int) []byte {
			return request("GET", "/api/patients/"+rowID(patientRows, v.user+2*dice.IntN(numbers)).String()+"/", v.token, "")
		}), pointGrowth},
		pace{who + ", create", v.median(func(int) []byte { return v.creating() }), pointGrowth})
	for i, took := range first {
		all = append(all, pace{who + ", " + lists[i].name + " after a commit", took, 0})
	}
	return all
}

// owned is how many patients each of the two users owns.
func (g *manyPatients) owned(t *testing.T) (n int) {
	t.Helper()
	if err := g.db.NewRaw("SELECT count(*) FROM patients WHERE created_at = ?", longAgo()).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n / 2
}

func (v *visits) creating() []byte {
	return request("POST", "/api/patients/", v.token, `{"name": "Zara Growth", "phone": "+1-555-0100", "city": "Dover"}`)
}

// afterCommit is how long a list takes after a commit, when the server counts its rows
// again: the median of some commits.
func (v *visits) afterCommit(get []byte) time.Duration {
	v.t.Helper()
	all := make([]time.Duration, 5)
	for i := range all {
		v.send(v.creating())
		all[i] = v.send(get)
	}
	slices.Sort(all)
	return all[len(all)/2].Round(time.Microsecond)
}

// send sends one request, which must be answered 2xx.
func (v *visits) send(sent []byte) time.Duration {
	v.t.Helper()
	began := time.Now()
	got, err := v.wire.send(sent, waitLimit)
	took := time.Since(began)
	if err != nil || got.status != http.StatusOK && got.status != http.StatusCreated {
		v.t.Fatalf("%.100s is answered %d %s, %v", sent, got.status, got.body, err)
	}
	return took
}

// medianLimit bounds the time that a slow request is sent again and again.
const medianLimit = 5 * time.Second

// median sends a request many times, and some before those. A slow one it sends fewer
// times.
func (v *visits) median(of func(i int) []byte) time.Duration {
	v.t.Helper()
	warm := max(1, v.many.times/10)
	var all []time.Duration
	for i, began := 0, time.Now(); i < warm+v.many.times && (i < 3*warm || time.Since(began) < medianLimit); i++ {
		if took := v.send(of(i)); i >= warm {
			all = append(all, took)
		}
	}
	slices.Sort(all)
	return all[len(all)/2].Round(time.Microsecond)
}
