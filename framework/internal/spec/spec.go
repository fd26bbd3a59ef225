// Package spec describes a checked API as plain data: every endpoint, its input, its answers
// and the credentials that it accepts. The OpenAPI document is written from it. The package
// runs nothing and uses no database.
package spec

import (
	"reflect"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// An API is a checked API: its endpoints, and what all of them share. It does not change.
type API struct {
	Title, Version, Doc string
	Prefix              string      // with which the path of every endpoint begins: "/api"
	Server              string      // the path at which clients find the server: "/"
	ErrorsAt            string      // the address of the pages of error codes, up to the code
	Lenient             bool        // a viewset ignores unknown names, or there is no viewset
	Case                naming.Case // of names that no tag json gives
	ErrorShape          problem.ErrorShape
	Codes               map[string]problem.CodeInfo // the error codes, by code
	FaultCodes          []problem.CodeInfo          // the codes in the list of faults of an error
	Headers             []Header                    // the headers that are components of the OpenAPI document
	UsualHeaders        []Header                    // the headers that every answer may have
	Endpoints           []*Endpoint                 // in order of registration, the root first
	Shown               []Shown
	Hidden              map[MemberOf]string // the members that some answers lack, with a sentence about the others or ""
	Permissions         []string            // the names of permissions that the declarations check, sorted
	Mistakes            []error             // errors of pagination classes that cannot describe their pages
}

// A MemberOf is a member of the objects of a Go type.
type MemberOf struct {
	Type reflect.Type
	Name string // for clients
}

// A Shown is the output type of a verb with the inputs of the same viewset. The inputs have
// rules and descriptions for the fields that both have.
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
	Root        bool   // it is the API root, which lists the addresses of all viewsets

	Above      []Key // the keys of the rows above in the path, in order
	Key        *Key  // the key of the row in the path, nil for a path without one
	Other      *Key  // the second key in the path, nil without one
	Params     []Param
	Takes      []Header // the request headers that its function reads
	Idempotent bool     // it accepts Idempotency-Key
	// MayLackBody: a success has no body if the header Prefer of the request says so.
	MayLackBody bool
	Body        *Body // nil for an endpoint that takes no body

	Upload *Upload // the file that it stores; nil for other endpoints

	Output   reflect.Type // of one row of a list, or of the whole answer; nil for an answer without a body
	Each     bool         // the answer is a list of results, each with an Output or an error
	Parts    *Parts       // of an answer that is sent in parts, and Output is nil; nil for JSON
	Exports  []string     // the media types of a list beside JSON, which have all of its rows
	In       string       // the member of the answer that has the Output; "" if it is the whole answer
	Page     *Page        // nil for an endpoint that is not a list
	Totals   *Totals      // of the answer of an endpoint of totals; nil for any other
	Statuses []int        // of successes
	Headers  []Header     // of successes
	Links    []Link
	Failures []Failure // sorted by status

	Security [][]Scheme // the alternative ways to send credentials; one way may need several schemes together
	Open     bool       // it accepts callers without credentials
}

// A Service is a group of viewsets.
type Service struct{ Name, Doc string }

// A Key is the part of a path that finds a row.
type Key struct {
	Name, Doc string
	Type      reflect.Type
}

// A Role is what a parameter of a list is for.
type Role string

// The roles. A filter has none.
const (
	RolePage    Role = "page"    // it finds a page
	RoleOrder   Role = "order"   // it orders the rows
	RoleSearch  Role = "search"  // it searches text
	RoleMembers Role = "members" // it chooses the members of the rows
	RoleFormat  Role = "format"  // it chooses the media type
)

// A Param is a query parameter.
type Param struct {
	Name, Doc string
	Role      Role         // of the parameter of a list; "" for a filter
	Type      reflect.Type // of one value
	Enum      []string     // the allowed values, nil for any value
	List      bool         // it takes several values, separated by commas
	Required  bool         // a request without it is rejected
	Minimum   any          // nil for no minimum
	MaxLength int          // in characters, 0 for no maximum
	Default   any          // nil for no default
	Field     *input.Field // the field of the input that it fills; nil if it fills no field
	Compared  []Compared   // the fields of a parameter that takes an expression; nil for any other
}

// A Compared is a field that an expression may compare.
type Compared struct {
	Name    string
	Type    reflect.Type
	Enum    []string // the allowed values, nil for any value
	Ordered bool     // it may be compared by <, <=, > and >=
	ToMany  bool     // it is of several related rows
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
	Noun     string       // the name of the schema if the Go type has no name
	Partial  bool         // absent fields keep the values of the row
	Strict   bool         // unknown fields are rejected
	Required bool         // a request without a body is rejected
	In       string       // the member of the body that has the input; "" if it is the whole body
	Items    *Items       // the objects of a body that is a list; nil for a body that is one object
	Shown    reflect.Type // the type whose other fields a client may send back unchanged; nil for no such fields
}

// Items describe the objects of a body that is a list.
type Items struct {
	Most int  // objects in one body
	Key  *Key // the member with the key of the row; nil for none
}

// Parts describe an answer that is sent in parts.
type Parts struct {
	Media   []string     // without parameters, the default first
	Element reflect.Type // of a stream; nil for bytes
}

// An Upload is the body of an endpoint that stores a file.
type Upload struct {
	Types    []string // the allowed media types
	MaxBytes int64
}

// A Page describes the answer of a list by the members of sample pages.
type Page struct {
	Name    string // "PatientsPage"
	Samples [][]Member
}

// Totals describes the answer of an endpoint of totals: the members of its rows.
type Totals struct {
	Name  string // "PatientTotals"
	Parts []TotalsPart
}

// A TotalsPart is a member of a row of totals, with a value for each field that a request names.
type TotalsPart struct {
	Member, Doc string
	Fields      []TotalsField
}

// A TotalsField is a field of a part of a row of totals.
type TotalsField struct {
	Name      string
	Type      reflect.Type
	Nullable  bool
	Unbounded bool // the value may be beyond the bounds of its type, as a sum
}

// A Member is one member of a page. A single member without a name means that the page is an
// array of rows.
type Member struct {
	Name, Doc string
	Value     any // an example of the value, or [Rows]
}

// Rows is the value of the member that has the rows of a page.
type Rows struct{}

// A Link leads from an answer to the operation that takes its key.
type Link struct {
	ID     string // of the operation
	Key    string // the name of the operation's path parameter
	Member string // the member of the answer that has the key
	// Above has the names of the operation's other path parameters, and their names in the path of the request.
	Above map[string]string
}

// A Failure has the error codes that an endpoint may answer with one status.
type Failure struct {
	Status  int
	Codes   []string // sorted
	Headers []Header
}

// A Scheme is one piece of credentials in a request (OpenAPI 3.1, section 4.8.27).
type Scheme struct {
	Name   string
	Scheme string // the scheme of the header Authorization: "bearer"; "" for another header or a cookie
	Format string // the format of a bearer token
	In     string // "header" or "cookie", if Scheme is ""
	Key    string // the name of that header or cookie
	Doc    string // {prefix} in Doc is the API's prefix
}
