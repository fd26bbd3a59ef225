package framework_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestACallWithoutAServer: a test runs a function of a declaration with a call that the
// API makes, within the scope of its caller.
func TestACallWithoutAServer(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(config(db))
		api.Register(countries(), authors(), books())
		c := newCall(t, api, framework.CallOptions{
			Caller: &framework.Caller{ID: uuid.New()}, Route: framework.Route{ViewSet: "books", Name: "lend", Method: "POST"},
		})
		err := c.InTx(func(c *framework.Call) error { return framework.Insert(c, &Book{Title: "Emma", Status: "in"}) })
		if err != nil {
			t.Fatal(err)
		}
		found, err := framework.Find[BookView](c, "books", nil)
		if err != nil || len(found) != 1 || found[0].Title != "Emma" {
			t.Errorf("the caller finds %v, %v; want the book", found, err)
		}
		stranger := newCall(t, api, framework.CallOptions{Caller: &framework.Caller{ID: uuid.New()}})
		if found, err := framework.Find[BookView](stranger, "books", nil); err != nil || len(found) != 0 {
			t.Errorf("another caller finds %v, %v; want nothing", found, err)
		}
	})
}

// newCall makes a call of an API.
func newCall(t *testing.T, api *framework.API, o framework.CallOptions) *framework.Call {
	t.Helper()
	c, err := api.NewCall(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTheURLsOfACall: a URL begins with the public URL, or else with the host of the
// request, and always has the prefix.
func TestTheURLsOfACall(t *testing.T) {
	for about, c := range map[string]struct {
		public, prefix, host string
		want                 string
	}{
		"a public URL, and no request":       {"https://books.example/v1", "/api", "", "https://books.example/v1/api/cart/"},
		"a public URL, and a request":        {"https://books.example/v1", "/api", "intern:8000", "https://books.example/v1/api/cart/"},
		"no public URL, and a request":       {"", "/api", "intern:8000", "http://intern:8000/api/cart/"},
		"no public URL, and no request":      {"", "/api", "", "/api/cart/"},
		"another prefix, and no request":     {"", "/shop/v2", "", "/shop/v2/cart/"},
		"an API at the root, and no request": {"", "/", "", "/cart/"},
	} {
		t.Run(about, func(t *testing.T) {
			settings := config(sqlite(t))
			settings.PublicURL, settings.Prefix = c.public, c.prefix
			o := framework.CallOptions{}
			if c.host != "" {
				o.Request = httptest.NewRequest(http.MethodPost, "http://"+c.host+"/", nil)
			}
			if got := newCall(t, framework.New(settings), o).URL("/cart/"); got != c.want {
				t.Errorf("the URL is %q; want %q", got, c.want)
			}
		})
	}
}

// TestTheFieldsThatACallHas: Has reports the fields of CallOptions.Sent, and none in a call
// without a body.
func TestTheFieldsThatACallHas(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	sent := newCall(t, api, framework.CallOptions{Sent: []string{"title"}})
	for about, c := range map[string]struct {
		call *framework.Call
		name string
		want bool
	}{
		"a field of the body":         {sent, "title", true},
		"a field that the body lacks": {sent, "status", false},
		"a call without a body":       {newCall(t, api, framework.CallOptions{}), "title", false},
		"a call that no API made":     {&framework.Call{}, "title", false},
	} {
		if got := c.call.Has(c.name); got != c.want {
			t.Errorf("%s: %t", about, got)
		}
	}
}

// TestAPatchFunctionWithoutAServer: a test names the fields that the body had, and runs the
// function in a transaction.
func TestAPatchFunctionWithoutAServer(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		change := func(c *framework.Call, b *Book, in BookInput) error {
			if c.Has("title") {
				b.Title = in.Title
			}
			if c.Has("pages") {
				b.Pages = in.Pages
			}
			return framework.Save(c, b)
		}
		api := framework.New(config(db))
		api.Register(shelves()...)
		c := newCall(t, api, framework.CallOptions{Caller: callers["ada"], Sent: []string{"title"}})
		book := &Book{Title: "Emma", Status: "in", Pages: 12}
		if err := c.InTx(func(c *framework.Call) error { return framework.Insert(c, book) }); err != nil {
			t.Fatal(err)
		}
		in := BookInput{Title: "Persuasion", Pages: 99}
		if err := change(c, book, in); err == nil || !strings.Contains(err.Error(), "Save: it needs a transaction") {
			t.Errorf("outside of a transaction the error is %v", err)
		}
		if err := c.InTx(func(c *framework.Call) error { return change(c, book, in) }); err != nil {
			t.Fatal(err)
		}
		found, err := framework.FindOne[BookView](c, "books", book.ID)
		if err != nil || found.Title != "Persuasion" || found.Pages != 12 {
			t.Errorf("the book is %v, %v", found, err)
		}
	})
}

// TestACallOfAWrongAPI: NewCall returns the mistakes of the declarations.
func TestACallOfAWrongAPI(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(books()) // whose author is in a viewset that is missing
	if _, err := api.NewCall(t.Context(), framework.CallOptions{}); err == nil || !strings.Contains(err.Error(), `no viewset "authors" is registered`) {
		t.Errorf("the error is %v", err)
	}
	if _, err := framework.New(framework.Config{}).NewCall(t.Context(), framework.CallOptions{}); err == nil || !strings.Contains(err.Error(), "DB is not set") {
		t.Errorf("the error of an API without a database is %v", err)
	}
}
