// Package framework serves declared resources: you describe a row, its shapes
// and its rules, and it answers the requests.
//
// A [ViewSet] is a struct literal. Facts are fields, shapes are types,
// behaviour is plain functions. [API.Register] takes viewsets,
// [API.Handler] checks every name in them once and returns the server; a
// mistake stops the program with a sentence that names the resource, the
// place and the nearest right name.
//
// # The path of a request
//
// Every request walks the same way, one file after the other, and nobody
// calls back:
//
//	http.go        finds the endpoint of the path and the method
//	endpoint.go    identifies the caller, asks throttles and permission
//	ask.go         reads the query string; decode.go reads the body
//	list.go        scope, filter, search, order, page
//	item.go        one row in scope
//	write.go       create, update and patch; store.go their statements
//	custom.go      actions and verbs that are functions
//	plan.go        selects, joins and loads exactly what a shape shows
//	encode.go      writes JSON; errorshape.go writes refusals
//
// # Around it
//
// Package sqldb opens the database and holds what differs between PostgreSQL
// and SQLite. Packages filter and page have the usual filter backends and
// pagination classes, package auth users and tokens, package frameworktest a
// test client and suites that a class of your own can run.
package framework
