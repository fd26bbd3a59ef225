package framework

import (
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/index"
	"trestle.example/framework/internal/spec"
)

// The types of a checked API and of its declarations.
type (
	// An Access is the access that a caller has to an endpoint.
	Access = spec.Access
	// A RouteInfo describes one endpoint of a checked API.
	RouteInfo = spec.RouteInfo
	// A RouteAccess is an endpoint and the access of some callers to it.
	RouteAccess = spec.RouteAccess
	// A MissingColumn is a column that a viewset needs and the database lacks, or a table, if
	// Column is "".
	MissingColumn = index.MissingColumn
	// An IndexNeed is an index that the declarations need. Without it the database reads or
	// sorts more rows than an answer has.
	IndexNeed = index.IndexNeed
	// SignInDetails are the details of a 401 if an endpoint of the API issues credentials: see
	// [CollectionAction.SignsIn].
	SignInDetails = describe.SignInDetails
	// Slash decides whether the canonical paths of a resource end with a slash.
	Slash = declare.Slash
	// Strictness decides whether unknown names in a request are ignored or rejected.
	Strictness = declare.Strictness
)

// The access of a caller to an endpoint.
const (
	// AccessRefused: the caller gets 401 or 403, from a guard or from the permission.
	AccessRefused = spec.AccessRefused
	// AccessScoped: the caller is permitted and has the rows of its [Scope], perhaps no row.
	AccessScoped = spec.AccessScoped
	// AccessAllowed: the caller is permitted and has every row.
	AccessAllowed = spec.AccessAllowed
)

// The values of [Slash]. The zero value inherits; the default of an API is WithSlash.
const (
	InheritSlash = declare.InheritSlash
	WithSlash    = declare.WithSlash
	WithoutSlash = declare.WithoutSlash
)

// Lenient ignores unknown names and lists them in the header Trestle-Ignored. Strict rejects
// them with 400. The zero value inherits; the default of an API is Lenient.
const (
	InheritStrictness = declare.InheritStrictness
	Lenient           = declare.Lenient
	Strict            = declare.Strict
)
