package audit

import (
	"reflect"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Reading answers GET {path}/{id}/reads/ for callers who may see the row.
type Reading struct{ Endpoint verb.Handler }

// Serve answers one request. If the row does not exist or is out of scope, the error is 404. The order is that of the ids of the
// requests, which begin with their times.
func (g Reading) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	req, err := history.NewRequest(c, r, g.Endpoint)
	if err != nil {
		return nil, err
	}
	end := bun.SafeQuery("ORDER BY k.request DESC LIMIT ?", sqldb.Param(req.Window.Limit+1))
	if req.Before != "" {
		id, err := uuid.Parse(req.Before)
		if err != nil {
			return nil, problem.InvalidParameter(history.ParamBefore, "must be the id of a request, which is a UUID")
		}
		end = bun.SafeQuery("AND k.request < ? ?", sqldb.Param(id), end)
	}
	entries, err := read(c, c.Session(), g.Endpoint.Resource.Path, req.Key, end)
	if err != nil {
		return nil, err
	}
	return g.answer(c, r, req.Window, entries)
}

// answer makes the page of the entries.
func (g Reading) answer(c *call.Call, r *table.Request, w query.Window, entries []Entry) (*table.Response, error) {
	path := strings.TrimSuffix(g.Endpoint.Resource.RowPath(r.Above, reflect.ValueOf(r.Key)), "/") + "/" + declare.ReadsName + g.Endpoint.Resource.Slash
	page := query.Page{Window: w, Rows: min(len(entries), int(w.Limit)), More: int64(len(entries)) > w.Limit, Link: listing.LinkTo(c.URL(path), r.Query)}
	entries = entries[:page.Rows]
	if page.More {
		page.Next = entries[len(entries)-1].ID.String()
	}
	envelope, err := g.Endpoint.Envelope(page)
	if err != nil {
		return nil, err
	}
	rows, err := wire.Encode(entries)
	return &table.Response{Status: g.Endpoint.Status, Value: view.ListAnswer{Envelope: envelope, Rows: rows}}, err
}
