package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trestle.example/framework/sqldb"
)

// PlanOf is the database's plan for a statement with its values. PostgreSQL leaves out
// the given kinds of nodes.
func (s *Site) PlanOf(e sqldb.Event, without ...string) string {
	s.T.Helper()
	ctx, explain := context.Background(), "EXPLAIN QUERY PLAN "
	conn, err := s.DB.DB.DB.Conn(ctx)
	s.Must(err)
	defer conn.Close()
	if s.DB.Kind() == sqldb.PostgreSQL {
		explain = "EXPLAIN "
		for _, way := range without {
			_, err := conn.ExecContext(ctx, "SET enable_"+way+" = off")
			s.Must(err)
		}
		defer func() { _, _ = conn.ExecContext(ctx, "RESET ALL") }() // others use the connection next
	}
	rows, err := conn.QueryContext(ctx, explain+e.SQL, e.Args...)
	s.Must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	s.Must(err)
	var plan strings.Builder
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		s.Must(rows.Scan(into...))
		fmt.Fprintf(&plan, "%s\n", values[len(values)-1])
	}
	s.Must(rows.Err())
	return plan.String()
}

// ServedBy reports whether a plan uses an index, does not read all products and, unless
// few are left, does not sort them. Products of one price may be sorted by id.
func ServedBy(plan, index string, few bool) bool {
	if index == "slug" {
		return strings.Contains(plan, "products_slug_key") || strings.Contains(plan, "(slug=?)")
	}
	forbidden := []string{"Seq Scan on products", "SCAN product\n"}
	if !few {
		forbidden = append(forbidden, "->  Sort ", "TEMP B-TREE FOR ORDER BY")
	}
	return strings.Contains(plan, index) && !slices.ContainsFunc(forbidden, func(text string) bool { return strings.Contains(plan, text) })
}
