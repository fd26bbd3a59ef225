package framework

import (
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/query"
)

// A ViewSet declares a resource: a model, its inputs and views, and its rules. It is data.
// [API.Register] adds it to an API, and [API.Check] reports every wrong name in it.
//
// Names in a declaration are those of clients: the JSON names of inputs and views. M is a
// bun model, a struct with a primary key. The package comment describes which fields the
// framework fills and which tags inputs and views may have.
type ViewSet[M any] struct {
	// Name is the resource's name and its path: "patients" is served at {prefix}/patients/.
	// Name and Under together are unique within an API.
	Name string
	// Under puts the resource below a prefix: "manage" serves
	// {prefix}/manage/patients/. Other viewsets then refer to it as
	// "manage/patients". Defaults to none.
	Under string
	// Parent puts the resource below the rows of another viewset, at
	// {parent}/{id}/{name}/: see [Child]. Defaults to none.
	Parent Parent
	// Doc describes the resource to its clients. Defaults to none.
	Doc string
	// Verbs declares which of the six verbs the resource offers. The server answers 405 for
	// the others, or 404 if nothing is offered at the path.
	Verbs Verbs
	// Scope declares which rows a caller has, for every verb, action, filter, embedded row
	// and reference. Required.
	Scope Scope
	// Writers declares which rows in scope a caller may change or delete: by PUT, PATCH and DELETE,
	// by the writing actions on a row, and by its files. Another row in scope is 403 not_yours, or
	// 401 for an anonymous caller. See [Scope] and [Action.ByReaders]. Defaults to every row in
	// scope.
	Writers Scope
	// Fields says which callers see or write a field, by their permissions. See [Sees] and
	// [Writes]. Defaults to none: every caller sees the views and writes the inputs.
	Fields []FieldRule
	// Search makes the list searchable by a query parameter. Defaults to none.
	Search Search
	// Ranked is a search that lists the best matches first, such as that of package ranked.
	// It may be used beside Search, with a parameter of its own. Defaults to none.
	Ranked query.Ranker
	// Ordering declares the orders of the list. Defaults to the primary key.
	Ordering Ordering
	// Filters are the query parameters that narrow the list. Defaults to none.
	Filters []query.Filter
	// FilterExpression lets clients filter the list by an expression, such as status = "booked" AND fee >= 500. Defaults
	// to none.
	FilterExpression FilterExpression
	// Totals lets clients request totals of the rows of the list, for each group, at {path}/totals/. Defaults to none.
	Totals Totals
	// Actions are extra endpoints on one object: {path}/{id}/{action}/.
	Actions []Action[M]
	// Collection are extra endpoints on the whole collection: {path}/{action}/.
	Collection []CollectionAction
	// Files are the files of each row: {path}/{id}/{name}/. See [FileField]. Defaults to none.
	Files []FileField[M]
	// Permission is checked before the object is read. Defaults to the API's.
	Permission call.Permission
	// Authentication lists the schemes, which run in turn. Defaults to the API's.
	Authentication []call.Authenticator
	// Throttles run in turn. Defaults to the API's.
	Throttles []call.Throttle
	// Middleware wraps the endpoints of the resource, the first outermost: see [Middleware].
	// Defaults to none.
	Middleware []Middleware
	// Pagination cuts the list into pages. Defaults to the API's.
	Pagination query.Pagination
	// Export lists the formats in which clients may get all rows of a list at once, beside pages of JSON: [CSV]
	// or [ExactCSV], and [NDJSON]. The parameter format or the header Accept chooses one. It is for the verb List
	// and for [Lists]. An export has the permission, the throttles, the scope, the filters, the search and the
	// order of the list, and the members that the caller sees. CSV has a column for each member of the view;
	// those of an object have its name before theirs, as author.username, and a list is JSON in one cell. The
	// memory does not depend on the number of rows, and no connection to the database is held between parts.
	// A caller has one export at a time in each process: another one is 429 export_in_progress. Defaults to
	// none: pages of JSON alone.
	Export []Media
	// Strict decides whether unknown and read-only body fields and unknown parameters are
	// ignored and reported, or rejected. Defaults to the API's.
	Strict Strictness
	// Slash decides how canonical paths end. Defaults to the API's.
	Slash Slash
	// Lookup is the field in the path of an object. It needs a unique index: if several rows
	// have the key of the path, the answer is the error 500 and no row changes. Defaults to the
	// primary key.
	Lookup string
	// Reserved lists the values that the Lookup of an object must not have. Their paths
	// belong to actions of Collection, or to viewsets below this one. Create, Update,
	// Patch, [Insert] and [Save] answer 400 with the fault noneof, in every viewset of the
	// model. If such a path exists and its value is not reserved, that is a mistake, unless
	// the key is a UUID or a number. Defaults to none.
	Reserved []string
	// Slug declares a field that the framework makes from another, as a name for paths. Defaults
	// to none.
	Slug Slug
	// Versions gives rows ETags, and lets a write say which version it changes. Defaults to none: a
	// write with If-Match, except If-Match: *, is 412 precondition_unsupported.
	Versions Versions
	// Bulk declares requests that create, change or delete several rows, at {path}/bulk/. Defaults to
	// none.
	Bulk Bulk
	// History records each change of a row, and shows the changes at {path}/{id}/history/. Defaults to
	// none.
	History History
	// Audit records who reads rows, and shows the reads of a row at {path}/{id}/reads/. Defaults to none.
	Audit Reads
	// SoftDelete lets callers restore and see rows that are marked as deleted, and keeps rows to which others refer.
	// Defaults to none: if the model has the column of the mark, DELETE marks rows.
	SoftDelete SoftDelete
	// Quota limits how many rows an owner has. Defaults to no limit.
	Quota Quota
	// Select lets clients choose members of rows by the parameters fields and expand. Defaults to
	// none.
	Select Select
	// Cache lets caches keep answers of the reads, for callers without credentials. Defaults to none: every
	// answer is no-store.
	Cache Cache
	// Relations lists the relations of the model that views, Computes, filters, searches and
	// orders use, each with the viewset whose scope narrows it. See [Relations]. Defaults to
	// none.
	Relations Relations
	// Expressions are SQL expressions with names, which filters and orders use like fields, and
	// views show by the tag from. See [SQL]. Defaults to none.
	Expressions map[string]Expression
	// Wrap is the member that contains the row: with "article", bodies and answers are
	// {"article": {...}}, and pointers of faults begin with /article. It is around the bodies of
	// verbs and actions, and around answers that are one object. A list is not wrapped, see
	// WrapList; nor are files, streams, and actions that are [Action.Unwrapped]. Functions and
	// [Checker] types keep pointers that are relative to the input. Defaults to none.
	Wrap string
	// WrapList is the name of the member that has the rows of a list: with "articles", the
	// pagination class answers {"count": 2, "articles": [...]}. The rows themselves are not
	// wrapped. It is also around answers of actions that are arrays, and makes the array of
	// [page.Bare] an object. Defaults to the name that the pagination class gives.
	WrapList string
	// Single makes the resource the caller's one row. Scope is an [Own] without Unless. The
	// path has no id, and there is no list. PUT creates a missing row. The owner's field needs
	// a unique index, or concurrent requests may create two rows. Defaults to false.
	Single bool
	// Uniques gives unique constraints codes and details of their own. Other constraints
	// answer 409 not_unique.
	Uniques []Unique
	// Checks gives CHECK constraints codes, fields and details of their own. Other
	// constraints answer 409 conflict.
	Checks []Check
	// Models lists further bun models, such as (*Slot)(nil), that the viewset's functions
	// use beside its model and the relations that it shows. [API.MissingColumns] checks
	// their tables too. Defaults to none.
	Models []any
	// Unindexed lists fields, paths and expressions of orders, filters and searches that need no
	// index, because the table stays small or an index costs more than it saves. [API.Indexes]
	// and [API.Unserved] leave them out.
	// Defaults to none.
	Unindexed []string
}

// A Unique names fields that must be unique together, and the error if they are not: status
// 409 with Code and Detail.
type Unique struct {
	Fields []string
	Code   string
	Detail string
}

// A Check names a CHECK constraint of the schema, and the error of a row that breaks it:
// status 409 with Code and Detail, and a fault at each of Fields that the
// input of the request has.
type Check struct {
	Constraint string   // its name in the database: CONSTRAINT booking_in_order CHECK (...)
	Fields     []string // of the viewset; may be empty
	Code       string
	Detail     string
}

// A Resource can be registered: a [ViewSet], or a [Service] of several resources.
type Resource interface{ declare() []*declare.Declaration }

func (v ViewSet[M]) declare() []*declare.Declaration {
	d := &declare.Declaration{
		Name: v.Name, Under: v.Under, Parent: v.Parent.declared, Doc: v.Doc, Model: reflect.TypeFor[M](), Verbs: v.Verbs.named(),
		Scope: v.Scope.declared, Writers: v.Writers.declared,
		Search: declare.Search(v.Search), Ranked: v.Ranked, Ordering: v.Ordering.declare(), Filters: v.Filters, FilterExpression: v.FilterExpression.declare(),
		Totals: v.Totals.declare(), Permission: v.Permission, Authentication: v.Authentication, Throttles: v.Throttles,
		Pagination: v.Pagination, Strict: v.Strict, Slash: v.Slash, Lookup: v.Lookup,
		Models: v.Models, Unindexed: v.Unindexed, Reserved: v.Reserved, Slug: v.Slug.declare(), Versions: v.Versions.declare(),
		Bulk: v.Bulk.declare(), History: v.History.declare(), Audit: v.Audit.declare(), SoftDelete: v.SoftDelete.declare(), Quota: v.Quota.declare(),
		Select: v.Select.declare(), Cache: v.Cache.declare(), Export: v.Export,
		Single: v.Single, Middleware: v.Middleware,
		Wrap: v.Wrap, WrapList: v.WrapList,
		Relations: v.Relations, Expressions: map[string]declare.Expression{},
	}
	for _, f := range v.Fields {
		d.Fields = append(d.Fields, f.declared)
	}
	for name, e := range v.Expressions {
		d.Expressions[name] = e.declared
	}
	for _, a := range v.Actions {
		d.Actions = append(d.Actions, a.declared.Each()...)
	}
	for _, a := range v.Collection {
		d.Actions = append(d.Actions, a.declared)
	}
	d.Actions = slices.Concat(d.Actions, d.SettingActions())
	for _, f := range v.Files {
		d.Files = append(d.Files, f.declare())
	}
	for _, u := range v.Uniques {
		d.Uniques = append(d.Uniques, declare.Unique(u))
	}
	for _, k := range v.Checks {
		d.Checks = append(d.Checks, declare.Check(k))
	}
	return []*declare.Declaration{d}
}
