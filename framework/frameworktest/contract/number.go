package contract

import (
	"encoding/json"
	"strconv"
	"strings"
)

// mostDigits is the maximum length of a number that is checked exactly.
const mostDigits = 1000

// bounded replaces each number in a value that the schema library cannot read, because its
// exponent is too large or it has too many digits. The new number is on the same side of
// each limit that a document can have.
func bounded(value any) any {
	return replaced(value, func(one any) any {
		if number, ok := one.(json.Number); ok {
			return boundedNumber(number.String())
		}
		return one
	})
}

func boundedNumber(text string) json.Number {
	n, err := strconv.ParseFloat(text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign = "-"
	}
	switch {
	case err != nil: // above every float64
		return json.Number(sign + "1e400")
	case n == 0 && strings.ContainsAny(mantissa, "123456789"): // below every float64
		return json.Number(sign + "1e-400")
	case n == 0 || len(text) > mostDigits:
		return json.Number(strconv.FormatFloat(n, 'g', -1, 64))
	}
	return json.Number(text)
}

// replaced returns a copy of a value in which each text, number, boolean and null is replaced.
func replaced(value any, by func(any) any) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = replaced(one, by)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(value))
		for name, one := range value {
			all[name] = replaced(one, by)
		}
		return all
	}
	return by(value)
}
