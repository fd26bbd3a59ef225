package view

import (
	"slices"

	"trestle.example/framework/internal/fieldrule"
)

// without is the plan without some fields of its view, and without what only these need: columns, joins and lists. An index of a
// field may lead through lists. The plan itself does not change.
func (p *Plan) without(dropped [][]int) *Plan {
	if len(dropped) == 0 {
		return p
	}
	less, unasked := p.less(dropped), fieldrule.NewMask(p.out)
	for _, index := range dropped {
		unasked.Add(index, fieldrule.Unasked(p.viewset()))
	}
	less.mask = fieldrule.Join(p.mask, unasked)
	if less.Flat() && p.mask.Empty() {
		less.Writer = newRowWriter(less, dropped)
	}
	return less
}

// less is [Plan.without], but for the mask and the writer.
func (p *Plan) less(dropped [][]int) *Plan {
	less := *p
	has := func(index []int) bool { return !isBelow(index, dropped) }
	less.many = nil
	for _, m := range p.many {
		if has(m.index) {
			m.child = m.child.less(below(m.index, dropped))
			less.many = append(less.many, m.settled())
		}
	}
	less.computed = slices.DeleteFunc(slices.Clone(p.computed), func(l computedLeaf) bool { return !has(l.index) })
	less.files = slices.DeleteFunc(slices.Clone(p.files), func(f planFile) bool { return !has(f.index) })
	less.joins = less.joinsFor(has)
	less.traces = slices.DeleteFunc(slices.Clone(p.traces), func(t planTrace) bool { return !p.showsRow(t.join, has) })
	less.keep(func(at int, l leaf) bool {
		switch {
		case l.key:
			return !less.joins[l.join-1].unused
		case l.hidden:
			return slices.ContainsFunc(less.files, func(f planFile) bool { return slices.Contains(f.keys, at) }) ||
				slices.ContainsFunc(less.traces, func(t planTrace) bool { return t.leaf == at })
		}
		return has(l.index)
	})
	if len(less.leaves)+len(less.many)+len(less.computed) == 0 { // a statement without columns would read all
		less.leaves = []leaf{{column: p.table.PKs[0], hidden: true}}
	}
	less.settle()
	return &less
}

// viewset is the path of the viewset whose rows the plan shows.
func (p *Plan) viewset() string {
	if p.resource == nil {
		return ""
	}
	return p.resource.Path
}

// keep leaves out the leaves that a function does not keep, by their place.
func (p *Plan) keep(kept func(at int, l leaf) bool) {
	var leaves []leaf
	places := map[int]int{}
	for at, l := range p.leaves {
		if kept(at, l) {
			places[at], leaves = len(leaves), append(leaves, l)
		}
	}
	p.leaves = leaves
	for i, f := range p.files {
		p.files[i].keys = make([]int, len(f.keys))
		for k, at := range f.keys {
			p.files[i].keys[k] = places[at]
		}
	}
	for i, t := range p.traces {
		p.traces[i].leaf = places[t.leaf]
	}
}

// joinsFor returns the joins with those marked that nothing needs. has reports whether a field is left; the lists, the computed
// values and the files of the plan are left already. A join comes after the one on which it is based.
func (p *Plan) joinsFor(has func(index []int) bool) []planJoin {
	joins, needed := slices.Clone(p.joins), map[int]bool{}
	for _, l := range p.leaves {
		needed[l.join] = needed[l.join] || !l.key && !l.hidden && has(l.index)
	}
	for _, m := range p.many {
		needed[m.join] = true
	}
	for _, l := range p.computed {
		needed[l.join] = true
	}
	for _, f := range p.files {
		needed[f.join] = true
	}
	for i, j := range slices.Backward(joins) {
		based := slices.ContainsFunc(joins[i+1:], func(other planJoin) bool { return !other.unused && other.base == j.alias })
		joins[i].unused = j.unused || !based && !needed[i+1] && (j.flat || !has(j.index))
	}
	return joins
}

// isBelow reports whether a field is one of some fields, or inside one of them.
func isBelow(index []int, of [][]int) bool {
	return slices.ContainsFunc(of, func(outer []int) bool { return len(outer) <= len(index) && slices.Equal(outer, index[:len(outer)]) })
}

// below lists the fields inside a field, with their indexes from there.
func below(outer []int, all [][]int) (inner [][]int) {
	for _, index := range all {
		if len(index) > len(outer) && slices.Equal(outer, index[:len(outer)]) {
			inner = append(inner, index[len(outer):])
		}
	}
	return inner
}
