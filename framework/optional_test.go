package framework_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A menuInput has Optionals at the top and below it.
type menuInput struct {
	Title framework.Optional[string]  `json:"title" validate:"min=2,max=9"`
	Motto framework.Optional[*string] `json:"motto" validate:"max=9"`
	Meals []mealInput                 `json:"meals" validate:"dive"`
}

type mealInput struct {
	Price framework.Optional[int64]    `json:"price" validate:"min=1"`
	Was   framework.Optional[*int64]   `json:"was"   validate:"min=1"`
	Kinds framework.Optional[[]string] `json:"kinds" validate:"max=2,dive,oneof=hot cold"`
}

type menuView struct {
	Title  string   `json:"title"`
	Motto  string   `json:"motto"`
	Prices []int64  `json:"prices"`
	Was    []string `json:"was"`
	Kinds  []string `json:"kinds"`
}

// tellMenu answers with the state of every field of the input.
func tellMenu(_ *framework.Call, in menuInput) (menuView, error) {
	out := menuView{Title: "absent", Motto: "absent"}
	if in.Title.Given {
		out.Title = in.Title.Value
	}
	if in.Motto.Given {
		out.Motto = "null"
		if in.Motto.Value != nil {
			out.Motto = *in.Motto.Value
		}
	}
	for _, meal := range in.Meals {
		out.Prices = append(out.Prices, meal.Price.Or(-1))
		was := "absent"
		if meal.Was.Given {
			was = "null"
			if meal.Was.Value != nil {
				was = "given"
			}
		}
		out.Was = append(out.Was, was)
		out.Kinds = append(out.Kinds, strings.Join(meal.Kinds.Or([]string{"absent"}), "+"))
	}
	return out, nil
}

// TestOptional: absent, null and a value are three things, at any depth.
func TestOptional(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := notes()
		n.Collection = []framework.CollectionAction{framework.OnCollection("POST", "menu", tellMenu)}
		ada := serve(t, config(db), n).as("ada")
		for body, want := range map[string]string{
			`{}`:                           `{"title":"absent","motto":"absent","prices":[],"was":[],"kinds":[]}`,
			`{"title":"Tea","motto":null}`: `{"title":"Tea","motto":"null","prices":[],"was":[],"kinds":[]}`,
			`{"motto":" hi "}`:             `{"title":"absent","motto":"hi","prices":[],"was":[],"kinds":[]}`,
			`{"meals":[{},{"price":7,"was":null,"kinds":[]},{"was":9,"kinds":["hot","cold"]}]}`: `{"title":"absent","motto":"absent","prices":[-1,7,-1],"was":["absent","null","given"],"kinds":["absent","","hot+cold"]}`,
		} {
			ada.post("/api/notes/menu/", body).is(200).says(want)
		}
		for body, want := range map[string][2]string{
			`{"title":null}`:                    {"/title", "null"},
			`{"title":"x"}`:                     {"/title", "min"},
			`{"title":""}`:                      {"/title", "min"},
			`{"title":" \u200b "}`:              {"/title", "min"},
			`{"title":7}`:                       {"/title", "type"},
			`{"motto":"0123456789"}`:            {"/motto", "max"},
			`{"meals":[{},{"price":0}]}`:        {"/meals/1/price", "min"},
			`{"meals":[{"price":null}]}`:        {"/meals/0/price", "null"},
			`{"meals":[{"was":0}]}`:             {"/meals/0/was", "min"},
			`{"meals":[{"kinds":["warm"]}]}`:    {"/meals/0/kinds/0", "oneof"},
			`{"meals":[{"kinds":null}]}`:        {"/meals/0/kinds", "null"},
			`{"meals":[{"price":{"Value":1}}]}`: {"/meals/0/price", "type"},
		} {
			ada.post("/api/notes/menu/", body).refuses(400, "validation_failed").fault(want[0], want[1])
		}
		ada.do(http.MethodOptions, "/api/notes/menu/", nil).is(200).says(`"title":{"maxLength":9,"minLength":2,"type":"string"}`)
	})
}

// say answers without any row.
func sayOf(title string) func(*framework.Call, framework.None) (menuView, error) {
	return func(c *framework.Call, _ framework.None) (menuView, error) {
		return menuView{Title: title, Motto: c.Route.Name}, nil
	}
}

// TestSingleDoes: the verbs of a Single may be functions without a row. An empty body
// counts as no body.
func TestSingleDoes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		p := framework.ViewSet[Profile]{
			Name: "basket", Scope: framework.Own((*Profile).owner), Single: true,
			Verbs: framework.Verbs{
				Retrieve: framework.Does(sayOf("read")),
				Update:   framework.Does(tellMenu),
				Patch:    framework.Does(tellMenu),
				Delete:   framework.Does(sayOf("emptied")),
			},
		}
		api := serve(t, config(db), p)
		ada := api.as("ada")
		ada.get("/api/basket/").is(200).says(`"title":"read","motto":"retrieve"`)
		ada.get("/api/basket?nothing=1").is(200).head("Trestle-Ignored", "nothing")
		ada.put("/api/basket/", fields{"title": "Tea"}).is(200).says(`"title":"Tea"`)
		ada.patch("/api/basket/", fields{"title": "T"}).refuses(400, "validation_failed").fault("/title", "min")
		ada.delete("/api/basket/").is(200).says(`"title":"emptied","motto":"delete"`)
		ada.post("/api/basket/", fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
		api.get("/api/basket/").refuses(401, "authentication_required")
	})
}
