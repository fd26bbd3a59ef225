// Package control makes the controls of forms from the fields of inputs, and reads what people enter.
package control

import (
	"cmp"
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A Control is one field of a form.
type Control struct {
	ID, Name, Label, Hint string
	Kind                  string // text, area, secret, number, bool, time, exact, choice, lines, many, rows, json; or search and expression in a filter
	Value                 string
	Was                   string // the value that the form began with
	Error                 string
	Options               []Option
	Required              bool
	Known                 bool   // a secret is one that the browser may know already
	Most                  int    // characters; 0 for any number
	Nullable              bool   // an empty control is null
	Elsewhere             string // the list of the rows that it may name; "" for none
	Find                  string // the address that finds these rows by a search; "" for none
	Text                  string // the title of the row that it names; "" if it is not known
	Key                   string // the member that names a row
	Zone                  *time.Location
	Rows                  []Row  // of a list of objects
	More                  string // the name of one object of the list
	sent                  []int  // the places in Rows of the objects that were sent
	Field                 *input.Field
}

// WasPrefix is before the name of a control in the field of a form that has the value with which the form began.
const WasPrefix = "~was-"

// An Option is one choice of a control.
type Option struct {
	Value, Text string
	Chosen      bool
	Page        string // the key of the page of a row; it may differ from Value
}

// longText is the number of characters from which a text has several lines.
const longText = 300

// New makes the control of a field of an input.
func New(f *input.Field, zone *time.Location) Control {
	t := TypeOf(f)
	c := Control{
		ID: "field-" + f.Name, Name: f.Name, Label: wording.Label(f.Name), Hint: f.Doc, Required: f.Required, Field: f, Zone: zone,
		Nullable: !f.Required && (f.Typ.Kind() == reflect.Pointer || f.Value.Optional),
	}
	for _, r := range f.Rules {
		if n, err := strconv.Atoi(r.Param); err == nil && r.Name == "max" && naming.Indirect(t).Kind() == reflect.String {
			c.Most = n
		}
	}
	c.Kind = KindOf(t)
	switch {
	case f.Nested != nil && isRows(t):
		c.Kind, c.More = "rows", strings.ToLower(naming.Singular(c.Label))
	case f.Nested != nil && c.Kind != "lines":
		c.Kind = "json"
	case f.Enum != nil:
		c.Kind = "choice"
	case c.Kind == "text" && strings.Contains(strings.ToLower(f.Name), "password"):
		c.Kind, c.Known = "secret", c.Name == "currentPassword"
	case c.Kind == "text" && c.Most >= longText:
		c.Kind = "area"
	}
	return c
}

// TypeOf returns the type of the values of a field, which an Optional wraps.
func TypeOf(f *input.Field) reflect.Type {
	if f.Value.Optional && f.Value.Elem != nil {
		return f.Value.Elem.Typ
	}
	return f.Value.Typ
}

// KindOf returns the kind of control for values of a type.
func KindOf(t reflect.Type) string {
	t = naming.Indirect(t)
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case datatype.SchemaKind(t) == jsontext.KindNumber: // of a decimal too
		return "number"
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()), reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "text"
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "json"
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return "bool"
	case naming.IsInteger(k), k == reflect.Float32, k == reflect.Float64:
		return "number"
	case k == reflect.String:
		return "text"
	case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8: // base64
		return "text"
	case k == reflect.Slice && isLine(t.Elem()):
		return "lines"
	}
	return "json"
}

// isLine reports whether a value of a type is one line of text.
func isLine(t reflect.Type) bool {
	kind := KindOf(t)
	return kind == "text" || kind == "number"
}

// Fill gives a control the value of an object, or the default.
func (c *Control) Fill(v any) {
	text, kind := wording.Scalar(v)
	switch {
	case c.Kind == "json" && v != nil:
		c.Value = string(wire.IndentJSON(nil, v, ""))
	case c.Kind == "lines", c.Kind == "many":
		c.Value = linesOf(v)
	case c.Kind == "rows":
		c.fillRows(v)
	case c.Kind == "time":
		c.Value = localTime(text, c.Zone)
	case kind != jsontext.KindNull:
		c.Value = text
	default:
		c.Value = ""
	}
	c.Choose()
}

// Enter gives a control a value of the API as text, as if a person had entered it.
func (c *Control) Enter(text string) {
	if c.Value = text; c.Kind == "time" {
		c.Value = localTime(text, c.Zone)
	}
	c.Choose()
}

// Choose marks the options that the value of the control has.
func (c *Control) Choose() {
	if c.Kind == "many" {
		c.chooseMany()
		return
	}
	known := false
	for i := range c.Options {
		c.Options[i].Chosen = c.Options[i].Value == c.Value
		known = known || c.Options[i].Chosen
	}
	if !known && c.Kind == "choice" && c.Value != "" {
		c.Options = append(c.Options, Option{Value: c.Value, Text: c.Value, Chosen: true})
	}
}

// linesOf writes the elements of a list as lines.
func linesOf(v any) string {
	all, _ := v.([]any)
	lines := make([]string, 0, len(all))
	for _, one := range all {
		if o, ok := one.(wire.Members); ok {
			lines = append(lines, wording.Title(o))
			continue
		}
		text, _ := wording.Scalar(one)
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// The form of a time in a control: whole minutes or seconds, without a zone.
const (
	minuteForm = "2006-01-02T15:04"
	secondForm = "2006-01-02T15:04:05"
)

// localTime returns a time of the API as a control for times has it, in a zone.
func localTime(text string, zone *time.Location) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	if at.Second() == 0 {
		return at.In(zone).Format(minuteForm)
	}
	return at.In(zone).Format(secondForm)
}

// Take gives a control what a person entered.
func (c *Control) Take(sent url.Values) {
	if values, ok := sent[c.Name]; ok && len(values) > 0 {
		c.Value = strings.ReplaceAll(values[0], "\r\n", "\n")
	}
	if _, shown := sent[WasPrefix+c.Name]; shown && c.Kind == "many" { // without a checked box, the browser sends no value
		c.Value = strings.Join(sent[c.Name], "\n")
	}
	if values, ok := sent[WasPrefix+c.Name]; ok && len(values) > 0 {
		c.Was = strings.ReplaceAll(values[0], "\r\n", "\n")
	}
	if c.Kind == "rows" {
		c.takeRows(sent)
	}
	c.Choose()
}

// JSON returns the value for the body of a request. A value that does not fit its type is sent as text, so that the
// API says what is wrong with it. The second result is false for an empty control of an operation that needs all fields: the API
// takes the default, or says that the field is missing.
func (c *Control) JSON(partial bool) (jsontext.Value, bool) {
	text := strings.TrimSpace(c.Value)
	if text == "" {
		switch {
		case c.Kind == "rows":
			return jsontext.Value("[]"), partial || c.Required
		case c.Nullable && partial:
			return jsontext.Value("null"), true
		case (c.Kind == "lines" || c.Kind == "many") && partial:
			return jsontext.Value("[]"), true
		}
		return jsontext.Value(`""`), partial
	}
	switch c.Kind {
	case "number":
		return number(text), true
	case "bool":
		if text == "true" || text == "false" {
			return jsontext.Value(text), true
		}
	case "choice":
		if c.numeric() {
			return number(text), true
		}
		return quoted(c.Value), true
	case "time":
		return quoted(c.wireTime(text)), true
	case "rows":
		return jsontext.Value(text), true
	case "lines", "many":
		return c.lines(), true
	case "json":
		if v := jsontext.Value(text); v.IsValid() {
			return v, true
		}
	}
	return quoted(c.Value), true
}

// numeric reports whether the values of a choice are numbers.
func (c *Control) numeric() bool {
	return c.Field != nil && KindOf(TypeOf(c.Field)) == "number"
}

// lines returns a JSON list of the lines of a control.
func (c *Control) lines() jsontext.Value {
	numbers := c.Field != nil && KindOf(naming.Indirect(TypeOf(c.Field)).Elem()) == "number"
	var all []jsontext.Value
	for line := range strings.Lines(c.Value) {
		switch line = strings.TrimSpace(line); {
		case line == "":
		case numbers:
			all = append(all, number(line))
		default:
			all = append(all, quoted(line))
		}
	}
	list := jsontext.Value{'['}
	for i, one := range all {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, one...)
	}
	return append(list, ']')
}

// number returns text as a JSON number, or else as a JSON string.
func number(text string) jsontext.Value {
	if wire.IsNumber(text) {
		return jsontext.Value(text)
	}
	return quoted(text)
}

func quoted(text string) jsontext.Value { return wire.AppendJSON(nil, text) }

// wireTime returns the time of a control as the API reads it. Another text stays as it is. So does a time that clocks of the zone
// skip or show twice, and the control says so: its next form takes the time with its offset.
func (c *Control) wireTime(text string) string {
	for _, form := range []string{minuteForm, secondForm} {
		at, err := time.ParseInLocation(form, text, c.Zone)
		if err != nil {
			continue
		}
		switch {
		case at.Format(form) != text:
			c.Kind, c.Error = "exact", "The clocks of "+c.Zone.String()+" skip this time. Enter another, or one with its offset, such as 2026-03-29T03:30:00+02:00."
			return text
		case at.Add(time.Hour).Format(form) == text || at.Add(-time.Hour).Format(form) == text:
			c.Kind, c.Error = "exact", "The clocks of "+c.Zone.String()+" show this time twice. Enter it with its offset, such as 2026-10-25T02:30:00+02:00."
			return text
		}
		return at.UTC().Format(time.RFC3339)
	}
	return text
}

// Choices makes options from values, after one for none.
func Choices(values []string, chosen, none string) []Option {
	all := []Option{{Text: none, Chosen: chosen == ""}}
	for _, value := range values {
		text := wording.Label(value)
		switch value {
		case "true":
			text = "Yes"
		case "false":
			text = "No"
		}
		all = append(all, Option{Value: value, Text: text, Chosen: value == chosen})
	}
	return all
}

// Refer gives a control the row that a value of an object names: by its key, or by itself. A list of keys is several rows.
func (c *Control) Refer(now any) {
	if c.Field.ListsKeys() {
		c.Fill(now)
		return
	}
	if o, whole := now.(wire.Members); whole {
		now = o.Member(cmp.Or(c.Key, "id"))
	}
	text, _ := wording.Scalar(now)
	for _, o := range c.Options {
		if text != "" && o.Page == text {
			now = o.Value
		}
	}
	c.Fill(now)
}
