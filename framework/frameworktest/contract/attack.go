package contract

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// An Attack sends requests to a server that are generated from its own document. Valid
// requests follow the document. Spoilt requests are changed in one place, such as a value
// of a wrong type, an additional member, or a broken header. The test fails if the server
// answers 500 or more. It also fails if a valid request is rejected with validation_failed
// or invalid_parameter, because then the document is too loose, unless every fault is an
// invalid_reference, a wrong_password, a unique of a member of two items of a list, or one of
// Unsaid. Put the server behind [Contract.Wrap]: that checks the answers, and that the server
// rejects what the document does not allow.
//
// The server logs each of these requests. Give the API a log that discards them,
// framework.Config{Log: slog.New(slog.DiscardHandler)}; otherwise they hide the findings.
//
// Values from answers, above all ids, are used in later requests, so that these find
// rows.
type Attack struct {
	// Contract is the contract of the API. Required.
	Contract *Contract
	// URL is the address of the server, without a trailing slash. Required.
	URL string
	// Seed determines the requests, except for values from answers.
	Seed uint64
	// Requests is how many requests are sent. Defaults to none.
	Requests int
	// Faultless sends only valid requests. By default about two of three requests are spoilt.
	Faultless bool
	// Only selects the operations. Defaults to all.
	Only func(method, path string) bool
	// Callers are the senders of requests. Each request has a random one, or the caller
	// whose request to the operation succeeded last. The key is the name of a caller, and
	// the function returns its headers for an operation. Defaults to one caller without
	// headers.
	Callers map[string]func(method, path string) http.Header
	// Transport sends the requests. Defaults to a transport of its own.
	Transport http.RoundTripper
	// Known are values for members and parameters, by name, as JSON, for values that
	// cannot be generated, such as a password. Defaults to none.
	Known map[string][]string
	// Unsaid are the faults for which the server may reject a valid request because no
	// schema can express the rule, such as that one number must not be less than another.
	// The key is the id of an operation, or "" for any. Each value is a member or a
	// parameter with a code, "/items/*/quantity: max" or "page: invalid_parameter", or a
	// code alone. Defaults to none.
	Unsaid map[string][]string
}

// A Tally is the result of an attack.
type Tally struct {
	// Statuses counts the answers of each operation, by its id. A request with a spoilt
	// method belongs to no operation.
	Statuses map[string]map[int]int
	// Good counts the valid requests, and Taken counts those of them that succeeded.
	Good, Taken int
	// Loose counts the faults for which valid requests were rejected, by the id of the
	// operation. These are the rules of the server that the document lacks, see
	// [Attack.Unsaid].
	Loose map[string]map[string]int
}

// An attacker is an attack under way.
type attacker struct {
	Attack

	maker
	client *http.Client
	tally  Tally
	lucky  map[string]string // the caller of the last success, by operation

	examples map[string]string // one request for each loose fault
}

// attackTimeout is the time limit for an answer.
const attackTimeout = time.Minute

// Run sends the requests one after the other. If the server does not answer, the test
// fails at once.
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
		tb.Fatal("Only selects no operation of the document")
	}
	for n := range a.Requests {
		o := operations[n%len(operations)]
		caller := oneOf(at.maker, callers)
		if lucky := at.lucky[o.id]; lucky != "" && at.chance(2) {
			caller = lucky
		}
		at.try(tb, n, o, caller)
	}
	at.reportLoose(tb)
	return at.tally
}

// try sends one request.
func (a *attacker) try(tb testing.TB, n int, o *operation, caller string) {
	tb.Helper()
	d := a.draft(o)
	known := a.Callers[caller](o.method, o.path)
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if d.header[name] == nil || !a.chance(4) { // generated credentials are rarely valid
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
		return // the answer belongs to another operation or to none
	}
	a.count(o, status, spoilt == "")
	if spoilt == "" {
		a.countLoose(d, status, body)
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

// String lists the answers of each operation with their numbers.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d valid requests, %d of them succeeded", t.Good, t.Taken)
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
