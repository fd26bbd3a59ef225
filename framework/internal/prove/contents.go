package prove

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
)

// Contents are the rows of every table, by the table and by the text of the row.
type contents map[string]map[string]stored

// A stored row is its values by their columns, as texts.
type stored map[string]string

// A row is one that a person made.
type row struct {
	table  string
	values stored
	by     *person
}

// unstable are the framework's own tables that requests may change although they change no row of
// a viewset: answers that are kept for retries, and links that are sent by mail after the answer.
var unstable = []string{"idempotency_keys", "auth_mail_links"}

// contents reads the whole database, unless nothing was committed since it was read. An error ends the
// proof: [Run] returns it.
func (p *prover) contents() contents {
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

func (p *prover) read() (contents, error) {
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

func (p *prover) rowsIn(name string) (map[string]stored, error) {
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

// learn updates the values of the rows that are known. It returns the rows that are new in the
// database: the person has made them.
func (p *prover) learn(before, after contents, by *person) (fresh []*row) {
	if before.is(after) && p.known.is(after) {
		return nil
	}
	made := map[[2]string]*row{}
	for _, one := range p.made {
		made[[2]string{one.table, one.values.at(p.keysOf(one.table))}] = one
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		key := p.keysOf(name)
		known := map[string]bool{}
		for _, one := range before[name] {
			known[one.at(key)] = true
		}
		for _, text := range slices.Sorted(maps.Keys(after[name])) {
			one := after[name][text]
			switch was := made[[2]string{name, one.at(key)}]; {
			case was != nil:
				was.values = one
			case !known[one.at(key)]:
				fresh = append(fresh, &row{name, one, by})
			}
		}
	}
	p.made, p.known = append(p.made, fresh...), after
	return fresh
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

// keysOf lists the columns of the primary key of a table that a viewset has; none for another table.
func (p *prover) keysOf(name string) []string {
	if columns, known := p.keys[name]; known {
		return columns
	}
	p.keys[name] = nil
	for _, r := range p.registry.Resources {
		for _, t := range append(slices.Clip(r.Models), r.Table) {
			if t.Name == name {
				p.keys[name] = columnNames(t.PKs)
			}
		}
	}
	return p.keys[name]
}

func columnNames(fields []*schema.Field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// rowsOf lists the rows of a viewset's table that are still there, and not deleted softly, the newest
// first.
func (p *prover) rowsOf(r *table.Resource) (all []*row) {
	for _, one := range slices.Backward(p.made) {
		if one.table == r.Table.Name && !deletedFor(r, one) {
			all = append(all, one)
		}
	}
	return all
}

// deletedFor reports whether a row of a viewset's table is deleted softly.
func deletedFor(r *table.Resource, one *row) bool {
	deleted := r.Table.SoftDeleteField
	return deleted != nil && one.values[deleted.Name] != ""
}

// deleted reports whether a row is deleted softly for each viewset of its table. A function that is the
// scope of a viewset may show such rows.
func (p *prover) deleted(one *row) (deleted bool) {
	for _, r := range p.registry.Resources {
		if r.Table.Name != one.table {
			continue
		}
		if deleted = r.Scope.Kind != declare.ScopeWhere && deletedFor(r, one); !deleted {
			return false
		}
	}
	return deleted
}

// forget removes the rows that are no longer in the database.
func (p *prover) forget(now contents) {
	if p.present.is(now) {
		return
	}
	p.present = now
	there := map[string]map[string]bool{}
	p.made = slices.DeleteFunc(p.made, func(one *row) bool {
		key := p.keysOf(one.table)
		if there[one.table] == nil {
			there[one.table] = map[string]bool{}
			for _, still := range now[one.table] {
				there[one.table][still.at(key)] = true
			}
		}
		return !there[one.table][one.values.at(key)]
	})
}

// key is the text that names the row in a path of a viewset.
func (r *row) key(of *table.Resource) string { return r.values[of.Key.Name] }
