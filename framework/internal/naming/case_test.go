package naming

import (
	"reflect"
	"testing"
)

func TestCase(t *testing.T) {
	for _, c := range []struct{ name, snake, camel string }{
		{"Title", "title", "title"},
		{"ID", "id", "id"},
		{"AuthorID", "author_id", "authorId"},
		{"HomeURL", "home_url", "homeUrl"},
		{"HTTPServer", "http_server", "httpServer"},
		{"UserIDs", "user_ids", "userIds"},
		{"URLs", "urls", "urls"},
		{"IDsOfUsers", "ids_of_users", "idsOfUsers"},
		{"Address2Line", "address2_line", "address2Line"},
		{"Line2", "line2", "line2"},
		{"X", "x", "x"},
		{"ISBN13", "isbn13", "isbn13"},
		{"PublishedAt", "published_at", "publishedAt"},
		{"Snake_Name", "snake_name", "snakeName"},
		{"ÄrgerNis", "ärger_nis", "ärgerNis"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := SnakeCase.Of(c.name); got != c.snake {
				t.Errorf("SnakeCase is %q; want %q", got, c.snake)
			}
			if got := CamelCase.Of(c.name); got != c.camel {
				t.Errorf("CamelCase is %q; want %q", got, c.camel)
			}
			if got := AsInGo.Of(c.name); got != c.name {
				t.Errorf("AsInGo is %q", got)
			}
		})
	}
}

func TestCaseOfFields(t *testing.T) {
	type inner struct{ HomeURL string }
	type outer struct {
		inner
		AuthorID string `json:",omitempty" doc:"d"`
		Named    string `json:"Given"`
		Hidden   string `json:"-"`
	}
	got := map[string]string{}
	for f := range SnakeCase.Fields(reflect.TypeFor[outer]()) {
		got[f.Name] = JSONName(f)
		if f.Name == "AuthorID" && (!HasOption(f, "omitempty") || f.Tag.Get("doc") != "d") {
			t.Errorf("the tag of AuthorID is %s", f.Tag)
		}
	}
	want := map[string]string{"HomeURL": "home_url", "AuthorID": "author_id", "Named": "Given"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the names are %v; want %v", got, want)
	}
}
