package framework_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

// Inputs that write what the framework fills.
type (
	keyInput struct {
		ID    uuid.UUID `json:"id"`
		Title string    `json:"title"`
	}
	stampedInput struct {
		CreatedAt time.Time `json:"created_at"`
		UpdatedAt time.Time `json:"updated_at"`
	}
	documentInput struct {
		Document string `json:"document"`
	}
	ownerInput struct {
		OwnerID uuid.UUID `json:"owner"`
	}
	// newKey is right for Create, which may choose its key.
	newKey struct {
		Title string    `json:"title"`
		ID    uuid.UUID `json:"id"`
	}
)

type (
	act    = func(*framework.Call, *Book, framework.None) (framework.None, error)
	onAll  = func(*framework.Call, framework.None) (framework.None, error)
	where  = func(*framework.Call, bun.QueryBuilder) bun.QueryBuilder
	shown  = func(*framework.Call, *Book) (BookView, error)
	filled = func(*framework.Call, *Book, BookInput) error
	done   = func(*framework.Call, BookInput) (BookView, error)
	change = func(*framework.Call, *Book, BookInput) (BookView, error)
)

// moreMistakes are those of what the framework fills, of what is nil, and of
// combinations that mean nothing.
var moreMistakes = []struct {
	name     string
	declared []framework.Resource
	want     []string
}{
	{
		"an input of changes that writes the primary key",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs = framework.CRUD[keyInput, BookView]() }),
		[]string{`books: update, patch: keyInput.ID writes the primary key; leave it out of what Update and Patch accept`},
	},
	{
		"an input that writes the times",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs.Create, v.Verbs.Patch = framework.Accepts[stampedInput, BookView](), framework.Accepts[stampedInput, BookView]()
		}),
		[]string{
			`books: create, patch: stampedInput.CreatedAt writes a time that the framework stamps; leave it out`,
			`books: create, patch: stampedInput.UpdatedAt writes a time that the framework stamps; leave it out`,
		},
	},
	{
		"an input that writes the stored search document",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[documentInput, BookView]() }),
		[]string{`books: patch: documentInput.Document writes the stored search document, which the framework fills; leave it out`},
	},
	{
		"an input that writes the owner",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Accepts[ownerInput, BookView]() }),
		[]string{`books: create: ownerInput.OwnerID writes the owner, which the scope stamps; leave it out, or set it in a function of Fills`},
	},
	{
		"one type that List shows and Retrieve computes",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Computes(viewOf) }),
		[]string{`books: list, retrieve: BookView is shown by one and computed by the other; give each a type of its own`},
	},
	{
		"a way to an owner that leads to rows of nobody",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Scope = framework.Via("author", "authors") }),
		[]string{
			`books: scope: Via "author" leads to authors, which is Public: its rows have no owner, so every caller would have every row; say Public, or lead to a viewset with Own`,
		},
	},
	{
		"actions without a function",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Actions = []framework.Action[Book]{framework.Post("lend", act(nil)), framework.Get("look", act(nil))}
			v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "sweep", onAll(nil))}
		}),
		[]string{`books: action "lend", action "look", action "sweep": it has no function`},
	},
	{
		"an owner without a function",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Scope = framework.Own[Book, uuid.UUID](nil) }),
		[]string{`books: scope: it was given no function`},
	},
	{
		"conditions without a function",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Scope = framework.Where(where(nil)) }),
		[]string{`books: scope: it was given no function`},
	},
	{
		"verbs without a function",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs.Retrieve, v.Verbs.Patch = framework.Computes(shown(nil)), framework.Fills[BookView](filled(nil))
			v.Verbs.Create, v.Verbs.Update = framework.Does(done(nil)), framework.Changes(change(nil))
		}),
		[]string{
			`books: create: framework.Does was given no function`,
			`books: retrieve: framework.Computes was given no function`,
			`books: update: framework.Changes was given no function`,
			`books: patch: framework.Fills was given no function`,
		},
	},
	{
		"an Optional that cannot be",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "offer", offer)}
		}),
		[]string{
			`books: action "offer": optionals.Needed: an Optional may be absent, so it cannot be required; use string itself`,
			`books: action "offer": optionals.Kept: an Optional stays absent when the body lacks it, so its default "a" is never used; remove it`,
			`books: action "offer": optionals.Meal: an Optional holds a plain value, a slice or a pointer; use a pointer to framework_test.mealInput`,
		},
	},
	{
		"Does where a row is meant",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Does(offered) }),
		[]string{`books: retrieve: framework.Does is for Create, and for the verbs of a Single resource; use Shows or Computes`},
	},
	{
		"a filter that is nil",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Exact("status"), nil} }),
		[]string{`books: filter: the filter at place 2 is nil`},
	},
	{
		"parts of permissions that are nil",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Permission = framework.OrReadOnly(nil)
			v.Verbs.Create = v.Verbs.Create.Permit(framework.Any(framework.Staff(), nil))
			v.Verbs.Delete = v.Verbs.Delete.Permit(framework.All(framework.Staff(), framework.Not(nil)))
		}),
		[]string{`books: permission, create, delete: a permission in it is nil`},
	},
	{
		"authenticators and throttles that are nil",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Authentication = []framework.Authenticator{names{}, nil}
			v.Verbs.Create = v.Verbs.Create.Authenticate(nil)
			v.Verbs.Delete = v.Verbs.Delete.Throttle(nil)
			v.Actions = []framework.Action[Book]{framework.Post("lend", lend).Authenticate(nil)}
		}),
		[]string{
			`books: authentication: the authenticator at place 2 is nil`,
			`books: create, action "lend": the authenticator at place 1 is nil`,
			`books: delete: the throttle at place 1 is nil`,
		},
	},
	{
		"statuses that are no success",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs.List, v.Verbs.Delete = v.Verbs.List.Answers(999), v.Verbs.Delete.Answers(404)
			v.Actions = []framework.Action[Book]{framework.Post("lend", lend).Answers(302)}
			v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "sweep", summary).Answers(199)}
		}),
		[]string{
			`books: list: Answers(999): a success is 200 to 299`,
			`books: delete: Answers(404): a success is 200 to 299`,
			`books: action "lend": Answers(302): a success is 200 to 299`,
			`books: action "sweep": Answers(199): a success is 200 to 299`,
		},
	},
	{
		"check constraints that say nothing to a client",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Checks = []framework.Check{
				{Constraint: "books_pages_sane", Detail: "Too long."},
				{Constraint: "books_pages_sane", Code: "not_found", Detail: "Too long."},
				{Constraint: "books_pages_sane", Code: "too_long"},
				{Code: "too_long", Detail: "Too long."},
				{Constraint: "books_pages_sane", Code: "too_long", Detail: "Too long.", Fields: []string{"pagse"}},
			}
		}),
		[]string{
			`books: checks: the code "" of books_pages_sane must be made of a-z, 0-9 and _, such as "slot_taken"`,
			`books: checks: the code "not_found" of books_pages_sane is the framework's own`,
			`books: checks: too_long has no Detail, the sentence that a client reads`,
			`books: checks: too_long names no constraint; write the name that the schema gives it: CONSTRAINT name CHECK (...)`,
			`books: checks: no field "pagse" in Book; did you mean "pages"?`,
		},
	},
	{
		"unique constraints that say nothing to a client",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Uniques = []framework.Unique{
				{Fields: []string{"isbn"}, Detail: "Taken."},
				{Fields: []string{"isbn"}, Code: "ISBN taken", Detail: "Taken."},
				{Fields: []string{"isbn"}, Code: "not_found", Detail: "Taken."},
				{Fields: []string{"isbn"}, Code: "isbn_taken"},
				{Code: "isbn_taken", Detail: "Taken."},
			}
		}),
		[]string{
			`books: uniques: the code "" of isbn must be made of a-z, 0-9 and _, such as "slot_taken"`,
			`books: uniques: the code "ISBN taken" of isbn must be made of a-z, 0-9 and _, such as "slot_taken"`,
			`books: uniques: the code "not_found" of isbn is the framework's own`,
			`books: uniques: isbn_taken has no Detail, the sentence that a client reads`,
			`books: uniques: it names no fields`,
		},
	},
	{
		"what belongs to a list on verbs that are none",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Verbs.Retrieve = v.Verbs.Retrieve.Paginate(page.Number{Size: 3})
			v.Verbs.Create = v.Verbs.Create.Filter(filter.Exact("status"))
			v.Verbs.Delete = v.Verbs.Delete.Filter()
		}),
		[]string{`books: create, retrieve, delete: Paginate and Filter are for List`},
	},
	{
		"one mistake in several verbs is told once",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			wrong := framework.Accepts[misspeltInput, BookView]()
			v.Verbs.Create, v.Verbs.Update, v.Verbs.Patch = wrong, wrong, wrong
		}),
		[]string{`books: create, update, patch: misspeltInput.Tilte: no field "Tilte" in Book; did you mean "Title"?`},
	},
	{
		"a relation where a column is meant",
		wrongChapters(func(v *framework.ViewSet[Chapter]) {
			v.Verbs = framework.ReadOnly[chapterName]()
			v.Scope, v.Filters = framework.Public(), []framework.Filter{filter.Exact("book")}
			v.Ordering = framework.Ordering{Allowed: []string{"book"}, Default: "-Book"}
			v.Search = framework.Search{Fields: []string{"book"}}
			v.Lookup = "book"
		}),
		[]string{
			`chapters: lookup, search, ordering, filter "book": no field "book" in Chapter: Book is a relation; name a column of the row itself, "book_id"`,
			`chapters: ordering default: no field "Book" in Chapter: Book is a relation; name a column of the row itself, "book_id"`,
		},
	},
	{
		"a relation of many where a column is meant",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Ordering.Allowed = []string{"chapters"} }),
		[]string{`books: ordering: no field "chapters" in Book: Chapters is a relation; name a column of the row itself`},
	},
}

type optionals struct {
	Needed framework.Optional[string] `validate:"required"`
	Kept   framework.Optional[string] `default:"a"`
	Meal   framework.Optional[mealInput]
}

func offered(*framework.Call, framework.None) (BookView, error) { return BookView{}, nil }

func offer(*framework.Call, optionals) (framework.None, error) { return framework.None{}, nil }

// TestMistakesOfViewsets: each stops the program with exactly these sentences.
func TestMistakesOfViewsets(t *testing.T) {
	db := sqlite(t)
	for _, c := range moreMistakes {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(db))
			api.Register(c.declared...)
			_, err := api.Handler()
			expectMistakes(t, err, c.want)
		})
	}
	t.Run("a new row's key may be chosen", func(t *testing.T) {
		api := framework.New(config(db))
		api.Register(wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Accepts[newKey, BookView]() })...)
		if err := api.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestMistakesOfTheConfig: what cannot be right for any viewset.
func TestMistakesOfTheConfig(t *testing.T) {
	db := sqlite(t)
	staff := framework.Staff()
	for _, c := range []struct {
		name   string
		change func(c *framework.Config)
		want   []string
	}{
		{"a public address without a scheme", func(c *framework.Config) { c.PublicURL = "books.example.org" },
			[]string{`framework.Config: PublicURL: "books.example.org" must begin with https:// or http:// and a host`}},
		{"a public address of another scheme", func(c *framework.Config) { c.PublicURL = "ftp://books.example.org" },
			[]string{`framework.Config: PublicURL: "ftp://books.example.org" must begin with https:// or http:// and a host`}},
		{"a public address without a host", func(c *framework.Config) { c.PublicURL = "https:///api" },
			[]string{`framework.Config: PublicURL: "https:///api" must begin with https:// or http:// and a host`}},
		{"hosts that are addresses", func(c *framework.Config) { c.Hosts = []string{"books.example.org", "https://books.example.org", ""} },
			[]string{
				`framework.Config: Hosts: "https://books.example.org" must be a name or an address without a scheme and a port, such as api.example.org`,
				`framework.Config: Hosts: "" must be a name or an address without a scheme and a port, such as api.example.org`,
			}},
		{"a host with a port", func(c *framework.Config) { c.Hosts = []string{"books.example.org:8080"} },
			[]string{`framework.Config: Hosts: "books.example.org:8080" must be a name or an address without a scheme and a port, such as api.example.org`}},
		{"an address of version 6 is one", func(c *framework.Config) { c.Hosts = []string{"[::1]", "::1"} }, nil},
		{"codes", func(c *framework.Config) {
			c.Codes = []framework.CodeInfo{{Code: "Sold Out", Status: 409}, {Code: "not_found", Status: 404}, {Code: "sold_out", Status: 409}}
		}, []string{
			`framework.Config: Codes: "Sold Out" must be made of a-z, 0-9 and _`,
			`framework.Config: Codes: "not_found" is the framework's own`,
		}},
		{"codes that are told twice, and statuses of no refusal", func(c *framework.Config) {
			c.Codes = []framework.CodeInfo{
				{Code: "sold_out", Status: 409}, {Code: "sold_out", Status: 410}, {Code: "far_off"}, {Code: "far_off"},
				{Code: "sold_out"}, {Code: "made", Status: 201}, {Code: "strange", Status: 600}, {Code: "negative", Status: -1}, {Code: "ours", Status: 599}, {Code: "theirs", Status: 400},
			}
		}, []string{
			`framework.Config: Codes: "sold_out" is there twice; leave one out`,
			`framework.Config: Codes: "far_off" is there twice; leave one out`,
			`framework.Config: Codes: "made" has the status 201; an error has 400 to 599, and a code of faults alone has 0`,
			`framework.Config: Codes: "strange" has the status 600; an error has 400 to 599, and a code of faults alone has 0`,
			`framework.Config: Codes: "negative" has the status -1; an error has 400 to 599, and a code of faults alone has 0`,
		}},
		{"parts that are nil", func(c *framework.Config) {
			c.Permission, c.Guards = framework.All(staff, nil), []framework.Guard{{Under: "manage", Permission: framework.Not(nil)}}
			c.Authentication, c.Throttles = []framework.Authenticator{names{}, nil}, []framework.Throttle{nil}
		}, []string{
			`framework.Config: Permission, Guards: a permission in it is nil`,
			`framework.Config: Authentication: the authenticator at place 2 is nil`,
			`framework.Config: Throttles: the throttle at place 1 is nil`,
		}},
		{"a guard without a permission", func(c *framework.Config) { c.Guards = []framework.Guard{{Under: "manage"}} },
			[]string{`framework.Config: Guards: the guard of "manage" has no permission`}},
		{"a guard of a misspelt prefix", func(c *framework.Config) { c.Guards = []framework.Guard{{Under: "mange", Permission: staff}} },
			[]string{`framework.Config: Guards: nothing is registered below "mange"; did you mean "manage"?`}},
		{"permissions that are no resource and right", func(c *framework.Config) {
			c.Permission, c.Guards = framework.Holds("countries"), []framework.Guard{{Under: "manage", Permission: framework.Holds("manage")}}
		}, []string{
			`framework.Config: Permission: "countries" is no name of a permission, which is a resource and a right, as in "patients.view"`,
			`framework.Config: Guards: "manage" is no name of a permission, which is a resource and a right, as in "patients.view"`,
		}},
		{"guards of a prefix, of one viewset, of everything and of what is to come", func(c *framework.Config) {
			c.Guards = []framework.Guard{{Under: "manage", Permission: staff}, {Under: "/manage/countries/", Permission: staff}, {Under: "", Permission: staff}, {Under: "internal", Permission: staff}}
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf, v := config(db), countries()
			c.change(&conf)
			v.Under = "manage"
			api := framework.New(conf)
			api.Register(v)
			err := api.Check()
			if c.want != nil {
				expectMistakes(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRegisterTooLate: what is registered after the check would not be served.
func TestRegisterTooLate(t *testing.T) {
	for name, bind := range map[string]func(*framework.API) error{
		"after Check":   (*framework.API).Check,
		"after Handler": func(a *framework.API) error { _, err := a.Handler(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(countries())
			if err := bind(api); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if p := recover(); p != "framework: Register after Check or Handler; register everything first" {
					t.Errorf("want a panic that says why, got %v", p)
				}
			}()
			api.Register(authors())
		})
	}
}
