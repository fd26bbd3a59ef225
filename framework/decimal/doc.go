// Package decimal has exact decimal numbers with a declared number of places, such as amounts of
// money. A value is a whole number of its smallest unit, so that both databases sort, compare and
// add it exactly. No operation uses binary fractions.
//
//	type Price = decimal.Of[decimal.Scale2] // up to 13 digits before the point, 2 after it
//
// A type with other limits, in another form, or for an existing column of the type numeric
// declares its own [Scale]:
//
//	type fee struct{}
//
//	func (fee) Format() decimal.Format { return decimal.Format{Digits: 8, Places: 2, Numeric: true} }
//
//	type Fee = decimal.Of[fee]
//
// A rule of a tag validate has its bound as clients write it: `validate:"min=0.50,max=999.99"`.
package decimal
