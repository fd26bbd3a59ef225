package framework_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// hired is the view of authors in their list.
type hired struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// makers are books that functions create, in each of the ways in which they answer.
func makers() framework.ViewSet[Book] {
	store := func(c *framework.Call, in BookInput) (Book, error) {
		b := Book{Title: in.Title, Status: "draft"}
		return b, framework.Insert(c, &b)
	}
	shown := func(c *framework.Call, in BookInput) (BookView, error) {
		b, err := store(c, in)
		return BookView{ID: b.ID, BookInput: in}, err
	}
	v := books()
	v.Verbs.Create = framework.Does(shown).Idempotent()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection(http.MethodPost, "import", shown).Answers(http.StatusCreated),
		framework.OnCollection(http.MethodPost, "accept", shown), // 200
		framework.OnCollection(http.MethodPost, "nameless", func(c *framework.Call, in BookInput) (CountryInput, error) {
			_, err := store(c, in)
			return CountryInput{Name: in.Title}, err
		}).Answers(http.StatusCreated),
		framework.OnCollection(http.MethodPost, "unsaid", func(*framework.Call, BookInput) (BookView, error) { return BookView{}, nil }).Answers(http.StatusCreated),
		framework.OnCollection(http.MethodPost, "elsewhere", func(c *framework.Call, _ BookInput) (BookView, error) {
			c.Header().Set("Location", c.URL("/countries/"+missing+"/"))
			return BookView{ID: uuid.MustParse(missing)}, nil
		}).Answers(http.StatusCreated).Sends(framework.Header{Name: "Location", Doc: "A country.", Required: true}),
		framework.OnCollection(http.MethodPost, "fail", func(c *framework.Call, _ BookInput) (BookView, error) {
			c.Header().Set("Location", c.URL("/countries/"+missing+"/"))
			return BookView{}, errors.New("it broke")
		}).Answers(http.StatusCreated),
	}
	v.Actions = []framework.Action[Book]{
		framework.Post("copy", func(c *framework.Call, b *Book, _ framework.None) (BookView, error) {
			return shown(c, BookInput{Title: "a copy of " + b.Title})
		}).Answers(http.StatusCreated),
		framework.Post("settle", func(c *framework.Call, b *Book, _ framework.None) (CountryView, error) {
			country := Country{Name: "Land of " + b.Title}
			err := framework.Insert(c, &country)
			return CountryView{ID: country.ID, Name: country.Name}, err
		}).Answers(http.StatusCreated),
		framework.Post("hire", func(c *framework.Call, b *Book, _ framework.None) (hired, error) {
			author := Author{Name: "Author of " + b.Title}
			err := framework.Insert(c, &author)
			return hired{ID: author.ID, Name: author.Name}, err
		}).Answers(http.StatusCreated),
	}
	return v
}

// The answer of a function that creates a row has the row's address, and the OpenAPI
// document describes the header.
func TestLocationOfWhatFunctionsCreate(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		listed := authors()
		listed.Verbs.List = framework.Shows[hired]()
		c, said := promised(t, config(db), countries(), listed, makers())
		ada := c.as("ada")
		for _, path := range []string{"/api/books/", "/api/books/import/"} {
			made := ada.post(path, fields{"title": "by " + path}).is(201)
			if at := made.header.Get("Location"); at != ada.url+"/api/books/"+made.id()+"/" {
				made.failf("Location is %q", at)
			}
			ada.get(made.header.Get("Location")).is(200).says("by " + path)
		}
		original := ada.post("/api/books/", fields{"title": "Emma"}).is(201)
		copied := ada.post("/api/books/"+original.id()+"/copy/", nil).is(201)
		copied.head("Location", ada.url+"/api/books/"+copied.id()+"/")
		ada.get(copied.header.Get("Location")).is(200).says("a copy of Emma")
		settled := ada.post("/api/books/"+original.id()+"/settle/", nil).is(201) // the row of another viewset
		settled.head("Location", ada.url+"/api/countries/"+settled.id()+"/")
		ada.get(settled.header.Get("Location")).is(200).says("Land of Emma")
		writer := ada.post("/api/books/"+original.id()+"/hire/", nil).is(201) // it has the view of the list
		writer.head("Location", ada.url+"/api/authors/"+writer.id()+"/")
		ada.get(writer.header.Get("Location")).is(200).says("Author of Emma")
		for path, want := range map[string]string{
			"accept": "", "nameless": "", "unsaid": "", "elsewhere": ada.url + "/api/countries/" + missing + "/",
		} {
			ada.post("/api/books/"+path+"/", fields{"title": path}).head("Location", want)
		}
		ada.post("/api/books/fail/", fields{"title": "x"}).refuses(500, "internal").head("Location", "")

		first := ada.under("k-1").post("/api/books/", fields{"title": "Once"}).is(201)
		ada.under("k-1").post("/api/books/", fields{"title": "Once"}).replays(first).head("Location", first.header.Get("Location"))
		if first.header.Get("Location") == "" {
			first.failf("want a Location")
		}
		for path, want := range map[string]bool{"": true, "import/": true, "{id}/copy/": true, "elsewhere/": true, "nameless/": false} {
			if told := said.at("paths", "/api/books/"+path, "post", "responses", "201", "headers", "Location") != ""; told != want {
				t.Errorf("the document describes Location of %q: %t", path, told)
			}
		}
		for _, path := range []string{"", "import/", "{id}/copy/"} {
			said.says(`{"operationId":"getBook","parameters":{"id":"$response.body#/id"}}`, "paths", "/api/books/"+path, "post", "responses", "201", "links", "getBook")
		}
		said.says(`{"operationId":"getCountry","parameters":{"id":"$response.body#/id"}}`, "paths", "/api/books/{id}/settle/", "post", "responses", "201", "links", "getCountry")
	})
}

// The generator ogen makes one type of a view and its headers. Its code does not compile if one endpoint
// requires the header Location and another one with the same view does not.
func TestLocationIsEquallyRequiredOfOneView(t *testing.T) {
	function := framework.OnCollection(http.MethodPost, "import", func(*framework.Call, BookInput) (BookView, error) { return BookView{}, nil })
	single := framework.ViewSet[Book]{Name: "draft", Single: true, Scope: framework.Own((*Book).owner), Verbs: framework.Verbs{
		Retrieve: framework.Shows[BookView](), Update: framework.Accepts[BookInput, BookView](),
	}}
	for name, test := range map[string]struct {
		beside   framework.CollectionAction
		other    []framework.Resource
		required bool
	}{
		"a function that answers 200":              {beside: function, required: true},
		"a function that creates":                  {beside: function.Answers(http.StatusCreated)},
		"a PUT of another viewset that may insert": {beside: function, other: []framework.Resource{single}},
	} {
		t.Run(name, func(t *testing.T) {
			v := books()
			v.Collection = []framework.CollectionAction{test.beside}
			_, said := promised(t, config(sqlite(t)), append(test.other, countries(), authors(), v)...)
			header := said.at("paths", "/api/books/", "post", "responses", "201", "headers", "Location")
			if required := header == `{"$ref":"#/components/headers/Location"}`; required != test.required {
				t.Errorf("the header is required: %t", required)
			}
		})
	}
}

// Location begins where clients reach the server, as links do.
func TestLocationIsAbsoluteAsLinksAre(t *testing.T) {
	c := config(sqlite(t))
	c.PublicURL, c.Prefix = "https://books.example.org", "/v1"
	ada := serve(t, c, countries(), authors(), makers()).as("ada")
	for i, path := range []string{"/v1/countries/", "/v1/books/"} {
		made := ada.post(path, fields{"name": "Peru", "title": "Emma"}).is(201)
		made.head("Location", "https://books.example.org"+path+made.id()+"/")
		if i == 0 {
			ada.with("Host", "evil.example").post(path, fields{"name": "Chile"}).is(201).lacks("evil")
		}
	}
}
