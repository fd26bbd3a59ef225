package places

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// mostValues limits the values of one parameter.
const mostValues = 12

// ValuesFor lists the values to try for a parameter: each of its enum, or else values of a row. One that is a
// UUID has the key of the row, whatever its name is.
func ValuesFor(param spec.Param, searches bool, one *fixture.Row, key []string) (values []string) {
	if len(param.Compared) > 0 {
		return expressions(param.Compared, one)
	}
	if len(param.Enum) > 0 {
		return listed(param)
	}
	if param.Type != nil && param.Type.Kind() == reflect.Bool {
		return []string{"true", "false"} // a column may have 1 and 0
	}
	name := plainName(param.Name)
	for _, column := range slices.Sorted(maps.Keys(one.Values)) {
		value, plain := one.Values[column], plainName(column)
		named := isNamed(name, plain)
		named = named || param.Type != nil && isUUID(param.Type) && slices.Equal(key, []string{column})
		if value != "" && (named || searches && len(value) > 5 && strings.Trim(value, fixture.Letters) == "") && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values[:min(len(values), mostValues)]
}

// isNamed reports whether a parameter or a field probably has values of a column, by their plain names.
func isNamed(name, column string) bool {
	return column == name || column == name+"id" || len(column) > 2 && strings.Contains(name, column)
}

// expressions lists expressions that compare fields with the texts of a row: each comparison, and its opposite.
func expressions(fields []spec.Compared, one *fixture.Row) (all []string) {
	for _, f := range fields {
		path := strings.Split(f.Name, ".")
		name := plainName(path[len(path)-1])
		for _, column := range slices.Sorted(maps.Keys(one.Values)) {
			value := one.Values[column]
			if value == "" || !isNamed(name, plainName(column)) || len(f.Enum) > 0 || f.Type.Kind() != reflect.String && !isUUID(f.Type) {
				continue
			}
			quoted, err := json.Marshal(value)
			if comparison := f.Name + " = " + string(quoted); err == nil && len(all) < mostValues {
				all = append(all, comparison, "NOT "+comparison)
			}
		}
	}
	return all
}

func isUUID(t reflect.Type) bool { return t == reflect.TypeFor[uuid.UUID]() }

// Names lists the names that a parameter may have in a list; none for a parameter of another kind, and for an order.
func Names(param spec.Param) []string {
	if !param.List || len(param.Enum) == 0 || strings.HasPrefix(param.Enum[len(param.Enum)-1], "-") {
		return nil
	}
	return param.Enum
}

// listed lists the values of an enum to try, and all of them at once if they are names in a list, and no order.
func listed(param spec.Param) []string {
	values := slices.Clip(param.Enum[:min(len(param.Enum), mostValues)])
	if names := Names(param); len(names) > 0 {
		values = append(values, strings.Join(names, ","))
	}
	return values
}

// plainName is a name of a column or a parameter in small letters alone: that of "createdAt" and of
// "created_at" is "createdat".
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
