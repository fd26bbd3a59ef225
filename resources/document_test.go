package resources_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// document makes the reference of all services, from the beginning.
func document(t *testing.T) []byte {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "unused.db")), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	identity, err := resources.Identity(auth.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	api := framework.New(resources.Config(db, 20, identity))
	resources.Register(api, identity)
	text, err := api.Document("json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTheDocumentIsOfOpenAPI31: it is as the specification's own schema has it.
func TestTheDocumentIsOfOpenAPI31(t *testing.T) {
	const at = "https://spec.openapis.org/oas/3.1/schema"
	read := func(text []byte) any {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(at, read([]byte(datamodel.OpenAPI31SchemaData))); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(at)
	if err != nil {
		t.Fatal(err)
	}
	text := document(t)
	if err := schema.Validate(read(text)); err != nil {
		t.Error(err)
	}
	if err := schema.Validate(read(bytes.Replace(text, []byte(`"summary"`), []byte(`"sumary"`), 1))); err == nil {
		t.Error("a document with a misspelt name passes too: this test sees nothing")
	}
}

// documented is what the document says of an operation.
type documented struct {
	ID        string         `json:"operationId"`
	Summary   string         `json:"summary"`
	Tags      []string       `json:"tags"`
	Security  []any          `json:"security"`
	Responses map[string]any `json:"responses"`
}

// TestEveryOperationIsDescribed: by an id of its own, in words, under a tag that
// is explained, with who may call it and how it refuses.
func TestEveryOperationIsDescribed(t *testing.T) {
	var said struct {
		Tags []struct {
			Name, Description string
		} `json:"tags"`
		Paths map[string]map[string]documented `json:"paths"`
	}
	if err := json.Unmarshal(document(t), &said); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, tag := range said.Tags {
		tags[tag.Name] = tag.Description
	}
	ids := map[string]string{}
	for path, operations := range said.Paths {
		for method, o := range operations {
			name := strings.ToUpper(method) + " " + path
			if other := ids[o.ID]; o.ID == "" || other != "" {
				t.Errorf("%s has the id %q, which %q has too", name, o.ID, other)
			}
			ids[o.ID] = name
			if o.Summary == "" || len(o.Security) == 0 || len(o.Tags) != 1 || tags[o.Tags[0]] == "" {
				t.Errorf("%s has the summary %q, the tags %v, explained as %v, and %d ways to identify oneself", name, o.Summary, o.Tags, tags, len(o.Security))
			}
			refuses := func(status string) bool { return status[0] == '4' }
			var statuses []string
			for status := range o.Responses {
				statuses = append(statuses, status)
			}
			if !slices.ContainsFunc(statuses, refuses) {
				t.Errorf("%s never refuses: %v", name, statuses)
			}
		}
	}
	if len(ids) < 50 {
		t.Errorf("the document has %d operations; all services have more", len(ids))
	}
}

// TestTheDocumentIsTheSameEachTime it is made.
func TestTheDocumentIsTheSameEachTime(t *testing.T) {
	first := document(t)
	for range 20 {
		if again := document(t); !bytes.Equal(again, first) {
			t.Fatalf("two makings differ, first at byte %d", differs(first, again))
		}
	}
}

func differs(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
