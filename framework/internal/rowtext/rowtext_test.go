package rowtext

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/stream"
)

type inner struct {
	Name  string `json:"name"`
	Inner *outer `json:"outer"`
}

type outer struct {
	ID       int64
	Left     inner             `json:"left"`
	Right    *inner            `json:"right"`
	Labels   map[string]string `json:"labels"`
	Anything any               `json:"anything"`
	Raw      json.RawMessage   `json:"raw"`
	Hidden   string            `json:"-"`
	extra
}

type extra struct {
	HTMLText string
}

// TestColumns: columns are in the order of the view. An object that is inside itself, and values without fields, are one column.
func TestColumns(t *testing.T) {
	for cased, want := range map[naming.Case]string{
		naming.AsInGo:    "ID left.name left.outer right.name right.outer labels anything raw HTMLText",
		naming.SnakeCase: "id left.name left.outer right.name right.outer labels anything raw html_text",
	} {
		fields, err := FieldsOf(naming.Indirect(reflect.TypeFor[*outer]()), cased)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(NewSheet(fields, false, nil).names, " "); got != want {
			t.Errorf("the columns are %s; want %s", got, want)
		}
		if got := strings.Join(headers(fields, ""), " "); got != want {
			t.Errorf("the names are %s; want %s", got, want)
		}
	}
}

// TestRows: members that are absent or null are empty cells, and so are those of an object that is null.
func TestRows(t *testing.T) {
	fields, err := FieldsOf(reflect.TypeFor[outer](), naming.AsInGo)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ json, want string }{
		{`[]`, ""},
		{`[{"ID":1,"left":{"name":"a","outer":null},"right":null,"labels":{"a":"b"},"anything":[1, "x"],"raw":-5,"HTMLText":"=x"}]`, "1,a,,,,\"{\"\"a\"\":\"\"b\"\"}\",\"[1, \"\"x\"\"]\",-5,'=x\r\n"},
		{`[{"HTMLText":"","ID":null},{"right":{"outer":{"ID":2}}}]`, ",,,,,,,,\r\n,,,,\"{\"\"ID\"\":2}\",,,,\r\n"},
	} {
		got, err := NewSheet(fields, false, nil).Rows(nil, jsontext.Value(one.json))
		if err != nil || string(got) != one.want {
			t.Errorf("%s is %q, %v; want %q", one.json, got, err, one.want)
		}
	}
	for _, wrong := range []string{`[{"unknown":1}]`, `[1]`, `[{"left":[]}]`, `{}`, `[{"ID":1}`, ``} {
		if got, err := NewSheet(fields, false, nil).Rows(nil, jsontext.Value(wrong)); err == nil {
			t.Errorf("%s is no error, but %q", wrong, got)
		}
	}
}

// FuzzCells: a reader of CSV gets each text back, but for an apostrophe before one that a spreadsheet would run.
func FuzzCells(f *testing.F) {
	for _, text := range []string{"", "a", "=1", "-5", "-5x", "\t", "\r", "a,b", "\"", " a ", "\r\n", "＝1", "'=1", "\r0", "\t-1", "-1\n"} {
		f.Add(text, "x")
		f.Add("x", text)
	}
	type pair struct{ A, B string }
	fields, err := FieldsOf(reflect.TypeFor[pair](), naming.AsInGo)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		text, err := json.Marshal([]pair{{a, b}, {b, a}})
		if err != nil {
			t.Fatal(err)
		}
		sheet := NewSheet(fields, false, nil)
		out, err := sheet.Rows(sheet.Head(nil), text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
		if err != nil || len(got) != 3 {
			t.Fatalf("%q: %d rows, %v", out, len(got), err)
		}
		for i, want := range []string{a, b} {
			cell := got[1][i]
			want = strings.ReplaceAll(want, "\r\n", "\n") // encoding/csv reads a line break so
			if begins := strings.TrimPrefix(cell, "'"); cell != want && begins != want {
				t.Errorf("%q is read as %q", want, cell)
			}
			if slices.Contains([]byte("=@\t\r"), (cell + "x")[0]) {
				t.Errorf("a spreadsheet may run %q", cell)
			}
			if strings.ContainsRune("+-", rune((cell + "x")[0])) && !json.Valid([]byte(cell)) {
				t.Errorf("a spreadsheet may run %q", cell)
			}
		}
	})
}

// TestLines: each row is on one line, also if the program made its JSON with line breaks.
func TestLines(t *testing.T) {
	got, err := Lines{}.Rows(nil, jsontext.Value("[{\"a\":{\n\"b\":\r1}},\n{\"a\":\"\\n\"}]"))
	if want := "{\"a\":{\"b\":1}}\n{\"a\":\"\\n\"}\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if got, err := (Lines{}).Rows(nil, jsontext.Value("[{}")); err == nil {
		t.Errorf("an array without an end is no error, but %q", got)
	}
}

var _ stream.RowWriter = Lines{}
