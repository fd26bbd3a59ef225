package framework

import (
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/index"
	"trestle.example/framework/internal/spec"
)

// An Access is what an endpoint is to a kind of caller.
type Access = spec.Access

// A RouteInfo describes one endpoint of a checked API, for listings.
type RouteInfo = spec.RouteInfo

// A RouteAccess is one endpoint and what it is to some callers.
type RouteAccess = spec.RouteAccess

// A MissingColumn is a column that a viewset needs and the database lacks, or a table, if Column
// is "".
type MissingColumn = index.MissingColumn

// An IndexNeed is an index without which what is declared reads, or puts in order, more rows
// than it answers.
type IndexNeed = index.IndexNeed

// SignInDetails are the details of a 401 where an endpoint of the API gives credentials: see
// [CollectionAction.SignsIn].
type SignInDetails = describe.SignInDetails

// Slash says how the canonical path of a resource ends.
type Slash = declare.Slash

// Strictness says what happens to names that a request gets wrong.
type Strictness = declare.Strictness

// What an endpoint is to a caller.
const (
	// AccessRefused is for callers who get 401 or 403, from a guard or from the permission.
	AccessRefused = spec.AccessRefused
	// AccessScoped is for callers who are permitted, and have the rows that [Scope] leaves
	// them: perhaps none.
	AccessScoped = spec.AccessScoped
	// AccessAllowed is for callers who are permitted, and have every row.
	AccessAllowed = spec.AccessAllowed
)

// The ways a path may end; the zero value inherits, and by default paths end with a slash.
const (
	InheritSlash = declare.InheritSlash
	WithSlash    = declare.WithSlash
	WithoutSlash = declare.WithoutSlash
)

// Lenient ignores unknown names and lists them in the header Trestle-Ignored; Strict rejects
// them with 400. The zero value inherits, and an API is lenient by default.
const (
	InheritStrictness = declare.InheritStrictness
	Lenient           = declare.Lenient
	Strict            = declare.Strict
)
