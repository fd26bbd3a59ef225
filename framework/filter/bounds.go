package filter

import (
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Min keeps the rows whose field is the value of the parameter or more. It accepts
// numbers, times (RFC 3339), and other types that implement encoding.TextUnmarshaler,
// such as a decimal, but not a UUID.
func Min(param, field string) Backend {
	return newBound("Min", param, field, "? >= ?", "Only rows whose %s is at least this.")
}

// Max keeps the rows whose field is the value of the parameter or less. It accepts the
// same types as [Min].
func Max(param, field string) Backend {
	return newBound("Max", param, field, "? <= ?", "Only rows whose %s is at most this.")
}

func newBound(constructor, param, field, condition, doc string) Backend {
	return onField(field, orderedCheck(constructor), func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, Enum: f.Enum, Doc: fmt.Sprintf(doc, field)}
		return markScan(withParam(p, compareColumn(condition, f)))
	})
}

// Range keeps the rows whose field lies between two values. Both are included and
// optional. The parameters are {field}_min and {field}_max, or {field}_after and
// {field}_before for a time; with [framework.CamelCase] they are {field}Min, {field}Max and so on. It accepts the same types as [Min]. If the minimum is
// greater than the maximum, the server answers 400 and names both parameters. Types other
// than numbers and times are compared by their method Compare or Cmp; if a type has neither,
// the list is empty instead.
func Range(field string) Backend {
	return newRange(field, func(f framework.Field) (low, high string) {
		if f.Type == timeType {
			return f.Case.Join(field, "after"), f.Case.Join(field, "before")
		}
		return f.Case.Join(field, "min"), f.Case.Join(field, "max")
	})
}

// RangeAs is [Range] with other names for the parameters.
func RangeAs(low, high, field string) Backend {
	return newRange(field, func(framework.Field) (string, string) { return low, high })
}

func newRange(field string, params func(framework.Field) (low, high string)) Backend {
	return onField(field, orderedCheck("Range"), func(f framework.Field) framework.BoundFilter {
		low, high := params(f)
		r := span{f, low, high, comparison(f.Type)}
		return framework.BoundFilter{
			Scans: true,
			Params: []framework.Param{
				{Name: low, Type: f.Type, Enum: f.Enum, Doc: fmt.Sprintf("Only rows whose %s is at least this.", field)},
				{Name: high, Type: f.Type, Enum: f.Enum, Doc: fmt.Sprintf("Only rows whose %s is at most this.", field)},
			},
			Read: r.read,
		}
	})
}

// A span is the range of one column with its two parameters.
type span struct {
	field     framework.Field
	low, high string
	compare   func(a, b any) int
}

func (s span) read(c *framework.Call, v framework.Values) (framework.Narrow, error) {
	low, lowErr := s.end(s.low, v)
	high, highErr := s.end(s.high, v)
	switch {
	case lowErr != nil && highErr != nil:
		return nil, joinInvalid(s.low, lowErr, s.high, highErr)
	case lowErr != nil:
		return nil, blame(s.low, lowErr)
	case highErr != nil:
		return nil, blame(s.high, highErr)
	case low != nil && high != nil && s.compare != nil && s.compare(low, high) > 0:
		return nil, joinInvalid(s.low, fmt.Errorf("must not be more than %s", s.high), s.high, fmt.Errorf("must not be less than %s", s.low))
	}
	return s.narrow(c, low, high), nil
}

// end reads one end of the range, or returns nil if it is open.
func (s span) end(param string, v framework.Values) (any, error) {
	if v[param] == "" {
		return nil, nil
	}
	return s.field.Parse(v[param])
}

func (s span) narrow(c *framework.Call, low, high any) framework.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if low != nil {
			q = where(c, "? >= ?", s.field, low)(q)
		}
		if high != nil {
			q = where(c, "? <= ?", s.field, high)(q)
		}
		return q
	}
}

// joinInvalid returns one error that names two parameters. Neither error may be nil.
func joinInvalid(a string, aErr error, b string, bErr error) error {
	e := framework.InvalidParameter(a, aErr.Error())
	e.Faults = append(e.Faults, framework.InvalidParameter(b, bErr.Error()).Faults...)
	return e
}
