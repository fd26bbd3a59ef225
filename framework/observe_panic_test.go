package framework_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework"
)

// A hazard is an observer that panics.
type hazard struct {
	begin, end any // what it panics of; nil for nothing
	nothing    bool
	ends       int
}

// Begin returns no context where nothing is said.
func (h *hazard) Begin(ctx context.Context, _ *http.Request) context.Context {
	if h.begin != nil {
		panic(h.begin)
	}
	if h.nothing {
		return nil
	}
	return context.WithValue(ctx, witnessKey{}, passed(ctx)+"h")
}

func (h *hazard) End(context.Context, framework.Outcome) []slog.Attr {
	h.ends++
	if h.end != nil {
		panic(h.end)
	}
	return []slog.Attr{slog.Bool("hazard", true)}
}

// A house is a library whose observers may panic, between two that do not.
type house struct {
	handler     http.Handler
	log         lines
	first, last *witness
}

func newHouse(t *testing.T, between ...framework.Observer) *house {
	t.Helper()
	h := &house{first: newWitness("a"), last: newWitness("b")}
	h.first.log, h.last.log = []slog.Attr{slog.Int("first", 1)}, []slog.Attr{slog.Int("last", 1)}
	v := notes()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "abort", func(*framework.Call, framework.None) (framework.None, error) { panic(http.ErrAbortHandler) }),
		framework.OnCollection("GET", "fail", func(*framework.Call, framework.None) (framework.None, error) { panic("at work") }),
	}
	all := append(append([]framework.Observer{h.first}, between...), h.last)
	c := guarded(sqlite(t), all...)
	c.Log = slog.New(slog.NewTextHandler(&h.log, nil))
	api := framework.New(c)
	api.Register(v)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	h.handler = handler
	return h
}

// get sends a request as Ada, and returns the panic of the handler.
func (h *house) get(path string) (got *httptest.ResponseRecorder, panicked any) {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
	r.Header.Set("Authorization", "Name ada")
	got = httptest.NewRecorder()
	defer func() { panicked = recover() }()
	h.handler.ServeHTTP(got, r)
	return got, nil
}

var (
	stackOfHazard = regexp.MustCompile(`observer=\*framework_test\.hazard error="panic: [^"]*\\ngoroutine [^"]*observe`)
	requestLine   = regexp.MustCompile(`msg=request .* first=1( hazard=true)* last=1\n`)
)

// TestObserversThatPanic: the request is answered and logged as without them, the other
// observers run, and the log has each panic with its stack.
func TestObserversThatPanic(t *testing.T) {
	for name, test := range map[string]struct {
		hazards []*hazard
		logged  int   // panics
		ends    []int // of the hazards
		trail   string
	}{
		"none":                  {[]*hazard{{}}, 0, []int{1}, "ahb"},
		"at Begin":              {[]*hazard{{begin: "canary"}}, 1, []int{0}, "ab"},
		"at End":                {[]*hazard{{end: "canary"}}, 1, []int{1}, "ahb"},
		"at both":               {[]*hazard{{begin: "canary", end: "canary"}}, 1, []int{0}, "ab"},
		"with an error":         {[]*hazard{{begin: errors.New("canary")}}, 1, []int{0}, "ab"},
		"a Begin of no context": {[]*hazard{{nothing: true}}, 1, []int{0}, "ab"},
		"several": {
			[]*hazard{{begin: "canary"}, {}, {end: "canary"}, {begin: "canary", end: "canary"}, {end: "canary"}},
			4, []int{0, 1, 1, 0, 1}, "ahhhb",
		},
	} {
		for path, status := range map[string]int{"/api/notes/": 200, "/api/notes/fail/": 500, "/api/notes/nowhere/": 404, "/api/errors/not_found": 200, "/nowhere": 404} {
			t.Run(name+", "+path, func(t *testing.T) {
				var between []framework.Observer
				for _, each := range test.hazards {
					each.ends = 0
					between = append(between, each)
				}
				h := newHouse(t, between...)
				got, panicked := h.get(path)
				if panicked != nil || got.Code != status || got.Body.Len() == 0 || strings.Contains(got.Body.String(), "canary") {
					t.Errorf("the answer is %d %s, and the handler panics of %v; want %d", got.Code, got.Body, panicked, status)
				}
				for _, w := range []*witness{h.first, h.last} {
					if trail := strings.Join(w.trail, " "); trail != test.trail {
						t.Errorf("another is told the end of %q; want that of one, %q", trail, test.trail)
					}
					if len(w.said) != 1 || w.said[0].Status != status {
						t.Errorf("another is told %+v; want status %d", w.said, status)
					}
				}
				for i, each := range test.hazards {
					if each.ends != test.ends[i] {
						t.Errorf("number %d is told of %d ends; want %d", i+1, each.ends, test.ends[i])
					}
				}
				log := h.log.String()
				told := strings.Count(log, "level=ERROR msg=\"an observer panicked; the request goes on without it\" id=")
				if told != test.logged || len(stackOfHazard.FindAllString(log, -1)) != told {
					t.Errorf("the log tells of %d panics, want %d, with their stacks: %s", told, test.logged, log)
				}
				if path != "/api/errors/not_found" && !requestLine.MatchString(log) { // a page of a code has none
					t.Errorf("the request's line is not as it would be: %s", log)
				}
			})
		}
	}
}

// TestObserversThatBreakTheConnectionOff may do so, and the other observers run.
func TestObserversThatBreakTheConnectionOff(t *testing.T) {
	abort := http.ErrAbortHandler
	for name, test := range map[string]struct {
		hazards     []framework.Observer
		path        string
		first, last []int // the statuses that they receive
		logged      int
	}{
		"at Begin":              {[]framework.Observer{&hazard{begin: abort}}, "/api/notes/", []int{0}, nil, 0},
		"at End":                {[]framework.Observer{&hazard{end: abort}}, "/api/notes/", []int{200}, []int{200}, 0},
		"at End, two":           {[]framework.Observer{&hazard{end: abort}, &hazard{end: abort}}, "/api/notes/", []int{200}, []int{200}, 0},
		"after another's panic": {[]framework.Observer{&hazard{begin: "canary"}, &hazard{end: "canary"}, &hazard{end: abort}}, "/api/notes/", []int{200}, []int{200}, 2},
		"when the handler did":  {[]framework.Observer{&hazard{end: "canary"}}, "/api/notes/abort/", []int{0}, []int{0}, 1},
		"and the handler did":   {[]framework.Observer{&hazard{end: abort}}, "/api/notes/abort/", []int{0}, []int{0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, test.hazards...)
			_, panicked := h.get(test.path)
			if err, _ := panicked.(error); !errors.Is(err, abort) {
				t.Errorf("the handler panics of %v; want the connection broken off", panicked)
			}
			for w, want := range map[*witness][]int{h.first: test.first, h.last: test.last} {
				if w.began != len(want) || len(w.said) != len(want) {
					t.Fatalf("%s is told of %d beginnings and %d ends; want %d", w.name, w.began, len(w.said), len(want))
				}
				if len(want) > 0 && w.said[0].Status != want[0] {
					t.Errorf("%s is told %+v; want status %d", w.name, w.said[0], want[0])
				}
			}
			if told := strings.Count(h.log.String(), "an observer panicked"); told != test.logged {
				t.Errorf("the log tells of %d panics; want %d: %s", told, test.logged, &h.log)
			}
		})
	}
}
