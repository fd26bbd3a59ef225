package contract

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// grown has every keyword from which values are generated.
const grown = `{"openapi": "3.1.0", "paths": {"/things": {"post": {"operationId": "grow", "requestBody": {"required": true,
	"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}, "responses": {"204": {"description": "none"}}}}},
	"components": {"schemas": {
		"Thing": {"type": "object", "required": ["id", "name", "parts", "place"], "additionalProperties": false, "properties": {
			"id": {"type": "string", "format": "uuid"}, "name": {"type": "string", "minLength": 3, "maxLength": 5},
			"slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 12}, "phone": {"type": "string", "pattern": "^(\\+[1-9]\\d{7,14}|\\d{10})$"},
			"url": {"type": ["string", "null"], "format": "uri", "pattern": "^https://"}, "mail": {"type": "string", "format": "email"},
			"at": {"type": ["string", "null"], "format": "date-time"}, "day": {"type": "string", "format": "date"},
			"count": {"type": "integer", "minimum": 1, "maximum": 7}, "fee": {"type": "number", "minimum": 0, "maximum": 99.99, "multipleOf": 0.01},
			"deep": {"type": "integer", "minimum": -5, "maximum": -1}, "kind": {"type": "string", "enum": ["a", "b"]}, "always": {"const": 4},
			"few": {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 6, "minimum": 0, "maximum": 4294967295},
			"part": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.02},
			"open": {"type": "boolean"}, "nothing": {"type": "null"}, "anything": {},
			"parts": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"$ref": "#/components/schemas/Part"}},
			"place": {"anyOf": [{"$ref": "#/components/schemas/Part"}, {"type": "null"}]}}},
		"Part": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "minimum": 0}, "whole": {"$ref": "#/components/schemas/Thing"}}}}}}`

// TestValuesAreAllowed: schemas allow the values that are generated from them.
func TestValuesAreAllowed(t *testing.T) {
	c, err := New([]byte(grown))
	if err != nil {
		t.Fatal(err)
	}
	o := c.find("POST", "/things/")
	schema, err := c.schema(requestSchemas, o.body)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := newMaker(c, seed, nil)
	for range 500 {
		d := m.draft(o)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.body))
		if err != nil {
			t.Fatalf("%v\n%s", err, d)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v\n%s", err, d)
		}
	}
}

// TestSpoilersChangeRequests: most spoilt requests are invalid; a spoiler that changes nothing is
// useless.
func TestSpoilersChangeRequests(t *testing.T) {
	c, err := New([]byte(grown))
	if err != nil {
		t.Fatal(err)
	}
	o := c.find("POST", "/things")
	schema, err := c.schema(requestSchemas, o.body)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	how := map[string]int{}
	m := newMaker(c, 1, nil)
	for range 1000 {
		d := m.draft(o)
		was := d.String()
		how[m.spoil(d)]++
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.body))
		if err == nil && schema.Validate(value) == nil && d.String() == was && len(d.header) == 1 && d.header.Get("Content-Type") == "application/json" {
			good++
		}
	}
	if good > 100 || len(how) < 8 {
		t.Errorf("%d of 1000 requests were not spoilt; the ways were %v", good, how)
	}
}

// TestTextsMatchTheirPatterns: texts match the patterns from which they are generated.
func TestTextsMatchTheirPatterns(t *testing.T) {
	m := newMaker(&Contract{document: &tree{}}, rand.Uint64(), nil)
	for _, pattern := range []string{`^[a-z0-9]+(-[a-z0-9]+)*$`, `^(\+[1-9]\d{7,14}|\d{10})$`, `^[1-9]\d{5}$`, `^https://`, `^[!-~]+$`, `^a?b*c+(d|ef)$`, `^.\.x{2,3}$`, `^$`} {
		for range 200 {
			if text := m.matchPattern(pattern, 0, 100); !regexp.MustCompile(pattern).MatchString(text) {
				t.Fatalf("%q does not match %s", text, pattern)
			}
		}
	}
}

// TestEqualBodies: bodies that differ only in ids and times are equal; others are
// not.
func TestEqualBodies(t *testing.T) {
	const body = `{"id":"01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2026-11-21T15:58:21.5Z","n":12}`
	var s validBodies
	for _, same := range []string{
		`{"id":"01a1fed4-7dd8-755f-8e32-72461649b17d","at":"2026-11-21T15:58:21.5Z","n":12}`, `{"id":"01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2025-01-01T00:00:00Z","n":12}`,
	} {
		if s.key("/a", []byte(body)) != s.key("/a", []byte(same)) {
			t.Errorf("%s differs from\n%s", same, body)
		}
	}
	for _, other := range []string{
		`{"id":"01a1fed4-7dd8-755f-8e32-72461649b17","at":"2026-11-21T15:58:21.5Z","n":12}`, `{"id":"01a1fed4-7dd8-755f-8e32-72461649b17g","at":"2026-11-21T15:58:21.5Z","n":12}`,
		`{"id":"01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2026-13-21T15:58:21.5Z","n":12}`, `{"id":"01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2026-11-21T15:58:21.5","n":12}`,
		`{"id":"01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2026-11-21T15:58:21.5Z","n":13}`, `{"id":"x01a1fed4-7dd8-755f-8e32-72461649b17c","at":"2026-11-21T15:58:21.5Z","n":12}`,
	} {
		if s.key("/a", []byte(body)) == s.key("/a", []byte(other)) {
			t.Errorf("%s equals\n%s", other, body)
		}
	}
	if s.key("/a", []byte(body)) == s.key("/b", []byte(body)) {
		t.Error("the same body is equal at another place")
	}
}

// paths has an operation on a collection beside the operations on one thing.
const paths = `{"openapi": "3.1.0", "paths": {
	"/things/{id}/": {"get": {"operationId": "getThing", "responses": {}}, "post": {"operationId": "postThing", "responses": {}}},
	"/things/sort/": {"post": {"operationId": "sortThings", "responses": {}}},
	"/{kind}/sort/": {"get": {"operationId": "sorted", "responses": {}}}}}`

// TestTheOperationOfAPath: a path without parameters comes before one with parameters, also for a
// method that it does not have.
func TestTheOperationOfAPath(t *testing.T) {
	c, err := New([]byte(paths))
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"GET /things/7": "getThing", "HEAD /things/7/": "getThing", "POST /things/7/": "postThing", "PUT /things/7/": "",
		"POST /things/sort/": "sortThings", "GET /things/sort/": "", "GET /plants/sort/": "sorted", "POST /plants/sort/": "",
	} {
		method, path, _ := strings.Cut(request, " ")
		got := ""
		if o := c.find(method, path); o != nil {
			got = o.id
		}
		if got != want {
			t.Errorf("%s is the operation %q; want %q", request, got, want)
		}
	}
}

// TestValuesOfAnswersAreAllowed: a value of an answer is sent again only where a schema allows it, and
// a list of different items repeats none.
func TestValuesOfAnswersAreAllowed(t *testing.T) {
	const tagged = `{"openapi": "3.1.0", "paths": {
		"/tags": {"post": {"operationId": "addTag", "responses": {"201": {"description": "made", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tag"}}}}}}},
		"/things": {"post": {"operationId": "addThing", "parameters": [{"name": "mark", "in": "query", "schema": {"type": "string"}}],
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
			"responses": {"204": {"description": "none"}}}}},
		"components": {"schemas": {
			"Tag": {"type": "object", "properties": {"id": {"type": "string"}, "mark": {"type": "string"}}},
			"Thing": {"type": "object", "required": ["tags", "mark", "kinds"], "properties": {
				"tags": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 30}},
				"mark": {"type": "string", "pattern": "^[a-z]+$"},
				"kinds": {"type": "array", "minItems": 2, "uniqueItems": true, "items": {"enum": ["a", "b", "c"]}}}}}}}`
	c, err := New([]byte(tagged))
	if err != nil {
		t.Fatal(err)
	}
	m := newMaker(c, 1, nil)
	m.pool.learn(c.find("POST", "/tags/"), []byte(`{"id": "01a21cd7-8faa-7072-ba7b-1787032ec61c", "mark": "A 1"}`))
	m.pool.learn(c.find("POST", "/tags/"), []byte(`{"mark": "lower"}`))
	allowed, err := c.schema(requestSchemas, c.find("POST", "/things/").body)
	if err != nil {
		t.Fatal(err)
	}
	var sent strings.Builder
	for range 200 {
		d := m.draft(c.find("POST", "/things/"))
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.body))
		if err != nil {
			t.Fatalf("%v\n%s", err, d)
		}
		if err := allowed.Validate(value); err != nil {
			t.Fatalf("%v\n%s", err, d)
		}
		sent.Write(d.body)
	}
	if !strings.Contains(sent.String(), `"lower"`) {
		t.Error("the mark of an answer is never sent")
	}
}
