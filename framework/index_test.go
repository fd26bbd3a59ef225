package framework_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// plainBooks are books without anything that needs an index, changed.
func plainBooks(change func(v *framework.ViewSet[Book])) []framework.Resource {
	v := books()
	v.Verbs = framework.ReadOnly[BookView]()
	v.Scope, v.Search, v.Ordering = framework.Public(), framework.Search{}, framework.Ordering{}
	v.Filters, v.Uniques = nil, nil
	change(&v)
	return []framework.Resource{v, countries(), authors()}
}

func anyBook(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q }

// bySlug is a filter of one's own.
type bySlug struct{ scans bool }

func (b bySlug) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	field, err := f.Field("slug")
	if err != nil {
		return framework.BoundFilter{}, err
	}
	return framework.BoundFilter{
		Params: []framework.Param{{Name: "slug"}}, Scans: b.scans,
		Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("? = ?", field.Ident(), sqldb.Param(v["slug"]))
			}, nil
		},
	}, nil
}

func (bySlug) String() string { return "slug" }

// What each part of a declaration needs, of its table alone. The relations of
// the model are left out: they are there always.
func TestIndexes(t *testing.T) {
	db := sqlite(t)
	own := framework.Own((*Book).owner)
	for name, c := range map[string]struct {
		change func(v *framework.ViewSet[Book])
		want   []string
	}{
		"nothing, for lists by their keys": {func(*framework.ViewSet[Book]) {}, nil},
		"an order that is allowed": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Allowed = []string{"title", "published_at"} },
			[]string{`(title, id): order "title"`, `(published_at, id): order "published_at"`},
		},
		"the default order": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Default = "status,title" },
			[]string{"(status, title, id): default order"},
		},
		"an order that falls is read from the end": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Default = "-status,-title" },
			[]string{"(status, title, id): default order"},
		},
		"an order that falls, its key too": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Default = "-created_at,-id" },
			[]string{"(created_at, id): default order"},
		},
		"an order both ways": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Default = "status,-title" },
			[]string{"(status, title DESC, id DESC): default order"},
		},
		"an order that falls, with nulls behind it": {
			func(v *framework.ViewSet[Book]) { v.Ordering.Default = "-published_at" },
			[]string{"(published_at DESC, id DESC): default order"},
		},
		"orders by name, but not by relevance": {
			func(v *framework.ViewSet[Book]) {
				v.Ranked = byPages{}
				v.Ordering = framework.Ordering{Default: "longest", Named: []framework.NamedOrder{
					{Name: "longest", By: "-pages"}, {Name: "shortest", By: "pages"}, {Name: "best", Relevance: true},
				}}
			},
			[]string{`(pages, id): default order, order "longest", order "shortest"`},
		},
		"no order where there is no list": {
			func(v *framework.ViewSet[Book]) {
				v.Verbs.List, v.Ordering = framework.Verb{}, framework.Ordering{Allowed: []string{"title"}, Default: "pages"}
				v.Filters = []framework.Filter{filter.Exact("status")}
			},
			nil,
		},
		"filters by a whole value": {
			func(v *framework.ViewSet[Book]) {
				v.Filters = []framework.Filter{
					filter.Choice("status", "out"), filter.Exact("called", "title"), filter.In("some", "isbn"),
					filter.Date("day", "published_at"), filter.Reference("author", "authors"), bySlug{},
				}
			},
			[]string{
				`(status): filter "status"`, `(title): filter "title"`, `(isbn): filter "isbn"`,
				`(published_at): filter "published_at"`, `(author_id): filter "author"`, `(slug): filter "slug"`,
			},
		},
		"no filter that an index does not serve": {
			func(v *framework.ViewSet[Book]) {
				v.Filters = []framework.Filter{
					filter.Contains("title"), filter.Min("least", "pages"), filter.Max("most", "pages"), filter.Range("published_at"),
					filter.IsNull("undated", "published_at"), filter.Func("any", "", anyValue), bySlug{scans: true},
				}
			},
			nil,
		},
		"the filters of the verb, where it has its own": {
			func(v *framework.ViewSet[Book]) {
				v.Filters = []framework.Filter{filter.Exact("status")}
				v.Verbs.List = v.Verbs.List.Filter(filter.Exact("isbn"))
			},
			[]string{`(isbn): filter "isbn"`},
		},
		"rows of one's own are found by their owner, and in their order": {
			func(v *framework.ViewSet[Book]) {
				v.Scope, v.Ordering = own, framework.Ordering{Allowed: []string{"pages"}, Default: "-title"}
				v.Filters = []framework.Filter{filter.Exact("status")}
			},
			[]string{"(owner_id, title, id): default order of a caller's own"},
		},
		"rows of one's own, in the order of their keys": {
			func(v *framework.ViewSet[Book]) { v.Scope = own },
			[]string{"(owner_id, id): default order of a caller's own"},
		},
		"rows whose key is their owner": {
			func(v *framework.ViewSet[Book]) { v.Scope = framework.Own(func(b *Book) *uuid.UUID { return &b.ID }) },
			[]string{"(id): default order of a caller's own"},
		},
		"rows of one's own without a list": {
			func(v *framework.ViewSet[Book]) { v.Scope, v.Verbs.List = own, framework.Verb{} },
			[]string{"(owner_id): scope"},
		},
		"whoever has all rows needs the rest": {
			func(v *framework.ViewSet[Book]) {
				v.Scope = own.Unless(framework.Staff())
				v.Ordering = framework.Ordering{Allowed: []string{"pages"}, Default: "title"}
				v.Filters = []framework.Filter{filter.Exact("status")}
			},
			[]string{
				"(owner_id, title, id): default order of a caller's own", "(title, id): default order",
				`(pages, id): order "pages"`, `(status): filter "status"`,
			},
		},
		"a lookup, a unique one, a search": {
			func(v *framework.ViewSet[Book]) {
				v.Lookup, v.Search = "slug", books().Search
				v.Uniques = []framework.Unique{{Fields: []string{"title", "author"}, Code: "taken", Detail: "It is taken."}}
				v.Verbs.Create = framework.Accepts[BookInput, BookView]()
			},
			[]string{
				`unique (slug): lookup "slug"`, "unique (title, author_id): unique title, author",
				`(author_id): reference "author"`, "search (document): search",
			},
		},
		"what is said to need none": {
			func(v *framework.ViewSet[Book]) {
				v.Scope = own.Unless(framework.Staff())
				v.Unindexed = []string{"title", "status"}
				v.Ordering = framework.Ordering{Allowed: []string{"pages", "title"}, Default: "title,pages"}
				v.Filters = []framework.Filter{filter.Exact("status"), filter.Exact("isbn")}
			},
			[]string{"(owner_id): scope", `(pages, id): order "pages"`, `(isbn): filter "isbn"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := needs(t, checked(t, db, plainBooks(c.change)...).Indexes(), "books")
			if !slices.Equal(got, c.want) {
				t.Errorf("it needs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func anyValue(*framework.Call, string) (framework.Narrow, error) { return nil, nil }

// TestIndexesOfOthers are those of relations, of Via, of Single and of actions.
func TestIndexesOfOthers(t *testing.T) {
	db := sqlite(t)
	single := framework.ViewSet[Profile]{
		Name: "profile", Verbs: framework.Verbs{Retrieve: framework.Shows[ProfileView]()}, Scope: framework.Own((*Profile).owner), Single: true,
	}
	writers := authors()
	writers.Actions = []framework.Action[Author]{framework.Related[Author, BookView]("books", "books", "author")}
	all := checked(t, db, countries(), writers, books(), chapters(), single).Indexes()
	if got, want := strings.Join(allNeeds(all, "books"), "\n"), `(author_id, title, id): authors: action "books"`; !strings.Contains(got, want) {
		t.Errorf("books need\n%s\nwant %s too", got, want)
	}
	for table, want := range map[string][]string{
		"chapters":  {`(book_id): books: relation Chapters, scope, reference "book"`},
		"profiles":  {"unique (owner_id): profile: single"},
		"countries": nil,
		"authors":   {`(country_id): reference "country"`},
	} {
		if got := allNeeds(all, table); !slices.Equal(got, want) {
			t.Errorf("%s needs %q; want %q", table, got, want)
		}
	}
}

// checked is an API whose declarations are right.
func checked(tb testing.TB, db *sqldb.DB, resources ...framework.Resource) *framework.API {
	tb.Helper()
	c := config(db)
	c.IdempotencyKeys = -1 // so that the database needs no table of keys
	return checkedAs(tb, c, resources...)
}

func checkedAs(tb testing.TB, c framework.Config, resources ...framework.Resource) *framework.API {
	tb.Helper()
	api := framework.New(c)
	api.Register(resources...)
	if err := api.Check(); err != nil {
		tb.Fatal(err)
	}
	return api
}

// needs are those of a table, a line each, without its relations.
func needs(tb testing.TB, all []framework.IndexNeed, table string) []string {
	tb.Helper()
	return slices.DeleteFunc(allNeeds(all, table), func(line string) bool { return strings.Contains(line, ": relation ") })
}

func allNeeds(all []framework.IndexNeed, table string) []string {
	var lines []string
	for _, n := range all {
		if n.Table != table {
			continue
		}
		line := strings.TrimPrefix(n.String(), table+" ") + ": " + strings.ReplaceAll(strings.Join(n.For, ", "), table+": ", "")
		switch {
		case n.Unique:
			line = "unique " + line
		case n.Search:
			line = "search " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func TestMissingIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Scope, v.Lookup = framework.Own((*Book).owner).Unless(framework.Staff()), "slug"
		v.Ordering = framework.Ordering{Allowed: []string{"title", "status"}, Default: "-published_at,status"}
		api := checked(t, db, countries(), authors(), v, chapters())
		missing := []string{
			`authors (country_id): authors: reference "country"`,
			`books (slug): books: lookup "slug"`,
			"books (owner_id, published_at DESC, status, id): books: default order of a caller's own",
			"books (published_at DESC, status, id): books: default order",
			`books (title, id): books: order "title"`,
			`books (status, id): books: order "status", books: filter "status"`,
			`books (author_id): books: reference "author", books: filter "author"`,
			`books (sequel_to): books: relation Sequels`,
		}
		lacks(t, "at first", api, missing)
		index := migrationOf(t, api)
		if err := db.Migrate(t.Context(), nil, librarySchema, index); err != nil {
			t.Fatal(err)
		}
		lacks(t, "with the indexes made as it says", api, nil)
		if _, err := db.MigrateDown(t.Context(), nil, librarySchema, index); err != nil {
			t.Fatal(err)
		}
		lacks(t, "with that undone", api, missing)
	})
}

func lacks(t *testing.T, when string, api *framework.API, want []string) {
	t.Helper()
	missing, err := api.MissingIndexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range missing {
		got = append(got, n.String()+": "+strings.Join(n.For, ", "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s it lacks\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// migrationOf makes what is missing.
func migrationOf(t *testing.T, api *framework.API) sqldb.Migrations {
	t.Helper()
	missing, err := api.MissingIndexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var up, down []string
	for _, n := range missing {
		up, down = append(up, n.Create()), append(down, n.Drop())
	}
	file := func(statements []string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Join(statements, "\n--bun:split\n"))}
	}
	return sqldb.Migrations{Namespace: "indexes", FS: fstest.MapFS{"1_indexes.tx.up.sql": file(up), "1_indexes.tx.down.sql": file(down)}}
}

// Which indexes do and which do not, of one need at a time.
func TestWhatServesANeed(t *testing.T) {
	part := func(v *framework.ViewSet[Book]) { v.Scope = framework.Where(anyBook) }
	lifted := func(v *framework.ViewSet[Book]) { v.Scope = framework.Where(anyBook).Unless(framework.Staff()) }
	titles := func(v *framework.ViewSet[Book]) { v.Ordering.Default = "title" }
	mixed := func(v *framework.ViewSet[Book]) { v.Ordering.Default = "status,-title" }
	slugs := func(v *framework.ViewSet[Book]) { v.Lookup = "slug" }
	status := func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Exact("status")} }
	author := func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Exact("author")} }
	search := func(v *framework.ViewSet[Book]) { v.Search = books().Search }
	taken := func(v *framework.ViewSet[Book]) {
		v.Uniques = []framework.Unique{{Fields: []string{"slug", "pages"}, Code: "taken", Detail: "It is taken."}}
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		for name, c := range map[string]struct {
			change []func(v *framework.ViewSet[Book])
			index  string
			serves bool
		}{
			"the columns":                           {of(titles), "INDEX tried ON books (title, id)", true},
			"more columns":                          {of(titles), "INDEX tried ON books (title, id, pages)", true},
			"the columns, falling":                  {of(titles), "INDEX tried ON books (title DESC, id)", true},
			"too few columns":                       {of(titles), "INDEX tried ON books (title)", false},
			"unique before the key":                 {of(titles), "UNIQUE INDEX tried ON books (title)", true},
			"columns in another order":              {of(titles), "INDEX tried ON books (id, title)", false},
			"one way, where both are asked":         {of(mixed), "INDEX tried ON books (status, title, id)", false},
			"both ways":                             {of(mixed), "INDEX tried ON books (status, title DESC, id)", true},
			"both ways, from the end":               {of(mixed), "INDEX tried ON books (status DESC, title, id)", true},
			"an expression":                         {of(titles), "INDEX tried ON books (lower(title), id)", false},
			"a part of the rows":                    {of(titles), "INDEX tried ON books (title, id) WHERE pages > 0", false},
			"a part, where the scope is one":        {of(titles, part), "INDEX tried ON books (title, id) WHERE pages > 0", true},
			"a part, where some have all":           {of(titles, lifted), "INDEX tried ON books (title, id) WHERE pages > 0", false},
			"a filter's column first":               {of(status), "INDEX tried ON books (status, title)", true},
			"a filter's column second":              {of(status), "INDEX tried ON books (title, status)", false},
			"a filter's rows that have a value":     {of(author), "INDEX tried ON books (author_id, title) WHERE author_id IS NOT NULL", true},
			"the rows that have another value":      {of(status), "INDEX tried ON books (status) WHERE isbn IS NOT NULL", false},
			"a lookup that is unique":               {of(slugs), "UNIQUE INDEX tried ON books (slug)", true},
			"a lookup that is not":                  {of(slugs), "INDEX tried ON books (slug)", false},
			"a lookup that is unique with others":   {of(slugs), "UNIQUE INDEX tried ON books (slug, pages)", false},
			"a lookup that is unique among some":    {of(slugs), "UNIQUE INDEX tried ON books (slug) WHERE pages > 0", false},
			"uniques in another order":              {of(taken), "UNIQUE INDEX tried ON books (pages, slug)", true},
			"uniques of a part of the rows":         {of(taken), "UNIQUE INDEX tried ON books (slug, pages) WHERE pages > 0", true},
			"uniques of fewer columns":              {of(taken), "UNIQUE INDEX tried ON books (slug)", false},
			"a search's column, for its beginnings": {of(search), "INDEX tried ON books (document)", false},
		} {
			t.Run(name, func(t *testing.T) {
				if strings.HasPrefix(name, "a search") {
					script(t, db, `{{dropSearchIndex "books" "document"}}`)
					defer script(t, db, `{{searchIndex "books" "document"}}`)
				}
				script(t, db, "CREATE "+c.index)
				defer script(t, db, "DROP INDEX tried")
				api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) {
					for _, change := range c.change {
						change(v)
					}
				})...)
				missing, err := api.MissingIndexes(t.Context())
				if got := needs(t, missing, "books"); err != nil || (len(got) == 0) != c.serves {
					t.Errorf("missing are %q, %v; want that it serves: %t", got, err, c.serves)
				}
			})
		}
	})
}

func of(changes ...func(v *framework.ViewSet[Book])) []func(v *framework.ViewSet[Book]) {
	return changes
}

// script changes the schema by one migration without a record.
func script(t *testing.T, db *sqldb.DB, statements string) {
	t.Helper()
	once := sqldb.Migrations{Namespace: "script " + uuid.NewString(), FS: fstest.MapFS{
		"1_x.tx.up.sql": {Data: []byte(statements)}, "1_x.tx.down.sql": {Data: []byte("-- none")},
	}}
	if err := db.Migrate(t.Context(), nil, once); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// The name of an index that is made is one that the database has not got, also for another table.
func TestNamesOfMissingIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		const long = "title,pages,status,published_at,notes,document,slug,isbn,"
		script(t, db, `CREATE INDEX books_slug ON books (slug) WHERE pages > 0; CREATE INDEX "Books_Slug_2" ON countries (name); CREATE TABLE books_slug_3 (id text);`)
		api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) {
			v.Lookup = "slug"
			v.Ordering = framework.Ordering{Named: []framework.NamedOrder{{Name: "a", By: long + "created_at"}, {Name: "b", By: long + "updated_at"}}}
		})...)
		missing, err := api.MissingIndexes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range missing {
			if n.Unique || strings.Contains(n.For[0], "order") {
				got = append(got, n.Name)
			}
		}
		cut := "books_title_pages_status_published_at_notes_document_slug_is"
		if want := []string{"books_slug_4", cut, cut + "_2"}; !slices.Equal(got, want) {
			t.Errorf("they are called %q; want %q", got, want)
		}
		lacksNothingAfter(t, db, api)
	})
}

// TestIndexesAreMadeAsListed: each listed index has a name, and its SQL makes an index of this name.
func TestIndexesAreMadeAsListed(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) {
			v.Lookup = "slug"
			v.Ordering = framework.Ordering{Default: "title", Allowed: []string{"pages"}}
		})...)
		before, err := db.TakenNames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range api.Indexes() {
			if n.Search {
				continue // searchIndex chooses its name
			}
			script(t, db, n.Create())
			if after, err := db.TakenNames(t.Context()); err != nil || !slices.Contains(after, n.Name) {
				t.Errorf("%s made no index %q: %v", n.Create(), n.Name, err)
			}
			if !slices.Contains(before, n.Name) {
				script(t, db, n.Drop())
			}
		}
	})
}

func lacksNothingAfter(t *testing.T, db *sqldb.DB, api *framework.API) {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, librarySchema, migrationOf(t, api)); err != nil {
		t.Fatal(err)
	}
	lacks(t, "with the indexes made as it says", api, nil)
}

func TestMissingIndexesOfAMissingTable(t *testing.T) {
	db := sqlite(t)
	api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) { v.Ordering.Default = "title" })...)
	script(t, db, "DROP TABLE chapters")
	if missing, err := api.MissingIndexes(t.Context()); err == nil || !strings.Contains(err.Error(), `no table "chapters"`) {
		t.Errorf("%v, %v; want an error that names the table", missing, err)
	}
}

// An index of a column that is missing cannot be made.
func TestMissingIndexesOfAMissingColumn(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, plainBooks(func(v *framework.ViewSet[Book]) {
			v.Ordering = framework.Ordering{Default: "title", Allowed: []string{"pages", "notes"}}
		})...)
		script(t, db, "ALTER TABLE books RENAME COLUMN title TO name")
		script(t, db, "ALTER TABLE books RENAME COLUMN pages TO leaves")
		missing, err := api.MissingIndexes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := needs(t, missing, "books")
		if want := `(notes, id): `; len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("missing are %q; want only the index of %s", got, want)
		}
	})
}

func TestUnindexedFieldsAreChecked(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(plainBooks(func(v *framework.ViewSet[Book]) { v.Unindexed = []string{"titel"} })...)
	want := `books: unindexed: no field "titel" in Book; did you mean "title"?`
	if err := api.Check(); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// A Loan stays in its table when it is deleted.
type Loan struct {
	bun.BaseModel `bun:"table:loans"`

	ID        uuid.UUID `bun:",pk"`
	Due       time.Time
	Returned  bool
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

type LoanView struct {
	Due      time.Time `json:"due"`
	Returned bool      `json:"returned"`
}

// TestIndexesOfRowsThatAreNotDeleted: an index of rows that are not marked as deleted
// serves queries of these rows.
func TestIndexesOfRowsThatAreNotDeleted(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, "CREATE TABLE loans ({{id}}, due {{timestamp}} NOT NULL, returned {{bool}} NOT NULL, deleted_at {{timestamp}})")
		api := checked(t, db, framework.ViewSet[Loan]{
			Name: "loans", Verbs: framework.ReadOnly[LoanView](), Scope: framework.Public(), Ordering: framework.Ordering{Default: "due"},
			Filters: []framework.Filter{filter.Exact("returned"), filter.Flag("back", "returned")}, // half of the rows, or most
		})
		lacks(t, "at first", api, []string{"loans (due, id): loans: default order"})
		script(t, db, "CREATE INDEX loans_due ON loans (due, id) WHERE deleted_at IS NULL")
		lacks(t, "with an index of those that are there", api, nil)
	})
}
