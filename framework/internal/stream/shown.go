package stream

import "reflect"

// ShownBy is the type that a function's answer shows: the element of a stream, or the answer
// itself. It is nil for bytes, which show no type.
func ShownBy(out reflect.Type) reflect.Type {
	if element, ok := ElementOf(out); ok {
		return element
	}
	if out == reflect.TypeFor[Content]() {
		return nil
	}
	return out
}
