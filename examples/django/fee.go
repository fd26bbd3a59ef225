package main

import (
	"regexp"
	"strings"

	"trestle.example/framework"
)

// A Fee is an amount of money as text with two decimal places, "250.00": as Django REST Framework
// writes a DecimalField, and as PostgreSQL returns the column, which is numeric(8,2). In JSON a
// client may write it as text or as a number.
type Fee string

var _ framework.SchemaTeller = Fee("")

// feeText is the form of a fee: a sign, the digits without leading zeros, and up to two decimal
// places.
var feeText = regexp.MustCompile(`^(-?)0*(\d+)(?:\.(\d{1,2}))?$`)

// maxFeeDigits is the number of digits of numeric(8,2) before the point.
const maxFeeDigits = 6

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (f *Fee) UnmarshalJSON(text []byte) error {
	parts := feeText.FindStringSubmatch(unquoted(string(text)))
	if parts == nil {
		return framework.ValueError("must be a number with at most two decimal places, such as 250 or \"99.50\"")
	}
	sign, whole, places := parts[1], parts[2], (parts[3] + "00")[:2]
	if len(whole) > maxFeeDigits {
		return framework.ValueError("must be from -999999.99 to 999999.99")
	}
	if whole == "0" && places == "00" {
		sign = ""
	}
	*f = Fee(sign + whole + "." + places)
	return nil
}

// unquoted returns the text in a pair of quotes, or the text as it is.
func unquoted(text string) string {
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		return strings.TrimSuffix(inner, `"`)
	}
	return text
}

// JSONSchemaBytes returns the schema of a fee for the OpenAPI document.
func (Fee) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"anyOf":[{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]{1,2})?$"},{"type":"number"}],"examples":["250.00"]}`), nil
}
