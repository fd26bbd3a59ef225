package framework_test

import (
	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// wrongBooks is the viewset of books with one thing changed.
func wrongBooks(change func(v *framework.ViewSet[Book])) []framework.Resource {
	v := books()
	change(&v)
	return []framework.Resource{countries(), authors(), v, chapters()}
}

func wrongChapters(change func(v *framework.ViewSet[Chapter])) []framework.Resource {
	v := chapters()
	change(&v)
	return []framework.Resource{countries(), authors(), books(), v}
}

// mistakes lists what a developer can get wrong and what is then said: one
// sentence for each mistake, one per line.
var mistakes = []struct {
	name     string
	declared []framework.Resource
	want     []string
}{
	{
		"an unknown field in search",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Search.Fields = []string{"titel"} }),
		[]string{`books: search: no field "titel" in Book; did you mean "title"?`},
	},
	{
		"models that are no pointers to a struct",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Models = []any{nil, Author{}, (*string)(nil)} }),
		[]string{
			`books: models: <nil> is no pointer to a model; write it as (*Slot)(nil)`,
			`books: models: framework_test.Author is no pointer to a model; write it as (*Slot)(nil)`,
			`books: models: *string is no pointer to a model; write it as (*Slot)(nil)`,
		},
	},
	{
		"a number in search",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Search.Fields = []string{"title", "pages"} }),
		[]string{`books: search: field "pages" is int64; only text can be searched`},
	},
	{
		"an unknown column for the stored search",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Search.Stored = "documnet" }),
		[]string{`books: search: no field "documnet" in Book; did you mean "document"?`},
	},
	{
		"a stored search without fields",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Search.Fields = nil }),
		[]string{`books: search: Stored "document" is set, but Fields is empty`},
	},
	{
		"an unknown field in what may be ordered by",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Ordering.Allowed = []string{"pagse"} }),
		[]string{`books: ordering: no field "pagse" in Book; did you mean "pages"?`},
	},
	{
		"an unknown field in the default order",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Ordering.Default = "-titel,pages" }),
		[]string{`books: ordering default: no field "titel" in Book; did you mean "title"?`},
	},
	{
		"an unknown field in a filter",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Exact("statsu")} }),
		[]string{`books: filter "statsu": no field "statsu" in Book; did you mean "status"?`},
	},
	{
		"a filter by an unknown viewset",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Filters = []framework.Filter{filter.Reference("author", "autors")} }),
		[]string{`books: filter "author": no viewset "autors" is registered; did you mean "authors"?`},
	},
	{
		"an unknown field in a filter of one verb",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.List = v.Verbs.List.Filter(filter.Exact("statsu")) }),
		[]string{`books: filter "statsu": no field "statsu" in Book; did you mean "status"?`},
	},
	{
		"an unknown field in a read shape",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.List = framework.Shows[misspelt]() }),
		[]string{`books: list: misspelt.Tilte: no field "Tilte" in Book; did you mean "Title"?`},
	},
	{
		"an unknown field in a write shape",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[misspeltInput, BookView]() }),
		[]string{`books: patch: misspeltInput.Tilte: no field "Tilte" in Book; did you mean "Title"?`},
	},
	{
		"a read shape of another type",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Shows[mistyped]() }),
		[]string{`books: retrieve: mistyped.Pages is string, but Book.Pages is int64; give both one type`},
	},
	{
		"a write shape of another type",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Accepts[mistypedInput, BookView]() }),
		[]string{`books: create: mistypedInput.Pages is string, but Book.Pages is int64; give both one type`},
	},
	{
		"a shape that is no struct",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Shows[string]() }),
		[]string{`books: retrieve: string must be a struct`},
	},
	{
		"an input that is no struct",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Accepts[string, BookView]() }),
		[]string{`books: create: string: an input must be a struct, not a string`},
	},
	{
		"an unknown field for lookup",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Lookup = "slgu" }),
		[]string{`books: lookup: no field "slgu" in Book; did you mean "slug"?`},
	},
	{
		"an unknown field that is unique",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Uniques = []framework.Unique{{Fields: []string{"isnb"}, Code: "isbn_taken", Detail: "Taken."}}
		}),
		[]string{`books: uniques: no field "isnb" in Book; did you mean "isbn"?`},
	},
	{
		"two viewsets of one name",
		append(shelves(), authors()),
		[]string{`authors: this name is registered twice, for Author and Author`},
	},
	{
		"three viewsets of one name",
		append(shelves(), authors(), authors()),
		[]string{`authors: this name is registered twice, for Author and Author`},
	},
	{
		"two viewsets of one name for two models",
		append(shelves(), framework.ViewSet[Country]{Name: "authors", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public()}),
		[]string{`authors: this name is registered twice, for Author and Country`},
	},
	{
		"a name that is no path",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Name = "my books" }),
		[]string{
			`"my books": the name of a viewset is its path: letters, digits, - and _`,
			`chapters: scope, filter "book": no viewset "books" is registered`,
			`chapters: create: ChapterInput.BookID: no viewset "books" is registered`,
		},
	},
	{
		"permissions that are no resource and right",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Permission = framework.Any(framework.Staff(), framework.Not(framework.Holds("books")))
			v.Scope = v.Scope.Unless(framework.HoldsModel("Books"))
			v.Verbs.List = v.Verbs.List.Permit(framework.Holds("books."))
			v.Verbs.Create = v.Verbs.Create.Permit(framework.All(framework.Authenticated(), framework.PerModel("")))
		}),
		[]string{
			`books: scope: "Books.view" is no name of a permission, which is a resource and a right, as in "patients.view"`,
			`books: permission: "books" is no name of a permission, which is a resource and a right, as in "patients.view"`,
			`books: list: "books." is no name of a permission, which is a resource and a right, as in "patients.view"`,
			`books: create: ".add" is no name of a permission, which is a resource and a right, as in "patients.view"`,
		},
	},
	{
		"no name",
		append(shelves(), framework.ViewSet[Country]{Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public()}),
		[]string{`"": the name of a viewset is its path: letters, digits, - and _`},
	},
	{
		"no scope",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Scope = framework.Scope{} }),
		[]string{`books: scope: no scope; say which rows a caller has: framework.Own, Via, Where or Public`},
	},
	{
		"the owner of another model",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Scope = framework.Own((*Book).owner) }),
		[]string{`chapters: scope: Own takes a field of Book, this viewset's model is Chapter`},
	},
	{
		"an owner that is no column",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Scope = framework.Own(func(*Book) *uuid.UUID { return new(uuid.UUID) })
		}),
		[]string{`books: scope: Own must return the address of a column of Book`},
	},
	{
		"a way to the owner through an unknown field",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Scope = framework.Via("bok", "books") }),
		[]string{`chapters: scope: no field "bok" in Chapter; did you mean "book"?`},
	},
	{
		"a way to the owner through an unknown viewset",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Scope = framework.Via("book", "boooks") }),
		[]string{`chapters: scope: no viewset "boooks" is registered; did you mean "books"?`},
	},
	{
		"a way to the owner through a field of another type",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Scope = framework.Via("title", "books") }),
		[]string{`chapters: scope: Via field "title" is string, but the key of books is uuid.UUID`},
	},
	{
		"a way to the owner that leads back",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Scope = framework.Via("id", "chapters") }),
		[]string{
			`books: scope: Via "chapters" leads back to books; one of them must have an owner of its own`,
			`chapters: scope: Via "books" leads back to chapters; one of them must have an owner of its own`,
		},
	},
	{
		"a reference to an unknown viewset",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[lostReference, BookView]() }),
		[]string{`books: patch: lostReference.AuthorID: no viewset "autors" is registered; did you mean "authors"?`},
	},
	{
		"a foreign key that names no viewset",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[bareReference, BookView]() }),
		[]string{`books: patch: bareReference.AuthorID refers to Author and names no viewset; tag it ` + "`ref:\"...\"`" + ` with the viewset whose rows may be used`},
	},
	{
		"rows of a scoped viewset shown to anyone",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Verbs.Retrieve = framework.Shows[chapterOfAnyBook]() }),
		[]string{`chapters: retrieve: chapterOfAnyBook.Book: the relation "book" is not listed; add "book": "books" to Relations of chapters`},
	},
	{
		"a relation narrowed by an unknown viewset",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Verbs.Retrieve = framework.Shows[chapterOfNoBook]() }),
		[]string{`chapters: retrieve: chapterOfNoBook.Book: no viewset "boks" is registered; did you mean "books"?`},
	},
	{
		"a relation narrowed by the viewset of another model",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Verbs.Retrieve = framework.Shows[chapterOfAuthor]() }),
		[]string{`chapters: retrieve: chapterOfAuthor.Book: "authors" serves Author, the relation leads to Book`},
	},
	{
		"a scoped relation that cannot be null",
		wrongChapters(func(v *framework.ViewSet[Chapter]) { v.Verbs.Retrieve = framework.Shows[chapterOfValue]() }),
		[]string{`chapters: retrieve: chapterOfValue.Book must be a pointer: it is null where Book is not the caller's`},
	},
	{
		"a to-many relation that is no list",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Shows[bookOfOneChapter]() }),
		[]string{`books: retrieve: bookOfOneChapter.Chapters must be a slice: it shows a to-many relation`},
	},
	{
		"a computed shape of another model",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Computes(viewOfAuthor) }),
		[]string{`books: retrieve: its function takes a *Author, this viewset's model is Book`},
	},
	{
		"a computed shape with an unknown relation",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Computes(viewOf, "lead_autor") }),
		[]string{`books: retrieve: no relation "lead_autor" in Book; did you mean "lead_author"?`},
	},
	{
		"a computed shape with rows of a scoped viewset",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Computes(viewOf, "chapters") }),
		[]string{`books: retrieve: the relation "chapters" is not listed; add "chapters": "chapters" to Relations of books`},
	},
	{
		"a function of another model that fills",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Fills[BookView](fillAuthor) }),
		[]string{`books: create: its function takes a *Author, this viewset's model is Book`},
	},
	{
		"a function of another model that changes",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Update = framework.Changes(changeAuthor) }),
		[]string{`books: update: its function takes a *Author, this viewset's model is Book`},
	},
	{
		"Shows for Create",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = framework.Shows[BookView]() }),
		[]string{`books: create: framework.Shows cannot be used here; use Accepts or Does`},
	},
	{
		"Deletes for Update",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Update = framework.Deletes() }),
		[]string{`books: update: framework.Deletes cannot be used here; use Accepts or Changes`},
	},
	{
		"Accepts for List",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.List = framework.Accepts[BookInput, BookView]() }),
		[]string{`books: list: framework.Accepts cannot be used here; use Shows or Computes`},
	},
	{
		"an action named like a verb",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Actions = []framework.Action[Book]{framework.Post("update", lend)} }),
		[]string{`books: action "update": it has the name of a verb; declare Verbs, or choose another name`},
	},
	{
		"an action whose name is no path",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Actions = []framework.Action[Book]{framework.Post("lend/out", lend)}
		}),
		[]string{`books: action "lend/out": an action's name is part of its path: letters, digits, - and _, and / where it is on the collection`},
	},
	{
		"an action declared twice",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Actions = []framework.Action[Book]{framework.Post("lend", lend), framework.Post("lend", nothing)}
		}),
		[]string{`books: action "lend": it is declared twice for POST`},
	},
	{
		"an action that reads and takes a list",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Actions = []framework.Action[Book]{framework.Get("aloud", readAloud)}
		}),
		[]string{`books: action "aloud": parts.Pages is []int64; GET reads its input from the query string, one plain value each`},
	},
	{
		"an action whose input is no struct",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Actions = []framework.Action[Book]{framework.Get("say", say), framework.Post("say", say)}
		}),
		[]string{
			`books: action "say": string: an input must be a struct, not a string`,
		},
	},
	{
		"an action on the whole at the path of another viewset",
		append(shelves(), framework.ViewSet[Country]{
			Name: "abroad", Under: "countries", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public(),
		}, framework.ViewSet[Country]{
			Name: "lands", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public(),
			Collection: []framework.CollectionAction{framework.OnCollection("GET", "far", summary)},
		}, framework.ViewSet[Country]{
			Name: "far", Under: "lands", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public(),
		}),
		[]string{`lands: action "far": its path is that of another resource, or of an action of one`},
	},
	{
		"two actions on the whole at one path",
		append(shelves(), framework.ViewSet[Country]{
			Name: "lands", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public(),
			Collection: []framework.CollectionAction{framework.OnCollection("GET", "far/away", summary)},
		}, framework.ViewSet[Country]{
			Name: "far", Under: "lands", Verbs: framework.ReadOnly[CountryView](), Scope: framework.Public(),
			Collection: []framework.CollectionAction{framework.OnCollection("GET", "away", summary)},
		}),
		[]string{
			`lands: action "far/away": its path is that of another resource, or of an action of one`,
			`lands/far: action "away": its path is that of another resource, or of an action of one`,
		},
	},
	{
		"a single resource with a list",
		append(shelves(), framework.ViewSet[Profile]{
			Name: "profile", Scope: framework.Own((*Profile).owner), Single: true,
			Verbs: framework.Verbs{List: framework.Shows[ProfileView]()},
		}),
		[]string{`profile: list: a single resource has no list; use Retrieve`},
	},
	{
		"nothing offered",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs = framework.Verbs{} }),
		[]string{
			`books: it offers nothing; declare Verbs, Actions or Files`,
		},
	},
	{
		"a parameter read twice",
		wrongBooks(func(v *framework.ViewSet[Book]) {
			v.Filters = []framework.Filter{filter.Exact("status"), filter.In("status", "status"), filter.Func("page", "A page.", seek)}
		}),
		[]string{
			`books: filter "status": parameter "status" is read by filter "status" already`,
			`books: pagination: parameter "page" is read by filter "page" already`,
		},
	},
	{
		"a model without a key",
		append(shelves(), framework.ViewSet[keyless]{Name: "keyless", Verbs: framework.ReadOnly[keylessView](), Scope: framework.Public()}),
		[]string{"keyless: keyless must have one primary key, tagged `bun:\",pk\"`; it has 0"},
	},
	{
		"a model with two keys",
		append(shelves(), framework.ViewSet[twoKeys]{Name: "pairs", Verbs: framework.ReadOnly[keylessView](), Scope: framework.Public()}),
		[]string{"pairs: twoKeys must have one primary key, tagged `bun:\",pk\"`; it has 2"},
	},
	{
		"a column with a dot in its name",
		append(shelves(), framework.ViewSet[dotted]{Name: "dotted", Verbs: framework.ReadOnly[keylessView](), Scope: framework.Public()}),
		[]string{`dotted: the column "e.mail" of dotted.Mail has a dot in its name; statements cannot name it`},
	},
	{
		"a model that is no struct",
		append(shelves(), framework.ViewSet[int]{Name: "numbers", Verbs: framework.ReadOnly[keylessView](), Scope: framework.Public()}),
		[]string{`numbers: bun cannot use int as a model: got int, wanted struct`},
	},
	{
		"one name for two fields",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = framework.Shows[crossed]() }),
		[]string{`books: retrieve: crossed calls Slug "title", another shape calls Title that`},
	},
	{
		"an unknown rule",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[unknownRule, BookView]() }),
		[]string{`books: patch: unknownRule.Title: rule "requird" is unknown; did you mean "required"?`},
	},
	{
		"a rule with a parameter that it cannot read",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[wrongRule, BookView]() }),
		[]string{`books: patch: wrongRule.Title: rule "min" does not take the parameter "three" for string`},
	},
	{
		"a default of another type",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[badDefault, BookView]() }),
		[]string{`books: patch: badDefault.Pages: default "many" must be a whole number, not a string`},
	},
	{
		"a default that is never used",
		wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[deafDefault, BookView]() }),
		[]string{`books: patch: deafDefault.Title: is required, so its default "Untitled" is never used; remove one of the two`},
	},
}
