package framework

import (
	"reflect"

	"github.com/google/uuid"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/query"
)

// A ViewSet declares a resource: a model, what clients see and write of it,
// and the rules. It is data: hand it to [API.Register], which checks every
// name in it once and stops the program with a sentence if one is wrong.
//
// Names in a declaration are the client's: the JSON names of its shapes.
// M is a bun model, a struct with a primary key. The package comment says what
// the framework fills of it and which tags shapes may have.
type ViewSet[M any] struct {
	// Name is the resource's name and its path: "patients" is served at
	// {prefix}/patients/. Unique within an API together with Under.
	Name string
	// Under puts the resource below a prefix: "manage" serves
	// {prefix}/manage/patients/. Other viewsets then refer to it as
	// "manage/patients". Defaults to none.
	Under string
	// Doc describes the resource to its clients. Defaults to none.
	Doc string
	// Verbs says which of the six verbs are offered, and with which shapes.
	// A verb that is not declared answers 405.
	Verbs Verbs
	// Scope says which rows a caller has, for every verb, action, filter,
	// embed and reference alike. Required, unless Single is set.
	Scope Scope
	// Search makes ?search= work over the fields it names. Defaults to none.
	Search Search
	// Ranked is a search that puts the best matches first, such as that of
	// package ranked. It may stand beside Search, with a parameter of its own.
	// Defaults to none.
	Ranked query.Ranker
	// Ordering says what a list may be ordered by. Defaults to the primary key.
	Ordering Ordering
	// Filters are the query parameters that narrow the list.
	Filters []query.Filter
	// Actions are extra endpoints on one object, {path}/{id}/{action}/.
	Actions []Action[M]
	// Collection are extra endpoints on the whole, {path}/{action}/.
	Collection []CollectionAction
	// Permission is asked before the object is known. Defaults to the API's.
	Permission call.Permission
	// Authentication lists the schemes tried in turn. Defaults to the API's.
	Authentication []call.Authenticator
	// Throttles are asked in turn. Defaults to the API's.
	Throttles []call.Throttle
	// Pagination cuts the list into pages. Defaults to the API's.
	Pagination query.Pagination
	// Strict refuses what would be ignored and told: unknown and read-only
	// body fields, unknown parameters. Defaults to the API's.
	Strict declare.Strictness
	// Slash says how canonical paths end. Defaults to the API's.
	Slash declare.Slash
	// Lookup is the field that item paths carry. It needs a unique index: a key
	// that several rows have is answered with none of them and changes none.
	// Defaults to the primary key.
	Lookup string
	// Reserved are values that Lookup never has, because the path of an object
	// with that value is already taken: by an action of Collection, or by a viewset
	// below this one. Create, Update, Patch, [Insert] and [Save] answer 400 with the
	// fault noneof, in every viewset of the model. A path that is taken and whose
	// value is not reserved is a mistake, unless the key is a UUID or a number, which
	// cannot be such a word. Defaults to none.
	Reserved []string
	// Single makes it the caller's one row, found by this owner field: the
	// path has no id and no list, PUT makes the row if it is not there. The
	// field needs a unique index, or callers at once may make two. Defaults to
	// none.
	Single func(*M) *uuid.UUID
	// Uniques gives unique constraints codes and sentences of their own.
	// Others answer 409 not_unique.
	Uniques []Unique
	// Checks gives CHECK constraints codes, fields and sentences of their own.
	// Others answer 409 conflict.
	Checks []Check
	// Models are pointers to the bun models, (*Slot)(nil), that the viewset's functions
	// use beside its own model and the relations that it shows. [API.MissingColumns]
	// looks for their tables, too. Defaults to none.
	Models []any
	// Unindexed are fields that lists are ordered or filtered by without an
	// index, because the table stays small or an index would cost writes more
	// than it gives reads: [API.Indexes] asks for none. Defaults to none.
	Unindexed []string
}

// A Unique names the fields that must be unique together and what a client is
// told when they are not: status 409 with Code and Detail.
type Unique struct {
	Fields []string
	Code   string
	Detail string
}

// A Check names a CHECK constraint of the schema and what a client reads when a row
// breaks it: status 409 with Code and Detail, and a fault at each of Fields.
type Check struct {
	Constraint string   // its name in the database: CONSTRAINT booking_in_order CHECK (...)
	Fields     []string // of the viewset; may be empty
	Code       string
	Detail     string
}

// A Resource is something that can be registered: a [ViewSet], or a [Service]
// of several.
type Resource interface{ declare() []*declare.Declaration }

func (v ViewSet[M]) declare() []*declare.Declaration {
	d := &declare.Declaration{
		Name: v.Name, Under: v.Under, Doc: v.Doc, Model: reflect.TypeFor[M](), Verbs: v.Verbs.named(),
		Scope: v.Scope.declared, Search: declare.Search(v.Search), Ranked: v.Ranked, Ordering: v.Ordering.declare(), Filters: v.Filters,
		Permission: v.Permission, Authentication: v.Authentication, Throttles: v.Throttles,
		Pagination: v.Pagination, Strict: v.Strict, Slash: v.Slash, Lookup: v.Lookup,
		Models: v.Models, Unindexed: v.Unindexed, Reserved: v.Reserved,
	}
	for _, a := range v.Actions {
		d.Actions = append(d.Actions, a.declared)
	}
	for _, a := range v.Collection {
		d.Actions = append(d.Actions, a.declared)
	}
	for _, u := range v.Uniques {
		d.Uniques = append(d.Uniques, declare.Unique(u))
	}
	for _, k := range v.Checks {
		d.Checks = append(d.Checks, declare.Check(k))
	}
	if v.Single != nil {
		d.Single = true
		d.Scope = Own(v.Single).declared
	}
	return []*declare.Declaration{d}
}
