package framework

import (
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/index"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/sqldb"
)

// An Access is the access that a caller has to an endpoint.
type Access = spec.Access

// The access of a caller to an endpoint.
const (
	// AccessRefused: the caller gets 401 or 403, from a guard or from the permission.
	AccessRefused = spec.AccessRefused
	// AccessScoped: the caller is permitted and has the rows of its [Scope] or, for a change, those
	// of them that [ViewSet].Writers leaves the caller. It may be no row.
	AccessScoped = spec.AccessScoped
	// AccessAllowed: the caller is permitted, and no scope and no Writers narrows the endpoint. The caller
	// has every row, or the endpoint is a function that receives no row, such as one of [Does]
	// or [OnCollection]. Such a function does not give the caller every row: the rows that it
	// reads by [Find] are in the caller's scope.
	AccessAllowed = spec.AccessAllowed
)

// Slash decides whether the canonical paths of a resource end with a slash.
type Slash = declare.Slash

// The values of [Slash]. The zero value inherits; the default of an API is WithSlash.
const (
	InheritSlash = declare.InheritSlash
	WithSlash    = declare.WithSlash
	WithoutSlash = declare.WithoutSlash
)

// Strictness decides whether unknown names in a request are ignored or rejected.
type Strictness = declare.Strictness

// Lenient ignores unknown names and lists them in the header Trestle-Ignored. Strict rejects
// them with 400. The zero value inherits; the default of an API is Lenient.
const (
	InheritStrictness = declare.InheritStrictness
	Lenient           = declare.Lenient
	Strict            = declare.Strict
)

// A RouteInfo describes one endpoint of a checked API.
type RouteInfo struct {
	Method     string `json:"method"`
	Path       string `json:"path"`       // "/api/patients/{id}/"
	ViewSet    string `json:"viewset"`    // "patients"
	Name       string `json:"name"`       // of the verb or the action
	Permission string `json:"permission"` // as its method String returns it
	Scope      string `json:"scope"`      // as [Scope.String] returns it
	// Writers is the Writers of the viewset as [Scope.String] returns it, if it limits the endpoint.
	Writers string `json:"writers,omitempty"`
	Doc     string `json:"doc,omitempty"`
}

// A RouteAccess is an endpoint and the access of some callers to it.
type RouteAccess struct {
	RouteInfo

	// Access has one entry for each caller, in the order of the arguments of [API.Access].
	Access []Access
}

// A MissingColumn is a column that a viewset needs and the database lacks, or a table, if
// Column is "".
type MissingColumn struct {
	// For lists the viewsets that need it.
	For []string
	// Field is the field of the model, "Patient.City", or the model of a missing table,
	// "Patient". It is "" for a table that no model describes.
	Field  string
	Table  string
	Column string
	// Nearest is the most similar name in the database, or "" if none is similar.
	Nearest string
	// Broken is the error of the database if the table is a view of SQLite that reads a table or a column that is
	// deleted, "" for any other.
	Broken string
	// Own: the table is one of the framework, so its model does not change.
	Own bool
}

// String returns a sentence: `the table "patients" has no column "citty" (Patient.Citty);
// did you mean "city"?`.
func (m MissingColumn) String() string { return index.MissingColumn(m).String() }

// A MissingCheck is a constraint that [ViewSet].Checks names and the database lacks.
type MissingCheck struct {
	// For is the path of the viewset.
	For        string
	Code       string
	Table      string
	Constraint string
	// Nearest is the most similar name of a constraint of the table, or "" if none is similar.
	Nearest string
}

// String returns a sentence: `the table "books" has no constraint "pages_san" (too_long); did you mean "pages_sane"?`.
func (m MissingCheck) String() string { return index.MissingCheck(m).String() }

// A WideUnique is a unique index or constraint of a table with [SoftDelete] that deleted rows are in too, so that their values
// cannot be used again.
type WideUnique struct {
	// For is the path of the viewset that declares SoftDelete.
	For     string
	Table   string
	Index   string
	Columns []string
	// Create is the statement that makes an index without the deleted rows, as for [IndexNeed.Create]. The other index must be
	// dropped.
	Create string
}

// String returns a sentence: `the unique index "users_email_key" of "users" (email) has deleted rows too, so their values cannot be
// used again`.
func (w WideUnique) String() string { return index.WideUnique(w).String() }

// An IndexNeed is an index that the declarations need. Without it the database reads or
// sorts more rows than an answer has.
type IndexNeed struct {
	Table string
	// Columns are the first columns of the index, in this order.
	Columns []sqldb.IndexColumn
	// Unique is true if the index must keep the values of exactly these columns unique.
	Unique bool
	// Search is true for the search index of the one column, which searchIndex creates in a
	// migration.
	Search bool
	// Partial is true if an index with a condition (WHERE) may be enough, because the index is
	// about a part of the rows. The condition is not known, unless Where has it.
	Partial bool
	// Where is the condition of the rows in the index of [IndexNeed.Create], "" for all rows. A unique index of a viewset
	// with SoftDelete leaves deleted rows out.
	Where string
	// For lists what needs the index: `patients: filter "city"`.
	For []string
	// Name is the name that [IndexNeed.Create] gives the index, unless Search is true.
	// [API.MissingIndexes] chooses a name that the database does not have. [API.Indexes] does not
	// read the database, so a table or an index may have the name already.
	Name string
}

// String returns the table and the columns: "patients (owner_id, name DESC)".
func (n IndexNeed) String() string { return n.internal().String() }

// Create returns the SQL that makes the index, as a template of a migration file
// ([sqldb.Migrations]). If an index with this name exists, also of another table, the SQL does
// nothing; a need of [API.MissingIndexes] has another name. A search index is different:
// searchIndex chooses its name, and the SQL fails if an index with that name exists.
func (n IndexNeed) Create() string { return n.internal().Create() }

// Drop returns the statement that undoes [IndexNeed.Create].
func (n IndexNeed) Drop() string { return n.internal().Drop() }

func (n IndexNeed) internal() index.IndexNeed {
	return index.IndexNeed{Table: n.Table, Columns: n.Columns, Unique: n.Unique, Search: n.Search, Partial: n.Partial, Where: n.Where, For: n.For, Name: n.Name}
}

func newIndexNeed(n index.IndexNeed) IndexNeed {
	return IndexNeed{n.Table, n.Columns, n.Unique, n.Search, n.Partial, n.Where, n.For, n.Name}
}

func newMissingColumn(m index.MissingColumn) MissingColumn { return MissingColumn(m) }

func newMissingCheck(m index.MissingCheck) MissingCheck { return MissingCheck(m) }

func newWideUnique(w index.WideUnique) WideUnique { return WideUnique(w) }

func newRouteInfo(r spec.RouteInfo) RouteInfo { return RouteInfo(r) }

func newRouteAccess(r spec.RouteAccess) RouteAccess {
	return RouteAccess{newRouteInfo(r.RouteInfo), r.Access}
}

// each returns the conversion of every element.
func each[A, B any](all []A, convert func(A) B) []B {
	converted := make([]B, len(all))
	for i, a := range all {
		converted[i] = convert(a)
	}
	return converted
}
