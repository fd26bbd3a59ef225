package framework_test

import (
	"fmt"
	"math/rand"
	"net/url"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

func escape(text string) string { return url.QueryEscape(text) }

// TestOrdering by what is allowed, in both directions; rows without a value
// come last, and the key decides between equals.
func TestOrdering(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Pagination, v.Ordering.Param = page.Number{Size: 50}, "sort"
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		for _, b := range []fields{
			{"title": "b", "pages": 2, "published_at": "2003-01-01T00:00:00Z"}, {"title": "B", "pages": 1}, {"title": "a", "pages": 2, "published_at": "2001-01-01T00:00:00Z"},
			{"title": "é", "pages": 3}, {"title": "Z", "pages": 1, "published_at": "2002-01-01T00:00:00Z"}, {"title": "z10", "pages": 10},
		} {
			ada.post("/api/books/", b).is(201)
		}
		for _, c := range []struct{ name, sort, want, ignored string }{
			{"the default", "", "B Z a b z10 é", ""},
			{"text by its bytes", "title", "B Z a b z10 é", ""},
			{"descending", "-title", "é z10 b a Z B", ""},
			{"numbers as numbers", "pages,title", "B Z a b é z10", ""},
			{"the first term decides", "-pages,title", "z10 é a b B Z", ""},
			{"equals by their keys, ascending", "pages", "B Z b a é z10", ""},
			{"equals by their keys, in the direction of the term before", "-pages", "z10 é a b Z B", ""},
			{"without a value last", "published_at,title", "a Z b B z10 é", ""},
			{"without a value last in either direction", "-published_at,title", "b Z a B z10 é", ""},
			{"a term twice counts once", "title,-title", "B Z a b z10 é", ""},
			{"white space and empty terms", " title ,, ", "B Z a b z10 é", ""},
			{"what is not allowed is ignored", "notes,-title", "é z10 b a Z B", "sort=notes"},
			{"only what is not allowed", "notes", "B Z a b z10 é", "sort=notes"},
			{"not even the key", "-id", "B Z a b z10 é", "sort=-id"},
			{"no column that is not shown", "owner_id,document", "B Z a b z10 é", "sort=owner_id, sort=document"},
			{"a minus alone", "-", "B Z a b z10 é", "sort=-"},
			{"two minuses", "--title", "B Z a b z10 é", "sort=--title; did you mean -title?"},
			{"a word of SQL", "title;drop table books", "B Z a b z10 é", ""},
			{"another case", "Title", "B Z a b z10 é", "sort=Title; did you mean title?"},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).get("/api/books/?sort=" + escape(c.sort))
				var titles []string
				for _, title := range a.list().values("title") {
					titles = append(titles, title.(string))
				}
				if got := strings.Join(titles, " "); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if c.ignored != "" {
					a.head("Trestle-Ignored", c.ignored)
				}
			})
		}
	})
}

// TestPages: the pages of any question, joined, are the unpaged answer, and no
// row is on two of them.
func TestPages(t *testing.T) {
	seed := rand.Int63()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewSource(seed))
	both(t, func(t *testing.T, db *sqldb.DB) {
		paged, whole := books(), books()
		paged.Pagination = page.Number{SizeParam: "size", MaxSize: 100}
		whole.Name, whole.Pagination, whole.Uniques = "all", page.Number{Size: 1000}, nil
		ada := serve(t, config(db), countries(), authors(), paged, whole).as("ada")
		for i := range 41 {
			b := fields{"title": fmt.Sprint(string(rune('a'+rnd.Intn(5))), " ", i), "pages": rnd.Intn(4), "status": []string{"draft", "out", "lost"}[rnd.Intn(3)]}
			if rnd.Intn(2) == 0 {
				b["published_at"] = fmt.Sprintf("20%02d-01-01T00:00:00Z", rnd.Intn(5))
			}
			ada.post("/api/books/", b).is(201)
		}
		pick := func(choices ...string) string { return choices[rnd.Intn(len(choices))] }
		for range 25 {
			query := "?" + pick("", "ordering=pages&", "ordering=-pages&", "ordering=published_at&", "ordering=-published_at,pages&", "ordering=title&") +
				pick("", "status=out&", "status=draft&") + pick("", "min_pages=1&", "min_pages=3&") + pick("", "search=a&", "search=b+1&", "search=zzz&")
			want := ada.get("/api/all/" + query).list().values("id")
			var got []any
			size := fmt.Sprintf("size=%d", 1+rnd.Intn(9))
			for next := "/api/books/" + query + size; next != ""; {
				l := ada.get(next).list()
				got = append(got, l.values("id")...)
				if *l.Count != int64(len(want)) {
					t.Errorf("%s counts %d, there are %d", next, *l.Count, len(want))
				}
				next = ""
				if l.Next != nil {
					next = *l.Next
				}
			}
			if !slices.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("%s%s: the pages are\n%v, the whole is\n%v", query, size, got, want)
			}
		}
	})
}

// TestNoOrdering: without a declaration rows come by their keys.
func TestNoOrdering(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := notes()
		v.Ordering = framework.Ordering{}
		ada := serve(t, config(db), v).as("ada")
		for _, room := range []string{"c", "a", "b"} {
			ada.post("/api/notes/", fields{"room": room}).is(201)
		}
		if got := fmt.Sprint(ada.get("/api/notes/?ordering=room").head("Trestle-Ignored", "ordering").list().values("room")); got != "[c a b]" {
			t.Errorf("got %s", got)
		}
	})
}
