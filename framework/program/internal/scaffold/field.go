package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// A kind is a type of fields that a resource can be generated with.
type kind struct {
	goType, columnType string
	rules              string  // of the input, besides the presence
	sample             string  // a right value, in Go
	wrong, code        string  // a wrong value, and the code of its fault
	filter             string  // the call that makes the filter; %q is the field
	queries            []query // each with the number of rows that it finds among one with the sample
	sorted             bool    // a list can be ordered by it
	searched           bool    // it is found by ?search=
}

// A query is a query string in Go code, and the number of rows that it finds.
type query struct {
	Text  string
	Count int
}

// kinds are the types by their names. Instead of %s in a query stands the name of the field.
var kinds = map[string]kind{
	"string": {
		goType: "string", columnType: "text", rules: "line,max=200", sample: `"Example"`, wrong: `"two\nlines"`, code: "line",
		sorted: true, searched: true,
	},
	"text": {goType: "string", columnType: "text", rules: "max=10000", sample: `"Example\nof two lines"`, wrong: `1`, code: "type", searched: true},
	"int": {
		goType: "int64", columnType: "bigint", sample: `7`, wrong: `"seven"`, code: "type", filter: "filter.Range(%q)",
		queries: []query{{`"%s_min=7"`, 1}, {`"%s_min=8"`, 0}}, sorted: true,
	},
	"bool": {
		goType: "bool", columnType: "bool", sample: `true`, wrong: `"maybe"`, code: "type", filter: "filter.Exact(%q)",
		queries: []query{{`"%s=true"`, 1}, {`"%s=false"`, 0}},
	},
	"date": {
		goType: "string", columnType: "text", rules: "datetime=2006-01-02", sample: `"2026-11-26"`, wrong: `"2026-13-01"`, code: "datetime",
		filter: "filter.Exact(%q)", queries: []query{{`"%s=2026-11-26"`, 1}, {`"%s=2026-11-27"`, 0}}, sorted: true,
	},
	"time": {
		goType: "time.Time", columnType: "timestamp", sample: `"2026-11-26T09:30:00Z"`, wrong: `"tomorrow"`, code: "format",
		filter: "filter.Range(%q)", queries: []query{{`"%s_after=2026-11-26T09:30:00Z"`, 1}, {`"%s_after=2026-11-27T00:00:00Z"`, 0}}, sorted: true,
	},
	"uuid": {
		goType: "uuid.UUID", columnType: "uuid", sample: `"01a21389-1f8f-7dd9-81f9-45d94e5ac40f"`, wrong: `"x"`, code: "format",
		filter: "filter.Exact(%q)", queries: []query{{`"%s=01a21389-1f8f-7dd9-81f9-45d94e5ac40f"`, 1}, {`"%s=01a21389-1f8f-7dd9-81f9-45d94e5ac400"`, 0}},
	},
	refKind: {
		goType: "uuid.UUID", columnType: "uuid", wrong: `"01a21389-1f8f-7dd9-81f9-45d94e5ac400"`, code: "invalid_reference",
		queries: []query{{`fmt.Sprint("%s=", body["%[1]s"])`, 1}, {`"%s=01a21389-1f8f-7dd9-81f9-45d94e5ac400"`, 0}},
	},
}

const refKind = "ref"

// kindNames are the names of the types, as a list shows them.
var kindNames = []string{"string", "text", "int", "bool", "date", "time", "uuid", refKind}

// A field is one field of a resource that is generated.
type field struct {
	kind

	Name     string // as clients write it: "author"
	Optional bool
	target   string // the resource that it refers to; "" unless its type is ref
	Table    string // the table of the target
	maker    string // the function of the tests that makes a row of the target
}

var rightWord = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// longest is the greatest length of a name. PostgreSQL cuts the names of indexes at 63 bytes.
const longest = 30

// checkWord returns an error if text is not the name of a field or of a resource.
func checkWord(text string) error {
	switch {
	case !rightWord.MatchString(text):
		return errors.New("a name is lower-case letters, digits and underscores, and begins with a letter, such as due_at")
	case len(text) > longest:
		return fmt.Errorf("a name has at most %d letters", longest)
	case isReserved(text):
		return fmt.Errorf("this is a reserved word of SQL; choose another, such as %s_name", text)
	}
	return nil
}

// readField reads a field: NAME:TYPE, NAME:ref:RESOURCE, each with a ? if it is optional.
func readField(text string) (f field, err error) {
	name, typed, found := strings.Cut(text, ":")
	if !found || typed == "" {
		return f, fmt.Errorf("the field %q has no type; write it as title:string", text)
	}
	f.Name = name
	typed, f.Optional = strings.CutSuffix(typed, "?")
	typed, f.target, found = strings.Cut(typed, ":")
	if err := checkField(name); err != nil {
		return f, fmt.Errorf("the field %q: %w", name, err)
	}
	var known bool
	if f.kind, known = kinds[typed]; !known {
		return f, fmt.Errorf("the field %q: there is no type %q%s The types are %s", name, typed, endSentence(naming.DidYouMean(typed, kindNames)), strings.Join(kindNames, ", "))
	}
	switch {
	case typed == refKind && f.target == "":
		return f, fmt.Errorf("the field %q: ref needs the resource that it refers to; write it as %s:ref:%s", name, name, naming.Plural(name))
	case typed != refKind && found:
		return f, fmt.Errorf("the field %q: only ref has a second word; write it as %s:%s", name, name, typed)
	}
	return f, nil
}

// endSentence returns the question, or a full stop if there is no question.
func endSentence(question string) string {
	if question == "" {
		return "."
	}
	return question
}

func checkField(name string) error {
	if err := checkWord(name); err != nil {
		return err
	}
	if slices.Contains(ownFields, name) {
		return errors.New("each resource has a field of this name already, or the list a parameter; choose another name")
	}
	return nil
}

// ownFields are names that a generated model or a list uses itself.
var ownFields = []string{"id", "owner", "owner_id", "created_at", "base_model", "search", "ordering", "page", "page_size"}

// GoName is the name of the field in Go.
func (f field) GoName() string {
	if f.target != "" {
		return goName(f.Name) + "ID"
	}
	return goName(f.Name)
}

// GoType is the type of the field in Go.
func (f field) GoType() string {
	if f.Optional {
		return "*" + f.goType
	}
	return f.goType
}

// Column is the name of the column.
func (f field) Column() string {
	if f.target != "" {
		return f.Name + "_id"
	}
	return f.Name
}

// ColumnType is the name of the column's type in a migration.
func (f field) ColumnType() string { return f.columnType }

// ModelTag names the column where bun would derive another name from the Go name.
func (f field) ModelTag() string {
	if derivedColumn(f.GoName()) == f.Column() {
		return ""
	}
	return "`bun:\"" + f.Column() + "\"`"
}

// InputTag has the name and the rules of the field.
func (f field) InputTag() string {
	rules := []string{"required"}
	if f.Optional {
		rules = nil
		if f.goType == "string" {
			rules = []string{"filled"}
		}
	}
	if f.rules != "" {
		rules = append(rules, f.rules)
	}
	tag := fmt.Sprintf("json:%q", f.Name)
	if len(rules) > 0 {
		tag += fmt.Sprintf(" validate:%q", strings.Join(rules, ","))
	}
	if f.target != "" {
		tag += fmt.Sprintf(" ref:%q", f.target)
	}
	return "`" + tag + "`"
}

// Filter is the call that makes the filter, or "".
func (f field) Filter() string {
	if f.target != "" {
		return fmt.Sprintf("filter.Reference(%q, %q)", f.Name, f.target)
	}
	if f.filter == "" {
		return ""
	}
	return fmt.Sprintf(f.filter, f.Name)
}

// Sample is a right value, in Go.
func (f field) Sample() string {
	if f.target != "" {
		return f.maker + "(caller)"
	}
	return f.sample
}

// Wrong is a wrong value, in Go, and WrongCode the code of its fault.
func (f field) Wrong() string     { return f.wrong }
func (f field) WrongCode() string { return f.code }

// Queries are queries of the list.
func (f field) Queries() []query {
	var all []query
	for _, q := range f.queries {
		if strings.Contains(q.Text, "%") {
			q.Text = fmt.Sprintf(q.Text, f.Name)
		}
		all = append(all, q)
	}
	return all
}
