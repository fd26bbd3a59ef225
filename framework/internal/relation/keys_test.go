package relation_test

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A seal is a key that the database stores as bytes.
type seal [2]byte //nolint:recvcheck // a Valuer is a value, a Scanner a pointer

func (s seal) Value() (driver.Value, error) { return s[:], nil }

func (s *seal) Scan(src any) error {
	stored, ok := src.([]byte)
	if !ok || len(stored) != len(s) {
		return fmt.Errorf("%v is no seal", src)
	}
	copy(s[:], stored)
	return nil
}

func (s seal) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(s[:])), nil }

func (s *seal) UnmarshalText(text []byte) error {
	stored, err := hex.DecodeString(string(text))
	if err != nil {
		return err
	}
	return s.Scan(stored)
}

type Crate struct {
	bun.BaseModel `bun:"table:crates"`

	ID      seal `bun:",pk"`
	Name    string
	Matches []*Match `bun:"rel:has-many,join:id=crate_id"`
}

// The table of a Match has the name that a statement could use itself.
type Match struct {
	bun.BaseModel `bun:"table:matched"`

	ID      int64 `bun:",pk"`
	CrateID seal
	Name    string
	Crate   *Crate `bun:"rel:belongs-to,join:crate_id=id"`
}

// byID ranks every match by its key.
type byID struct{}

func (byID) Bind(*framework.Facts) (framework.BoundRanker, error) {
	return framework.BoundRanker{
		Param: framework.Param{Name: "q"},
		Read: func(*framework.Call, string) (*framework.Ranking, error) {
			return &framework.Ranking{Rows: bun.SafeQuery(`SELECT id AS "key", id AS "rank" FROM matched`)}, nil
		},
	}, nil
}

var yard = sqldb.Migrations{Namespace: "yard", FS: fstest.MapFS{
	"1_yard.tx.up.sql": {Data: []byte(`
CREATE TABLE crates (id {{bytes}} PRIMARY KEY, name {{text}} NOT NULL);
CREATE TABLE matched (id {{bigint}} PRIMARY KEY, crate_id {{bytes}} NOT NULL, name {{text}} NOT NULL);`)},
	"1_yard.tx.down.sql": {Data: []byte(``)},
}}

// TestFilteredTables: a list with a filter over a relation has its rows, whatever the name of its table and
// the type of its key are.
func TestFilteredTables(t *testing.T) {
	type (
		crateView struct {
			ID seal `json:"id"`
		}
		matchView struct {
			ID int64 `json:"id"`
		}
	)
	apitest.Databases(t, yard, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db),
			framework.ViewSet[Crate]{
				Name: "crates", Verbs: framework.ReadOnly[crateView](), Scope: framework.Public(), Relations: framework.Relations{"matches": "matches"},
				Filters: []framework.Filter{filter.Exact("match", "matches.name")},
			},
			framework.ViewSet[Match]{
				Name: "matches", Verbs: framework.ReadOnly[matchView](), Scope: framework.Public(), Relations: framework.Relations{"crate": "crates"},
				Filters: []framework.Filter{filter.Exact("crate", "crate.name")}, Ranked: byID{},
			})
		a, b := seal{0xff, 0}, seal{0, 0xfe}
		apitest.Insert(t, db, &Crate{ID: a, Name: "a"}, &Crate{ID: b, Name: "b"},
			&Match{ID: 1, CrateID: a, Name: "x"}, &Match{ID: 2, CrateID: b, Name: "x"}, &Match{ID: 3, CrateID: b, Name: "y"})
		for path, want := range map[string]string{
			"crates/?match=x":                `{"count":2,"next":null,"previous":null,"results":[{"id":"00fe"},{"id":"ff00"}]}`,
			"crates/?match=x&size=1&page=2":  `"results":[{"id":"ff00"}]}`,
			"matches/?crate=b":               `{"count":2,"next":null,"previous":null,"results":[{"id":2},{"id":3}]}`,
			"matches/?q=all&crate=b":         `{"count":2,"next":null,"previous":null,"results":[{"id":3},{"id":2}]}`,
			"matches/?crate=b&size=1&page=2": `"results":[{"id":3}]}`,
		} {
			t.Run(path, func(t *testing.T) { c.On(t).Get("/api/" + path).Expect(200).Contains(want) })
		}
	})
}
