package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
)

// Reading lets a replica answer what an endpoint reads: the rows of a list, of one
// object, and of what refers to it. It is for endpoints that only read, and whose
// statements are the framework's own. Who calls and what they may was asked by
// then, and everything else, functions of a declaration among it, stays where the
// writes go.
func Reading(serve func(*call.Call, *table.Request) (*table.Response, error)) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		s := state.Of(c)
		s.Session = s.Session.Replica()
		return serve(c, r)
	}
}
