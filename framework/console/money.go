package console

import "strings"

// Money returns a renderer for amounts in whole minor units: with "₹" and 2 digits, 29800 is ₹298.00. Another text stays as it is.
func Money(symbol string, digits int) Renderer {
	return func(text string) (shown, link string) {
		number, negative := strings.CutPrefix(text, "-")
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return text, ""
		}
		sign := ""
		if negative {
			sign = "-"
		}
		if digits <= 0 {
			return sign + symbol + number, ""
		}
		if missing := digits + 1 - len(number); missing > 0 {
			number = strings.Repeat("0", missing) + number
		}
		whole := len(number) - digits
		return sign + symbol + number[:whole] + "." + number[whole:], ""
	}
}
