package bind

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
)

// registerModels makes the Models of all viewsets known to bun. bun needs the model of a join
// table before it uses a model with a many-to-many relation, so those models come last. useModels
// reports mistakes.
func (b *binder) registerModels() {
	var models []reflect.Type
	for _, d := range b.declared {
		for _, model := range d.Models {
			if t := reflect.TypeOf(model); t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
				models = append(models, t.Elem())
			}
		}
	}
	slices.SortStableFunc(models, func(x, y reflect.Type) int {
		return cmp.Compare(len(relation.JoinTables(x)), len(relation.JoinTables(y)))
	})
	for _, model := range models {
		_, _ = b.tableOf(model)
	}
}

// tableOf returns bun's description of a model.
func (b *binder) tableOf(model reflect.Type) (*schema.Table, error) {
	return relation.TableOf(b.api.DB.Dialect().Tables(), model)
}

// useModels adds the tables of the viewset's Models, which its functions use, to r.Models. It
// reports an entry that is not a pointer to a struct, or that bun cannot use.
func (b *binder) useModels(r *table.Resource) {
	for _, model := range r.Declaration.Models {
		t := reflect.TypeOf(model)
		if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			b.fault(r.Path, "models", naming.Sentence("%T is no pointer to a model; write it as (*Slot)(nil)", model))
			continue
		}
		table, err := b.tableOf(t.Elem())
		if err != nil {
			b.fault(r.Path, "models", err)
			continue
		}
		r.Models = append(r.Models, table)
	}
}

// seal ends the notes of the relations, and guards the columns of all tables of an API, each once.
func seal(all []*table.Resource) {
	guarded := map[*schema.Table]bool{}
	guard := func(tables ...*schema.Table) {
		for _, t := range tables {
			if t != nil && !guarded[t] {
				guarded[t] = true
				bunmodel.GuardScans(t)
			}
		}
	}
	for _, r := range all {
		r.Relations.Seal()
		guard(append(slices.Concat(r.Models, r.Stores), r.Table)...)
		for _, rel := range r.Relations.All() {
			guard(rel.Schema.JoinTable, rel.Schema.M2MTable)
		}
	}
}
