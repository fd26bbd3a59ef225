package places

import (
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
	if len(param.Enum) > 0 {
		return listed(param)
	}
	if param.Type != nil && param.Type.Kind() == reflect.Bool {
		return []string{"true", "false"} // a column may have 1 and 0
	}
	name := plainName(param.Name)
	for _, column := range slices.Sorted(maps.Keys(one.Values)) {
		value, plain := one.Values[column], plainName(column)
		named := plain == name || plain == name+"id" || len(plain) > 2 && strings.Contains(name, plain)
		named = named || param.Type == reflect.TypeFor[uuid.UUID]() && slices.Equal(key, []string{column})
		if value != "" && (named || searches && len(value) > 5 && strings.Trim(value, fixture.Letters) == "") && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values[:min(len(values), mostValues)]
}

// listed lists the values of an enum to try, and all of them at once if they are names in a list, and no order.
func listed(param spec.Param) []string {
	values := slices.Clip(param.Enum[:min(len(param.Enum), mostValues)])
	if param.List && !strings.HasPrefix(param.Enum[len(param.Enum)-1], "-") {
		values = append(values, strings.Join(param.Enum, ","))
	}
	return values
}

// plainName is a name of a column or a parameter in small letters alone: that of "createdAt" and of
// "created_at" is "createdat".
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
