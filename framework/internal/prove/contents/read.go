package contents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// A Reader reads a database whenever something was committed.
type Reader struct {
	db      *sqldb.DB
	last    Contents // as last read, with the commits before
	commits string
	columns map[string][]string // of the tables that were read
	digests map[string]string   // of the tables as last read
}

// NewReader returns a reader of a database.
func NewReader(db *sqldb.DB) *Reader { return &Reader{db: db, columns: map[string][]string{}} }

// Read reads the whole database, unless nothing was committed since it was read.
func (r *Reader) Read(ctx context.Context) (Contents, error) {
	commits, err := r.db.Commits(ctx)
	if err == nil && (r.last == nil || commits != r.commits) {
		r.last, err = r.all(ctx)
		r.commits = commits
	}
	return r.last, err
}

// unstable are the framework's own tables that requests may change although they change no row of
// a viewset: answers that are kept for retries, links that are sent by mail after the answer, and who read which rows.
var unstable = []string{"idempotency_keys", "auth_mail_links", "row_reads", "row_read_keys"}

// all reads the tables whose rows have changed since the last time. The others are the same objects as then.
func (r *Reader) all(ctx context.Context) (Contents, error) {
	tables, err := r.db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(r.columns, func(name string, _ []string) bool { return !slices.Contains(tables, name) })
	digests, err := r.db.Digests(ctx, r.columns)
	if err != nil {
		return nil, err
	}
	all := Contents{}
	for _, name := range tables {
		if slices.Contains(unstable, name) {
			continue
		}
		if digest, known := digests[name]; known && digest == r.digests[name] && r.last[name] != nil {
			all[name] = r.last[name]
		} else if all[name], err = r.rowsIn(ctx, name); err != nil {
			return nil, fmt.Errorf("reading the table %q: %w", name, err)
		}
	}
	r.digests = digests
	return all, nil
}

// rowsIn reads the rows of a table. Rows that are as they were last time are the same objects, and so is the table if all are.
func (r *Reader) rowsIn(ctx context.Context, name string) (map[string]Row, error) {
	query := r.db.Session().IDB().NewSelect().TableExpr("?", bun.Ident(name)).ColumnExpr("*") //nolint:unqueryvet // every column there is
	rows, err := query.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range columns {
		into[i] = &values[i]
	}
	r.columns[name] = columns
	order := orderOf(columns)
	before, same, equal := r.last[name], 0, map[string]int{}
	all := make(map[string]Row, len(before)+1)
	var whole []byte
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		whole = appendTexts(whole[:0], values, order)
		text := string(whole)
		if _, twice := all[text]; twice {
			equal[text]++
			text += "\x00" + strconv.Itoa(equal[text])
		}
		one, known := before[text]
		if known {
			same++
		} else {
			one = rowOf(columns, values)
		}
		all[text] = one
	}
	if before != nil && same == len(before) && same == len(all) {
		all = before
	}
	return all, rows.Err()
}

// orderOf returns the places of columns in the order of their names.
func orderOf(columns []string) []int {
	order := make([]int, 0, len(columns))
	for _, column := range slices.Sorted(slices.Values(columns)) {
		order = append(order, slices.Index(columns, column))
	}
	return order
}

// appendTexts appends the texts of values in an order, each with a zero byte after it, as [Row.At] does.
func appendTexts(to []byte, values []any, order []int) []byte {
	for _, i := range order {
		to = append(append(to, textOf(values[i])...), 0)
	}
	return to
}

func rowOf(columns []string, values []any) Row {
	one := Row{}
	for i, column := range columns {
		one[column] = textOf(values[i])
	}
	return one
}

func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(value)
	case string:
		return value
	case int64:
		return strconv.FormatInt(value, 10)
	}
	return fmt.Sprint(value)
}
