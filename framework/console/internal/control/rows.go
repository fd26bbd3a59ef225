package control

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A Row is one object of a list in a form.
type Row struct {
	Number   int
	Controls []Control
	Removed  bool
}

// Place is the place of the row for people.
func (r Row) Place() int { return r.Number + 1 }

// RemoveSuffix ends the name of the field by which a person removes a row.
const RemoveSuffix = ".~remove"

// isRows reports whether values of a type are lists of objects.
func isRows(t reflect.Type) bool {
	t = naming.Indirect(t)
	return t.Kind() == reflect.Slice && naming.Indirect(t.Elem()).Kind() == reflect.Struct && KindOf(t.Elem()) == "json"
}

// AddRow adds an empty row.
func (c *Control) AddRow() {
	number := len(c.Rows)
	r := Row{Number: number}
	for _, f := range c.Field.Nested.Fields {
		in := New(f, c.Zone)
		in.Name = c.Name + "." + strconv.Itoa(number) + "." + f.Name
		in.ID = "field-" + in.Name
		if in.Kind == "bool" {
			in.Options = Choices([]string{"true", "false"}, "", "not set")
		} else if f.Enum != nil {
			in.Options = Choices(f.Enum, "", "choose one")
		}
		if in.Kind == "rows" { // one level of rows has controls
			in.Kind = "json"
		}
		r.Controls = append(r.Controls, in)
	}
	c.Rows = append(c.Rows, r)
}

// fillRows makes a row for each object of a list.
func (c *Control) fillRows(v any) {
	all, _ := v.([]any)
	c.Rows = nil
	for _, one := range all {
		o, _ := one.(wire.Members)
		c.AddRow()
		controls := c.Rows[len(c.Rows)-1].Controls
		for i := range controls {
			in := &controls[i]
			if now := o.Member(in.Field.Name); in.Field.Ref != "" {
				in.Refer(now)
			} else {
				in.Fill(now)
			}
			in.Was = in.Value
		}
	}
	c.settle()
}

// takeRows takes the rows that were sent.
func (c *Control) takeRows(sent map[string][]string) {
	for number := len(c.Rows); ; number++ {
		prefix := c.Name + "." + strconv.Itoa(number) + "."
		given := false
		for name := range sent {
			given = given || strings.HasPrefix(name, prefix)
		}
		if !given || number >= mostRows {
			break
		}
		c.AddRow()
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Removed = len(sent[c.Name+"."+strconv.Itoa(i)+RemoveSuffix]) > 0
		for j := range r.Controls {
			r.Controls[j].Take(sent)
		}
	}
	c.settle()
}

// mostRows is the number of rows that a form takes for one list.
const mostRows = 200

// settle sets the value of the whole, by which a form sees whether it changed.
func (c *Control) settle() { c.Value = string(c.rows()) }

// rows returns a JSON list of the rows that are neither removed nor empty, or nil without any.
func (c *Control) rows() jsontext.Value {
	list := jsontext.Value{'['}
	c.sent = nil
	for i := range c.Rows {
		r := &c.Rows[i]
		empty := !slices.ContainsFunc(r.Controls, func(in Control) bool { return in.Value != "" && in.Value != in.untouched() })
		if r.Removed || empty {
			continue
		}
		o := wire.Members{}
		for j := range r.Controls {
			if v, given := r.Controls[j].JSON(false); given {
				o.Add(r.Controls[j].Field.Name, v)
			}
		}
		text, err := wire.Encode(o)
		if err != nil {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list, c.sent = append(list, text...), append(c.sent, i)
	}
	if len(c.sent) == 0 {
		return nil
	}
	return append(list, ']')
}

// untouched is the value of a control of an empty row.
func (c *Control) untouched() string {
	answered, _ := wire.ReadOrdered(c.Field.Sent)
	empty := Control{Kind: c.Kind, Zone: c.Zone, Field: c.Field}
	if c.Field.Sent != nil && c.Kind != "rows" {
		empty.Fill(answered)
	}
	return empty.Value
}

// At returns the control of a member of an object of the list as it was sent; nil if there is none.
func (c *Control) At(place, name string) *Control {
	n, err := strconv.Atoi(place)
	if err != nil || n < 0 || n >= len(c.sent) {
		return nil
	}
	controls := c.Rows[c.sent[n]].Controls
	for i := range controls {
		if controls[i].Field.Name == name {
			return &controls[i]
		}
	}
	return nil
}
