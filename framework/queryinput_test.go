package framework_test

import (
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

type span struct {
	From  *time.Time `json:"from"`
	Pages int64      `json:"pages" default:"10" validate:"min=1,max=100"`
	Loud  bool       `json:"loud"`
	Voice string     `json:"voice" validate:"oneof=low high" default:"low"`
	Book  string     `json:"title" validate:"required"`
}

// TestQueryInput of an action that reads: the same tags, from the query string.
func TestQueryInput(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("GET", "aloud", func(_ *framework.Call, in span) (span, error) { return in, nil }),
		}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		for _, c := range []struct {
			name, query string
			status      int
			says        string
		}{
			{"defaults", "?title=Emma", 200, `{"from":null,"pages":10,"loud":false,"voice":"low","title":"Emma"}`},
			{"every kind", "?title=7&pages=3&loud=1&voice=high&from=2026-01-31T09:00:00%2B01:00", 200,
				`{"from":"2026-01-31T08:00:00Z","pages":3,"loud":true,"voice":"high","title":"7"}`},
			{"an empty value is absent", "?title=Emma&pages=", 200, `"pages":10`},
			{"text is text", "?title=%7B%22a%22:1%7D%22%5C", 200, `"title":"{\"a\":1}\"\\"`},
			{"what is required", "", 400, `"parameter":"title","code":"invalid_parameter"`},
			{"a rule", "?title=Emma&pages=101", 400, `"parameter":"pages"`},
			{"no number", "?title=Emma&pages=many", 400, `"parameter":"pages"`},
			{"no boolean", "?title=Emma&loud=very", 400, `"parameter":"loud"`},
			{"twice", "?title=Emma&title=Dune", 400, `"parameter":"title"`},
			{"a list in disguise", "?title=Emma&pages=1,2", 400, `"parameter":"pages"`},
			{"several at once", "?pages=0&loud=very", 400, `"parameter":"loud"`},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).get("/api/books/aloud/" + c.query)
				a.is(c.status).says(c.says)
			})
		}
		ada.get("/api/books/aloud/?title=Emma&pagse=3").is(200).head("Trestle-Ignored", "pagse; did you mean pages?")
	})
}
