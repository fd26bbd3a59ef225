// Package where writes expressions for the parameter filter of lists:
//
//	status, fee := where.Field[string]("status"), where.Ordered[float64]("fee")
//	filter := where.And(status.Is("booked"), fee.AtLeast(500)).String()
//
// is status = "booked" AND fee >= 500. A value is always quoted as its type needs, so no value changes the expression.
// The parameter's x-filterFields in the OpenAPI document lists the fields and their types.
package where

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Condition is an expression.
type Condition struct {
	text  string
	loose bool // it needs parentheses within AND and OR
	not   bool // it needs parentheses after NOT
}

// String returns the value of the parameter.
func (c Condition) String() string { return c.text }

// A Field is a field with values of a type: a text, a boolean, a number, a time, or a type with MarshalText.
type Field[T any] string

// Is is true if the field has the value.
func (f Field[T]) Is(v T) Condition { return compare(string(f), "=", v) }

// IsNot is the opposite of Is: it is also true for null.
func (f Field[T]) IsNot(v T) Condition { return compare(string(f), "!=", v) }

// IsNull is true if the field has no value.
func (f Field[T]) IsNull() Condition { return Condition{text: string(f) + " = null"} }

// IsNotNull is true if the field has a value.
func (f Field[T]) IsNotNull() Condition { return Condition{text: string(f) + " != null"} }

// An Ordered is a field whose values have an order: numbers, times and dates.
type Ordered[T any] string

// Is is true if the field has the value.
func (f Ordered[T]) Is(v T) Condition { return compare(string(f), "=", v) }

// IsNot is the opposite of Is: it is also true for null.
func (f Ordered[T]) IsNot(v T) Condition { return compare(string(f), "!=", v) }

// IsNull is true if the field has no value.
func (f Ordered[T]) IsNull() Condition { return Field[T](f).IsNull() }

// IsNotNull is true if the field has a value.
func (f Ordered[T]) IsNotNull() Condition { return Field[T](f).IsNotNull() }

// Below is true if the field is less than the value.
func (f Ordered[T]) Below(v T) Condition { return compare(string(f), "<", v) }

// AtMost is true if the field is the value or less.
func (f Ordered[T]) AtMost(v T) Condition { return compare(string(f), "<=", v) }

// Above is true if the field is more than the value.
func (f Ordered[T]) Above(v T) Condition { return compare(string(f), ">", v) }

// AtLeast is true if the field is the value or more.
func (f Ordered[T]) AtLeast(v T) Condition { return compare(string(f), ">=", v) }

// And is true if all conditions are.
func And(first, second Condition, more ...Condition) Condition {
	return join(" AND ", append([]Condition{first, second}, more...))
}

// Or is true if at least one condition is.
func Or(first, second Condition, more ...Condition) Condition {
	return join(" OR ", append([]Condition{first, second}, more...))
}

// Not is the opposite of a condition.
func Not(c Condition) Condition {
	return Condition{text: "NOT " + inParentheses(c, c.loose || c.not), not: true}
}

// Some is true if one related row satisfies the condition, whose fields are those of the related row.
func Some(relation string, c Condition) Condition {
	return Condition{text: relation + "(" + c.text + ")"}
}

func join(word string, all []Condition) Condition {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = inParentheses(c, c.loose)
	}
	return Condition{text: strings.Join(texts, word), loose: true}
}

func inParentheses(c Condition, needed bool) string {
	if needed {
		return "(" + c.text + ")"
	}
	return c.text
}

func compare(field, operator string, v any) Condition {
	return Condition{text: field + " " + operator + " " + write(v)}
}

// invalid stands for a value that has no form in the language, such as an infinite number: the server rejects it.
const invalid = "invalid"

// write writes a value as the language has it.
func write(v any) string {
	switch v := v.(type) {
	case time.Time:
		return quote(v.Format(time.RFC3339Nano))
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err != nil {
			return invalid
		}
		return quote(string(text))
	}
	switch r := reflect.ValueOf(v); {
	case r.CanFloat() && (math.IsNaN(r.Float()) || math.IsInf(r.Float(), 0)):
		return invalid
	case r.Kind() == reflect.Bool:
		return strconv.FormatBool(r.Bool())
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10)
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10)
	case r.Kind() == reflect.Float32:
		return strconv.FormatFloat(r.Float(), 'f', -1, 32)
	case r.CanFloat():
		return strconv.FormatFloat(r.Float(), 'f', -1, 64)
	case r.Kind() == reflect.String:
		return quote(r.String())
	}
	return invalid
}

// quote writes a text as JSON.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
