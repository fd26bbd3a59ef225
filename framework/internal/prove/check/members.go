package check

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/query"
)

// checkMembers checks that the rows of an answer by the framework, and the changes in a history, lack the members that Sees hides from the
// sender. A number or a boolean says nothing by itself about its row, so its member must be absent.
func (c *Checker) checkMembers(e *exchange.Endpoint, got *exchange.Answer) {
	history := e.Route.Name == declare.HistoryName
	if !got.OK() || got.Method != e.Info.Method || len(e.Resource.Fields) == 0 || e.Totals != nil || !e.Declared() && !history {
		return
	}
	listing := c.CallOf(got.By, fixture.Listing(e.Resource))
	members := membersOf(e, got.Last(e), history)
	for _, rule := range e.Resource.Fields {
		if rule.Hides(listing) && slices.Contains(members, rule.Name) && (history || shows(e, rule.Name)) {
			c.Find(e, got.By, got.Curl(), "the answer has the member %q, which a rule of Sees hides from this caller", rule.Name)
		}
	}
}

// checkTotals checks that totals lack the values of fields that Sees hides from the sender, also if the request does not name them.
func (c *Checker) checkTotals(e *exchange.Endpoint, got *exchange.Answer) {
	if e.Totals == nil || !got.OK() || !c.rules {
		return
	}
	var all struct {
		Totals []map[string]json.RawMessage `json:"totals"`
	}
	_ = json.Unmarshal([]byte(got.Text), &all) // an answer with other members has no totals
	for _, row := range all.Totals {
		for _, part := range e.Totals.Parts {
			var values map[string]any
			_ = json.Unmarshal(row[part.Member], &values) // nothing is there without the parameter
			for _, f := range part.Fields {
				if _, shown := values[f.Name]; shown && c.IsUnseen(got.By, e, f.Field) {
					c.Find(e, got.By, got.Curl(), "the answer has the member %q, which a rule of Sees hides from this caller", f.Name)
				}
			}
		}
	}
}

// IsUnseen reports whether a rule hides a field of the rows of an endpoint from a person.
func (c *Checker) IsUnseen(who *exchange.Person, e *exchange.Endpoint, f query.Field) bool {
	listing := c.CallOf(who, fixture.Listing(e.Resource))
	for _, rule := range e.Resource.Relations.Base().Seeing(f) {
		if rule.Hides(listing) {
			return true
		}
	}
	return false
}

// checkRelated checks that the rows of an answer by the framework have no value of a related row that a rule of its viewset hides from the
// sender: in a member of the row itself, or of the related row.
func (c *Checker) checkRelated(e *exchange.Endpoint, got *exchange.Answer) {
	if !got.OK() || got.Method != e.Info.Method || e.Totals != nil || !e.Declared() || e.Out == nil || !c.rules {
		return
	}
	looker := related{c.CallOf(got.By, fixture.Listing(e.Resource))}
	for _, row := range answers.Objects(e, got.Last(e).Value()) {
		if name := looker.hiddenIn(e.Resource.Relations.Base(), e.Out, row); name != "" {
			c.Find(e, got.By, got.Curl(), "the answer has the member %q, which a rule of Sees hides from this caller", name)
			return
		}
	}
}

// A related finds members with values of related rows that rules hide from a caller.
type related struct{ by *call.Call }

// hiddenIn returns the name of a member of a value that a rule hides, "" without one.
func (r related) hiddenIn(base relation.Base, shape reflect.Type, value any) string {
	shape = naming.Indirect(shape)
	if list, is := value.([]any); is && shape.Kind() == reflect.Slice {
		for _, item := range list {
			if name := r.hiddenIn(base, shape.Elem(), item); name != "" {
				return name
			}
		}
	}
	row, _ := value.(map[string]any)
	if row == nil || shape.Kind() != reflect.Struct {
		return ""
	}
	for f := range naming.ShapeFields(shape) {
		if name := r.hiddenAt(base, f, row[naming.JSONName(f)]); name != "" {
			return name
		}
	}
	return ""
}

// hiddenAt is hiddenIn for the value of one field of a row.
func (r related) hiddenAt(base relation.Base, f reflect.StructField, value any) string {
	if value == nil {
		return ""
	}
	tag := f.Tag.Get("from")
	column := bunmodel.ColumnOf(base.Table(), f.Name)
	if tag == "" && (column == nil || !fieldrule.AnyHides(r.by, base.Seeing(query.Field{Column: column}))) {
		return ""
	}
	from, err := base.ReadFrom(tag)
	switch {
	case tag == "" || err == nil && fieldrule.AnyHides(r.by, base.SeeingFrom(from)):
		return naming.JSONName(f)
	case err == nil && from.Column == nil && from.Function == nil && len(from.Path) > 0:
		return r.hiddenIn(from.End, f.Type, value)
	}
	return ""
}

// shows reports whether the view of an endpoint shows a field of the viewset. A member with its name may show another one, as of a related row.
func shows(e *exchange.Endpoint, name string) bool {
	f, err := e.Resource.FieldAt(name)
	if err != nil || e.Out == nil || naming.Indirect(e.Out).Kind() != reflect.Struct {
		return false
	}
	for shown := range naming.ShapeFields(naming.Indirect(e.Out)) {
		from := shown.Tag.Get("from")
		own := from == "" && bunmodel.ColumnOf(e.Resource.Table, shown.Name) == f.Column
		if f.Column != nil && own || f.Column == nil && from == f.GoName {
			return true
		}
	}
	return false
}

// membersOf lists the names of the members that the rows of an answer have: those of a page or of a row, of an export, or of the changes in
// the entries of a history.
func membersOf(e *exchange.Endpoint, got *exchange.Answer, history bool) (names []string) {
	var rows []map[string]any
	switch media, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";"); media {
	case "text/csv":
		header, _, _ := strings.Cut(got.Text, "\n")
		return strings.Split(strings.TrimSpace(header), ",")
	case "application/x-ndjson":
		for line := range strings.Lines(got.Text) {
			var row map[string]any
			if json.Unmarshal([]byte(line), &row) == nil {
				rows = append(rows, row)
			}
		}
	default:
		rows = answers.Objects(e, got.Value())
	}
	for _, row := range rows {
		if changes, is := row["changes"].(map[string]any); is && history {
			row = changes
		}
		for name := range row {
			names = append(names, name)
		}
	}
	return names
}
