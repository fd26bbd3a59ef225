package relation

import (
	"reflect"
	"strings"
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
