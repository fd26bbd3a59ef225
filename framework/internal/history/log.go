package history

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
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
}

// changes are the past tenses of the verbs, by which the types of entries end.
var changes = map[string]string{call.VerbCreate: "created", call.VerbUpdate: "updated", call.VerbDelete: "deleted"}

// dotted is the path of a viewset and a word behind it, such as patients.created.
func dotted(path, word string) string {
	return strings.ReplaceAll(strings.ReplaceAll(path, "/{}", ""), "/", ".") + "." + word
}

// Record implements [table.Recorder]: it stores an entry in the transaction of the change. A row that is
// stored again with the same values has none.
func (l *Log) Record(c *call.Call, change table.Change) error {
	before, after := rowOf(change.Before), rowOf(change.After)
	if before.IsValid() && after.IsValid() && l.same(before, after) {
		return nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	text, err := l.differences(before, after)
	if err != nil {
		return err
	}
	_, err = c.Session().Exec(c, bun.SafeQuery(
		"INSERT INTO history (id, viewset, row_key, change, at, caller, request, route, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		sqldb.Param(id), sqldb.Param(l.Resource.Path), sqldb.Param(fmt.Sprint(change.Key)), sqldb.Param(changes[change.Verb]), sqldb.Param(c.Now),
		sqldb.Param(c.Caller.IDText()), sqldb.Param(c.ID), sqldb.Param(dotted(c.Route.ViewSet, c.Route.Name)), sqldb.Param(text),
	))
	return err
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
	for _, f := range l.Resource.Table.Fields {
		if !slices.Contains(l.NotNoted, f.Name) && string(f.AppendValue(gen, nil, before)) != string(f.AppendValue(gen, nil, after)) {
			return false
		}
	}
	return true
}

// differences writes the values that differ, as {"phone": {"from": "1", "to": "2"}}. A new row has no member
// from, and a deleted one no member to.
func (l *Log) differences(before, after reflect.Value) (string, error) {
	changed := map[string]Values{}
	for _, f := range l.Fields {
		from, err := valueOf(f, before)
		if err != nil {
			return "", err
		}
		to, err := valueOf(f, after)
		if err != nil {
			return "", err
		}
		if string(from) != string(to) {
			changed[f.Name] = Values{from, to}
		}
	}
	text, err := json.Marshal(changed, json.Deterministic(true))
	return string(text), err
}

// valueOf is the value of a field as clients read it, nil without a row.
func valueOf(f query.Field, row reflect.Value) (jsontext.Value, error) {
	if !row.IsValid() {
		return nil, nil
	}
	return wire.Encode(f.Column.Value(row).Interface())
}
