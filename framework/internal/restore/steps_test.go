package restore_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A step is one request, and what is expected of its answer.
type step struct {
	name   string
	as     string
	what   string // "GET /folders/{a}/": {a} is the id that a step before has kept
	body   string // of a write; "" for none
	status int
	has    string // a text in the answer; "" for any answer
	lacks  string
	keep   string // the name under which later steps know the id of the row
}

var kept = regexp.MustCompile(`\{(\w+)\}`)

// play sends the requests of steps to one API on each database, one after another.
func play(t *testing.T, steps []step) {
	t.Helper()
	both(t, func(t *testing.T, _ *sqldb.DB, as func(string) *frameworktest.Client) {
		ids := map[string]string{}
		for _, s := range steps {
			ok := t.Run(s.name, func(t *testing.T) { s.send(t, as(s.as).On(t), ids) })
			if !ok {
				return // those that follow depend on it
			}
		}
	})
}

func (s step) send(t *testing.T, c *frameworktest.Client, ids map[string]string) {
	t.Helper()
	fill := func(text string) string {
		return kept.ReplaceAllStringFunc(text, func(name string) string {
			if id, known := ids[name[1:len(name)-1]]; known {
				return id
			}
			return name
		})
	}
	method, path, _ := strings.Cut(fill(s.what), " ")
	var body any
	if s.body != "" {
		body = json.RawMessage(fill(s.body))
	}
	if strings.HasSuffix(path, "/cover/") && method == "PUT" {
		body, c = []byte("a cover"), c.With("Content-Type", "text/plain")
	}
	got := c.Do(method, "/api"+path, body).Expect(s.status)
	if s.has != "" {
		got.Contains(fill(s.has))
	}
	if s.lacks != "" {
		got.Lacks(fill(s.lacks))
	}
	if s.keep != "" {
		var made struct{ ID any }
		got.JSON(&made)
		ids[s.keep] = fmt.Sprint(made.ID)
	}
}
