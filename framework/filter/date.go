package filter

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Date keeps the rows whose field, a time, lies on one calendar day in UTC. The parameter
// is YYYY-MM-DD. For days in another time zone use [Range], whose ends may have an
// offset.
func Date(param, field string) Backend {
	return onField(field, checkTime, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: reflect.TypeFor[string](), Doc: fmt.Sprintf("Only rows whose %s is on this day in UTC, as YYYY-MM-DD.", field)}
		return withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			day, err := time.Parse(time.DateOnly, text)
			if err != nil || day.Year() < 1 {
				return nil, errors.New("must be a day as YYYY-MM-DD, such as 2026-01-31")
			}
			return onDay(c, f, day), nil
		})
	})
}

// onDay uses a half-open interval, which an index on the column supports. The last day
// that four digits can write has no upper bound.
func onDay(c *framework.Call, f framework.Field, day time.Time) framework.Narrow {
	next := day.AddDate(0, 0, 1)
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = where(c, "? >= ?", f, day)(q)
		if next.Year() > 9999 {
			return q
		}
		return where(c, "? < ?", f, next)(q)
	}
}

func checkTime(f framework.Field) error {
	if f.Type == timeType {
		return nil
	}
	return fmt.Errorf("field %q is %s; filter.Date takes a time", f.Name, f.Type)
}
