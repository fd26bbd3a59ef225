package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"trestle.example/framework"
)

// Exact keeps the rows whose field equals the value of the parameter of the same name.
// The comparison of text is case-sensitive. The value must have the type of the field: a
// whole number, a decimal number, true or false (1 or 0), a time (RFC 3339), a UUID, or a
// text that the UnmarshalText or else the UnmarshalJSON of the type accepts. If that
// method returns a [framework.ValueError], the server sends its text to the client. For a
// [framework.Enumerated] type it must be one of the allowed values.
//
// PostgreSQL returns an error if a value is not in an enum type of its own; use [Choice]
// for such a column.
//
// The parameter may have another name than the field: Exact("author", "author.username").
func Exact(param string, field ...string) Backend {
	return onParam("Exact", param, field, func(field string) Backend { return exact(param, field) })
}

func exact(param, field string) Backend {
	return onField(field, framework.Field.Readable, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, Enum: f.Enum, Doc: fmt.Sprintf("Only rows whose %s is exactly this.", field)}
		return markBoolean(f, withParam(p, compareColumn("? = ?", f)))
	})
}

// Choice keeps the rows whose field equals the value of the parameter of the same name.
// The value must be one of values; otherwise the server answers 400 with the list of
// values and the nearest one. Write the values as clients do, in the type of the field.
// API.Check reports these as mistakes: no values, a repeated or empty value, a value with
// white space at an end, and a value that does not have the type of the field.
func Choice(field string, values ...string) Backend {
	suits := func(f framework.Field) error { return checkChoices(f, values) }
	return onField(field, suits, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: field, Type: f.Type, Enum: slices.Clone(values), Doc: fmt.Sprintf("Only rows whose %s is exactly this.", field)}
		compare := compareColumn("? = ?", f)
		return markBoolean(f, withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			if !slices.Contains(p.Enum, text) {
				return nil, errors.New(framework.OneOf(p.Enum, text))
			}
			return compare(c, text)
		}))
	})
}

func checkChoices(f framework.Field, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("filter.Choice(%q) has no values; list the values that a client may choose", f.Name)
	}
	if err := f.Readable(); err != nil {
		return err
	}
	for i, text := range values {
		if slices.Contains(values[:i], text) {
			return fmt.Errorf("filter.Choice(%q) lists %q twice", f.Name, text)
		}
		if text == "" || text != strings.TrimSpace(text) {
			return fmt.Errorf("filter.Choice(%q): no client can choose %q, because parameters are trimmed and an empty one counts as absent", f.Name, text)
		}
		if _, err := f.Parse(text); err != nil {
			return fmt.Errorf("filter.Choice(%q): the value %q %w", f.Name, text, err)
		}
	}
	return nil
}
