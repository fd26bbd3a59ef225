package places

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun/schema"
)

// WithKey returns a path with another key in the last place that has the key.
func WithKey(path, key, another string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == key {
			parts[i] = another
			break
		}
	}
	return strings.Join(parts, "/")
}

// MissingKey returns a value of a column of keys that no row has, in the form of one that exists.
func MissingKey(column *schema.Field, key string) string {
	switch t := column.IndirectType; {
	case t == reflect.TypeFor[uuid.UUID]():
		return uuid.Must(uuid.NewV7()).String()
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return strconv.Itoa(999_000_000 + len(key))
	}
	return "none-" + key
}
