package keyset_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestCursorsOfOtherQueries: a cursor is valid for the same list, filters, order and caller alone.
func TestCursorsOfOtherQueries(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		fill(t, db, d, 20)
		other := letters(page.Cursor{Size: 3})
		other.Under = "other"
		_, visitor := apitest.Serve(t, config(db), letters(page.Cursor{Size: 3, SizeParam: "size"}), other, persons())
		ada, bob := apitest.As(visitor, "ada"), apitest.As(visitor, "bob")
		var one listed
		ada.Get("/api/letters/?ordering=rating&above=2").Expect(200).JSON(&one)
		link, err := url.Parse(*one.Next)
		if err != nil {
			t.Fatal(err)
		}
		cursor := link.Query().Get("cursor")
		for name, c := range map[string]struct {
			path   string
			status int
		}{
			"the same query":                    {"/api/letters/?ordering=rating&above=2&cursor=" + cursor, 200},
			"the parameters in another order":   {"/api/letters/?cursor=" + cursor + "&above=2&ordering=rating", 200},
			"white space around a parameter":    {"/api/letters/?ordering=rating&above=%202%20&cursor=" + cursor, 200},
			"an order with a field twice":       {"/api/letters/?ordering=rating,rating&above=2&cursor=" + cursor, 400},
			"another size of the pages":         {"/api/letters/?ordering=rating&above=2&size=7&cursor=" + cursor, 200},
			"a parameter that has no effect":    {"/api/letters/?ordering=rating&above=2&x=1&cursor=" + cursor, 200},
			"another filter":                    {"/api/letters/?ordering=rating&above=3&cursor=" + cursor, 400},
			"a filter more":                     {"/api/letters/?ordering=rating&above=2&urgent=true&cursor=" + cursor, 400},
			"a filter less":                     {"/api/letters/?ordering=rating&cursor=" + cursor, 400},
			"a search":                          {"/api/letters/?ordering=rating&above=2&search=a&cursor=" + cursor, 400},
			"the reverse order":                 {"/api/letters/?ordering=-rating&above=2&cursor=" + cursor, 400},
			"a longer order":                    {"/api/letters/?ordering=rating,number&above=2&cursor=" + cursor, 400},
			"the default order":                 {"/api/letters/?above=2&cursor=" + cursor, 400},
			"another list of the same rows":     {"/api/other/letters/?ordering=rating&above=2&cursor=" + cursor, 400},
			"a list of other rows":              {"/api/persons/?cursor=" + cursor, 400},
			"a cursor that is too short":        {"/api/letters/?ordering=rating&above=2&cursor=" + cursor[:len(cursor)-4], 400},
			"a cursor with another first byte":  {"/api/letters/?ordering=rating&above=2&cursor=AA" + cursor[2:], 400},
			"a cursor with other characters":    {"/api/letters/?ordering=rating&above=2&cursor=" + cursor + "!", 400},
			"a cursor that is no base64":        {"/api/letters/?ordering=rating&above=2&cursor=%00", 400},
			"a number":                          {"/api/letters/?ordering=rating&above=2&cursor=2", 400},
			"a cursor of 7,000 characters":      {"/api/letters/?ordering=rating&above=2&cursor=" + strings.Repeat("a", 7000), 400},
			"two cursors":                       {"/api/letters/?ordering=rating&above=2&cursor=" + cursor + "&cursor=" + cursor, 400},
			"an empty cursor: the first page":   {"/api/letters/?ordering=rating&above=2&cursor=", 200},
			"a page, which this list has not":   {"/api/letters/?page=2", 200},
			"a size that is no number":          {"/api/letters/?size=x", 400},
			"a size of zero, and a bad cursor":  {"/api/letters/?size=0&cursor=x", 400},
			"an invalid filter, and the cursor": {"/api/letters/?ordering=rating&above=x&cursor=" + cursor, 400},
		} {
			r := ada.Get(c.path).Expect(c.status)
			if c.status == 400 {
				r.Code("invalid_parameter")
			}
			if t.Failed() {
				t.Fatal(name)
			}
		}
		ada.Get("/api/letters/?ordering=rating&above=2&cursor=x").Expect(400).Fault("cursor", "invalid_parameter")
		bob.Get(link.RequestURI()).Expect(400).Fault("cursor", "invalid_parameter")
		visitor.Get(link.RequestURI()).Expect(400)
		var again listed
		ada.Get("/api/letters/?ordering=rating&above=2").Expect(200).JSON(&again)
		if *again.Next != *one.Next {
			t.Errorf("the same page has the next one %s, and %s", *one.Next, *again.Next)
		}
	})
}

// TestCursorKeys: a new key encrypts, and the old one stays valid until it is removed.
func TestCursorKeys(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		fill(t, db, d, 20)
		with := func(keys ...string) func(path string, status int) string {
			c := config(db)
			c.CursorKeys = nil
			for _, key := range keys {
				c.CursorKeys = append(c.CursorKeys, []byte(strings.Repeat(key, 32)))
			}
			_, client := apitest.Serve(t, c, letters(page.Cursor{Size: 3}), persons())
			return func(path string, status int) string {
				var one listed
				if r := client.Get(path).Expect(status); status == 200 {
					r.JSON(&one)
				}
				if one.Next == nil {
					return ""
				}
				link, err := url.Parse(*one.Next)
				if err != nil {
					t.Fatal(err)
				}
				return link.RequestURI()
			}
		}
		old := with("a")("/api/letters/", 200)
		fresh := with("b", "a")(old, 200)
		with("b")(fresh, 200)
		with("b")(old, 400)
		with("a")(fresh, 400)
	})
}

// TestMistakes: lists that cannot have cursors are found at start.
func TestMistakes(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		apitest.Mistake(t, apitest.Config(db), "letters: list: its pagination encrypts cursors, which needs a secret key; set CursorKeys in framework.Config", letters(page.Cursor{}), persons())
		ranked := letters(page.Cursor{})
		ranked.Ranked = anyRanker{}
		apitest.Mistake(t, config(db), "a ranked search has no order that a cursor could continue", ranked, persons())
		c := config(db)
		c.CursorKeys = [][]byte{[]byte("short")}
		apitest.Mistake(t, c, "CursorKeys: the key at place 1 has 5 bytes; it needs at least 32 random bytes", letters(page.Cursor{}), persons())
	})
}

type anyRanker struct{ framework.Ranker }

func (anyRanker) Bind(*framework.Facts) (framework.BoundRanker, error) {
	return framework.BoundRanker{Param: framework.Param{Name: "q"}}, nil
}

// sometimes is a class that has cursors for some requests alone.
type sometimes struct{ page.Cursor }

func (s sometimes) Params() []framework.Param {
	return append(s.Cursor.Params(), framework.Param{Name: "mode"})
}

func (s sometimes) Window(v framework.Values) (framework.Window, error) {
	w, err := s.Cursor.Window(v)
	if v["mode"] == "" {
		w.Keyset = nil
	}
	return w, err
}

// TestCursorsWithoutKeys: a class that has cursors for some requests is no mistake at start, so such a request
// is the error 500.
func TestCursorsWithoutKeys(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		people := persons()
		people.Pagination = page.Bare{}
		_, c := apitest.Serve(t, apitest.Config(db), letters(sometimes{}), people)
		c.Get("/api/letters/").Expect(200)
		c.Get("/api/letters/?mode=x").Expect(500)
	})
}

// TestNestedLists: a cursor belongs to the rows above in the path.
func TestNestedLists(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		apitest.Insert(t, db, &Person{ID: 1, Name: "Ann"}, &Person{ID: 12, Name: "Bob"})
		for i := range int64(4) {
			apitest.Insert(t, db, &Letter{ID: uuid.UUID{15: byte(i)}, Raw: []byte{}, Number: i, FromID: new([]int64{1, 12}[i%2])})
		}
		people, below := persons(), letters(page.Cursor{Size: 1})
		people.Verbs.Retrieve = framework.Shows[personView]()
		below.Parent, below.Relations = framework.Child("from", "persons"), framework.Relations{"from": "persons"}
		people.Relations = framework.Relations{"letters": "persons/{}/letters"}
		_, c := apitest.Serve(t, config(db), people, below)
		var one listed
		c.Get("/api/persons/1/letters/").Expect(200).JSON(&one)
		c.Get(*one.Next).Expect(200)
		c.Get(strings.Replace(*one.Next, "/persons/1/", "/persons/12/", 1)).Expect(400)
	})
}

// TestStatements: a page costs two statements, with or without a cursor.
func TestStatements(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		fill(t, db, d, 20)
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 3}), persons())
		counter := frameworktest.CountStatements(db)
		for at := "/api/letters/?ordering=rating,-sent"; at != ""; {
			var one listed
			if sent := counter.During(func() { c.Get(at).Expect(200).JSON(&one) }); len(sent) != 2 {
				t.Errorf("%s: %d statements: %v", at, len(sent), sent)
			}
			if at = ""; one.Next != nil {
				at = *one.Next
			}
		}
	})
}
