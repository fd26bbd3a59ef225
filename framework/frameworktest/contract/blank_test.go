package contract_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
)

// notes is the document of an API with a note that is empty or one of two words.
const notes = `{"openapi": "3.1.0", "paths": {"/notes": {"post": {"operationId": "addNote",
	"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
	"responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}}}},
	"components": {"schemas": {"Note": {"type": "object", "properties": {"text": {"type": "string", "enum": ["", "yes", "no"]}}}}}}`

// TestBlankTexts: a server may accept a text without a visible character as the empty one.
func TestBlankTexts(t *testing.T) {
	promised, err := contract.New([]byte(notes))
	must(t, err)
	for name, c := range map[string]struct {
		text  string
		blank bool
	}{
		"spaces":                          {"  ", true},
		"a character without width":       {`\u200b`, true},
		"the blank of Braille":            {`\u2800`, true},
		"a character of Braille":          {`\u2801`, false},
		"the blank of Braille and a word": {`\u2800yes`, false},
		"another word":                    {"maybe", false},
		"a word between spaces":           {" yes ", true},
	} {
		t.Run(name, func(t *testing.T) {
			found := &notebook{TB: t}
			server := frameworktest.New(t, promised.Tight(nil).Wrap(found, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, "{}")
			})))
			server.Post("/notes", `{"text":"`+c.text+`"}`).Expect(http.StatusOK)
			if got := strings.Join(found.read(), "\n"); (got == "") != c.blank || !c.blank && !strings.Contains(got, "/text") {
				t.Errorf("the findings are\n%s", got)
			}
		})
	}
}
