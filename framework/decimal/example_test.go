package decimal_test

import (
	"fmt"

	"trestle.example/framework/decimal"
)

// A price has two places. Nothing is rounded: a result with too many digits is an error.
func ExampleOf() {
	price, _ := decimal.Parse[decimal.Scale2]("19.99")
	total, err := price.Mul(3)
	fmt.Println(total, err)
	_, err = price.Mul(1_000_000_000_000)
	fmt.Println(err)
	_, err = decimal.Parse[decimal.Scale2]("0.005")
	fmt.Println(err)
	// Output:
	// 59.97 <nil>
	// decimal: the result has too many digits
	// must be a number with at most two decimal places, such as 250 or 99.50
}
