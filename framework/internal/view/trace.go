package view

import (
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
)

// A planTrace is a row that the view shows and whose reads are recorded: the row itself, or one that is joined.
type planTrace struct {
	table *schema.Table
	leaf  int // with its primary key
	join  int // the number of its join, from 1; 0 for the row itself
}

// trace selects the primary keys of the rows whose reads are recorded.
func (p *Plan) trace() {
	for join := range len(p.joins) + 1 {
		t := p.tableOf(join)
		if !p.api.Audited(t) || !p.showsRow(join, func([]int) bool { return true }) {
			continue
		}
		p.traces = append(p.traces, planTrace{t, len(p.leaves), join})
		p.leaves = append(p.leaves, leaf{column: t.PKs[0], join: join, hidden: true})
	}
}

// showsRow reports whether the view has the row itself, the struct of a join, or a column of one, in the fields that are left.
func (p *Plan) showsRow(join int, has func(index []int) bool) bool {
	if join == 0 || !p.joins[join-1].flat && has(p.joins[join-1].index) {
		return true
	}
	return slices.ContainsFunc(p.leaves, func(l leaf) bool { return l.join == join && !l.key && !l.hidden && has(l.index) })
}

// note notes the rows that were read and whose reads are recorded.
func (r *planRow) note(c *call.Call) {
	for _, t := range r.plan.traces {
		if cell := &r.cells[t.leaf]; !*cell.null {
			r.plan.api.NoteRead(c, t.table, keyOf(cell.value))
		}
	}
}
