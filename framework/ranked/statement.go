package ranked

import (
	"context"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// tuples are the rows of an INSERT. Every value is a parameter. [sqldb.Padded] repeats
// rows to reach a common number, and ON CONFLICT DO NOTHING ignores the repeated rows.
type tuples [][]any

// AppendQuery implements [schema.QueryAppender].
func (t tuples) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	for i, row := range sqldb.Padded(t) {
		if i > 0 {
			b = append(b, ", "...)
		}
		separator := byte('(')
		for _, value := range row {
			b = append(b, separator)
			separator = ','
			var err error
			if b, err = sqldb.Param(value).AppendQuery(gen, b); err != nil {
				return nil, err
			}
		}
		b = append(b, ')')
	}
	return b, nil
}

// A chain is parts of a statement with a separator between them.
type chain struct {
	separator string
	parts     []schema.QueryAppender
}

// AppendQuery implements [schema.QueryAppender].
func (l chain) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	for i, part := range l.parts {
		if i > 0 {
			b = append(b, l.separator...)
		}
		var err error
		if b, err = part.AppendQuery(gen, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// each runs a query that returns a number and a text per row, and calls row for each. If it
// returns an error, row may have been called for some rows.
func each(ctx context.Context, s *sqldb.Session, q schema.QueryAppender, row func(n int, text string)) error {
	rows, err := s.Query(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var text string
		if err := rows.Scan(&n, &text); err != nil {
			return err
		}
		row(n, text)
	}
	return rows.Err()
}
