package relation

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/naming"
)

// A JoinTable is the join table of a many-to-many relation, and the field of the relation.
type JoinTable struct{ Field, Table string }

// JoinTables lists the join tables of the many-to-many relations of a model.
func JoinTables(model reflect.Type) (found []JoinTable) {
	if model.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(model) {
		for option := range strings.SplitSeq(f.Tag.Get("bun"), ",") {
			if name, ok := strings.CutPrefix(option, "m2m:"); ok {
				found = append(found, JoinTable{f.Name, name})
			}
		}
	}
	return found
}

// TableOf returns bun's description of a model, with its relations. It returns an error if bun does
// not know the model of a join table that the model needs, if bun panics
// on the model, if the name of a column has a dot, or if no row can have a struct of the model.
func TableOf(known *schema.Tables, model reflect.Type) (t *schema.Table, err error) {
	for _, j := range JoinTables(model) {
		if known.ByName(j.Table) == nil {
			return nil, naming.Sentence("the many-to-many relation %s.%s needs the model of its join table %q; add that model to Models, such as (*%s)(nil)",
				model.Name(), j.Field, j.Table, naming.Title(naming.Singular(j.Table)))
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = naming.Sentence("bun cannot use %s as a model: %v", model, p)
		}
	}()
	t = known.Get(model)
	if err := checkColumns(t); err != nil {
		return t, err
	}
	return t, bunmodel.CheckEmbedded(t)
}

// checkColumns returns the mistake of a column whose name has a dot: bun writes such a name as that of a
// column of a table.
func checkColumns(t *schema.Table) error {
	for _, f := range t.Fields {
		if strings.Contains(f.Name, ".") {
			return naming.Sentence("the column %q of %s.%s has a dot in its name; statements cannot name it", f.Name, t.Type.Name(), f.GoName)
		}
	}
	return nil
}
