package contract

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// An Attack tries a server with requests that are made of its own document:
// good ones, and good ones that were spoilt in one place, by a wrong type, a
// value beyond its bounds, a member too many, a header that is broken. No answer
// may be a failure of the server, and no good request may be refused as not valid
// by itself, validation_failed or invalid_parameter: the document would be too
// loose. That an answer is one the document tells of, and that nothing is taken
// which the document refuses, is for [Contract.Wrap] to see, behind which the
// server stands.
//
// The server logs each of these requests as it does any. Give the API under
// attack a log of its own, framework.Config{Log: slog.New(slog.DiscardHandler)},
// or what is found is buried in them.
//
// What answers show, ids above all, goes into later requests, so that these find
// something.
type Attack struct {
	// Contract is that of the API. Required.
	Contract *Contract
	// URL is where the server is, without a last slash. Required.
	URL string
	// Seed makes the requests what they are, but for what the answers show.
	Seed uint64
	// Requests is how many are sent.
	Requests int
	// Faultless sends good requests alone. Defaults to spoiling two of three.
	Faultless bool
	// Only tells which operations are tried. Defaults to all.
	Only func(method, path string) bool
	// Callers are who sends requests, in turn: each by a name, with the headers
	// of a request to an operation. Defaults to one without any.
	Callers map[string]func(method, path string) http.Header
	// Transport sends the requests. Defaults to one of the attack's own.
	Transport http.RoundTripper
	// Known are values for members and parameters, by name, as JSON: what is
	// made up would never be right, such as a password. Defaults to none.
	Known map[string][]string
	// Unsaid are the faults that good requests may be refused for as no document
	// can say it, such as that one number must not be less than another: by the
	// id of an operation, "" for any, each a member or a parameter and a code,
	// "/items/*/quantity: max" or "page: invalid_parameter", or a code alone.
	// Defaults to none.
	Unsaid map[string][]string
}

// A Tally is what came of an attack.
type Tally struct {
	// Statuses counts the answers of each operation, by its id; a request that
	// was spoilt by another method is of none.
	Statuses map[string]map[int]int
	// Good counts the requests that were not spoilt, and Taken those of them
	// that succeeded.
	Good, Taken int
	// Loose counts what good requests were refused for, by the operation's id:
	// what the server asks and the document does not say, as in [Attack.Unsaid].
	Loose map[string]map[string]int
}

// An attacker is an attack under way.
type attacker struct {
	Attack

	maker
	client *http.Client
	tally  Tally
	lucky  map[string]string // who succeeded last, by operation

	examples map[string]string // of what is loose
}

// attackTimeout is how long an answer may take.
const attackTimeout = time.Minute

// Run sends the requests, one after the other. A server that does not answer
// fails the test at once.
func (a Attack) Run(tb testing.TB) Tally {
	tb.Helper()
	if len(a.Callers) == 0 {
		a.Callers = map[string]func(string, string) http.Header{"anybody": func(string, string) http.Header { return http.Header{} }}
	}
	if a.Transport == nil {
		own := &http.Transport{DisableCompression: true}
		defer own.CloseIdleConnections()
		a.Transport = own
	}
	at := &attacker{
		Attack: a, maker: newMaker(a.Contract, a.Seed, a.Known), tally: Tally{Statuses: map[string]map[int]int{}, Loose: map[string]map[string]int{}},
		lucky: map[string]string{}, examples: map[string]string{},
		client: &http.Client{Transport: a.Transport, Timeout: attackTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	}
	operations := slices.DeleteFunc(slices.Clone(a.Contract.operations), func(o *operation) bool { return a.Only != nil && !a.Only(o.method, o.path) })
	callers := slices.Sorted(maps.Keys(a.Callers))
	if len(operations) == 0 {
		tb.Fatal("no operation of the document is to be tried")
	}
	for n := range a.Requests {
		o := operations[n%len(operations)]
		caller := oneOf(at.maker, callers)
		if lucky := at.lucky[o.id]; lucky != "" && at.chance(2) {
			caller = lucky
		}
		at.try(tb, n, o, caller)
	}
	at.tight(tb)
	return at.tally
}

// try sends one request.
func (a *attacker) try(tb testing.TB, n int, o *operation, caller string) {
	tb.Helper()
	d := a.draft(o)
	known := a.Callers[caller](o.method, o.path)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if d.header[name] == nil || !a.chance(4) { // what was made up is rarely right
			d.header[name] = known[name]
		}
	}
	spoilt := ""
	if !a.Faultless && !a.chance(3) {
		spoilt = a.spoil(d)
	}
	status, body, err := a.send(tb, d)
	if err != nil {
		tb.Fatalf("seed %d, request %d, %s by %s: no answer: %v\n%s", a.Seed, n, spoilt, caller, err, d)
	}
	if status >= http.StatusInternalServerError {
		tb.Errorf("seed %d, request %d, %s by %s: %d\n%s\n%s", a.Seed, n, spoilt, caller, status, d, body)
	}
	if d.method != o.method {
		return // what it says is of another operation, or of none
	}
	a.count(o, status, spoilt == "")
	if spoilt == "" {
		a.loose(d, status, body)
	}
	if status < http.StatusMultipleChoices {
		a.pool.learn(o, body)
		a.lucky[o.id] = caller
	}
}

func (a *attacker) count(o *operation, status int, good bool) {
	if a.tally.Statuses[o.id] == nil {
		a.tally.Statuses[o.id] = map[int]int{}
	}
	a.tally.Statuses[o.id][status]++
	if good {
		a.tally.Good++
		if status < http.StatusMultipleChoices {
			a.tally.Taken++
		}
	}
}

func (a *attacker) send(tb testing.TB, d *draft) (int, []byte, error) {
	var body io.Reader
	if d.sends {
		body = bytes.NewReader(d.body)
	}
	r, err := http.NewRequestWithContext(tb.Context(), d.method, a.URL+d.target(), body)
	if err != nil {
		return 0, nil, err
	}
	r.Header = d.header
	response, err := a.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answered, err := io.ReadAll(response.Body)
	return response.StatusCode, answered, err
}

// String lists what each operation answered, and how often.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d good requests, of which %d succeeded", t.Good, t.Taken)
	for _, id := range slices.Sorted(maps.Keys(t.Statuses)) {
		fmt.Fprintf(&b, "\n%-28s", id)
		for _, status := range slices.Sorted(maps.Keys(t.Statuses[id])) {
			fmt.Fprintf(&b, " %d: %d", status, t.Statuses[id][status])
		}
		for _, fault := range slices.Sorted(maps.Keys(t.Loose[id])) {
			fmt.Fprintf(&b, ", for %s: %d", fault, t.Loose[id][fault])
		}
	}
	return b.String()
}

// A maker makes requests.
type maker struct {
	contract *Contract
	dice     *rand.Rand
	pool     *pool
	known    map[string][]string
	odd      *oddities
}

func newMaker(c *Contract, seed uint64, known map[string][]string) maker {
	return maker{contract: c, dice: rand.New(rand.NewPCG(seed, 0)), pool: newPool(c), known: known, odd: newOddities()}
}

// oneOf is any of a list.
func oneOf[T any](m maker, list []T) T { return list[m.dice.IntN(len(list))] }

// chance is true once in n times.
func (m maker) chance(n int) bool { return m.dice.IntN(n) == 0 }
