package framework_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

type BookWithAuthor struct {
	Title      string       `json:"title"`
	LeadAuthor *CountryView `json:"author"` // its id and name
}

type countedNote struct {
	bun.BaseModel `bun:"table:notes"`

	RowID int64 `bun:"rowid,pk,autoincrement"`
	Text  string
}

type countedNoteView struct {
	Text string `json:"text"`
}

func TestMissingColumns(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs.List, v.Relations = framework.Shows[BookWithAuthor](), framework.Relations{"lead_author": "authors"}
		})...)
		lacksColumns(t, "of the schema that the models are of", api)

		script(t, db, "ALTER TABLE books RENAME COLUMN notes TO noted")
		lacksColumns(t, "after a column got another name", api, `books: the table "books" has no column "notes" (Book.Notes); did you mean "noted"?`)

		script(t, db, "ALTER TABLE authors RENAME COLUMN name TO full_title")
		script(t, db, "ALTER TABLE chapters RENAME TO chapter")
		lacksColumns(t, "of a relation that is shown, and after a table got another name", api,
			`authors, books: the table "authors" has no column "name" (Author.Name)`,
			`books: the table "books" has no column "notes" (Book.Notes); did you mean "noted"?`,
			`chapters: the database has no table "chapters" (Chapter); did you mean "chapter"?`)
	})
}

// TestMissingNamesLikeOnesInUse: a name that the declarations use already is not suggested.
func TestMissingNamesLikeOnesInUse(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) { v.Models = []any{(*bookMark)(nil)} })...)
		script(t, db, "ALTER TABLE books RENAME COLUMN created_at TO x")
		lacksColumns(t, "with updated_at in use, and books too", api,
			`books: the table "books" has no column "created_at" (Book.CreatedAt)`,
			`books: the database has no table "bookz" (BookMark)`)

		script(t, db, "CREATE TABLE bookx (id TEXT)")
		script(t, db, "ALTER TABLE books RENAME COLUMN x TO create_at")
		lacksColumns(t, "with similar names that nothing uses", api,
			`books: the table "books" has no column "created_at" (Book.CreatedAt); did you mean "create_at"?`,
			`books: the database has no table "bookz" (BookMark); did you mean "bookx"?`)
	})
}

// bookMark is a model whose table has nearly the name of another.
type bookMark struct {
	bun.BaseModel `bun:"table:bookz"`

	ID string
}

// shelfMark is a model that only functions use.
type shelfMark struct {
	bun.BaseModel `bun:"table:shelf_marks"`

	ID, Mark string
}

// indexed is a search with a table of its own.
type indexed struct{ byPages }

func (i indexed) Bind(f *framework.Facts) (framework.BoundRanker, error) {
	bound, err := i.byPages.Bind(f)
	bound.Tables = []framework.NeededTable{{Name: "book_terms", Columns: []string{"key", "term"}}}
	return bound, err
}

// TestMissingTablesOfNoViewSet: a function's models, a search and idempotency keys have
// tables, too.
func TestMissingTablesOfNoViewSet(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checkedAs(t, config(db), plainBooks(func(v *framework.ViewSet[Book]) {
			v.Models = []any{(*shelfMark)(nil), (*Book)(nil)}
			v.Ranked = indexed{}
		})...)
		script(t, db, "DROP TABLE IF EXISTS idempotency_keys")
		lacksColumns(t, "without all three tables", api,
			`books: the database has no table "book_terms"`,
			`countries, authors: the database has no table "idempotency_keys"`,
			`books: the database has no table "shelf_marks" (ShelfMark)`)

		script(t, db, "CREATE TABLE book_terms (terms TEXT)")
		script(t, db, "CREATE TABLE shelf_marks (id TEXT, marks TEXT)")
		script(t, db, "CREATE TABLE idempotency_keys (caller TEXT, route TEXT, key TEXT, fingerprint TEXT, status TEXT, body TEXT, location TEXT, version TEXT, created TEXT)")
		lacksColumns(t, "with a column missing in each", api,
			`books: the table "book_terms" has no column "key"`,
			`books: the table "book_terms" has no column "term"; did you mean "terms"?`,
			`countries, authors: the table "idempotency_keys" has no column "created_at"`,
			`books: the table "shelf_marks" has no column "mark" (ShelfMark.Mark); did you mean "marks"?`)
	})
}

// A rack has related rows without viewsets, which views do not show.
type rack struct {
	bun.BaseModel `bun:"table:racks"`

	ID     int64 `bun:",pk,autoincrement"`
	Name   string
	Planks []*plank `bun:"rel:has-many,join:id=rack_id"`
	Fans   []*fan   `bun:"rel:has-many,join:id=rack_id"`
	Tags   []*tag   `bun:"m2m:rack_tags,join:Rack=Tag"`
}

type plank struct {
	bun.BaseModel `bun:"table:planks"`

	ID     int64 `bun:",pk,autoincrement"`
	RackID int64
	Length int64
}

type fan struct {
	bun.BaseModel `bun:"table:fans"`

	ID     int64 `bun:",pk,autoincrement"`
	RackID int64
	UserID uuid.UUID
}

type tag struct {
	bun.BaseModel `bun:"table:tags"`

	ID      int64 `bun:",pk,autoincrement"`
	Name    string
	Created time.Time
}

type rackTag struct {
	bun.BaseModel `bun:"table:rack_tags"`

	ID     int64 `bun:",pk,autoincrement"`
	RackID int64
	TagID  int64
	Rack   *rack `bun:"rel:belongs-to,join:rack_id=id"`
	Tag    *tag  `bun:"rel:belongs-to,join:tag_id=id"`
}

type rackInput struct {
	Name   string `json:"name"`
	Planks []struct {
		Length int64 `json:"length"`
	} `json:"planks" to:"planks"`
	Tags []string `json:"tags" to:"tags.name,create"`
}

type rackView struct {
	Name string `json:"name"`
}

// TestMissingColumnsOfWrittenRows: lists in bodies, links and toggles write whole rows, also of tables
// without a viewset.
func TestMissingColumnsOfWrittenRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, `CREATE TABLE racks (id {{bigint}}, name {{text}});
			CREATE TABLE planks (id {{bigint}}, rack_id {{bigint}});
			CREATE TABLE fans (rack_id {{bigint}});
			CREATE TABLE tags (id {{bigint}}, name {{text}});
			CREATE TABLE rack_tags (rack_id {{bigint}}, tag_id {{bigint}})`)
		api := checked(t, db, framework.ViewSet[rack]{
			Name: "racks", Verbs: framework.CRUD[rackInput, rackView](), Scope: framework.Public(),
			Relations: framework.Relations{"planks": framework.OfRow, "fans": framework.OfRow, "tags": framework.OfRow},
			Models:    []any{(*rackTag)(nil)},
			Actions:   []framework.Action[rack]{framework.Toggle[rack, framework.None]("fan", "fans", "user_id")},
		})
		lacksColumns(t, "of rows that are written", api,
			`racks: the table "fans" has no column "id" (Fan.ID)`,
			`racks: the table "fans" has no column "user_id" (Fan.UserID)`,
			`racks: the table "planks" has no column "length" (Plank.Length)`,
			`racks: the table "rack_tags" has no column "id" (RackTag.ID)`,
			`racks: the table "tags" has no column "created" (Tag.Created)`)
	})
}

// TestMissingColumnsOfAHiddenRelation: no statement reads a relation that no view shows.
func TestMissingColumnsOfAHiddenRelation(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, plainBooks(func(*framework.ViewSet[Book]) {})...)
		script(t, db, "ALTER TABLE chapters RENAME TO parts")
		lacksColumns(t, "of a table that nothing shows", api)
	})
}

// SQLite's own key of a row is a column, though the table does not declare it.
func TestMissingColumnsThatTheDatabaseAdds(t *testing.T) {
	api := checked(t, sqlite(t), framework.ViewSet[countedNote]{
		Name: "notes", Verbs: framework.ReadOnly[countedNoteView](), Scope: framework.Public(),
	})
	lacksColumns(t, "with rowid for a key", api)
}

func lacksColumns(t *testing.T, when string, api *framework.API, want ...string) {
	t.Helper()
	missing, err := api.MissingColumns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range missing {
		got = append(got, strings.Join(m.For, ", ")+": "+m.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
