package filter

import (
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Reference keeps the rows whose field refers to one row of another viewset,
// which is named by its path: "doctors", "manage/doctors". The parameter has
// the field's name and holds the row's primary key.
//
// A malformed key is 400. A well-formed one goes through the scope of the
// other viewset: a row that does not exist and a row that the caller does not
// have both give an empty list, so nothing can be learnt of rows of others.
func Reference(field, viewset string) Backend {
	return Backend{name: field, bind: func(facts *framework.Facts) (framework.BoundFilter, error) {
		f, err := facts.Field(field)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		target, err := facts.Resource(viewset)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		if f.Type != target.Type() {
			return framework.BoundFilter{}, fmt.Errorf("the field is %s, but the keys of %s are %s", f.Type, viewset, target.Type())
		}
		p := framework.Param{Name: field, Type: f.Type, Doc: fmt.Sprintf("Only rows whose %s is this one of %s.", field, viewset)}
		return reading(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			key, ok := target.Key(text)
			if !ok {
				return nil, malformed(f)
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				q = where("? = ?", f, key)(q)
				if target.Narrowed(c) {
					q = q.Where("? IN (?)", f.Ident(), target.Rows(c))
				}
				return q
			}, nil
		}), nil
	}}
}

// malformed says what a key looks like.
func malformed(f framework.Field) error {
	if f.Type == uuidType {
		return errors.New("must be an id, a UUID")
	}
	return errors.New("must be an id")
}
