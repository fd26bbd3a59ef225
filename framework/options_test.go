package framework_test

import (
	"encoding/json"
	"testing"

	"trestle.example/framework"
)

// described is what OPTIONS answers.
type described struct {
	Name, Description string
	Renders, Parses   []string
	Parameters        []struct {
		Name, Description string
		Choices           []string
	}
	Actions map[string]map[string]struct {
		Type                         string
		Required, ReadOnly, Nullable bool
		Rules                        map[string]string
	}
}

func (d *described) parameter(name string) (choices []string, ok bool) {
	for _, p := range d.Parameters {
		if p.Name == name {
			return p.Choices, true
		}
	}
	return nil, false
}

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
		if d.Name != "books" || d.Description != "Books of one's own." || d.Renders[0] != "application/json" || d.Parses[0] != "application/json" {
			t.Errorf("got %+v", d)
		}
		if choices, ok := d.parameter("status"); !ok || len(choices) != 3 {
			t.Errorf("status takes %v", choices)
		}
		if choices, ok := d.parameter("ordering"); !ok || len(choices) != 6 {
			t.Errorf("ordering takes %v", choices)
		}
		for _, name := range []string{"search", "page", "min_pages", "author"} {
			if _, ok := d.parameter(name); !ok {
				t.Errorf("no parameter %q in %v", name, d.Parameters)
			}
		}
		post := d.Actions["POST"]
		for name, want := range map[string]string{
			"title": "string", "isbn": "string", "pages": "integer", "published_at": "datetime", "author": "reference", "id": "uuid", "created_at": "datetime",
		} {
			if post[name].Type != want {
				t.Errorf("%s is a %q, want %q", name, post[name].Type, want)
			}
		}
		if !post["title"].Required || post["title"].Rules["max"] != "200" || post["isbn"].Required || !post["isbn"].Nullable || post["author"].Rules["reference"] != "authors" {
			t.Errorf("got %+v", post)
		}
		if _, put := d.Actions["PUT"]; put {
			t.Error("a list takes no PUT")
		}
	})
	t.Run("the rows' read-only fields are named so", func(t *testing.T) {
		var raw struct {
			Actions map[string]map[string]map[string]any
		}
		if err := json.Unmarshal([]byte(api.as("ada").do("OPTIONS", "/api/books/", nil).body), &raw); err != nil {
			t.Fatal(err)
		}
		if post := raw.Actions["POST"]; post["id"]["read_only"] != true || post["title"]["read_only"] != false {
			t.Errorf("got %v", post)
		}
	})
	t.Run("one row", func(t *testing.T) {
		d := options("/api/books/" + missing + "/")
		if !d.Actions["PUT"]["title"].Required || d.Actions["PATCH"]["title"].Required {
			t.Errorf("PUT requires a title and PATCH does not: %+v", d.Actions)
		}
		if len(d.Parameters) != 0 {
			t.Errorf("one row takes no parameters: %v", d.Parameters)
		}
	})
	t.Run("an action", func(t *testing.T) {
		if d := options("/api/books/" + missing + "/lend"); d.Actions["POST"] == nil {
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

// TestOptionsOfWhatIsPermitted: methods that the caller may not use are not
// described.
func TestOptionsOfWhatIsPermitted(t *testing.T) {
	v := countries()
	v.Permission = framework.PerModel("countries")
	api := serve(t, config(sqlite(t)), v)
	for caller, want := range map[string]int{"ada": 0, "root": 1} {
		var d described
		api.as(caller).do("OPTIONS", "/api/countries/", nil).is(200).json(&d)
		if len(d.Actions) != want {
			t.Errorf("%s is told of %v", caller, d.Actions)
		}
	}
	v.Permission = framework.Staff()
	serve(t, config(sqlite(t)), v).as("ada").do("OPTIONS", "/api/countries/", nil).refuses(403, "forbidden")
}
