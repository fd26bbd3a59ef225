package framework

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A reservation is the values that a column never has.
type reservation struct {
	column *schema.Field
	words  []string
}

func addReserved(all []reservation, column *schema.Field, words []string) []reservation {
	for i, known := range all {
		if known.column == column {
			all[i].words = naming.AddNew(slices.Clone(known.words), words)
			return all
		}
	}
	return append(all, reservation{column, words})
}

// reserve makes the field of an input refuse the values that its column never has.
func (r *resource) reserve(f *input.Field, column *schema.Field) {
	for _, reserved := range r.reserved {
		if reserved.column != column || f.Value.Typ.Kind() != reflect.String {
			continue
		}
		add := input.Rule{Name: "noneof", Param: strings.Join(reserved.words, " ")}
		if !slices.Contains(f.Value.Rules, add) {
			f.Value.Rules = append(slices.Clip(f.Value.Rules), add)
			f.Rules, f.Value.Tag = f.Value.Rules, (&input.RuleSpec{Rules: f.Value.Rules}).Tag()
		}
	}
}

// unreserved refuses a row that a function gave a reserved value.
func (r *resource) unreserved(m reflect.Value) error {
	for _, reserved := range r.reserved {
		v := reflect.Indirect(reserved.column.Value(m))
		if !v.IsValid() || !slices.Contains(reserved.words, v.String()) {
			continue
		}
		fault := problem.Fault{Code: "noneof", Detail: input.RuleDetail(input.Rule{Name: "noneof", Param: strings.Join(reserved.words, " ")}, v.Type())}
		if name := r.clientName(reserved.column.Name); name != "" {
			fault.Pointer = naming.PointerTo(name)
		}
		return problem.Invalid(fault)
	}
	return nil
}
