package scaffold

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// FuzzRegister: an accepted file only grows by the line of the resource, and stays Go.
func FuzzRegister(f *testing.F) {
	for _, body := range []string{"\tapi.Register(Notes)\n", "\tapi.Register(\n\t\tNotes, // mine\n\t)\n", "\tapi.Register()\n", "\tapi.Register(f(\n))\n", "api.Register(`\n`,\n/* */)", "api.Register(a,\n\n// b\n)\r\n"} {
		f.Add(inRegister(body))
	}
	f.Fuzz(func(t *testing.T, content string) {
		changed, err := register([]byte(content), "Books")
		if err != nil {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", changed, 0); err != nil {
			t.Errorf("it is not Go: %v\n%s", err, changed)
		}
		for _, inserted := range []string{", Books", "\t\tBooks,\n", "Books"} {
			for at := range changed {
				rest, ok := bytes.CutPrefix(changed[at:], []byte(inserted))
				if ok && string(changed[:at])+string(rest) == content {
					return
				}
			}
		}
		t.Errorf("more than one insertion differs:\n%q\n%q", content, changed)
	})
}

// FuzzResource: accepted words become Go files, which render formats, and SQL without a quotation
// mark.
func FuzzResource(f *testing.F) {
	f.Add("review", "book:ref:books?")
	f.Add("line_item", "a_b:int")
	f.Add("x", "id_url:uuid")
	f.Add("x", "")
	into, err := readSource(shelf)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, field string) {
		made, err := newResource(name, []string{field, "other:text"}, into)
		if err != nil {
			return
		}
		files, err := made.files(8)
		if err != nil {
			t.Fatalf("%q %q: %v", name, field, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file.name, ".sql") && bytes.ContainsAny(file.content, "'\"`\\") || strings.ContainsAny(file.name, "\\: ") {
				t.Errorf("%q %q: %s is\n%s", name, field, file.name, file.content)
			}
		}
	})
}
