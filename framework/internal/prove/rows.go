package prove

import (
	"maps"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// A row is one that a person made.
type row struct {
	table  string
	values stored
	by     *person
}

// key is the text that names the row in a path of a viewset.
func (r *row) key(of *table.Resource) string { return r.values[of.Key.Name] }

// refersTo reports whether a column of the row has a key.
func (r *row) refersTo(key string) bool {
	return slices.Contains(slices.Collect(maps.Values(r.values)), key)
}

// learn updates the rows that are known, and forgets those that are no longer in the database. It returns
// those that are new since it had some contents: the person has made them.
func (p *Fixture) learn(before contents, by *person) []*row {
	after := p.contents()
	fresh := p.addFresh(before, after, by)
	p.forget(after)
	return fresh
}

// addFresh updates the values of the rows that are known, and adds those that are new.
func (p *Fixture) addFresh(before, after contents, by *person) (fresh []*row) {
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

// forget removes the rows that are no longer in the database.
func (p *Fixture) forget(now contents) {
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

// keysOf lists the columns of the primary key of a table that a viewset has; none for another table.
func (p *Fixture) keysOf(name string) []string {
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
func (p *Fixture) rowsOf(r *table.Resource) (all []*row) {
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
func (p *Fixture) deleted(one *row) (deleted bool) {
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

// served reports whether a viewset serves rows of the table.
func (p *Fixture) served(one *row) bool {
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool { return r.Table.Name == one.table })
}

// singularOf is the name of a table in the singular.
func (p *Fixture) singularOf(name string) string {
	if p.singulars[name] == "" {
		p.singulars[name] = naming.Singular(name)
	}
	return p.singulars[name]
}
