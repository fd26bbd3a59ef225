package frameworktest

import (
	"context"
	"net/http"
	"regexp"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// RequireHistory wraps the handler of an API, and fails the test if a request writes to a table whose changes are
// recorded by a statement of its own, which its history does not have. The functions of the API must use [framework.Save],
// [framework.Insert] and [framework.Remove] for such tables. Statements of the test itself are allowed. Call it after
// the handler is made.
func RequireHistory(tb testing.TB, api *framework.API, db *sqldb.DB, handler http.Handler) http.Handler {
	tb.Helper()
	const verbs = `(?i)\b(?:(?:INSERT|REPLACE|MERGE)\s+(?:OR\s+\w+\s+)?INTO|UPDATE(?:\s+OR\s+\w+)?` +
		`|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?(?:"?\w+"?\.)?`
	for _, recorded := range api.Recorded() {
		guard := historyGuard{tb, recorded, regexp.MustCompile(verbs + "[\"`\\[]?" + regexp.QuoteMeta(recorded.Table) + `\b`)}
		db.AddQueryHook(guard) //nolint:staticcheck // the other one makes a new DB, and the API has this one
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ofRequest{}, true)))
	})
}

type ofRequest struct{}

// textsAndComments matches what is no SQL in a statement.
var textsAndComments = regexp.MustCompile(`(?s)'(?:[^']|'')*'|/\*.*?\*/|--[^\n]*`)

// A historyGuard sees the statements that go through bun, which those of the framework do not.
type historyGuard struct {
	tb       testing.TB
	recorded framework.RecordedTable
	writes   *regexp.Regexp
}

// BeforeQuery implements [bun.QueryHook].
func (g historyGuard) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	if ctx.Value(ofRequest{}) != nil && g.writes.MatchString(textsAndComments.ReplaceAllString(e.Query, " ")) {
		g.tb.Errorf("a function writes to %s, and %s records its changes, so this one would be missing; use Save, Insert or Remove of package framework in place of\n\t%s",
			g.recorded.Table, g.recorded.ViewSet, e.Query)
	}
	return ctx
}

// AfterQuery implements [bun.QueryHook].
func (historyGuard) AfterQuery(context.Context, *bun.QueryEvent) {}
