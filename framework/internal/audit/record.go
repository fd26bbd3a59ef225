package audit

import (
	"net/url"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// Tables are the tables of the entries, and of the rows that they name.
func Tables() []query.NeededTable {
	return []query.NeededTable{
		{Name: "row_reads", Columns: []string{"request", "at", "caller", "route", "method", "path"}},
		{Name: "row_read_keys", Columns: []string{"request", "viewset", "row_key"}},
	}
}

// Record stores an entry for an answer that shows rows whose reads are recorded, or that is about such rows in another way: as a
// list without rows, or totals of their values. It returns when the entry is committed, so no data is sent without it. The rows of an answer
// in parts are added to the entry before the part that shows them. An answer without a body shows nothing, unless its function sends
// headers.
func Record(c *call.Call, e *table.Endpoint, r *table.Request, resp *table.Response) error {
	if resp.Value == nil && resp.Parts == nil && (e.IsWrite() || !e.Answers()) && len(e.Sends) == 0 {
		return nil
	}
	w := &writer{call: c, endpoint: e, request: r}
	if resp.Parts != nil {
		resp.Parts.Before = w.flush
	}
	if e.Resource.API.Audited(e.Resource.Table) && !e.ShowsReads || computesTotals(e, r) {
		return w.write()
	}
	return w.flush()
}

// computesTotals reports whether a request names values of related rows whose reads are recorded, to group by them or to compute a
// total. The answer shows such values, and not the rows that have them.
func computesTotals(e *table.Endpoint, r *table.Request) bool {
	if e.Totals == nil {
		return false
	}
	audited := func(step *relation.Relation) bool { return e.Resource.API.Audited(step.Schema.JoinTable) }
	for _, part := range e.Totals.Parts {
		names := naming.SplitList(r.Query.Get(part.Param))
		for _, f := range part.Fields {
			if slices.Contains(names, f.Name) && slices.ContainsFunc(relation.PathOf(f.Field), audited) {
				return true
			}
		}
	}
	return false
}

// A writer stores the entry of one request.
type writer struct {
	call     *call.Call
	endpoint *table.Endpoint
	request  *table.Request
	written  bool // the entry is stored, perhaps without its last rows
}

// flush stores the rows that were noted since the last time. Without such rows it does nothing.
func (w *writer) flush() error {
	if len(state.Of(w.call).Progress.Read) == 0 {
		return nil
	}
	return w.write()
}

// write stores the entry, the first time, and the rows that were noted since the last time.
func (w *writer) write() error {
	p := state.Of(w.call).Progress
	statements := []schema.QueryAppender{}
	if !w.written {
		statements = append(statements, w.entry())
	}
	if len(p.Read) > 0 {
		statements = append(statements, w.rows(p.Read))
	}
	next := func(done []*sqldb.Result) (schema.QueryAppender, error) {
		if len(done) == len(statements) {
			return nil, nil //nolint:nilnil // no statement
		}
		return statements[len(done)], nil
	}
	session := w.call.Session()
	inTx := session.InTx() // of the answer that is stored for an Idempotency-Key
	if !inTx {
		session = w.endpoint.Resource.API.DB.Session()
	}
	if _, err := session.WriteThen(w.call, statements[0], w.call.ID, next); err != nil {
		return err
	}
	if w.written = true; !inTx { // otherwise the transaction may still fail, and the error then shows no header of these rows
		p.Read = p.Read[:0]
	}
	return nil
}

// entry is the statement that stores the entry, without its rows.
func (w *writer) entry() schema.QueryAppender {
	c, route := w.call, w.endpoint.Route
	return bun.SafeQuery("INSERT INTO row_reads (request, at, caller, route, method, path) VALUES (?, ?, ?, ?, ?, ?) RETURNING request",
		sqldb.Param(c.ID), sqldb.Param(c.Now), sqldb.Param(c.Caller.IDText()), sqldb.Param(naming.Dotted(route.ViewSet, route.Name)),
		sqldb.Param(w.request.HTTP.Method), sqldb.Param(w.path()))
}

// path is the path of the request with the parameters that the endpoint knows. Others may be secrets, and so is the signature of
// a URL.
func (w *writer) path() string {
	known := url.Values{}
	for name, values := range w.request.Query {
		if !w.request.Signed && slices.ContainsFunc(w.endpoint.Params, func(p query.Param) bool { return p.Name == name }) {
			known[name] = values
		}
	}
	path := strings.ToValidUTF8(strings.ReplaceAll(w.request.HTTP.URL.Path, "\x00", ""), "\uFFFD")
	if len(known) > 0 {
		path += "?" + known.Encode()
	}
	return path
}

// rows is the statement that adds rows to the entry, each once.
func (w *writer) rows(read []state.ReadRow) schema.QueryAppender {
	text := []byte{'['}
	for i, row := range read {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(wire.AppendJSON(append(text, '['), row.ViewSet), ',')
		text = append(wire.AppendJSON(text, row.Key), ']')
	}
	pairs := "SELECT CAST(? AS uuid), pair ->> 0, pair ->> 1 FROM jsonb_array_elements(CAST(? AS jsonb)) AS pair"
	if w.endpoint.Resource.API.DB.Kind() == sqldb.SQLite {
		pairs = "SELECT ?, value ->> 0, value ->> 1 FROM json_each(?) WHERE true"
	}
	return bun.SafeQuery("INSERT INTO row_read_keys (request, viewset, row_key) "+pairs+" ON CONFLICT DO NOTHING RETURNING request",
		sqldb.Param(w.call.ID), sqldb.Param(string(append(text, ']'))))
}
