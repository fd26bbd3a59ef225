package framework

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/query"
)

type note struct{ Owner uuid.UUID }

type anyRanker struct{ query.Ranker }

type anyAuthenticator struct{ call.Authenticator }

type anyThrottle struct{ call.Throttle }

type anyPagination struct{ query.Pagination }

// TestDeclarationsAreComplete: each field of a public struct changes the declaration that
// the engine receives.
func TestDeclarationsAreComplete(t *testing.T) {
	t.Run("ViewSet", func(t *testing.T) {
		everyFieldArrives(t, ViewSet[note]{
			Name: "notes", Under: "manage", Parent: Child("board", "boards").ByWriters(), Doc: "Notes.", Verbs: ReadOnly[note](), Scope: Public(), Writers: Public(),
			Search: Search{Fields: []string{"text"}}, Ranked: anyRanker{}, Ordering: Ordering{Default: "text"},
			Filters: []query.Filter{nil}, FilterExpression: FilterExpression{Fields: []string{"text"}}, Totals: Totals{By: []string{"text"}},
			Actions:        []Action[note]{Related[note, note]("a", "b", "c")},
			Files:          []FileField[note]{{Name: "photo"}},
			Collection:     []CollectionAction{OnCollection(http.MethodGet, "sum", func(*Call, None) (None, error) { return None{}, nil })},
			Permission:     Anyone(),
			Authentication: []call.Authenticator{anyAuthenticator{}}, Throttles: []call.Throttle{anyThrottle{}}, Pagination: anyPagination{},
			Strict: Strict, Slash: WithoutSlash, Lookup: "text", Reserved: []string{"sum"}, Slug: Slug{Field: "slug"}, Versions: Versions{Hash: true}, Bulk: Bulk{Most: 5, Each: true},
			History: History{Permission: Anyone()}, Audit: Reads{Permission: Anyone()}, SoftDelete: SoftDelete{Restore: Anyone()}, Quota: Quota{Rows: 5}, Select: Select{Fields: true}, Cache: Cache{For: 1}, Export: []Media{CSV},
			Single: true, Middleware: []Middleware{func(next http.Handler) http.Handler { return next }},
			Uniques: []Unique{{Code: "taken"}}, Checks: []Check{{Code: "wrong"}}, Models: []any{note{}}, Unindexed: []string{"text"},
			Relations: Relations{"parts": OfRow}, Expressions: map[string]Expression{"length": SQL[int64]("length(?TableAlias.text)")},
			Wrap: "note", WrapList: "notes", Fields: []FieldRule{Sees("text", Anyone())},
		}, func(v ViewSet[note]) any { return *v.declare()[0] })
	})
	t.Run("FileField", func(t *testing.T) {
		everyFieldArrives(t, FileField[note]{
			Name: "photo", Field: func(*note) *files.File { return nil }, Storage: &files.Disk{}, MaxBytes: 1, Types: []string{"image/png"},
			Inline: true, SignFor: 1, Doc: "A photo.",
		}, func(f FileField[note]) any { return f.declare() })
	})
	t.Run("Ordering", func(t *testing.T) {
		everyFieldArrives(t, Ordering{
			Allowed: []string{"text"}, Named: []NamedOrder{{Name: "best"}}, Default: "text", Param: "sort",
		}, func(o Ordering) any { return o.declare() })
	})
	t.Run("FilterExpression", func(t *testing.T) {
		everyFieldArrives(t, FilterExpression{
			Fields: []string{"text"}, Param: "where", MaxLength: 1, MaxDepth: 1, MaxComparisons: 1, MaxRelated: 1,
		}, func(e FilterExpression) any { return e.declare() })
	})
	t.Run("Totals", func(t *testing.T) {
		everyFieldArrives(t, Totals{
			By: []string{"text"}, Sum: []string{"text"}, Min: []string{"text"}, Max: []string{"text"}, Param: "by", MaxGroups: 1, Permission: Anyone(),
		}, func(d Totals) any { return d.declare() })
	})
	t.Run("Service", func(t *testing.T) {
		everyFieldArrives(t, Service{
			Name: "Shop", Doc: "A shop.", Resources: []Resource{ViewSet[note]{Name: "notes"}},
		}, func(s Service) any {
			s.Resources = append(s.Resources, ViewSet[note]{Name: "last"})
			var all []declare.Declaration
			for _, d := range s.declare() {
				all = append(all, *d)
			}
			return all
		})
	})
}

// everyFieldArrives declares a struct with one field of full at a time, and compares it with
// the declaration of an empty struct.
func everyFieldArrives[T any](t *testing.T, full T, declared func(T) any) {
	t.Helper()
	var empty T
	for i := range reflect.TypeFor[T]().NumField() {
		name, value := reflect.TypeFor[T]().Field(i).Name, reflect.ValueOf(full).Field(i)
		if value.IsZero() {
			t.Errorf("the test has no value for the field %s; add one", name)
			continue
		}
		var one T
		reflect.ValueOf(&one).Elem().Field(i).Set(value)
		if reflect.DeepEqual(declared(one), declared(empty)) {
			t.Errorf("the field %s is not part of the declaration", name)
		}
	}
}
