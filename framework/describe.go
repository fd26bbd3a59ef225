package framework

import (
	"context"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/index"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/web"
	"trestle.example/framework/problem"
)

// Document returns the OpenAPI 3.1 document of the whole API in the format "json" or
// "yaml": what the server answers at {prefix}/openapi.json and .yaml. It is made of the
// declarations alone, and the same for the same declarations. The error names every type
// whose own schema is none.
func (a *API) Document(format string) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	document, err := describe.NewCatalog(a.registry).Document()
	if err != nil {
		return nil, err
	}
	return openapi.Format(document, format)
}

// Routes lists every endpoint, in order of registration. Call it after
// [API.Check] or [API.Handler].
func (a *API) Routes() []spec.RouteInfo { return describe.NewCatalog(a.registry).Routes() }

// Access says what every endpoint is to each of the callers, in the order of
// [API.Routes]; nil is an anonymous caller. Where an endpoint has no schemes to
// tell callers apart, each of them counts as anonymous.
//
// It is worked out from the declarations alone, without a request and without
// the database: guards, permissions and what lifts a scope are asked, throttles
// and functions are not. A guard of some rows' paths only is not seen. Call it
// after [API.Check] or [API.Handler]. It is safe for concurrent use.
func (a *API) Access(callers ...*call.Caller) []spec.RouteAccess {
	return describe.NewCatalog(a.registry).Access(callers)
}

// Permissions lists the names that endpoints, scopes and guards may ask for by
// [Holds], [HoldsModel] and [PerModel], sorted and each once: of a model all that
// those have, whichever verbs there are. What a function or
// a permission of one's own asks for is not seen. Call it after [API.Check] or
// [API.Handler]. It is safe for concurrent use.
func (a *API) Permissions() []string { return describe.NewCatalog(a.registry).Permissions() }

// Reindex fills the stored search documents of a viewset's rows, for rows
// that were written by other means than this API. It reports how many rows it
// read and how many of them it changed, also with an error, and may run while the
// API serves. Call it after [API.Check] or [API.Handler]. A viewset without a
// stored search is an error.
func (a *API) Reindex(ctx context.Context, viewset string) (read, changed int, err error) {
	return index.NewIndexer(a.registry).Reindex(ctx, viewset)
}

// NeedsReindex reports whether a viewset has rows whose stored search document
// is empty though what is searched is not, so that no search finds them. It
// changes nothing, and reads the table up to the first of them. As for
// [API.Reindex], a viewset without a stored search is an error.
func (a *API) NeedsReindex(ctx context.Context, viewset string) (bool, error) {
	return index.NewIndexer(a.registry).NeedsReindex(ctx, viewset)
}

// Searchable lists the viewsets that store a search document.
func (a *API) Searchable() []string {
	return index.NewIndexer(a.registry).Searched()
}

// MissingIndexes are those of [API.Indexes] that the database does not have in
// any form. One that serves several needs is told once, with all of them. A
// table that is not there is an error: migrate first. An index of a column that is
// missing is left out, because it cannot be made; see [API.MissingColumns].
func (a *API) MissingIndexes(ctx context.Context) ([]index.IndexNeed, error) {
	return index.NewIndexer(a.registry).MissingIndexes(ctx)
}

// Indexes lists the indexes that the declarations need, each once, in order of
// registration. Call it after [API.Check] or [API.Handler]; it does not touch
// the database. These need one:
//
//   - an order that lists may have, but for those of a caller's own rows alone:
//     its columns, then the primary key. Of [Ordering.Allowed] one index serves
//     both directions;
//   - the default order of a caller's own rows, and that of [Related] ones: the
//     owner's column first, or the reference;
//   - a filter, by each field that it asked of [Facts], unless its
//     [BoundFilter.Scans], and but for lists of a caller's own rows alone;
//   - the column of [Own], the reference of [Via], those that inputs tag ref,
//     and those by which a has-many relation leads back;
//   - [ViewSet.Lookup], [ViewSet.Single] and [ViewSet.Uniques]: unique ones;
//   - [Search.Stored]: the search index.
//
// [ViewSet.Unindexed] takes fields out. What a function asks of the database
// itself is not known, nor is what a [Ranker] does.
func (a *API) Indexes() []index.IndexNeed {
	return index.NewIndexer(a.registry).Indexes()
}

// MissingColumns compares the database's catalogue with the models of the
// viewsets, of the relations that they show and of their functions
// ([ViewSet].Models), and with the tables of searches and of idempotency keys. It
// returns each table and column that is missing, once. Call it after [API.Check] or [API.Handler], and
// after the migrations. It changes nothing.
func (a *API) MissingColumns(ctx context.Context) ([]index.MissingColumn, error) {
	return index.NewIndexer(a.registry).MissingColumns(ctx)
}

// Run calls [API.Purge] every hour, the first time after a minute, until ctx
// ends. Errors, of which a panic is one, go to report and end nothing.
func (a *API) Run(ctx context.Context, report func(error)) {
	once.NewKeyring(a.registry).Run(ctx, report)
}

// Purge deletes the idempotency keys whose 24 hours are over, with the answers
// stored under them, and counts them, also if it fails on the way. They mean
// nothing by then: it only frees their room. It needs the tables of
// [Migrations], and goes in statements of 1,000 rows.
func (a *API) Purge(ctx context.Context) (int64, error) {
	return once.NewKeyring(a.registry).Purge(ctx)
}

// Refusing returns a handler that answers every request with e, in the error format and
// with the headers of the API. It does not use the database. It is for a server that is
// starting: see Options.Starting of package httpserver. Observers are called for its
// requests. The log has them at the level debug only, because there may be many. Like
// [API.Handler] it checks every declaration first.
func (a *API) Refusing(e *problem.Error) (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return web.NewRefusing(a.registry, e), nil
}
