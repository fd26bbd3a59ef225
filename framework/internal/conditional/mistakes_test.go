package conditional_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Sheet has columns that cannot count changes.
type Sheet struct {
	bun.BaseModel `bun:"table:orders"`

	ID      int64 `bun:",pk,autoincrement"`
	OwnerID uuid.UUID
	Title   string
	Note    *int64
	Version int64
	Small   int32
	Zero    int64 `bun:",nullzero"`
	OtherID int64

	Other *Sheet `bun:"rel:belongs-to,join:other_id=id"`
}

type sheetInput struct {
	Title string `json:"title" validate:"required"`
}

type sheetView struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Note    *int64 `json:"note"`
	Version int64  `json:"version"`
}

type countedInput struct {
	Title   string `json:"title" validate:"required"`
	Version int64  `json:"version"`
}

func sheets(versions framework.Versions, change func(*framework.ViewSet[Sheet])) framework.ViewSet[Sheet] {
	v := framework.ViewSet[Sheet]{Name: "sheets", Verbs: framework.CRUD[sheetInput, sheetView](), Scope: framework.Public(), Versions: versions}
	if change != nil {
		change(&v)
	}
	return v
}

// TestMistakes: versions that cannot work, or that have no effect, are found at start.
func TestMistakes(t *testing.T) {
	apitest.Databases(t, desk, func(t *testing.T, db *sqldb.DB) {
		column := framework.Versions{Column: "version"}
		computes := func(*framework.Call, *Sheet) (sheetView, error) { return sheetView{}, nil }
		for _, c := range []struct {
			name     string
			versions framework.Versions
			change   func(*framework.ViewSet[Sheet])
			want     string
		}{
			{"an unknown column", framework.Versions{Column: "versoin"}, nil, `versions: no field "versoin" in Sheet; did you mean "version"?`},
			{"a text", framework.Versions{Column: "title"}, nil, "Title is string; a column that counts changes is an int64 that is not null"},
			{"a column that may be null", framework.Versions{Column: "note"}, nil, "Note is *int64; a column that counts changes is an int64"},
			{"the primary key", framework.Versions{Column: "id"}, nil, "ID is the primary key, which no change counts up"},
			{"both kinds", framework.Versions{Column: "version", Hash: true}, nil, "Column and Hash are two kinds of version; leave out Hash"},
			{"neither", framework.Versions{Required: true}, nil, "Required needs versions; name an integer column in Column, or set Hash"},
			{
				"no verb of a row", column,
				func(v *framework.ViewSet[Sheet]) {
					v.Verbs = framework.Verbs{}
					v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "x", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil })}
				},
				"they have no effect",
			},
			{"a smaller integer", framework.Versions{Column: "small"}, nil, "Small is int32; a column that counts changes is an int64"},
			{"a column that is nullzero", framework.Versions{Column: "zero"}, nil, "Zero is nullzero; a column that counts changes is never null"},
			{"a reference", framework.Versions{Column: "other_id"}, nil, "OtherID refers to another row; add a column that only counts changes"},
			{"the key of the path", column, func(v *framework.ViewSet[Sheet]) { v.Lookup = "version" }, "Version is in the path of a row"},
			{"a column that some callers do not see", column, func(v *framework.ViewSet[Sheet]) {
				v.Fields = []framework.FieldRule{framework.Sees("version", framework.Staff())}
			}, "only some callers see Version, and the ETag shows it to all"},
			{"a header that no function reads", column, func(v *framework.ViewSet[Sheet]) {
				v.Verbs.Patch = v.Verbs.Patch.Takes(framework.Header{Name: "If-Match", Doc: "x"})
			}, "patch takes If-Match, which the framework compares"},
			{"a header of a read", column, func(v *framework.ViewSet[Sheet]) {
				v.Verbs.Retrieve = v.Verbs.Retrieve.Takes(framework.Header{Name: "If-None-Match", Doc: "x"})
			}, "retrieve takes If-None-Match, which the framework compares"},
			{"a hash without a view of a row", framework.Versions{Hash: true}, func(v *framework.ViewSet[Sheet]) { v.Verbs = framework.Verbs{Delete: framework.Deletes()} }, "no verb shows one row, so there is nothing to hash"},
			{"a hash of the key alone", framework.Versions{Hash: true}, func(v *framework.ViewSet[Sheet]) {
				type view struct {
					ID int64 `json:"id"`
				}
				v.Verbs.Create = framework.Accepts[sheetInput, view]()
			}, "no column but the key is shown"},
			{"nothing to require", framework.Versions{Column: "version", Required: true}, func(v *framework.ViewSet[Sheet]) { v.Verbs = framework.ReadOnly[sheetView]() }, "Required has no effect without Update, Patch or Delete"},
			{
				"an input with the column", column, func(v *framework.ViewSet[Sheet]) { v.Verbs.Patch = framework.Accepts[countedInput, sheetView]() },
				"countedInput.Version writes the column that counts the changes of a row; leave it out",
			},
			{"a hash of what a function computes", framework.Versions{Hash: true}, func(v *framework.ViewSet[Sheet]) { v.Verbs.Retrieve = framework.Computes(computes) }, "a function computes"},
			{
				"a hash of hidden columns", framework.Versions{Hash: true},
				func(v *framework.ViewSet[Sheet]) {
					type view struct {
						Title string `json:"title"`
					}
					v.Verbs = framework.ReadOnly[view]()
					v.Fields = []framework.FieldRule{framework.Sees("title", framework.Staff())}
				},
				"there is nothing to hash",
			},
		} {
			t.Run(c.name, func(t *testing.T) { apitest.Mistake(t, apitest.Config(db), c.want, sheets(c.versions, c.change)) })
		}
		t.Run("two columns of one table", func(t *testing.T) {
			type Other struct {
				bun.BaseModel `bun:"table:orders"`

				ID    int64 `bun:",pk,autoincrement"`
				Other int64
			}
			type view struct {
				ID int64 `json:"id"`
			}
			apitest.Mistake(t, apitest.Config(db), "others: versions: sheets counts the changes of these rows in Version; name the same column", sheets(column, nil),
				framework.ViewSet[Other]{Name: "others", Verbs: framework.ReadOnly[view](), Scope: framework.Public(), Versions: framework.Versions{Column: "other"}})
		})
		t.Run("a hash of a row with lists", func(t *testing.T) {
			v := orders()
			v.Versions = framework.Versions{Hash: true}
			all := resources()
			all[len(quiet())+3] = v
			apitest.Mistake(t, apitest.Config(db), "orders: versions: an input sets related rows, which a hash of the row does not notice", all...)
		})
		t.Run("a list that no answer shows", func(t *testing.T) {
			v := orders()
			v.Verbs.Patch = framework.Accepts[orderInput, plainView]()
			all := resources()
			all[len(quiet())+3] = v
			apitest.Mistake(t, apitest.Config(db), "orders: versions: the body of patch sets lines, and the answer of patch does not show all of them", all...)
		})
		t.Run("a required version of a row that PUT creates", func(t *testing.T) {
			v := settings()
			v.Versions.Required = true
			apitest.Mistake(t, apitest.Config(db), "Required would also reject the PUT that creates the row", v)
		})
		t.Run("lists alone may have a hash", func(t *testing.T) {
			v := sheets(framework.Versions{Hash: true}, func(v *framework.ViewSet[Sheet]) { v.Verbs = framework.Verbs{List: framework.Shows[sheetView]()} })
			_, c := apitest.Serve(t, apitest.Config(db), v)
			tag := tagOf(t, c.Get("/api/sheets/").Expect(200))
			c.With("If-None-Match", tag).Get("/api/sheets/").Expect(304)
		})
	})
}
