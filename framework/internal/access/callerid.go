package access

import (
	"encoding"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
)

// CheckIDType returns an error if ids of a type have no text, which logs, rates and
// idempotency keys need.
func CheckIDType(scheme call.Authenticator) error {
	t := call.IDTypeOf(scheme)
	switch {
	case t == nil:
		return naming.Sentence("the CallerID of %T returns nil; return the type of its callers' ids, such as reflect.TypeFor[int64]()", scheme)
	case t.Kind() == reflect.String, isInteger(t), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && t.Comparable():
		return nil
	}
	return naming.Sentence("the callers of %T have ids of type %s; an id is an integer, a string, or a comparable type with the method MarshalText", scheme, t)
}

func isInteger(t reflect.Type) bool {
	zero := reflect.Zero(t)
	return zero.CanInt() || zero.CanUint()
}

// InventID returns an id that no user has: the greatest of an array or a number, and a text
// that is no name. It is for a call that decides without a request what a signed-in caller
// may use.
func InventID(t reflect.Type) any {
	id := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.String:
		id.SetString("\uffff")
	case id.CanInt():
		id.SetInt(1<<(t.Bits()-1) - 1)
	case id.CanUint():
		id.SetUint(1<<t.Bits() - 1)
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8:
		for i := range t.Len() {
			id.Index(i).SetUint(0xff)
		}
	default:
		return uuid.Max // a permission that expects another type permits no caller
	}
	return id.Interface()
}

// checkID returns an error, which is a mistake of the authenticator, if the id of its caller
// has another type than it states.
func checkID(scheme call.Authenticator, caller *call.Caller) error {
	if want := call.IDTypeOf(scheme); !caller.Anonymous() && reflect.TypeOf(caller.ID) != want {
		return fmt.Errorf("the authenticator %T returns a caller with an id of type %T; it states %s by its method CallerID, which is uuid.UUID without that method", scheme, caller.ID, want)
	}
	return nil
}
