package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
)

// Reading lets a replica answer the reads of an endpoint, see Session.Replica of package sqldb.
// It is for retrievals, lists and related lists. Statements that their functions run by Call.DB,
// authentication and permissions, and all other endpoints use the primary database.
func Reading(serve func(*call.Call, *table.Request) (*table.Response, error)) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		s := state.Of(c)
		s.Session = s.Session.Replica()
		return serve(c, r)
	}
}
