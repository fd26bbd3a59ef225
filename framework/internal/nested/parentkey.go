package nested

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
)

// ParentKey returns the primary key of the parent that the request names.
func ParentKey[K any](c *call.Call) (K, error) {
	found := state.Of(c).Progress.Parent
	key, ok := found.(K)
	switch {
	case found == nil:
		return key, naming.Sentence("framework.ParentKey: the request is not for a viewset with a Parent")
	case !ok:
		return key, naming.Sentence("framework.ParentKey: the key of the parent is %T, not %s", found, reflect.TypeFor[K]())
	}
	return key, nil
}
