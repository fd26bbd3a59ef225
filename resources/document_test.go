package resources_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/pb33f/libopenapi/utils"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// document makes the reference of all services, from the beginning.
func document(t *testing.T) []byte {
	t.Helper()
	return documentIn(t, "json")
}

func documentIn(t *testing.T, format string) []byte {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "unused.db")), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	api := framework.New(resources.Config(db, 20, identity))
	resources.Register(api, identity)
	text, err := api.Document(format)
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
// is explained, with its callers and its errors.
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

// TestThePriceOfAnOrderIsExplained: without an expected total an order is placed
// at any price, which a client has to know.
func TestThePriceOfAnOrderIsExplained(t *testing.T) {
	var d struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string
					Examples    []any
				}
			}
		}
	}
	if err := json.Unmarshal(document(t), &d); err != nil {
		t.Fatal(err)
	}
	var place struct{ Description string }
	if err := json.Unmarshal(d.Paths["/api/orders"]["post"], &place); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(place.Description, "The body {} buys the cart at any price") || !strings.Contains(place.Description, "expectedTotalPaise") {
		t.Errorf("the operation is described as %q", place.Description)
	}
	total := d.Components.Schemas["PlaceOrderInput"].Properties["expectedTotalPaise"]
	shown := d.Components.Schemas["Cart"].Properties["totalPaise"]
	if !strings.Contains(total.Description, "at any price") || len(total.Examples) != 1 || !reflect.DeepEqual(total.Examples, shown.Examples) {
		t.Errorf("expectedTotalPaise is %+v; want an example as of the cart's totalPaise, %+v", total, shown)
	}
}

// TestExamplesOfRefusals: each example of an error satisfies the schema of
// its response, and has its status and a code of its own.
func TestExamplesOfRefusals(t *testing.T) {
	text := document(t)
	promises, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("test:///document.json", promises); err != nil {
		t.Fatal(err)
	}
	root, shown := promises.(map[string]any), 0
	inside := func(at string) any { // of the document, by a reference
		var value any = root
		for name := range strings.SplitSeq(strings.TrimPrefix(at, "#/"), "/") {
			value = value.(map[string]any)[strings.ReplaceAll(name, "~1", "/")]
		}
		return value
	}
	for path, item := range root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			for status, response := range operation.(map[string]any)["responses"].(map[string]any) {
				at := "#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method + "/responses/" + status
				if to, refers := response.(map[string]any)["$ref"].(string); refers {
					at = to
				}
				at += "/content/application~1problem+json"
				if status[0] < '4' {
					continue
				}
				schema, err := compiler.Compile("test:///document.json" + at + "/schema")
				if err != nil {
					t.Fatal(err)
				}
				for code, example := range inside(at).(map[string]any)["examples"].(map[string]any) {
					value := inside(example.(map[string]any)["$ref"].(string)).(map[string]any)["value"].(map[string]any)
					if err := schema.Validate(value); err != nil {
						t.Errorf("%s %s %s: the example of %s is not what it promises: %v", method, path, status, code, err)
					}
					if value["code"] != code || fmt.Sprint(value["status"]) != status || value["title"] == "" || value["type"] != "/api/errors/"+code {
						t.Errorf("the example of %s %s is %v", status, code, value)
					}
					spoilt := maps.Clone(value)
					spoilt["code"] = "something_else"
					if schema.Validate(spoilt) == nil {
						t.Errorf("%s %s %s takes any code", method, path, status)
					}
					shown++
				}
			}
		}
	}
	if shown < 300 {
		t.Errorf("there are %d examples; all services have more", shown)
	}
}

// TestNamesOfSchemas are words, not numbers: those that a generated client's
// users read, whatever else is declared.
func TestNamesOfSchemas(t *testing.T) {
	var said struct {
		Components map[string]map[string]any
		Paths      map[string]map[string]documented
	}
	if err := json.Unmarshal(document(t), &said); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"schemas", "responses", "examples", "headers", "securitySchemes"} {
		for name := range said.Components[kind] {
			if strings.ContainsAny(name, "0123456789") {
				t.Errorf("%s has %s, a number that another declaration would change", kind, name)
			}
		}
	}
	for _, name := range []string{"Problem", "Fault", "InsufficientStockProblem", "ProductPatch", "PatchedPatientInput", "Session", "TokenPair", "RegistrationInput", "Address", "AddressInput"} {
		if said.Components["schemas"][name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	ids := map[string]bool{}
	for _, operations := range said.Paths {
		for _, o := range operations {
			ids[o.ID] = true
		}
	}
	for _, id := range []string{"register", "login", "createAuthSession", "createAuthJwt", "createAuthToken", "setVariantStock", "cancelOrder", "getManageDoctor"} {
		if !ids[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
}

// TestEveryAnswerIsDescribed: each field of money, time or state has a description.
func TestEveryAnswerIsDescribed(t *testing.T) {
	var said struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(document(t), &said); err != nil {
		t.Fatal(err)
	}
	plain := []string{"id", "variantId", "itemId", "city", "state"} // by their names
	for name, schema := range said.Components.Schemas {
		for field, told := range schema.Properties {
			if told["description"] == nil && !slices.Contains(plain, field) && !strings.HasSuffix(name, "Problem") {
				t.Errorf("%s.%s is not described", name, field)
			}
		}
	}
}

// TestYAMLIsTheSameDocument, member by member.
func TestYAMLIsTheSameDocument(t *testing.T) {
	same := func(asYAML []byte) bool {
		converted, err := utils.ConvertYAMLtoJSON(asYAML)
		if err != nil {
			t.Fatal(err)
		}
		var one, other any
		if err := errors.Join(json.Unmarshal(converted, &one), json.Unmarshal(document(t), &other)); err != nil {
			t.Fatal(err)
		}
		return reflect.DeepEqual(one, other)
	}
	asYAML := documentIn(t, "yaml")
	if !same(asYAML) {
		t.Error("the YAML says something else than the JSON")
	}
	if same(bytes.Replace(asYAML, []byte("maxLength: 200"), []byte("maxLength: 2e2.0"), 1)) {
		t.Error("a document that was spoilt is the same too: this test sees nothing")
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
