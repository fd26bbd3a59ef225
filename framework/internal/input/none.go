package input

import "reflect"

// None is the input of an endpoint without input, or the output of one that answers
// 204.
type None struct{}

// NoneType is the type of [None].
var NoneType = reflect.TypeFor[None]()
