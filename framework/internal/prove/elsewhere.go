package prove

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// crossed lists paths of a row below rows of a person, although the row is below others.
func (p *prover) crossed(e *fixture.Endpoint, who *fixture.Person, one *fixture.Row) (paths []string) {
	was, _ := p.KeysAbove(e.Resource, who, one)
	for _, keys := range p.crossedKeys(e.Resource, who, was) {
		paths = append(paths, p.PathUnder(e, who, one, keys))
	}
	return paths
}

// crossedKeys lists other keys for the rows above a row of a viewset, the highest first: first the key of the highest row alone is that
// of a person's row, then also that of the next row, and at last all keys.
func (p *prover) crossedKeys(r *table.Resource, who *fixture.Person, was []string) (all [][]string) {
	if r.Above == nil || len(was) == 0 {
		return nil
	}
	above := p.RowFor(who, r.Above.Parent)
	if above == nil {
		return nil
	}
	own, found := p.KeysAbove(r.Above.Parent, who, above)
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

// tryElsewhere sends the request for a row below rows to which it does not belong, as the person who made the row: below another one of
// the person, and below one that the person may not see. The answer must be that for a row that does not exist.
func (p *prover) tryElsewhere(e *fixture.Endpoint, one *fixture.Row) {
	if e.Resource.Above == nil || !p.Permits(e, one.By, one) {
		return
	}
	r, ok := p.RequestOf(e, p.WriterLike(e, one.By, one, ""), one)
	if !ok {
		return
	}
	for _, keys := range p.keysElsewhere(e.Resource, one) {
		r.Path = p.PathUnder(e, one.By, one, keys)
		before := p.Contents()
		if got := p.Send(e, r); got.OK() || e.Bulk == nil && got.Status != http.StatusNotFound {
			p.find(e, one.By, got.Curl(), "it is answered %d, and the row is not below the row that the path names", got.Status)
		}
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.find(e, one.By, r.Curl(), "it changes %s below another row", strings.Join(changed, ", "))
		}
	}
}

// keysElsewhere lists keys of rows above to which a row does not belong: those of another row above, and the row's own keys with that of
// another row at one of the higher places.
func (p *prover) keysElsewhere(r *table.Resource, one *fixture.Row) (all [][]string) {
	above := r.Above
	was, found := p.KeysAbove(r, one.By, one)
	if !found {
		return nil
	}
	hidden := slices.DeleteFunc(p.RowsOf(above.Parent), func(other *fixture.Row) bool { return p.Sees(one.By, above.Parent, other) })
	for _, other := range append(hidden[:min(len(hidden), 1)], p.otherAbove(one, above)) {
		if other == nil {
			continue
		}
		if keys, ok := p.KeysAbove(above.Parent, one.By, other); ok {
			all = append(all, append(keys, other.Key(above.Parent)))
		}
	}
	for at, higher := len(was)-2, above.Parent.Above; at >= 0 && higher != nil; at, higher = at-1, higher.Parent.Above {
		other := p.RowWhere(one.By, higher.Parent, func(other *fixture.Row) bool {
			return other.Key(higher.Parent) != was[at] && p.Sees(one.By, higher.Parent, other)
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
func (p *prover) otherAbove(one *fixture.Row, above *table.Nesting) *fixture.Row {
	may := func(other *fixture.Row) bool {
		return other.Values[above.Parent.Pk.Name] != one.Values[above.Column.Name] && p.Sees(one.By, above.Parent, other) &&
			(!above.ByWriters || p.Changes(one.By, above.Parent, other, fixture.Updating(above.Parent)))
	}
	return p.RowWhere(one.By, above.Parent, may)
}
