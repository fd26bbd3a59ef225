package framework

import (
	"context"
	"net/http"

	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/housekeeping"
	"trestle.example/framework/internal/index"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/web"
)

// Document returns the OpenAPI 3.1 document of the API in the format "json" or "yaml", as
// the server answers it at {prefix}/openapi.json and .yaml. The same declarations give the
// same document. The error is that of [API.Check], or it names every type whose own schema
// is not valid. Another format is an error too.
func (a *API) Document(format string) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	document, err := a.document()
	if err != nil {
		return nil, err
	}
	return openapi.Format(document, format)
}

// Routes lists the API root, and then every endpoint in order of registration. Call it after
// [API.Check] or [API.Handler].
func (a *API) Routes() []RouteInfo {
	return each(describe.NewCatalog(a.registry).Routes(), newRouteInfo)
}

// Access returns the access of each caller to every endpoint, in the order of [API.Routes].
// A nil caller is anonymous. At an endpoint without authentication schemes every caller
// counts as anonymous.
//
// It uses the declarations alone, without a request or the database: guards, permissions
// and [Scope.Unless], but no throttles and no functions. A guard of the path of one row, such
// as "patients/5", is not considered. Call it after [API.Check] or [API.Handler]. It is safe
// for concurrent use.
func (a *API) Access(callers ...*Caller) []RouteAccess {
	return each(describe.NewCatalog(a.registry).Access(callers), newRouteAccess)
}

// InventCaller returns a signed-in caller for [API.Access]: its id is that of no user, and it
// is not staff and has no permissions, until these are set. Call it after [API.Check] or
// [API.Handler].
func (a *API) InventCaller() *Caller { return a.registry.InventCaller() }

// Permissions lists the permissions that endpoints, scopes and guards may require by
// [Holds], [HoldsModel] and [PerModel], sorted and without duplicates. HoldsModel counts
// with all four rights of the model, and PerModel with all but view, whichever verbs there
// are. It does not list what a function or a permission type of the program requires. Call
// it after [API.Check] or [API.Handler]. It is safe for concurrent use.
func (a *API) Permissions() []string { return describe.NewCatalog(a.registry).Permissions() }

// Reindex fills the stored search documents of a viewset's rows, for rows that were not
// written by this API. It works in transactions of 500 rows. It returns how many rows the
// finished transactions read and changed, also with an error. It may run while the API
// serves. A viewset without a stored search is an error. Call it after [API.Check] or
// [API.Handler].
//
// Each progress is called after each transaction, with the number of rows that were read and the
// number of all rows. It is not called if the rows could not be counted.
func (a *API) Reindex(ctx context.Context, viewset string, progress ...func(done, total int)) (read, changed int, err error) {
	return index.NewIndexer(a.registry).Reindex(ctx, viewset, progress...)
}

// NeedsReindex reports whether a row of a viewset has an empty search document although one
// of its searched fields is not empty, so that no search finds the row. It reads the table up
// to the first such row. A viewset without a stored search is an error.
func (a *API) NeedsReindex(ctx context.Context, viewset string) (bool, error) {
	return index.NewIndexer(a.registry).NeedsReindex(ctx, viewset)
}

// Searchable lists the viewsets that store a search document.
func (a *API) Searchable() []string { return index.NewIndexer(a.registry).Searched() }

// A RecordedTable is a table whose changes or reads are recorded, and the path of the viewset that declares its [History] or [Reads].
type RecordedTable struct{ ViewSet, Table string }

// Recorded lists the tables whose changes are recorded, in order of registration. Call it after [API.Check] or
// [API.Handler].
func (a *API) Recorded() []RecordedTable { return each(a.registry.Recording(), newRecordedTable) }

// Audited lists the tables whose reads are recorded, in order of registration. Call it after [API.Check] or [API.Handler].
func (a *API) Audited() []RecordedTable { return each(a.registry.Auditing(), newRecordedTable) }

func newRecordedTable(t table.RecordedTable) RecordedTable { return RecordedTable(t) }

// MissingIndexes returns the indexes of [API.Indexes] that the database does not have in
// any form. An index with several uses occurs once, with all of them. A missing table is an
// error: migrate first. An index of a missing column is left out; see [API.MissingColumns].
func (a *API) MissingIndexes(ctx context.Context) ([]IndexNeed, error) {
	needs, err := index.NewIndexer(a.registry).MissingIndexes(ctx)
	return each(needs, newIndexNeed), err
}

// Indexes lists the indexes that the declarations need, without duplicates, in order of
// registration. It does not use the database. Call it after [API.Check] or [API.Handler].
// These need an index:
//
//   - each order of a list, unless the caller only has rows of their own: its columns,
//     then the primary key. One index serves both directions of a field of
//     [Ordering.Allowed];
//   - the default order of a caller's own rows and of [Related] rows: the owner's column
//     or the reference first;
//   - each field that a filter finds by [Facts], unless [BoundFilter.Scans] is set or the
//     caller only has rows of their own;
//   - the column of [Own], the reference of [Via], inputs with the tag ref, and the
//     columns by which a has-one or has-many relation is loaded;
//   - each path over relations that a filter uses: the column of the related row, the foreign
//     keys that lead to it, and both columns of a join table;
//   - [ViewSet.Lookup], [ViewSet.Single] and [ViewSet.Uniques]: unique indexes;
//   - [Search.Stored]: the search index.
//
// [ViewSet.Unindexed] removes fields of orders and filters. Queries of functions and of a
// [Ranker] are not known.
func (a *API) Indexes() []IndexNeed {
	return each(index.NewIndexer(a.registry).Indexes(), newIndexNeed)
}

// Unserved lists what no index can serve, in sentences: orders over columns of related rows or
// over expressions, searches over related rows, and filters that compare an expression. Such a
// list reads or sorts every matching row. [ViewSet.Unindexed] accepts it for a small table. Call it
// after [API.Check] or [API.Handler].
func (a *API) Unserved() []string { return index.NewIndexer(a.registry).Unserved() }

// MissingColumns compares the database with the declarations: the models of the viewsets
// and of [ViewSet].Models, the relations that views show, and those of [Relations], the rows that
// lists in bodies and toggles write, and the tables of a [Ranker], of idempotency keys and of a [History]. It returns each missing
// table and column once, and changes nothing.
// Call it after [API.Check] or [API.Handler], and after the migrations.
func (a *API) MissingColumns(ctx context.Context) ([]MissingColumn, error) {
	missing, err := index.NewIndexer(a.registry).MissingColumns(ctx)
	return each(missing, newMissingColumn), err
}

// MissingChecks returns the constraints of [ViewSet].Checks that the database lacks, in order of registration. Without
// the constraint, no row is rejected with the code of the [Check]. It changes nothing. Call it after [API.Check] or
// [API.Handler], and after the migrations.
func (a *API) MissingChecks(ctx context.Context) ([]MissingCheck, error) {
	missing, err := index.NewIndexer(a.registry).MissingChecks(ctx)
	return each(missing, newMissingCheck), err
}

// WideUniques returns the unique indexes and constraints of tables with [SoftDelete] that deleted rows are in too, in order of registration. With
// such an index, a value of a deleted row is 409 for a new row. It leaves out those of primary keys, of the [Slug], and of columns to which foreign
// keys refer. It changes nothing. Call it after [API.Check] or [API.Handler], and after the migrations.
func (a *API) WideUniques(ctx context.Context) ([]WideUnique, error) {
	wide, err := index.NewIndexer(a.registry).WideUniques(ctx)
	return each(wide, newWideUnique), err
}

// Run calls [API.Purge] and [API.SweepFiles] every hour, the first time after a minute, until ctx
// ends. It calls report with each error, and with each panic as an error, and goes on. When ctx
// ends, Run waits up to 5 s for functions of [Call.AfterCommit] that are not done, ends their
// context, and returns: end ctx after the last request.
func (a *API) Run(ctx context.Context, report func(error)) {
	housekeeping.Run(ctx, a.registry, report)
}

// Purge deletes the idempotency keys that are older than 24 hours, with their answers, in
// statements of 1,000 rows. Such keys have no effect; deleting them frees their space. It
// returns the number of deleted keys, also with an error. It needs the tables of
// [Migrations].
func (a *API) Purge(ctx context.Context) (int64, error) {
	return once.NewKeyring(a.registry).Purge(ctx)
}

// Refusing returns a handler that answers every request with e, in the error format and
// with the headers of the API, except for preflight requests of allowed origins. It is for a
// server that is starting: see Options.Starting of package httpserver. It does not use the
// database. Observers are called for its requests; the log has them at the level debug,
// because there may be many. Refusing checks every declaration first.
func (a *API) Refusing(e *Error) (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return web.NewRefusing(a.registry, e), nil
}
