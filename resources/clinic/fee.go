package clinic

import "trestle.example/framework/decimal"

// A Fee is an exact amount of money in hundredths. In JSON it is a number with two places: 250.00.
type Fee = decimal.Of[feeScale]

type feeScale struct{}

// Format returns the format of a fee: at most 999999999.99.
func (feeScale) Format() decimal.Format { return decimal.Format{Digits: 11, Places: 2} }
