package view

import (
	"reflect"
	"strings"
)

// An owners finds the rows that have a key, to which the related rows belong.
type owners[R any] struct {
	exact  map[any][]R
	folded map[string][]R // by text keys in lower case; nil before the first use
}

// of returns the rows with the key that a related row refers to. The database has compared the two keys
// already. If the column ignores case, the keys may differ in case.
func (o *owners[R]) of(key any) []R {
	found, known := o.exact[key]
	v := reflect.ValueOf(key)
	if known || v.Kind() != reflect.String {
		return found
	}
	if o.folded == nil {
		o.fold()
	}
	return o.folded[strings.ToLower(v.String())]
}

func (o *owners[R]) fold() {
	o.folded = map[string][]R{}
	for key, rows := range o.exact {
		if v := reflect.ValueOf(key); v.Kind() == reflect.String {
			text := strings.ToLower(v.String())
			o.folded[text] = append(o.folded[text], rows...)
		}
	}
}
