package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
)

// atOnce is how many rows one statement inserts. The SQLite driver takes time in
// the square of a statement's parameters.
const atOnce = 40

// insertFile inserts what row makes of each line of a CSV file after the first,
// which names the columns.
func insertFile[M any](ctx context.Context, s *sqldb.Session, file string, row func(columns) M) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := csv.NewReader(f)
	names, err := lines.Read()
	if err != nil {
		return fmt.Errorf("reading the first line of %s: %w", file, err)
	}
	rows := make([]M, 0, atOnce)
	for {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return insert(ctx, s, rows)
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		c := columns{names: names, values: line, faults: new([]error)}
		rows = append(rows, row(c))
		if err := errors.Join(*c.faults...); err != nil {
			return fmt.Errorf("reading a line of %s: %w", file, err)
		}
		if len(rows) == atOnce {
			if err := insert(ctx, s, rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
}

func insert[M any](ctx context.Context, s *sqldb.Session, rows []M) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := s.Exec(ctx, s.IDB().NewInsert().Model(&rows))
	return err
}

// columns are the values of one line by the names of the first, and what was
// wrong with them.
type columns struct {
	names, values []string
	faults        *[]error
}

func (c columns) text(name string) string {
	for i, n := range c.names {
		if n == name {
			return c.values[i]
		}
	}
	c.fault(fmt.Errorf("there is no column %q", name))
	return ""
}

func (c columns) id(name string) uuid.UUID {
	n, err := strconv.ParseUint(c.text(name), 10, 48)
	c.fault(err)
	return rowID(n)
}

func (c columns) time(name string) time.Time {
	at, err := time.Parse(time.RFC3339, c.text(name))
	c.fault(err)
	return at.UTC()
}

func (c columns) fee(name string) (fee clinic.Fee) {
	c.fault(fee.UnmarshalText([]byte(c.text(name))))
	return fee
}

func (c columns) fault(err error) {
	if err != nil {
		*c.faults = append(*c.faults, err)
	}
}
