package datatype

import "reflect"

// A Bounded is a type of whole numbers that clients write in a form of its own, such as an amount
// of money or a date. The bounds of its rules are in this form: min=99.50.
type Bounded interface {
	// RuleBound returns the bound as a value of the type. It is called on the type's zero value.
	RuleBound(text string) (int64, error)
}

// BoundOf returns the method RuleBound of a type, or nil if it has none.
func BoundOf(t reflect.Type) func(string) (int64, error) {
	bounded, ok := reflect.TypeAssert[Bounded](reflect.New(t).Elem())
	if !ok || t.Kind() == reflect.Interface {
		return nil
	}
	return bounded.RuleBound
}

// CheckType returns the mistake that a type finds in its own declaration by a method CheckType,
// such as a decimal with too many digits. It returns nil for any other type.
func CheckType(t reflect.Type) error {
	checked, ok := reflect.TypeAssert[interface{ CheckType() error }](reflect.New(t).Elem())
	if !ok || t.Kind() == reflect.Interface {
		return nil
	}
	return checked.CheckType()
}
