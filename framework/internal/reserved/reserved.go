// Package reserved keeps the values that rows must not have in a column, because a path has the
// word already.
package reserved

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// Words are values that a column must not have.
type Words struct {
	Column *schema.Field
	Words  []string
}

// A List has the reserved values of a model, each column once.
type List []Words

// Add returns the list with more values that a column must not have.
func (l List) Add(column *schema.Field, words []string) List {
	for i, known := range l {
		if known.Column == column {
			l[i].Words = naming.AddNew(slices.Clone(known.Words), words)
			return l
		}
	}
	return append(l, Words{column, words})
}

// Of returns the reserved values of a column.
func (l List) Of(column *schema.Field) []string {
	for _, known := range l {
		if known.Column == column {
			return known.Words
		}
	}
	return nil
}

// AddRules adds a rule to the field of an input: it rejects the reserved values of its column.
// It does nothing for a field that is not a string.
func (l List) AddRules(f *input.Field, column *schema.Field) {
	for _, known := range l {
		if known.Column == column && f.Value.Typ.Kind() == reflect.String {
			f.Add(known.rule())
		}
	}
}

// Check looks for a reserved value of a row in the written columns. It returns the first column with
// one and its fault, or nil. Inputs reject these values already, so a function set the value.
func (l List) Check(row reflect.Value, written []*schema.Field) (*schema.Field, problem.Fault) {
	for _, known := range l {
		v := reflect.Indirect(known.Column.Value(row))
		if slices.Contains(written, known.Column) && v.IsValid() && slices.Contains(known.Words, v.String()) {
			return known.Column, problem.Fault{Code: "noneof", Detail: rule.Detail(known.rule(), v.Type())}
		}
	}
	return nil, problem.Fault{}
}

func (w Words) rule() rule.Rule { return rule.Rule{Name: "noneof", Param: strings.Join(w.Words, " ")} }
