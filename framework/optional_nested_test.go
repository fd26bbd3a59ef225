package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A writerInput refers to a row below an Optional, and has a default there.
type writerInput struct {
	Title  string    `json:"title"  default:"untitled"`
	Text   string    `json:"text"`
	Author uuid.UUID `json:"author" ref:"authors"`
}

type stackInput struct {
	Many framework.Optional[[]writerInput] `json:"many"`
	One  framework.Optional[*writerInput]  `json:"one"`
}

// A priceInput embeds an Optional, and is not one itself.
type priceInput struct {
	framework.Optional[int64]

	Unit string `json:"unit"`
}

type askInput struct {
	Limit framework.Optional[int64]  `json:"limit" validate:"max=9"`
	Flag  framework.Optional[*bool]  `json:"flag"`
	Name  framework.Optional[string] `json:"name"`
}

// recorded answers with the fields of an input.
func recorded[In any](_ *framework.Call, in In) (map[string]string, error) {
	return map[string]string{"in": fmt.Sprintf("%+v", in)}, nil
}

// TestOptionalAroundObjects: references, defaults and faults below an Optional
// are those of the objects in it.
func TestOptionalAroundObjects(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := notes()
		n.Collection = []framework.CollectionAction{
			framework.OnCollection("POST", "shelf", recorded[stackInput]), framework.OnCollection("POST", "price", recorded[struct {
				Price priceInput `json:"price"`
			}]), framework.OnCollection("GET", "ask", recorded[askInput]),
		}
		ada := serve(t, config(db), countries(), authors(), n).as("ada")
		author := ada.post("/api/authors/", fields{"name": "Austen"}).is(201).id()
		nobody := uuid.Must(uuid.NewV7()).String()
		for _, c := range []struct {
			name, body, says string
			status           int
		}{
			{"a list, whose rows are there", `{"many":[{"author":"AUTHOR"},{"author":"AUTHOR","title":"Emma"}]}`, "Title:untitled", 200},
			{"the third of a list is not there", `{"many":[{"author":"AUTHOR"},{"author":"AUTHOR"},{"author":"NOBODY"}]}`, "/many/2/author", 400},
			{"an object", `{"one":{"author":"AUTHOR"}}`, "Given:true", 200},
			{"an object whose row is not there", `{"one":{"author":"NOBODY"}}`, "/one/author", 400},
			{"null", `{"one":null}`, "Given:true", 200},
			{"nothing", `{}`, "Given:false", 200},
		} {
			t.Run(c.name, func(t *testing.T) {
				body := strings.NewReplacer("AUTHOR", author, "NOBODY", nobody).Replace(c.body)
				ada.in(t).post("/api/notes/shelf/", body).is(c.status).says(c.says)
			})
		}
		ada.post("/api/notes/price/", `{"price":{"Value":3,"Given":true,"unit":"kg"}}`).is(200).says("Unit:kg")
		for query, says := range map[string]string{
			"limit=5": "{Given:true Value:5}", "flag=true": "Flag:{Given:true", "name=a": "Name:{Given:true Value:a}", "": "Name:{Given:false",
		} {
			ada.get("/api/notes/ask/?" + query).is(200).says(says)
		}
		ada.get("/api/notes/ask/?limit=10").refuses(400, "invalid_parameter")
		ada.get("/api/notes/ask/?limit=x").refuses(400, "invalid_parameter")
	})
}

// TestPatchesThatCannotBeFilled: a PATCH fills what is absent from the row, so
// both have one type.
func TestPatchesThatCannotBeFilled(t *testing.T) {
	type text string
	type wrong struct {
		Title text `json:"title"`
	}
	type right struct {
		Title framework.Optional[text] `json:"title"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.Patch = framework.Changes(func(_ *framework.Call, _ *Book, _ wrong) (framework.None, error) { return framework.None{}, nil })
		api := framework.New(config(db))
		api.Register(countries(), authors(), chapters(), v)
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), "wrong.Title is framework_test.text, but Book.Title is string; give both one type, or make it an Optional") {
			t.Errorf("the mistake is told as %v", err)
		}
		v.Verbs.Patch = framework.Changes(func(_ *framework.Call, _ *Book, _ right) (framework.None, error) { return framework.None{}, nil })
		api = framework.New(config(db))
		api.Register(countries(), authors(), chapters(), v)
		if err := api.Check(); err != nil {
			t.Error(err)
		}
	})
}
