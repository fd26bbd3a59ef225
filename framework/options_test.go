package framework_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
)

// described is what OPTIONS answers.
type described struct {
	Name, Description string
	Renders, Parses   []string
	Actions           map[string]struct {
		Summary    string
		Parameters []struct {
			Name, In, Description string
			Required              bool
			Schema                formSchema
		}
		Body *formSchema
	}
}

// formSchema is as much of a JSON Schema as a form needs.
type formSchema struct {
	Type                           any
	Format, Pattern, Description   string
	Enum                           []any
	Default                        any
	MinLength, MaxLength, MaxItems *int
	Minimum, Maximum               json.Number
	Required                       []string
	Items                          *formSchema
	Properties                     map[string]*formSchema
}

// parameter is the schema of a parameter, nil for none.
func (d *described) parameter(method, name string) *formSchema {
	for _, p := range d.Actions[method].Parameters {
		if p.Name == name {
			return &p.Schema
		}
	}
	return nil
}

// methods lists the methods of the description.
func (d *described) methods() string { return strings.Join(slices.Sorted(maps.Keys(d.Actions)), " ") }

// TestOptions describes a path to those who may use it.
func TestOptions(t *testing.T) {
	v := books()
	v.Actions = []framework.Action[Book]{framework.Post("lend", lend)}
	api := serve(t, config(sqlite(t)), countries(), authors(), v)
	options := func(path string) described {
		var d described
		api.as("ada").do("OPTIONS", path, nil).is(200).json(&d)
		return d
	}
	t.Run("a list", func(t *testing.T) {
		d := options("/api/books/")
		if d.Name != "books" || d.Description != "Books of one's own." || d.Renders[0] != "application/json" || d.Parses[0] != "application/json" || d.methods() != "GET POST" {
			t.Errorf("got %+v", d)
		}
		if d.Actions["GET"].Summary != "List books" || d.Actions["GET"].Body != nil || d.parameter("POST", "Idempotency-Key") == nil {
			t.Errorf("got %+v", d.Actions)
		}
		if status := d.parameter("GET", "status"); status == nil || len(status.Enum) != 3 || status.Type != "string" {
			t.Errorf("status takes %+v", status)
		}
		if ordering := d.parameter("GET", "ordering"); ordering == nil || ordering.Items == nil || len(ordering.Items.Enum) != 6 {
			t.Errorf("ordering takes %+v", ordering)
		}
		for name, want := range map[string]string{"search": "string", "page": "integer", "min_pages": "integer", "author": "string"} {
			if p := d.parameter("GET", name); p == nil || p.Type != want {
				t.Errorf("%s takes %+v", name, p)
			}
		}
	})
	t.Run("the length of a search", func(t *testing.T) {
		d := options("/api/books/")
		if p := d.parameter("GET", "search"); p == nil || p.MaxLength == nil || *p.MaxLength != 200 {
			t.Errorf("search takes %+v", p)
		}
	})
	t.Run("a body", func(t *testing.T) {
		body := options("/api/books/").Actions["POST"].Body
		title, status := body.Properties["title"], body.Properties["status"]
		if !slices.Equal(body.Required, []string{"title"}) || title.Type != "string" || *title.MaxLength != 200 || *title.MinLength != 1 {
			t.Errorf("a title is %+v", title)
		}
		if status.Default != "draft" || !slices.Equal(status.Enum, []any{"draft", "out", "lost"}) {
			t.Errorf("a status is %+v", status)
		}
		if at := body.Properties["published_at"]; at.Format != "date-time" || len(at.Type.([]any)) != 2 {
			t.Errorf("published_at is %+v", at)
		}
		if author := body.Properties["author"]; author.Format != "uuid" || author.Description != "The id of one of authors that the caller may use here." {
			t.Errorf("an author is %+v", author)
		}
		for _, name := range []string{"id", "created_at", "version"} {
			if body.Properties[name] != nil {
				t.Errorf("%s cannot be written", name)
			}
		}
	})
	t.Run("one row", func(t *testing.T) {
		d := options("/api/books/" + missing + "/")
		if d.methods() != "DELETE GET PATCH PUT" || d.Actions["PUT"].Body.Required == nil || d.Actions["PATCH"].Body.Required != nil {
			t.Errorf("PUT requires a title and PATCH does not: %+v", d.Actions)
		}
		if d.Actions["PATCH"].Body.Properties["status"].Default != nil {
			t.Error("PATCH leaves what is absent as it is")
		}
		if remove := d.Actions["DELETE"]; remove.Body != nil || remove.Parameters != nil || remove.Summary != "Delete a book" {
			t.Errorf("DELETE takes nothing: %+v", remove)
		}
		if d.parameter("GET", "id") != nil {
			t.Error("what is in the path is known")
		}
	})
	t.Run("an action", func(t *testing.T) {
		d := options("/api/books/" + missing + "/lend")
		if d.Name != "books/lend" || d.methods() != "POST" || d.Actions["POST"].Body != nil {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("Allow names every method", func(t *testing.T) {
		api.as("ada").do("OPTIONS", "/api/books/", nil).is(200).head("Allow", "GET, HEAD, POST, OPTIONS")
		api.as("ada").do("OPTIONS", "/api/books/"+missing+"/lend/", nil).is(200).head("Allow", "POST, OPTIONS")
	})
	t.Run("strangers learn nothing", func(t *testing.T) {
		api.do("OPTIONS", "/api/books/", nil).refuses(401, "authentication_required")
		api.as("nobody").do("OPTIONS", "/api/books/", nil).refuses(401, "invalid_token")
	})
}

// An openingHours and a chain are nested in what a shop takes.
type openingHours struct {
	Day  string `json:"day" validate:"required,oneof=mon tue"`
	From int64  `json:"from" validate:"min=0,max=24" doc:"An hour."`
}

type shopInput struct {
	Name  string         `json:"name" validate:"required"`
	Hours []openingHours `json:"hours" validate:"max=7"`
	Main  openingHours   `json:"main"`
}

// TestOptionsOfNestedInput: what is inside an object or a list is described as
// well, with no reference to anything outside of the answer, and the answer is
// not long.
func TestOptionsOfNestedInput(t *testing.T) {
	v := books()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "shop", func(*framework.Call, shopInput) (framework.None, error) { return framework.None{}, nil }).Idempotent(),
		framework.OnCollection("DELETE", "shop", func(*framework.Call, openingHours) (framework.None, error) { return framework.None{}, nil }),
	}
	api := serve(t, config(sqlite(t)), countries(), authors(), v)
	var d described
	answer := api.as("ada").do("OPTIONS", "/api/books/shop/", nil).is(200)
	answer.json(&d)
	if strings.Contains(answer.body, "$ref") || len(answer.body) > 4<<10 {
		t.Errorf("%d bytes: %s", len(answer.body), answer.body)
	}
	body := d.Actions["POST"].Body
	if main := body.Properties["main"].Properties; main["from"].Maximum != "24" || main["from"].Description != "An hour." || len(main["day"].Enum) != 2 {
		t.Errorf("the main hours are %+v", main)
	}
	if hours := body.Properties["hours"]; *hours.MaxItems != 7 || hours.Items.Properties["from"].Minimum != "0" || !slices.Equal(hours.Items.Required, []string{"day"}) {
		t.Errorf("the hours are %+v", hours)
	}
	if key := d.parameter("POST", "Idempotency-Key"); key == nil || key.Pattern == "" || d.Actions["POST"].Parameters[0].In != "header" {
		t.Errorf("the key is %+v", key)
	}
	if remove := d.Actions["DELETE"]; remove.Body == nil || remove.Body.Properties["day"] == nil || d.parameter("DELETE", "Idempotency-Key") != nil {
		t.Errorf("DELETE takes %+v", remove)
	}
}

// TestOptionsOfWhatIsPermitted: methods that the caller may not use are not
// described.
func TestOptionsOfWhatIsPermitted(t *testing.T) {
	v := countries()
	v.Permission = framework.PerModel("countries")
	api := serve(t, config(sqlite(t)), v)
	for caller, want := range map[string]string{"ada": "GET", "root": "GET POST"} {
		var d described
		api.as(caller).do("OPTIONS", "/api/countries/", nil).is(200).json(&d)
		if d.methods() != want {
			t.Errorf("%s is told of %s", caller, d.methods())
		}
	}
	v.Permission = framework.Staff()
	serve(t, config(sqlite(t)), v).as("ada").do("OPTIONS", "/api/countries/", nil).refuses(403, "forbidden")
}
