package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
)

// Reading lets a replica answer the statements of an endpoint. It is for endpoints that only
// read and that run no function of a declaration. Authentication and permissions, which run
// before, and all other endpoints use the primary database.
func Reading(serve func(*call.Call, *table.Request) (*table.Response, error)) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		s := state.Of(c)
		s.Session = s.Session.Replica()
		return serve(c, r)
	}
}
