package prove_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework/sqldb"
)

var hitSchema = sqldb.Migrations{Namespace: "hits", FS: fstest.MapFS{
	"0001_hits.tx.up.sql":   {Data: []byte(`CREATE TABLE hits (day {{text}} NOT NULL);`)},
	"0001_hits.tx.down.sql": {Data: []byte(`DROP TABLE hits;`)},
}}

// TestEqualRows: a change is found in a table without a key, two of whose rows are equal, and so is a row
// that is added beside an equal one.
func TestEqualRows(t *testing.T) {
	t.Parallel()
	t.Run("a row changes", func(t *testing.T) { findsHits(t, "UPDATE hits SET day = day || 'x' WHERE day <> 'a'") })
	t.Run("an equal row is added", func(t *testing.T) { findsHits(t, "INSERT INTO hits (day) VALUES ('a')") })
}

// findsHits: a server that runs a statement with each PATCH of a violin.
func findsHits(t *testing.T, statement string) {
	t.Helper()
	t.Parallel()
	onDatabases(t, hitSchema, func(t *testing.T, db *sqldb.DB) {
		for _, day := range []string{"a", "a", "b"} {
			if _, err := db.NewInsert().Table("hits").Model(&map[string]any{"day": day}).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Migrate(t.Context(), nil, violinSchema); err != nil {
			t.Fatal(err)
		}
		report := prove(t, db, func(_ *guests, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPatch && strings.HasPrefix(r.URL.Path, "/api/violins/") {
					if _, err := db.DB.DB.ExecContext(r.Context(), statement); err != nil {
						t.Error(err)
					}
				}
				next.ServeHTTP(w, r)
			})
		}, violins("")...)
		finds(t, report, "PATCH /api/violins/{id}/", "it changes hits")
	})
}
