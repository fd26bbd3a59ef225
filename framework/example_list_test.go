package framework_test

import (
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// garden is a viewset of tasks with three of them, its lists bare arrays of
// their texts.
func garden(change func(v *framework.ViewSet[Task])) (ask func(line string, body ...string), done func()) {
	type text struct {
		Text string `json:"text"`
	}
	c, done := setup()
	c.Pagination = page.Bare{}
	for _, text := range []string{"Sow the Straße", "Water 100% of it", "Reap"} {
		_, err := c.DB.NewInsert().Model(&Task{Text: text, Done: text == "Reap"}).Exec(ctx)
		must(err)
	}
	v := framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[text](), Scope: framework.Public()}
	change(&v)
	return serving(c, v), done
}

// Every term must be contained in some field, in any case; quotes keep a phrase
// whole, and % is a percent sign.
func ExampleSearch() {
	ask, done := garden(func(v *framework.ViewSet[Task]) {
		v.Search = framework.Search{Fields: []string{"text"}}
	})
	defer done()
	ask("GET /api/tasks/?search=strasse+SOW")
	ask("GET /api/tasks/?search=%22of+it%22")
	ask("GET /api/tasks/?search=0%25")
	ask("GET /api/tasks/?search=sow+reap")
	// Output:
	// 200 [{"text":"Sow the Straße"}]
	// 200 [{"text":"Water 100% of it"}]
	// 200 [{"text":"Water 100% of it"}]
	// 200 []
}

// A list is ordered by what is allowed, else by the default.
func ExampleOrdering() {
	ask, done := garden(func(v *framework.ViewSet[Task]) {
		v.Ordering = framework.Ordering{Allowed: []string{"text"}, Default: "-id"}
	})
	defer done()
	ask("GET /api/tasks/")
	ask("GET /api/tasks/?ordering=text")
	ask("GET /api/tasks/?ordering=owner_id")
	// Output:
	// 200 [{"text":"Reap"},{"text":"Water 100% of it"},{"text":"Sow the Straße"}]
	// 200 [{"text":"Reap"},{"text":"Sow the Straße"},{"text":"Water 100% of it"}]
	// 200 [{"text":"Reap"},{"text":"Water 100% of it"},{"text":"Sow the Straße"}]
}

// Orders may have names of their own, and stand for what clients do not see.
func ExampleNamedOrder() {
	ask, done := garden(func(v *framework.ViewSet[Task]) {
		v.Ordering = framework.Ordering{
			Named:   []framework.NamedOrder{{Name: "text", By: "text"}, {Name: "open_first", By: "done,-text"}},
			Default: "open_first", Param: "sort",
		}
	})
	defer done()
	ask("GET /api/tasks/")
	ask("GET /api/tasks/?sort=text")
	// Output:
	// 200 [{"text":"Water 100% of it"},{"text":"Sow the Straße"},{"text":"Reap"}]
	// 200 [{"text":"Reap"},{"text":"Sow the Straße"},{"text":"Water 100% of it"}]
}

// A client gets the whole list as CSV or NDJSON, with the filters and the order of the list.
func ExampleViewSet_export() {
	ask, done := garden(func(v *framework.ViewSet[Task]) {
		v.Ordering = framework.Ordering{Allowed: []string{"text"}}
		v.Export = []framework.Media{framework.CSV, framework.NDJSON}
	})
	defer done()
	ask("GET /api/tasks/")
	ask("GET /api/tasks/?format=ndjson&ordering=-text")
	// Output:
	// 200 [{"text":"Sow the Straße"},{"text":"Water 100% of it"},{"text":"Reap"}]
	// 200 {"text":"Water 100% of it"}
	// {"text":"Sow the Straße"}
	// {"text":"Reap"}
}

// longer is a filter of one's own: texts of at least so many characters.
type longer struct{ field string }

func (l longer) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	field, err := f.Field(l.field)
	if err != nil {
		return framework.BoundFilter{}, err
	}
	return framework.BoundFilter{
		Params: []framework.Param{{Name: "longer", Doc: "At least so many characters."}},
		Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
			var n int64
			if _, err := fmt.Sscan(v["longer"], &n); err != nil {
				return nil, framework.InvalidParameter("longer", "must be a whole number")
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("length(?) >= ?", field.Ident(), sqldb.Param(n))
			}, nil
		},
	}, nil
}

// A filter of one's own knows its column from registration on; what a client
// sends goes in as an argument.
func ExampleFilter() {
	ask, done := garden(func(v *framework.ViewSet[Task]) { v.Filters = []framework.Filter{longer{"text"}} })
	defer done()
	ask("GET /api/tasks/?longer=15")
	// Output:
	// 200 [{"text":"Water 100% of it"}]
}

// pair is a pagination of one's own: two rows, and how many there are.
type pair struct{}

func (pair) Params() []framework.Param {
	return []framework.Param{{Name: "last", Doc: "The last two."}}
}

func (pair) Window(v framework.Values) (framework.Window, error) {
	w := framework.Window{Limit: 2}
	if v["last"] != "" {
		w.Offset = 1
	}
	return w, nil
}

func (pair) Envelope(p framework.Page) (framework.Envelope, error) {
	return framework.Envelope{{Name: "of", Value: p.Total.Count}, {Name: "pair", Value: framework.Items{}}}, nil
}

// A pagination of one's own reads the window and shapes the answer.
func ExamplePagination() {
	ask, done := garden(func(v *framework.ViewSet[Task]) { v.Pagination = pair{} })
	defer done()
	ask("GET /api/tasks/")
	ask("GET /api/tasks/?last=yes")
	// Output:
	// 200 {"of":3,"pair":[{"text":"Sow the Straße"},{"text":"Water 100% of it"}]}
	// 200 {"of":3,"pair":[{"text":"Water 100% of it"},{"text":"Reap"}]}
}
