package export_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// untagged is a view whose names come from Config.Case.
type untagged struct {
	ID       uuid.UUID
	Margin   int64
	PlacedAt time.Time
	Customer *struct{ Name string }
}

// TestNamesInACase: the names of columns, and those of hidden members, follow Config.Case.
func TestNamesInACase(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		v := orders()
		v.Verbs, v.Ordering, v.Search, v.Filters = framework.ReadOnly[untagged](), framework.Ordering{Default: "-placed_at"}, framework.Search{}, nil
		c := served(t, db, func(c *framework.Config) { c.Case = framework.SnakeCase }, v, lines())
		for caller, want := range map[string]string{"ann": "id,margin,placed_at,customer.name\r\n", "bob": "id,placed_at,customer.name\r\n"} {
			if got := apitest.As(c, caller).Get("/api/orders/?format=csv").Expect(200).Body(); !strings.HasPrefix(got, want) {
				t.Errorf("%s has %q; want %q", caller, got, want)
			}
			if line := apitest.As(c, caller).Get("/api/orders/?format=ndjson").Expect(200).Body(); strings.Contains(line, `"margin":`) != (caller == "ann") || !strings.Contains(line, `"placed_at":`) {
				t.Errorf("%s has %q", caller, line)
			}
		}
	})
}

// TestMiddlewareChoosesTheFormat: a middleware may change the request, and sees what is sent.
func TestMiddlewareChoosesTheFormat(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		v := orders()
		v.Middleware = []framework.Middleware{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Sheet") != "" {
					r = r.Clone(r.Context())
					r.URL.RawQuery = "format=csv"
				}
				w.Header().Set("Referrer-Policy", "no-referrer")
				next.ServeHTTP(w, r)
			})
		}}
		ann := apitest.As(served(t, db, nil, v, lines()), "ann")
		ann.With("X-Sheet", "yes").Get("/api/orders/").Expect(200).Header("Content-Disposition", "attachment; filename=orders.csv").Header("Referrer-Policy", "no-referrer").Contains(header)
	})
}

// TestPagesOfOtherOriginsReadTheName: a page of an allowed origin may read the name of the file.
func TestPagesOfOtherOriginsReadTheName(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		ann := apitest.As(served(t, db, func(c *framework.Config) { c.CORS = []string{"https://shop.example"} }, orders(), lines()), "ann")
		got := ann.With("Origin", "https://shop.example").Get("/api/orders/?format=csv").Expect(200)
		if exposed := got.Headers().Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Content-Disposition") {
			t.Errorf("pages may read %s", exposed)
		}
		if vary := got.Headers().Values("Vary"); !strings.Contains(strings.Join(vary, ","), "Accept") {
			t.Errorf("Vary is %q", vary)
		}
	})
}

// TestHiddenMembersInParameters: an export by a member that the caller does not see is rejected, as a page is.
func TestHiddenMembersInParameters(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		v := orders()
		v.Filters = []framework.Filter{filter.Min("least", "margin")}
		c := served(t, db, nil, v, lines())
		apitest.As(c, "ann").Get("/api/orders/?format=csv&least=-2").Expect(200)
		apitest.As(c, "bob").Get("/api/orders/?format=csv&least=-2").Expect(403).Fault("least", "forbidden")
	})
}
