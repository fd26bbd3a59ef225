// Package spec describes a checked API as plain data: every endpoint, its input, its
// answers and the callers that may use it. The OpenAPI document is written from it. It runs
// nothing and uses no database.
package spec

import (
	"reflect"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
)

// An API is all endpoints and what they have in common. It is not changed after it is made.
type API struct {
	Title, Version, Doc string
	Prefix              string // of every path of an endpoint: "/api"
	Server              string // the path at which clients find the server: "/"
	ErrorsAt            string // the address of the pages of error codes, up to the code
	Lenient             bool   // some viewset ignores names that it does not know
	ErrorShape          problem.ErrorShape
	Codes               map[string]problem.CodeInfo // of errors
	FaultCodes          []problem.CodeInfo          // of faults in an error
	Headers             []Header                    // that have a name of their own in the document
	UsualHeaders        []Header                    // that any answer may have
	Endpoints           []*Endpoint                 // in order of registration, the root first
	Shown               []Shown
	Mistakes            []error // of parts that cannot say what they answer
}

// A Shown is a type that a verb answers, with the inputs of the same viewset: they say more
// about the fields that both have.
type Shown struct {
	Output reflect.Type // nil for none
	Inputs []*input.Shape
}

// An Endpoint is one method on one path.
type Endpoint struct {
	ID          string // of the operation, for clients that are generated: "listPatients"
	Method      string
	Path        string // with the prefix: "/api/patients/{id}/"
	Summary     string // a few words
	Description string
	Service     Service
	ViewSet     string // the path of the viewset that serves it: "admin/products"
	Root        bool   // it answers the addresses of all viewsets

	Key        *Key // what the path carries, nil for nothing
	Params     []Param
	Takes      []Header // headers that its function reads
	Idempotent bool     // it honours Idempotency-Key
	Body       *Body    // nil for none

	Output   reflect.Type // of one row or of the whole answer, nil for nothing
	Page     *Page        // of a list, nil for any other
	Statuses []int        // of its success
	Headers  []Header     // of its success
	Links    []Link
	Failures []Failure // by status

	Security [][]Scheme // ways to send credentials: one is enough, its schemes go together
	Open     bool       // it admits callers without credentials
}

// A Service is a group of viewsets.
type Service struct{ Name, Doc string }

// A Key is the part of a path that finds a row.
type Key struct {
	Name, Doc string
	Type      reflect.Type
}

// A Param is a query parameter.
type Param struct {
	Name, Doc string
	Type      reflect.Type // of one value
	Enum      []string     // the values that it takes, nil for any
	List      bool         // several values, separated by commas
	Minimum   any          // nil for none
	Default   any          // nil for none
	Field     *input.Field // of the input that it fills, nil for none
}

// A Header is a header of a request or of an answer. {prefix} in Doc is the API's prefix.
type Header struct {
	Name     string
	Doc      string
	Required bool
}

// A Body is the JSON object that an endpoint takes.
type Body struct {
	Shape    *input.Shape
	Noun     string       // what its type is called if it has no name
	Partial  bool         // absent fields stay as they are
	Strict   bool         // unknown fields are rejected
	Required bool         // a request without a body is rejected
	Shown    reflect.Type // whose fields may be sent back as they were, nil for none
}

// A Page is what a list answers, by samples of pages.
type Page struct {
	Name    string // "PatientsPage"
	Samples [][]Member
}

// A Member is one member of a page; without a name the page is an array of rows.
type Member struct {
	Name, Doc string
	Value     any // [Rows] for the rows
}

// Rows stand for the rows of a page.
type Rows struct{}

// A Link leads from an answer to the operation that takes its key.
type Link struct {
	ID  string // of the operation
	Key string // the name of its parameter, and of the answer's member
}

// A Failure is an error that the endpoint may answer.
type Failure struct {
	Status  int
	Codes   []string // sorted
	Headers []Header
}

// A Scheme is one piece of credentials in a request (OpenAPI 3.1, section 4.8.27).
type Scheme struct {
	Name   string
	Scheme string // of the header Authorization
	Format string // of a bearer token
	In     string // "header" or "cookie", without Scheme
	Key    string // the name of that header or cookie
	Doc    string // {prefix} in it is the API's prefix
}
