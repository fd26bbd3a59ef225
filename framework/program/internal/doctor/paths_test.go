package doctor

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

type sailor struct {
	bun.BaseModel `bun:"table:sailors"`

	ID   int64 `bun:",pk"`
	Name string
}

type voyage struct {
	bun.BaseModel `bun:"table:voyages"`

	ID       int64 `bun:",pk"`
	SailorID int64

	Sailor *sailor `bun:"rel:belongs-to,join:sailor_id=id"`
}

type keyView struct {
	ID int64 `json:"id"`
}

var harbour = sqldb.Migrations{Namespace: "harbour", FS: fstest.MapFS{
	"1_harbour.tx.up.sql": {Data: []byte(`
CREATE TABLE sailors (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL);
CREATE TABLE voyages (id {{bigint}} PRIMARY KEY, sailor_id {{bigint}} NOT NULL);`)},
	"1_harbour.tx.down.sql": {Data: []byte("-- none")},
	"2_indexes.tx.up.sql":   {Data: []byte(`CREATE INDEX voyages_sailor ON voyages (sailor_id); CREATE INDEX sailors_name ON sailors (name);`)},
	"2_indexes.tx.down.sql": {Data: []byte(`DROP INDEX voyages_sailor; DROP INDEX sailors_name;`)},
}}

// TestDoctorOfPaths: a filter over a relation is a problem until the database has its indexes. An order
// over a relation is a warning, because no index serves it, unless Unindexed lists it.
func TestDoctorOfPaths(t *testing.T) {
	const path = "sailor.name"
	order := framework.Ordering{Allowed: []string{path}}
	filters := []framework.Filter{filter.Exact("sailor", path)}
	for _, test := range []struct {
		name    string
		voyages framework.ViewSet[voyage]
		without []string // the findings, without indexes
		with    []string // and with them
	}{
		{"a filter", framework.ViewSet[voyage]{Filters: filters}, []string{"problem: sailors (name)", "problem: voyages (sailor_id)"}, nil},
		{"an order", framework.ViewSet[voyage]{Ordering: order}, []string{"warning: voyages"}, []string{"warning: voyages"}},
		{"both", framework.ViewSet[voyage]{Filters: filters, Ordering: order}, []string{"problem: sailors (name)", "problem: voyages (sailor_id)", "warning: voyages"}, []string{"warning: voyages"}},
		{"an order of a small table", framework.ViewSet[voyage]{Ordering: order, Unindexed: []string{path}}, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			apitest.Databases(t, harbour, func(t *testing.T, db *sqldb.DB) {
				v := test.voyages
				v.Name, v.Verbs, v.Scope, v.Relations = "voyages", framework.ReadOnly[keyView](), framework.Public(), framework.Relations{"sailor": framework.OfRow}
				api, _ := apitest.Serve(t, apitest.Config(db), v)
				expectFindings(t, db, api, "with indexes", test.with)
				if _, err := db.MigrateDown(t.Context(), nil, harbour); err != nil {
					t.Fatal(err)
				}
				expectFindings(t, db, api, "without indexes", test.without)
			})
		})
	}
}

func expectFindings(t *testing.T, db *sqldb.DB, api *framework.API, when string, want []string) {
	t.Helper()
	_, found := findUnindexed(t.Context(), &site.Site{DB: db}, api)
	var got []string
	for _, f := range found {
		got = append(got, f.Weight+": "+f.Where)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%s: the findings are %q; want %q", when, got, want)
	}
}
