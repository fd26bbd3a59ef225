package prove

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
)

// Contents are the rows of every table, by the table and by the text of the row.
type contents map[string]map[string]stored

// A stored row is its values by their columns, as texts.
type stored map[string]string

// unstable are the framework's own tables that requests may change although they change no row of
// a viewset: answers that are kept for retries, and links that are sent by mail after the answer.
var unstable = []string{"idempotency_keys", "auth_mail_links"}

// contents reads the whole database, unless nothing was committed since it was read. An error ends the
// proof: [Run] returns it.
func (p *Fixture) contents() contents {
	if p.now != nil {
		return p.now
	}
	commits, err := p.registry.DB.Commits(p.ctx)
	if err == nil && (p.last == nil || commits != p.commits) {
		p.last, err = p.read()
		p.commits = commits
	}
	p.stop(err)
	p.now = p.last
	return p.now
}

// is reports whether both are one reading of the database.
func (c contents) is(other contents) bool {
	return reflect.ValueOf(c).UnsafePointer() == reflect.ValueOf(other).UnsafePointer()
}

func (p *Fixture) read() (contents, error) {
	tables, err := p.registry.DB.Tables(p.ctx)
	if err != nil {
		return nil, err
	}
	all := contents{}
	for _, name := range tables {
		if slices.Contains(unstable, name) {
			continue
		}
		if all[name], err = p.rowsIn(name); err != nil {
			return nil, fmt.Errorf("reading the table %q: %w", name, err)
		}
	}
	return all, nil
}

func (p *Fixture) rowsIn(name string) (map[string]stored, error) {
	query := p.registry.DB.Session().IDB().NewSelect().TableExpr("?", bun.Ident(name)).ColumnExpr("*") //nolint:unqueryvet // every column there is
	rows, err := query.Rows(p.ctx)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	all := map[string]stored{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		one := stored{}
		for i, column := range columns {
			one[column] = textOf(values[i])
		}
		all[fmt.Sprint(one)] = one // maps are printed in the order of their keys
	}
	return all, rows.Err()
}

func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(value)
	}
	return fmt.Sprint(value)
}

// changedIn lists the tables whose rows differ.
func (c contents) changedIn(after contents) (names []string) {
	if c.is(after) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		same := func(a, b stored) bool { return true }
		if !maps.EqualFunc(c[name], after[name], same) {
			names = append(names, name)
		}
	}
	return names
}

// at is the text of the values of some columns, or of all without any.
func (s stored) at(columns []string) string {
	if len(columns) == 0 {
		return fmt.Sprint(s)
	}
	var all []string
	for _, column := range columns {
		all = append(all, s[column])
	}
	return fmt.Sprint(all)
}

// loses reports whether a row is no longer as it was.
func (c contents) loses(one *row, after contents) bool {
	text := fmt.Sprint(one.values)
	_, was := c[one.table][text]
	_, is := after[one.table][text]
	return was && !is
}
