package cell

import (
	"database/sql"
	"reflect"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/problem"
)

// A Scanner scans one column of a row into a field.
type Scanner struct {
	Column *schema.Field
	Value  reflect.Value
}

// Scan implements [sql.Scanner]. It converts a time to UTC.
func (c *Scanner) Scan(src any) error {
	if err := c.Column.ScanWithCheck(c.Value, src); err != nil {
		return err
	}
	InUTC(c.Value)
	return nil
}

// InUTC sets the zone of a scanned time to UTC. It does not change values of other types.
func InUTC(v reflect.Value) {
	switch t := v.Addr().Interface().(type) {
	case *time.Time:
		*t = t.UTC()
	case **time.Time:
		if *t != nil {
			utc := (*t).UTC()
			*t = &utc
		}
	}
}

// One scans the first row and closes the rows. Without a row, the error is NotFound.
func One(rows *sql.Rows, dest ...any) error {
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return problem.NotFound()
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return rows.Close() // an error of the commit appears here
}
