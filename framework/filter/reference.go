package filter

import (
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Reference keeps the rows whose field refers to one row of another viewset. viewset is
// the path of that viewset: "doctors", "manage/doctors". The parameter has the name of
// the field, and its value is the primary key of the row.
//
// A malformed key is answered 400. If the scope of the other viewset hides rows from the
// caller, a well-formed key is looked up in that scope. If the row is missing or outside
// the scope, the list is empty. So a caller learns nothing about rows outside the scope. If
// the scope hides no rows, only the field is compared. If the field does not refer to the
// primary key, API.Check reports a mistake.
func Reference(field, viewset string) Backend {
	return Backend{name: field, bind: func(facts *framework.Facts) (framework.BoundFilter, error) {
		f, err := facts.FieldAt(field)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		target, err := facts.Resource(viewset)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		if err := target.Check(f); err != nil {
			return framework.BoundFilter{}, err
		}
		p := framework.Param{Name: field, Type: f.Type, Doc: fmt.Sprintf("Only rows whose %s is this one of %s.", field, viewset)}
		return withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			key, ok := target.Key(text)
			if !ok {
				return nil, malformedKey(f)
			}
			return f.Narrow(c, func(q *bun.SelectQuery) *bun.SelectQuery {
				q = where(c, "? = ?", f, key)(q)
				if target.Narrowed(c) {
					q = q.Where("? IN (?)", f.SQL(c), target.Rows(c))
				}
				return q
			}), nil
		}), nil
	}}
}

// malformedKey returns an error that states the form of a key.
func malformedKey(f framework.Field) error {
	if f.Type == uuidType {
		return errors.New("must be an id, a UUID")
	}
	return errors.New("must be an id")
}
