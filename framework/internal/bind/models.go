package bind

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
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
		if b.lacksJoinModel(model) == nil {
			_, _ = tableOf(b.api.DB, model)
		}
	}
}

// lacksJoinModel returns an error if bun does not know the model of a join table that a model
// needs. bun itself would panic.
func (b *binder) lacksJoinModel(model reflect.Type) error {
	for _, j := range relation.JoinTables(model) {
		if b.api.DB.Dialect().Tables().ByName(j.Table) == nil {
			return naming.Sentence("the many-to-many relation %s.%s needs the model of its join table %q; add that model to Models, such as (*%s)(nil)",
				model.Name(), j.Field, j.Table, naming.Title(naming.Singular(j.Table)))
		}
	}
	return nil
}

// modelOf returns bun's description of the model of a declaration.
func (b *binder) modelOf(d *declare.Declaration) (*schema.Table, error) {
	if err := b.lacksJoinModel(d.Model); err != nil {
		return nil, err
	}
	return tableOf(b.api.DB, d.Model)
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
		err := b.lacksJoinModel(t.Elem())
		if err != nil {
			b.fault(r.Path, "models", err)
			continue
		}
		table, err := tableOf(b.api.DB, t.Elem())
		if err != nil {
			b.fault(r.Path, "models", err)
			continue
		}
		r.Models = append(r.Models, table)
	}
}

// tableOf returns bun's description of a model, or an error if bun panics on it.
func tableOf(db *sqldb.DB, model reflect.Type) (t *schema.Table, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = naming.Sentence("bun cannot use %s as a model: %v", model, p)
		}
	}()
	return db.Table(model), nil
}
