package candidates

import (
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// Crossed lists paths of a row below rows of a person, although the row is below others.
func Crossed(f *fixture.Fixture, e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) (paths []string) {
	was, _ := f.KeysAbove(e.Resource, who, one)
	for _, keys := range CrossedKeys(f, e.Resource, who, was) {
		paths = append(paths, f.PathUnder(e, who, one, keys))
	}
	return paths
}

// CrossedKeys lists other keys for the rows above a row of a viewset, the highest first: first the key of the highest row alone is that
// of a person's row, then also that of the next row, and at last all keys.
func CrossedKeys(f *fixture.Fixture, r *table.Resource, who *exchange.Person, was []string) (all [][]string) {
	if r.Above == nil || len(was) == 0 {
		return nil
	}
	above := f.RowFor(who, r.Above.Parent)
	if above == nil {
		return nil
	}
	own, found := f.KeysAbove(r.Above.Parent, who, above)
	if own = append(own, above.Key(r.Above.Parent)); !found {
		return nil
	}
	for i := range was {
		keys := slices.Concat(own[:i+1], was[i+1:])
		if !slices.Equal(keys, was) && !slices.ContainsFunc(all, func(other []string) bool { return slices.Equal(other, keys) }) {
			all = append(all, keys)
		}
	}
	return all
}

// KeysElsewhere lists keys of rows above to which a row does not belong: those of another row above, and the row's own keys with that of
// another row at one of the higher places.
func KeysElsewhere(f *fixture.Fixture, r *table.Resource, one *fixture.Row) (all [][]string) {
	above := r.Above
	was, found := f.KeysAbove(r, one.By, one)
	if !found {
		return nil
	}
	hidden := slices.DeleteFunc(f.RowsOf(above.Parent), func(other *fixture.Row) bool { return f.Sees(one.By, above.Parent, other) })
	for _, other := range append(hidden[:min(len(hidden), 1)], otherAbove(f, one, above)) {
		if other == nil {
			continue
		}
		if keys, ok := f.KeysAbove(above.Parent, one.By, other); ok {
			all = append(all, append(keys, other.Key(above.Parent)))
		}
	}
	for at, higher := len(was)-2, above.Parent.Above; at >= 0 && higher != nil; at, higher = at-1, higher.Parent.Above {
		other := f.RowWhere(one.By, higher.Parent, func(other *fixture.Row) bool {
			return other.Key(higher.Parent) != was[at] && f.Sees(one.By, higher.Parent, other)
		})
		if other != nil {
			keys := slices.Clone(was)
			keys[at] = other.Key(higher.Parent)
			all = append(all, keys)
		}
	}
	return all
}

// otherAbove returns a row above, other than that of a row, that the person who made the row may see and
// change; nil if none can be made.
func otherAbove(f *fixture.Fixture, one *fixture.Row, above *table.Nesting) *fixture.Row {
	may := func(other *fixture.Row) bool {
		return other.Values[above.Parent.Pk.Name] != one.Values[above.Column.Name] && f.Sees(one.By, above.Parent, other) &&
			(!above.ByWriters || f.Changes(one.By, above.Parent, other, fixture.Updating(above.Parent)))
	}
	return f.RowWhere(one.By, above.Parent, may)
}
