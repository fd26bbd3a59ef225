package history

import (
	"maps"
	"reflect"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Reading answers GET {path}/{id}/history/ for callers who may see the row.
type Reading struct {
	*Log

	Endpoint verb.Handler
}

// Serve answers one request. If the row does not exist or is out of scope, the error is 404.
//
// The order is that of the sequence. Two changes of one row never run at the same time, because each locks the row, so an
// entry that is stored later is never before one that a page has shown.
func (h *Reading) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	req, err := NewRequest(c, r, h.Endpoint)
	if err != nil {
		return nil, err
	}
	h.Resource.API.NoteRead(c, h.Resource.Table, req.Key)
	of := bun.SafeQuery("viewset = ? AND row_key = ?", sqldb.Param(h.Resource.Path), sqldb.Param(req.Key))
	of = bun.SafeQuery("? AND seq >= (SELECT coalesce(max(seq), 0) FROM row_history WHERE ? AND change = 'created')", of, of) // an earlier row had this key
	where, err := h.before(c, of, req.Before)
	if err != nil {
		return nil, err
	}
	events, err := read(c, c.Session(), bun.SafeQuery("? ORDER BY seq DESC LIMIT ?", where, sqldb.Param(req.Window.Limit+1)))
	if err != nil {
		return nil, err
	}
	return h.answer(c, r, req.Window, events)
}

// before is the condition of the entries of a row that are older than one of them, which the text names. Without a text it is
// that of all of them.
func (h *Reading) before(c *call.Call, of schema.QueryAppender, text string) (schema.QueryAppender, error) {
	if text == "" {
		return of, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, problem.InvalidParameter(ParamBefore, "must be the id of an entry, which is a UUID")
	}
	rows, err := c.Session().Query(c, bun.SafeQuery("SELECT seq FROM row_history WHERE ? AND id = ?", of, sqldb.Param(id)))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var seq int64
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return nil, err
		}
		return nil, problem.InvalidParameter(ParamBefore, "is no entry of this row; leave it out to begin with the newest")
	}
	if err := rows.Scan(&seq); err != nil {
		return nil, err
	}
	return bun.SafeQuery("? AND seq < ?", of, sqldb.Param(seq)), rows.Close()
}

// answer makes the page of the entries. It leaves out the fields that the caller may not see.
func (h *Reading) answer(c *call.Call, r *table.Request, w query.Window, events []Event) (*table.Response, error) {
	page := query.Page{Window: w, Rows: min(len(events), int(w.Limit)), More: int64(len(events)) > w.Limit, Link: listing.LinkTo(c.URL(h.path(r)), r.Query)}
	shown := h.shown(c)
	entries := make([]Entry, page.Rows)
	for i := range entries {
		entries[i] = events[i].Entry
		maps.DeleteFunc(entries[i].Changes, func(name string, _ Values) bool { return !shown[name] })
	}
	if page.More {
		page.Next = entries[len(entries)-1].ID.String()
	}
	envelope, err := h.Endpoint.Envelope(page)
	if err != nil {
		return nil, err
	}
	rows, err := wire.Encode(entries)
	return &table.Response{Status: h.Endpoint.Status, Value: view.ListAnswer{Envelope: envelope, Rows: rows}}, err
}

// shown has the names of the fields that are recorded now, and that the caller may see. An entry may have other names: of
// fields that were renamed, or that no view shows any more.
func (h *Reading) shown(c *call.Call) map[string]bool {
	shown := map[string]bool{}
	for _, f := range h.Fields {
		shown[f.Name] = !fieldrule.AnyHides(c, h.Resource.Fields.Seeing(f))
	}
	return shown
}

// path is the path of the request below the prefix of the API.
func (h *Reading) path(r *table.Request) string {
	row := h.Resource.RowPath(r.Above, reflect.ValueOf(r.Key))
	return strings.TrimSuffix(row, "/") + "/" + h.Endpoint.Route.Name + h.Resource.Slash
}
