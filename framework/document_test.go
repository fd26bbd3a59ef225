package framework_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// The input and view of chapters, and the same with one field more.
type (
	chapterShort struct {
		Title string `json:"title" validate:"required"`
	}
	chapterLong struct {
		chapterShort

		Number int64 `json:"number" validate:"min=1" doc:"Its place in the book."`
	}
)

// reference is the document of resources, as its leaves: by JSON Pointer, what
// is there.
func reference(t *testing.T, resources ...framework.Resource) map[string]string {
	t.Helper()
	api := framework.New(config(sqlite(t)))
	api.Register(resources...)
	text, err := api.Document("json")
	if err != nil {
		t.Fatal(err)
	}
	return leavesOf(t, text)
}

// leavesOf are the leaves of a document.
func leavesOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	gather(all, "", document)
	return all
}

func gather(into map[string]string, at string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, one := range value {
			gather(into, at+"/"+strings.ReplaceAll(name, "/", "~1"), one)
		}
	case []any:
		for _, one := range value {
			named, _ := one.(map[string]any) // a parameter by its name, a word by itself
			name, _ := named["name"].(string)
			if text, ok := one.(string); ok {
				name = text
			}
			gather(into, at+"/"+name, one)
		}
	default:
		text, _ := json.Marshal(value)
		into[at] = string(text)
	}
}

// A field and a filter are in the reference as soon as they are declared, and
// nothing else of it changes.
func TestADeclarationIsItsReference(t *testing.T) {
	short := framework.ViewSet[Chapter]{Name: "chapters", Verbs: framework.CRUD[chapterShort, chapterShort](), Scope: framework.Public()}
	before := reference(t, short)

	filtered := short
	filtered.Filters = []framework.Filter{filter.Min("from", "number")}
	const parameter = "/paths/~1api~1chapters~1/get/parameters/from/"
	grown(t, before, reference(t, filtered), map[string]string{
		parameter + "name": `"from"`, parameter + "in": `"query"`, parameter + "description": `"Only rows whose number is at least this."`,
		parameter + "schema/type": `"integer"`, parameter + "schema/format": `"int64"`,
	})

	long := short
	long.Verbs = framework.CRUD[chapterLong, chapterLong]()
	after := reference(t, long)
	for name, want := range map[string]string{"type": `"integer"`, "format": `"int64"`, "minimum": "1", "description": `"Its place in the book."`} {
		for _, schema := range []string{"ChapterLongInput", "PatchedChapterLongInput"} {
			if got := after["/components/schemas/"+schema+"/properties/number/"+name]; got != want {
				t.Errorf("%s says of number's %s %q; want %q", schema, name, got, want)
			}
		}
	}
	if after["/components/schemas/ChapterLong/required/number"] == "" || after["/components/schemas/ChapterLong/properties/number/type"] != `"integer"` {
		t.Error("the view does not tell of number")
	}
}

// grown checks that one document has exactly so much more than another.
func grown(t *testing.T, before, after, more map[string]string) {
	t.Helper()
	want := maps.Clone(before)
	maps.Copy(want, more)
	for _, at := range slices.Sorted(maps.Keys(want)) {
		if after[at] != want[at] {
			t.Errorf("%s is %s; want %s", at, after[at], want[at])
		}
	}
	for at, got := range after {
		if want[at] == "" {
			t.Errorf("%s is %s, which nobody declared", at, got)
		}
	}
}
