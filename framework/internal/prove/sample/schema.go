package sample

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// IsFree reports whether the schema of a text lets it be any, so that a random text is better than an example.
func IsFree(schema map[string]any) bool {
	return KindOf(schema) == "string" && schema["format"] == nil && schema["pattern"] == nil
}

// Fits reports whether a text satisfies a schema.
func Fits(schema map[string]any, text string) bool {
	pattern, _ := schema["pattern"].(string)
	matches, err := regexp.MatchString(pattern, text)
	return KindOf(schema) == "string" && schema["format"] == nil && schema["enum"] == nil && err == nil && matches &&
		len(text) <= int(Bound(schema, "maxLength", 100)) && len(text) >= int(Bound(schema, "minLength", 0))
}

// IsNumber reports whether the values of a schema are numbers.
func IsNumber(schema map[string]any) bool {
	return slices.Contains([]string{"integer", "number"}, KindOf(schema))
}

// KindOf returns the type of a schema that is not null; "" for none.
func KindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, one := range kind {
			if text, _ := one.(string); text != "null" {
				return text
			}
		}
	}
	return ""
}

// Key returns a key as its schema has it.
func Key(schema map[string]any, key string) any {
	if KindOf(schema) == "integer" {
		return json.Number(key)
	}
	return key
}

// Bound returns the number of a keyword of a schema, or the usual one.
func Bound(schema map[string]any, keyword string, usual float64) float64 {
	if given, ok := schema[keyword].(float64); ok {
		return given
	}
	return usual
}

// Accepts reports whether a whole number, as text, is within the bounds of a schema.
func Accepts(schema map[string]any, text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	least, most := Bound(schema, "minimum", math.MinInt64), Bound(schema, "maximum", math.MaxInt64)
	return err == nil && float64(n) >= least && float64(n) <= most &&
		float64(n) > Bound(schema, "exclusiveMinimum", math.Inf(-1)) && float64(n) < Bound(schema, "exclusiveMaximum", math.Inf(1))
}
