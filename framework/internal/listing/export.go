package listing

import (
	"iter"
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// The parts of an export. The first has few rows, because their size is not known. Each further part has at most
// twice as many rows and about partBytes of JSON, so that the memory does not depend on the number of rows. The
// numbers are below powers of two by one, for the row by which [keysetPage.find] finds out whether more follow.
const (
	firstPart = 1<<4 - 1
	mostPart  = 1<<10 - 1
	partBytes = 256 << 10
)

// exportable checks what an export cannot have. The parameters of pages have no effect: a lenient resource ignores
// them, a strict one rejects them.
func (l *List) exportable(c *call.Call, parsed *listed) error {
	var faults []problem.Fault
	wrong := func(name, detail string) {
		faults = append(faults, problem.Fault{Parameter: name, Code: problem.CodeInvalidParameter, Detail: detail})
	}
	for _, p := range l.Endpoint.Pagination.Params() {
		if parsed.values[p.Name] != "" && !l.Resource.Ignores(c, ignored.Name(p.Name, "")) {
			wrong(p.Name, "has no effect in an export, which has the rows of all pages; leave it out")
		}
	}
	if parsed.ranking != nil {
		wrong(l.Ranker.Param.Name, "sorts the rows by their ranks, and an export cannot go on behind a rank; leave it out")
	}
	if len(faults) > 0 {
		return fault.InvalidParameters(faults)
	}
	return nil
}

// export makes the answer with all rows of the list.
func (l *List) export(c *call.Call, parsed *listed) *table.Response {
	state.Of(c).Media = string(parsed.export.Media)
	parts := l.Resource.API.Exports.During(fair.ClientOf(c), l.parts(c, parsed))
	return &table.Response{
		Status: l.Endpoint.Status,
		Parts:  parsed.export.Answer(l.Endpoint.Status, l.fileName(), parsed.shown.Hiding().Hidden(c), parts),
	}
}

// fileName is the name of the file of an export: that of the viewset, and of the action.
func (l *List) fileName() string {
	name := l.Resource.Declaration.Name
	if l.Endpoint.Route.Name != call.VerbList {
		name += "-" + l.Endpoint.Route.Name
	}
	return strings.ReplaceAll(name, "/", "-")
}

// parts reads all rows of the list, part by part, each from its place in the order. No connection to the database is
// held between the parts.
func (l *List) parts(c *call.Call, parsed *listed) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		k := keysetPage{l, parsed, l.Endpoint.Ordering.Settled(parsed.order.Terms), nil, nil}
		parsed.window.Limit = firstPart
		for more := true; more; {
			var rows scan.SentRows
			var err error
			if rows, more, err = k.next(c); err != nil {
				yield(nil, err)
				return
			}
			if rows.Rows > 0 && !yield(jsontext.Value(rows.Text), nil) {
				return
			}
			parsed.window.Limit = nextPart(parsed.window.Limit, rows)
		}
	}
}

// next reads the part of an export at the place of the page, and moves the place behind it.
func (k *keysetPage) next(c *call.Call) (rows scan.SentRows, more bool, err error) {
	found, more, err := k.find(c)
	if err != nil || len(found) == 0 {
		return rows, false, err
	}
	place := k.beside(found, false)
	k.place = &place
	rows, err = k.read(c, found)
	return rows, more, err
}

// nextPart is how many rows the part after one has.
func nextPart(limit int64, rows scan.SentRows) int64 {
	if rows.Rows > 0 {
		fits := max(1, partBytes/max(1, len(rows.Text)/rows.Rows))
		limit = min(2*limit+1, 1<<bits.Len(uint(fits))-1) // #nosec G115 -- fits is at least 0
	}
	return min(limit, mostPart)
}
