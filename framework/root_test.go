package framework_test

import "testing"

// TestTheRootTakesNothing: a parameter has no effect there and is reported; an unreadable
// query string is rejected as everywhere.
func TestTheRootTakesNothing(t *testing.T) {
	api := serve(t, config(sqlite(t)), countries())
	api.get("/api/").is(200).head("Trestle-Ignored", "")
	api.get("/api/?page=2&q=a").is(200).head("Trestle-Ignored", "page, q").says(`"countries"`)
	api.get("/api/?a=%zz").refuses(400, "invalid_parameter")
}
