package relation_test

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestAnswersWithShapes: create, PUT, an action and a stream answer with what the view shows of
// relations.
func TestAnswersWithShapes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := shaped()
		v.Verbs.Create = framework.Fills[shapedView](func(_ *framework.Call, a *Article, _ shapedInput) error {
			a.ID, a.WriterID, a.Reprints = 9, new(int64(1)), new(int64(1))
			return nil
		})
		v.Verbs.Update = framework.Accepts[shapedInput, shapedView]()
		v.Actions = []framework.Action[Article]{framework.Get("again", func(c *framework.Call, a *Article, _ framework.None) (shapedView, error) {
			return framework.FindOne[shapedView](c, "shaped", a.ID)
		})}
		v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "stream", func(c *framework.Call, _ framework.None) (iter.Seq2[shapedView, error], error) {
			return framework.Each[shapedView](c, "shaped", nil), nil
		})}
		_, c := apitest.Serve(t, config(db), append(resources(), v, votes())...)
		voted(t, db)
		una := apitest.As(c, "una")
		una.Put("/api/shaped/1/", map[string]any{"title": "One"}).Expect(200).Contains(whole)
		una.Get("/api/shaped/1/again/").Expect(200).Contains(whole)
		lines := strings.Split(strings.TrimSpace(una.Get("/api/shaped/stream/").Expect(200).Body()), "\n")
		if len(lines) != 6 || lines[0] != whole {
			t.Errorf("the stream has %d lines, the first is\n%s\nwant 6, and\n%s", len(lines), lines[0], whole)
		}
		una.Post("/api/shaped/", map[string]any{"title": "Nine"}).Expect(201).Contains(`{"id":9,"title":"Nine","author":"ann","team":"red","initial":"a","by":{"username":"ann","articles":3},` +
			`"tags":[],"tag_ids":[],"labels":[],"best":[],"writers":[],"editions":[],"comments":0,"signed":0,"noted":false,"top":null`)
		una.Get("/api/shaped/1/").Expect(200).Contains(`"copies":2`)
	})
}

// TestOptionsOfPaths: OPTIONS describes the filters and orders by paths and by functions.
func TestOptionsOfPaths(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), shapes()...)
		type schema struct {
			Type  any
			Enum  []any
			Items *schema
		}
		parameters := func(path string) (found map[string]schema) {
			var d struct {
				Actions map[string]struct {
					Parameters []struct {
						Name   string
						Schema schema
					}
				}
			}
			if err := json.Unmarshal([]byte(c.Do("OPTIONS", path, nil).Expect(200).Body()), &d); err != nil {
				t.Fatal(err)
			}
			found = map[string]schema{}
			for _, p := range d.Actions["GET"].Parameters {
				found[p.Name] = p.Schema
			}
			return found
		}
		articles, shaped := parameters("/api/articles/"), parameters("/api/shaped/")
		for name, want := range map[string]string{"writer": "string", "min_score": "integer", "without_tag": "string", "no_city": "boolean", "by": "string", "by_min_score": "integer", "min_total": "integer"} {
			if articles[name].Type != want {
				t.Errorf("%s has the type %v; want %s", name, articles[name].Type, want)
			}
		}
		for name, want := range map[string]string{"min_votes": "integer", "mine": "boolean", "min_top": "integer", "min_of_writer": "integer"} {
			if shaped[name].Type != want {
				t.Errorf("%s has the type %v; want %s", name, shaped[name].Type, want)
			}
		}
		if !slices.Equal(articles["comments.state"].Enum, []any{"open", "closed"}) {
			t.Errorf("a state has the values %v", articles["comments.state"].Enum)
		}
		if o := articles["ordering"].Items; o == nil || !slices.Contains(o.Enum, any("-writer.team.name")) {
			t.Errorf("the orders of articles are %v", o)
		}
		if o := shaped["ordering"].Items; o == nil || !slices.Contains(o.Enum, any("-votes")) || slices.Contains(o.Enum, any("weight")) {
			t.Errorf("the orders of shaped are %v", o)
		}
	})
}
