package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"trestle.example/framework"
)

// Exact keeps the rows whose field is exactly the value of the parameter of
// the same name. Text is compared as it is, upper and lower case apart. The
// value must be one of the field's type: a whole number, a decimal number,
// true or false (1 or 0), a time (RFC 3339), a UUID, or what the type's own
// UnmarshalText takes, or else its UnmarshalJSON; clients are told why not if its
// error is a [framework.ValueError]. Of a [framework.Enumerated] type it must be one of the
// values that there are.
//
// A column of a PostgreSQL enum refuses values that it does not know; use
// [Choice] for it.
func Exact(field string) Backend { return ExactAs(field, field) }

// ExactAs is [Exact] with a parameter of another name.
func ExactAs(param, field string) Backend {
	return onField(field, readable, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, Enum: f.Enum, Doc: fmt.Sprintf("Only rows whose %s is exactly this.", field)}
		return whole(f, reading(p, comparing("? = ?", f)))
	})
}

// Choice keeps the rows whose field is exactly the value of the parameter of
// the same name, which must be one of values; any other is 400 and the answer
// lists them, with the nearest. Values are written as clients write them, in the field's type.
func Choice(field string, values ...string) Backend {
	suits := func(f framework.Field) error { return choosable(f, values) }
	return onField(field, suits, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: field, Type: f.Type, Enum: slices.Clone(values), Doc: fmt.Sprintf("Only rows whose %s is exactly this.", field)}
		compare := comparing("? = ?", f)
		return whole(f, reading(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			if !slices.Contains(p.Enum, text) {
				return nil, errors.New(framework.OneOf(p.Enum, text))
			}
			return compare(c, text)
		}))
	})
}

func choosable(f framework.Field, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("filter.Choice(%q) has no values; list those that a client may choose", f.Name)
	}
	if err := readable(f); err != nil {
		return err
	}
	for i, text := range values {
		if slices.Contains(values[:i], text) {
			return fmt.Errorf("filter.Choice(%q) lists %q twice", f.Name, text)
		}
		if text == "" || text != strings.TrimSpace(text) {
			return fmt.Errorf("filter.Choice(%q): no client can choose %q, because parameters are trimmed and an empty one is as absent", f.Name, text)
		}
		if _, err := parse(f, text); err != nil {
			return fmt.Errorf("filter.Choice(%q): the value %q %w", f.Name, text, err)
		}
	}
	return nil
}
