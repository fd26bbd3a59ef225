package history

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Log records the changes of the rows of a table. It does not change once it is bound.
type Log struct {
	Resource *table.Resource // the viewset that declares the history
	Fields   []query.Field   // whose values are recorded, with the names that clients have for them
	NotNoted []string        // columns that change with every write, such as the time of the change

	Insertion *sqldb.Template // that of [NewInsertion]
}

// changes are the past tenses of the verbs, by which the types of entries end.
var changes = map[string]string{
	call.VerbCreate: "created", call.VerbUpdate: "updated", call.VerbDelete: "deleted", declare.RestoreName: "restored",
}

// Entries implements [table.History]: an entry is a row of row_history. A row that is stored again with the same values
// has none.
func (l *Log) Entries(c *call.Call) func(table.Change) (schema.QueryAppender, error) {
	now, caller, request, route := c.Now, c.Caller.IDText(), c.ID, naming.Dotted(c.Route.ViewSet, c.Route.Name)
	return func(change table.Change) (schema.QueryAppender, error) {
		before, after := rowOf(change.Before), rowOf(change.After)
		if before.IsValid() && after.IsValid() && l.same(before, after) {
			return nil, nil //nolint:nilnil // no statement
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, err
		}
		key, text := fmt.Sprint(change.Key), l.differences(before, after)
		return l.Insertion.With(id, l.Resource.Path, key, changes[change.Verb], now, caller, request, route, text), nil
	}
}

// NewInsertion makes the statement that stores an entry. It returns a column, because a statement without one is not sent
// together with others.
func NewInsertion() *sqldb.Template {
	return sqldb.NewTemplate(func(v sqldb.Values) schema.QueryAppender {
		return bun.SafeQuery("INSERT INTO row_history (id, viewset, row_key, change, at, caller, request, route, changes)"+
			" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq", v.At(0), v.At(1), v.At(2), v.At(3), v.At(4), v.At(5), v.At(6), v.At(7), v.At(8))
	})
}

// rowOf is the row that a change has a pointer to, invalid without one.
func rowOf(model any) reflect.Value {
	if model == nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(model).Elem()
}

// same reports whether two states of a row differ in no column, but for those that change with every write.
func (l *Log) same(before, after reflect.Value) bool {
	gen := l.Resource.API.DB.QueryGen()
	for _, f := range l.tableOf(after).Fields {
		if !slices.Contains(l.NotNoted, f.Name) && string(f.AppendValue(gen, nil, before)) != string(f.AppendValue(gen, nil, after)) {
			return false
		}
	}
	return true
}

// tableOf is the table of a row with the fields of its model, which may be another one than that of the history.
func (l *Log) tableOf(row reflect.Value) *schema.Table {
	if row.Type() == l.Resource.Model {
		return l.Resource.Table
	}
	return l.Resource.API.DB.Dialect().Tables().Get(row.Type())
}

// differences writes the values that differ, as {"phone": {"from": "1", "to": "2"}}. A new row has no member
// from, and a deleted one no member to.
func (l *Log) differences(before, after reflect.Value) string {
	text := []byte{'{'}
	member := func(name string, value jsontext.Value) {
		if last := text[len(text)-1]; last != '{' {
			text = append(text, ',')
		}
		text = append(append(wire.AppendJSON(text, name), ':'), value...)
	}
	for _, f := range l.Fields { // in the order of their names
		from, to := l.valueOf(f, before), l.valueOf(f, after)
		if string(from) == string(to) {
			continue
		}
		member(f.Name, jsontext.Value{'{'})
		if from != nil {
			member("from", from)
		}
		if to != nil {
			member("to", to)
		}
		text = append(text, '}')
	}
	return string(append(text, '}'))
}

// valueOf is the value of a field as clients read it, nil without a row, or if the model of the row lacks the column. A file has no
// URL, which depends on the time and lets its holder read the file. A value that is no JSON, which only
// another program can have stored, is the text that the database has.
func (l *Log) valueOf(f query.Field, row reflect.Value) jsontext.Value {
	if !row.IsValid() {
		return nil
	}
	column := l.tableOf(row).FieldMap[f.Column.Name]
	if column == nil {
		return nil
	}
	value := column.Value(row).Interface()
	switch f := value.(type) {
	case files.File:
		value = withoutURL(f)
	case *files.File:
		if f != nil {
			value = withoutURL(*f)
		}
	}
	text, err := wire.Encode(value)
	if err != nil || !jsontext.Value(text).IsValid() {
		return wire.AppendJSON(nil, string(column.AppendValue(l.Resource.API.DB.QueryGen(), nil, row)))
	}
	return text
}

func withoutURL(f files.File) files.File {
	return files.File{Key: f.Key, Name: f.Name, Type: f.Type, Size: f.Size, SHA256: f.SHA256, UploadedAt: f.UploadedAt}
}
