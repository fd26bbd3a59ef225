package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// document is an API with one resource, in the form in which the framework writes it.
const document = `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {
	"/books/": {
		"get": {"operationId": "listBooks", "parameters": [
			{"name": "sold", "in": "query", "schema": {"type": "string", "enum": ["yes", "no"]}},
			{"name": "search", "in": "query", "schema": {"type": "string", "maxLength": 100}}
		], "responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BookView"}}}}}},
		"post": {"operationId": "createBook", "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BookInput"}}}},
			"responses": {"201": {"description": "made", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BookView"}}}}}}},
	"/books/{id}/": {"delete": {"operationId": "deleteBook", "parameters": [
		{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}], "responses": {"204": {"description": "deleted"}}}}
}, "components": {"schemas": {
	"BookInput": {"type": "object", "required": ["title"], "properties": {
		"title": {"type": "string", "minLength": 1, "maxLength": 200}, "state": {"type": "string", "enum": ["new", "used", "lost"]}, "about": {"type": ["string", "null"]},
		"price": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "pages": {"type": "integer", "minimum": 0}}},
	"BookView": {"type": "object", "required": ["id", "title", "price"], "properties": {
		"id": {"type": "string", "format": "uuid"}, "title": {"type": "string", "maxLength": 200}, "about": {"type": ["string", "null"]},
		"price": {"type": "integer"}, "author": {"anyOf": [{"type": "object", "properties": {"name": {"type": "string"}}}, {"type": "null"}]}}}
}}}`

// An edit replaces a text that occurs once.
type edit struct{ before, after string }

func (e edit) apply(t *testing.T) string {
	t.Helper()
	if strings.Count(document, e.before) != 1 {
		t.Fatalf("%q occurs %d times; want once", e.before, strings.Count(document, e.before))
	}
	return strings.Replace(document, e.before, e.after, 1)
}

func changesOf(t *testing.T, e edit) []Change {
	t.Helper()
	before, err := readDocument("old", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	after, err := readDocument("new", []byte(e.apply(t)))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func TestChangesThatBreakClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit
		text string // of a change
	}{
		"a removed path":                    {edit{`"/books/{id}/": {"delete"`, `"/volumes/{id}/": {"delete"`}, "removed"},
		"a removed method":                  {edit{`"delete": {`, `"put": {`}, "removed"},
		"a removed member of an answer":     {edit{`"title": {"type": "string", "maxLength": 200}, "about": {"type": ["string", "null"]},`, `"title": {"type": "string", "maxLength": 200},`}, "about"},
		"a removed required member":         {edit{`"required": ["id", "title", "price"], "properties": {` + "\n\t\t" + `"id": {"type": "string", "format": "uuid"},`, `"required": ["title", "price"], "properties": {`}, "id"},
		"a member that may be absent":       {edit{`["id", "title", "price"]`, `["id", "title"]`}, "price"},
		"a removed field of an input":       {edit{`, "pages": {"type": "integer", "minimum": 0}`, ``}, "pages"},
		"a narrowed enum of an input":       {edit{`["new", "used", "lost"]`, `["new", "used"]`}, "lost"},
		"a narrowed enum of a parameter":    {edit{`["yes", "no"]`, `["yes"]`}, "no"},
		"a lowered maxLength":               {edit{`"minLength": 1, "maxLength": 200`, `"minLength": 1, "maxLength": 100`}, "100"},
		"a lowered maxLength of a search":   {edit{`"maxLength": 100`, `"maxLength": 50`}, "50"},
		"a raised minLength":                {edit{`"minLength": 1,`, `"minLength": 2,`}, "2"},
		"a raised minimum":                  {edit{`"minimum": 0`, `"minimum": 1`}, "1"},
		"a new limit":                       {edit{`"pages": {"type": "integer", "minimum": 0}`, `"pages": {"type": "integer", "minimum": 0, "maximum": 9}`}, "9"},
		"a new required field":              {edit{`"required": ["title"], "properties": {`, `"required": ["title", "isbn"], "properties": {"isbn": {"type": "string"},`}, "isbn"},
		"a field that becomes required":     {edit{`"required": ["title"]`, `"required": ["title", "state"]`}, "state"},
		"a new required parameter":          {edit{`{"name": "sold", "in": "query",`, `{"name": "shop", "in": "query", "required": true, "schema": {"type": "string"}}, {"name": "sold", "in": "query",`}, "shop"},
		"a removed parameter":               {edit{`{"name": "sold", "in": "query", "schema": {"type": "string", "enum": ["yes", "no"]}},`, ``}, "sold"},
		"another type of a parameter":       {edit{`"schema": {"type": "string", "maxLength": 100}`, `"schema": {"type": "integer"}`}, "search"},
		"another type in an answer":         {edit{`"price": {"type": "integer"}`, `"price": {"type": "string"}`}, "price"},
		"an answer that may be null":        {edit{`"price": {"type": "integer"}`, `"price": {"type": ["integer", "null"]}`}, "price"},
		"an input that must not be null":    {edit{`"enum": ["new", "used", "lost"]}, "about": {"type": ["string", "null"]}`, `"enum": ["new", "used", "lost"]}, "about": {"type": "string"}`}, "about"},
		"anyOf that loses null in an input": {edit{`"anyOf": [{"type": "integer"}, {"type": "null"}]`, `"anyOf": [{"type": "integer"}]`}, "price"},
		"a removed status":                  {edit{`"204": {"description": "deleted"}`, `"200": {"description": "deleted"}`}, "204"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changes := changesOf(t, c.edit)
			found := false
			for _, change := range changes {
				found = found || strings.Contains(change.String(), c.text) && change.Path != ""
			}
			if !found {
				t.Errorf("the changes are %v; want one with %q", changes, c.text)
			}
		})
	}
}

func TestChangesThatClientsDoNotNotice(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]edit{
		"nothing":                       {`"title": "Shop"`, `"title": "Shop"`},
		"another title":                 {`"title": "Shop"`, `"title": "Store"`},
		"a new path":                    {`"/books/{id}/": {"delete"`, `"/authors/": {"get": {"responses": {"200": {"description": "ok"}}}}, "/books/{id}/": {"delete"`},
		"a new method":                  {`"/books/{id}/": {"delete"`, `"/books/{id}/": {"options": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}], "responses": {"200": {"description": "ok"}}}, "delete"`},
		"a new optional field":          {`"pages": {"type": "integer", "minimum": 0}`, `"pages": {"type": "integer", "minimum": 0}, "isbn": {"type": "string"}`},
		"a new optional parameter":      {`{"name": "sold", "in": "query",`, `{"name": "shop", "in": "query", "schema": {"type": "string"}}, {"name": "sold", "in": "query",`},
		"a new member of an answer":     {`"price": {"type": "integer"}`, `"price": {"type": "integer"}, "isbn": {"type": "string"}`},
		"a wider enum of an input":      {`["new", "used", "lost"]`, `["new", "used", "lost", "torn"]`},
		"a raised maxLength":            {`"minLength": 1, "maxLength": 200`, `"minLength": 1, "maxLength": 300`},
		"a field that becomes optional": {`"required": ["title"]`, `"required": []`},
		"an input that may be null":     {`"pages": {"type": "integer", "minimum": 0}`, `"pages": {"type": ["integer", "null"], "minimum": 0}`},
		"an answer that is never null":  {`"title": {"type": "string", "maxLength": 200}, "about": {"type": ["string", "null"]}`, `"title": {"type": "string", "maxLength": 200}, "about": {"type": "string"}`},
		"a new error status":            {`"responses": {"204"`, `"responses": {"409": {"description": "conflict"}, "204"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if changes := changesOf(t, e); len(changes) > 0 {
				t.Errorf("the changes are %v; want none", changes)
			}
		})
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name, content string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	first, other := at("old.json", document), at("new.json", edit{`["new", "used", "lost"]`, `["new", "used"]`}.apply(t))
	outside := at("outside.json", edit{`"#/components/schemas/BookInput"`, `"old.json#/components/schemas/BookInput"`}.apply(t))
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no change":           {[]string{first, first}, same, "No change breaks clients.\n"},
		"a change":            {[]string{first, other}, breaks, "POST /books/: "},
		"JSON without change": {[]string{"--json", first, first}, same, "[]\n"},
		"one file":            {[]string{first}, misuse, "openapidiff [--json] OLD NEW"},
		"an unknown flag":     {[]string{"--jsn", first, other}, misuse, "flag provided but not defined"},
		"a missing file":      {[]string{first, "missing.json"}, misuse, "openapidiff: open missing.json"},
		"no document":         {[]string{at("a.json", "{}"), first}, misuse, "a.json is not an OpenAPI document"},
		"no JSON":             {[]string{at("b.json", "{"), first}, misuse, "b.json is not an OpenAPI document"},
		"a file beside it":    {[]string{outside, first}, misuse, "outside.json is not an OpenAPI document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			if code := run(c.args, &said, &said); code != c.code || !strings.Contains(said.String(), c.says) {
				t.Errorf("it ends with %d and says %s; want %d, %q", code, &said, c.code, c.says)
			}
		})
	}
	var out bytes.Buffer
	var changes []Change
	if code := run([]string{"--json", first, other}, &out, &out); code != breaks {
		t.Errorf("it ends with %d", code)
	}
	if err := json.Unmarshal(out.Bytes(), &changes); err != nil || len(changes) != 1 || changes[0].Path != "/books/" || changes[0].Method != http.MethodPost || !changes[0].Certain {
		t.Errorf("the JSON is %s: %v", &out, err)
	}
}
