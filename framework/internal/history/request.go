package history

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/query"
)

// A Request is what a client requests of the entries of one row.
type Request struct {
	Window query.Window
	Key    string // the primary key of the row, as entries have it
	Before string // the id of the entry before which the page ends; "" for the newest page
}

// NewRequest reads the parameters of a request, and looks the row up. If the row does not exist or is out of scope, the error is 404.
func NewRequest(c *call.Call, r *table.Request, e verb.Handler) (req Request, err error) {
	values, err := e.ReadParams(c, r.Query)
	if err != nil {
		return req, err
	}
	req.Before = values[ParamBefore]
	if req.Window, err = e.Pagination.Window(values); err != nil {
		return req, err
	}
	deleted, err := e.ReadDeleted(c, values)
	if err != nil {
		return req, err
	}
	req.Key, err = e.Resource.KeyText(c, r, deleted)
	return req, err
}
