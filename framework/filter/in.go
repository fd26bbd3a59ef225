package filter

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// inLimit is how many values one parameter of [In] may hold.
const inLimit = 100

// In keeps the rows whose field is one of the parameter's values, which are
// separated by commas; blank ones are skipped, and more than 100 are 400. It
// takes the types that [Exact] takes. A text that holds a comma cannot be
// asked for.
func In(param, field string) Backend {
	return onField(field, readable, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, List: true, Doc: fmt.Sprintf("Only rows whose %s is one of these, separated by commas; at most %d.", field, inLimit)}
		return reading(p, func(_ *framework.Call, text string) (framework.Narrow, error) {
			values, err := parseList(f, text)
			if err != nil || len(values) == 0 {
				return nil, err
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("? IN (?)", f.Ident(), values)
			}, nil
		})
	})
}

func parseList(f framework.Field, text string) (arguments, error) {
	var values arguments
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if len(values) == inLimit {
			return nil, fmt.Errorf("must be at most %d values", inLimit)
		}
		v, err := parse(f, part)
		if err != nil {
			return nil, fmt.Errorf("must be values separated by commas, each of which %w", err)
		}
		values = append(values, v)
	}
	return values.rounded(), nil
}

// arguments are values of one statement, separated by commas.
type arguments []any

// AppendQuery implements [schema.QueryAppender].
func (a arguments) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	for i, v := range a {
		if i > 0 {
			b = append(b, ", "...)
		}
		var err error
		if b, err = sqldb.Param(v).AppendQuery(gen, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// rounded repeats the last value until there is a power of two of them: every
// number of values is a statement of its own to prepare, and so there are
// eight at most.
func (a arguments) rounded() arguments {
	if len(a) == 0 {
		return a
	}
	last := a[len(a)-1]
	for want := 1 << bits.Len(uint(len(a)-1)); len(a) < want; {
		a = append(a, last)
	}
	return a
}
