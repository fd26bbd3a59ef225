package main

import "trestle.example/framework/decimal"

// A Fee is an amount of money in a column numeric(8,2). In JSON it is text with two decimal places,
// "250.00", as Django REST Framework writes a DecimalField.
type Fee = decimal.Of[feeScale]

type feeScale struct{}

// Format returns the format of a fee.
func (feeScale) Format() decimal.Format {
	return decimal.Format{Digits: 8, Places: 2, Text: true, Numeric: true}
}
