package relation

import (
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/query"
)

// Seeing lists the rules about seeing a field of the base: those of its viewset, of the relations
// that lead to it, and of what a function reads.
func (b Base) Seeing(f query.Field) []*fieldrule.Rule {
	path, end := PathOf(f), b
	if len(path) > 0 {
		end = path[len(path)-1].Base()
	}
	rules := path.Seeing()
	if v := end.Viewset(); v != nil {
		rules = append(rules, v.FieldRules().Seeing(f)...)
	}
	if f.Aggregate {
		if from, err := end.ReadFrom(f.GoName); err == nil {
			rules = append(rules, end.SeeingFrom(from)...)
		}
	}
	return rules
}

// SeeingFrom lists the rules about seeing what a tag from of the base names.
func (b Base) SeeingFrom(f From) []*fieldrule.Rule {
	column, rules := f.Column, f.Path.Seeing()
	if f.Function != nil {
		column = f.Function.column
		if b.whole() {
			rules = append(rules, b.set.viewset.FieldRules().Seeing(query.Field{GoName: f.Function.text})...)
		}
	}
	if column == nil {
		return rules
	}
	last := *column
	last.Related = nil
	return append(rules, f.End.Seeing(last)...)
}

// Seeing lists the rules about seeing the foreign keys of the path.
func (p Path) Seeing() (rules []*fieldrule.Rule) {
	for _, r := range p {
		rules = append(rules, r.Seeing()...)
	}
	return slices.Clip(rules)
}

// Seeing lists the rules about seeing the foreign key of the relation.
func (r *Relation) Seeing() []*fieldrule.Rule {
	key, viewset := r.Schema.JoinPKs[0], r.Target
	if r.Schema.Type == schema.BelongsToRelation {
		key, viewset = r.Schema.BasePKs[0], nil
		if !strings.Contains(r.Name, ".") { // else the row that has the key is part of another one
			viewset = r.set.viewset
		}
	}
	if viewset == nil {
		return nil
	}
	return viewset.FieldRules().Seeing(query.Field{Column: key})
}
