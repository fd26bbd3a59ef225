package keyset_test

import (
	"context"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Letter has values of many types, with many equal ones and NULLs.
type Letter struct {
	bun.BaseModel `bun:"table:letters"`

	ID      uuid.UUID `bun:",pk"`
	Number  int64
	Rating  *int64
	Weight  *float64
	Subject string
	Sent    *time.Time
	Urgent  bool
	FromID  *int64
	Day     *calendar.Date
	Raw     []byte
	Stamp   time.Time `bun:",nullzero,default:CURRENT_TIMESTAMP"`

	From *Person `bun:"rel:belongs-to,join:from_id=id"`
}

type Person struct {
	bun.BaseModel `bun:"table:persons"`

	ID      int64 `bun:",pk"`
	Name    string
	City    *string
	Letters []*Letter `bun:"rel:has-many,join:id=from_id"`
}

var post = sqldb.Migrations{Namespace: "post", FS: fstest.MapFS{
	"1_post.tx.up.sql": {Data: []byte(`
CREATE TABLE persons (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL, city {{text}});
CREATE TABLE letters ({{id}}, number {{bigint}} NOT NULL, rating {{bigint}}, weight {{if postgres}}double precision{{else}}REAL{{end}}, subject {{text}} NOT NULL, sent {{timestamp}}, urgent {{bool}} NOT NULL, from_id {{bigint}},
	day date, raw {{bytes}} NOT NULL, stamp {{timestamp}} NOT NULL DEFAULT CURRENT_TIMESTAMP);`)},
	"1_post.tx.down.sql": {Data: []byte(``)},
}}

type letterView struct {
	ID     uuid.UUID `json:"id"`
	Number int64     `json:"number"`
}

type personView struct {
	ID      int64  `json:"id"`
	Letters int64  `json:"letters" from:"count(letters)"`
	Name    string `json:"name"`
}

// fields are the terms of the orders that the tests walk by.
var fields = []string{"number", "rating", "weight", "subject", "sent", "urgent", "from.name", "from.city", "heavy", "day", "raw", "stamp"}

func letters(p framework.Pagination) framework.ViewSet[Letter] {
	return framework.ViewSet[Letter]{
		Name: "letters", Verbs: framework.Verbs{List: framework.Shows[letterView](), Retrieve: framework.Shows[letterView]()}, Scope: framework.Public(),
		Ordering:    framework.Ordering{Allowed: fields},
		Filters:     []framework.Filter{filter.Exact("urgent"), filter.Min("above", "number")},
		Search:      framework.Search{Fields: []string{"subject"}},
		Relations:   framework.Relations{"from": "persons"},
		Expressions: map[string]framework.Expression{"heavy": framework.SQL[int64]("?TableAlias.number % 3")},
		Pagination:  p,
	}
}

func persons() framework.ViewSet[Person] {
	return framework.ViewSet[Person]{
		Name: "persons", Verbs: framework.Verbs{List: framework.Shows[personView]()}, Scope: framework.Public(),
		Ordering: framework.Ordering{Allowed: []string{"letters", "name", "city"}}, Relations: framework.Relations{"letters": "letters"},
		Pagination: page.Cursor{Size: 3},
	}
}

var keys = [][]byte{[]byte("a secret key of 32 random bytes.")}

func config(db *sqldb.DB) framework.Config {
	c := apitest.Config(db)
	c.CursorKeys = keys
	return c
}

// dice are those of the seed in TRESTLE_SEED, or of a random one.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("TRESTLE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func maybe[T any](d *rand.Rand, value T) *T {
	if d.IntN(3) == 0 {
		return nil
	}
	return &value
}

func letter(d *rand.Rand, number int) *Letter {
	at := time.Date(2026, 1, 1, 0, 0, d.IntN(4), d.IntN(3)*1000, time.UTC)
	return &Letter{
		ID: uuid.Must(uuid.NewRandomFromReader(reader{d})), Number: int64(number), Rating: maybe(d, int64(d.IntN(4))), Weight: maybe(d, float64(d.IntN(4))/3),
		Subject: []string{"", "a", "A", "é", "ab", "\x7f", "b\n"}[d.IntN(7)], Sent: maybe(d, at), Urgent: d.IntN(2) == 0, FromID: maybe(d, int64(d.IntN(6))),
		Day: maybe(d, calendar.DateOf(at.AddDate(0, 0, d.IntN(3)))), Raw: [][]byte{{}, {0}, {0xff, 1}}[d.IntN(3)],
	}
}

type reader struct{ *rand.Rand }

func (r reader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return len(b), nil
}

func fill(t *testing.T, db *sqldb.DB, d *rand.Rand, rows int) {
	t.Helper()
	for id := range int64(5) { // the letters of person 5 are of a row that does not exist
		apitest.Insert(t, db, &Person{ID: id, Name: []string{"Ann", "Bob", "Ann", "ann", "Zoé"}[id], City: maybe(d, []string{"Pune", "Rome"}[id%2])})
	}
	for i := range rows {
		apitest.Insert(t, db, letter(d, i))
	}
}

type listed struct {
	Next, Previous *string
	Results        []letterView
}

func (l listed) numbers() (all []int64) {
	for _, one := range l.Results {
		all = append(all, one.Number)
	}
	return all
}

// order is a random order of some terms.
func order(d *rand.Rand) string {
	var terms []string
	for range 1 + d.IntN(3) {
		term := fields[d.IntN(len(fields))]
		if d.IntN(2) == 0 {
			term = "-" + term
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, ",")
}

// TestWalks: forward and backward, by any order, the pages joined are the whole list.
func TestWalks(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		fill(t, db, d, 60)
		whole := letters(page.Bare{})
		whole.Under = "whole"
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 5, SizeParam: "size"}), whole, persons())
		for range 120 {
			query := url.Values{"ordering": {order(d)}}
			if d.IntN(3) == 0 {
				query.Set("urgent", strconv.FormatBool(d.IntN(2) == 0))
			}
			if d.IntN(4) == 0 {
				query.Set("search", "a")
			}
			var all []letterView
			c.Get("/api/whole/letters/?" + query.Encode()).Expect(200).JSON(&all)
			query.Set("size", strconv.Itoa(1+d.IntN(9)))
			var forward []int64
			var pages []listed
			for at := "/api/letters/?" + query.Encode(); at != ""; {
				if len(pages) > 100 {
					t.Fatalf("%s: the walk does not end", query.Encode())
				}
				var one listed
				r := c.Get(at).Expect(200).JSON(&one)
				checkLinks(t, r, one)
				forward, pages, at = append(forward, one.numbers()...), append(pages, one), ""
				if one.Next != nil {
					at = *one.Next
				}
			}
			if want := (listed{Results: all}).numbers(); !slices.Equal(forward, want) {
				t.Fatalf("%s: forward %v; want %v", query.Encode(), forward, want)
			}
			var backward []int64
			last := pages[len(pages)-1]
			for one := last; ; {
				if len(backward) > 100 {
					t.Fatalf("%s: the walk back does not end", query.Encode())
				}
				backward = append(one.numbers(), backward...)
				if one.Previous == nil {
					break
				}
				at := *one.Previous
				one = listed{}
				c.Get(at).Expect(200).JSON(&one)
				if one.Next == nil {
					t.Fatalf("%s: a page that is before another has no next one", query.Encode())
				}
			}
			if !slices.Equal(backward, forward) {
				t.Fatalf("%s: backward %v; want %v", query.Encode(), backward, forward)
			}
		}
		for _, by := range []string{"letters", "-letters", "-letters,name", "city,-letters"} {
			var names []string
			for at := "/api/persons/?ordering=" + by; at != "" && len(names) < 20; {
				var one struct {
					Next    *string
					Results []personView
				}
				c.Get(at).Expect(200).JSON(&one)
				for _, p := range one.Results {
					names = append(names, strconv.FormatInt(p.ID, 10))
				}
				if at = ""; one.Next != nil {
					at = *one.Next
				}
			}
			if len(names) != 5 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 5 {
				t.Errorf("%s: the persons are %v; want each of the five once", by, names)
			}
		}
	})
}

// TestStatementsOfRowsWithNULL: a page makes a statement for rows with NULL only if the rows before them do not fill it and show that
// more follow.
func TestStatementsOfRowsWithNULL(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		for i := range int64(10) {
			one := &Letter{ID: uuid.UUID{15: byte(i)}, Raw: []byte{}, Number: i, Rating: &i}
			if i >= 5 {
				one.Rating = nil
			}
			apitest.Insert(t, db, one)
		}
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 2}), persons())
		pages := []struct {
			name string
			want int // statements
		}{
			{"the first page", 2},
			{"a page before the rows with NULL", 2},
			{"a page that ends among them", 3},
			{"a page that begins among them", 2},
			{"the last page", 2},
		}
		at := "/api/letters/?ordering=rating"
		var previous string
		for _, p := range pages {
			var one listed
			if n := len(frameworktest.CountStatements(db).During(func() { c.Get(at).Expect(200).JSON(&one) })); n != p.want {
				t.Errorf("%s makes %d statements, want %d", p.name, n, p.want)
			}
			if at = ""; one.Next != nil {
				at = *one.Next
			}
			if one.Previous != nil {
				previous = *one.Previous
			}
		}
		if at != "" {
			t.Error("more pages follow the last one")
		}
		if n := len(frameworktest.CountStatements(db).During(func() { c.Get(previous).Expect(200) })); n != 2 {
			t.Errorf("a page backward makes %d statements, want 2", n)
		}
	})
}

// checkLinks: the header Link has the links of the body.
func checkLinks(t *testing.T, r *frameworktest.Response, one listed) {
	t.Helper()
	var want []string
	if one.Next != nil {
		want = append(want, "<"+*one.Next+`>; rel="next"`)
	}
	if one.Previous != nil {
		want = append(want, "<"+*one.Previous+`>; rel="prev"`)
	}
	r.Header("Link", strings.Join(want, ", "))
}

// TestWalksAmongWrites: whatever other requests insert and delete meanwhile, a walk has each row that
// exists throughout exactly once, in order.
func TestWalksAmongWrites(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		fill(t, db, d, 60)
		whole := letters(page.Bare{})
		whole.Under = "whole"
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 4, SizeParam: "size"}), whole, persons())
		next := 60
		for range 25 {
			by := order(d)
			var before, after []letterView
			c.Get("/api/whole/letters/?ordering=" + url.QueryEscape(by)).Expect(200).JSON(&before)
			var walked []int64
			at, back := "/api/letters/?ordering="+url.QueryEscape(by)+"&size="+strconv.Itoa(1+d.IntN(7)), d.IntN(2) == 0
			if back { // begin at the end
				for pages := 0; ; pages++ {
					if pages > 1000 {
						t.Fatalf("%s: the walk does not end", by)
					}
					var one listed
					c.Get(at).Expect(200).JSON(&one)
					if one.Next == nil {
						walked = one.numbers()
						if at = ""; one.Previous != nil {
							at = *one.Previous
						}
						break
					}
					at = *one.Next
				}
			}
			for pages := 0; at != ""; pages++ {
				if pages > 1000 {
					t.Fatalf("%s, back %t: the walk does not end", by, back)
				}
				var one listed
				c.Get(at).Expect(200).JSON(&one)
				if back {
					walked = append(one.numbers(), walked...)
				} else {
					walked = append(walked, one.numbers()...)
				}
				for range d.IntN(2) {
					apitest.Insert(t, db, letter(d, next))
					next++
				}
				if d.IntN(2) == 0 && len(one.Results) > 0 { // often the row at the end of a page
					remove(t, db, one.Results[d.IntN(len(one.Results))].ID)
				}
				link := one.Next
				if back {
					link = one.Previous
				}
				if at = ""; link != nil {
					at = *link
				}
			}
			c.Get("/api/whole/letters/?ordering=" + url.QueryEscape(by)).Expect(200).JSON(&after)
			if once := slices.Compact(slices.Sorted(slices.Values(walked))); len(once) != len(walked) {
				t.Fatalf("%s, back %t: a walk has rows twice: %v", by, back, walked)
			}
			stays := func(n int64) bool { return slices.Contains((listed{Results: after}).numbers(), n) }
			var want, got []int64
			for _, n := range (listed{Results: before}).numbers() {
				if stays(n) {
					want = append(want, n)
				}
			}
			for _, n := range walked {
				if slices.Contains(want, n) {
					got = append(got, n)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, back %t: a walk has %v; want %v", by, back, got, want)
			}
		}
	})
}

// TestLongTexts: a text that is too long for a cursor is read again from its row.
func TestLongTexts(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		for i := range int64(6) {
			apitest.Insert(t, db, &Letter{ID: uuid.UUID{15: byte(i)}, Raw: []byte{}, Number: i, Subject: strings.Repeat("a", 5000+int(i)/2)})
		}
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 1}), persons())
		var walked []int64
		var third string
		for at := "/api/letters/?ordering=-subject"; at != ""; {
			var one listed
			c.Get(at).Expect(200).JSON(&one)
			if walked = append(walked, one.numbers()...); len(walked) == 3 {
				third = *one.Next
			}
			if at = ""; one.Next != nil {
				at = *one.Next
			}
		}
		if !slices.Equal(walked, []int64{5, 4, 3, 2, 1, 0}) {
			t.Errorf("the walk is %v", walked)
		}
		for _, by := range []string{"raw,subject", "-raw,subject", "subject,raw"} { // beside an empty value
			walked = nil
			for at := "/api/letters/?ordering=" + by; at != "" && len(walked) < 20; {
				var one listed
				c.Get(at).Expect(200).JSON(&one)
				if walked, at = append(walked, one.numbers()...), ""; one.Next != nil {
					at = *one.Next
				}
			}
			if slices.Sort(walked); !slices.Equal(walked, []int64{0, 1, 2, 3, 4, 5}) {
				t.Errorf("%s: the walk is %v", by, walked)
			}
		}
		if _, err := db.NewUpdate().Model((*Letter)(nil)).Set("subject = 'b'").Where("number = 3").Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Get(third).Expect(400).Fault("cursor", "invalid_parameter").Contains("this row has changed")
		remove(t, db, uuid.UUID{15: 3})
		c.Get(third).Expect(400).Fault("cursor", "invalid_parameter")
	})
}

// TestEmptyPages: if the rows of a page are deleted before a client requests it, the page is empty, and
// leads back to the row at its edge.
func TestEmptyPages(t *testing.T) {
	apitest.Databases(t, post, func(t *testing.T, db *sqldb.DB) {
		for i := range int64(6) {
			apitest.Insert(t, db, &Letter{ID: uuid.UUID{15: byte(i)}, Raw: []byte{}, Number: i, Rating: new([]int64{1, 2, 2}[i%3])})
		}
		_, c := apitest.Serve(t, config(db), letters(page.Cursor{Size: 3}), persons())
		get := func(at *string) (one listed) {
			t.Helper()
			if at == nil {
				t.Fatal("the link is null")
			}
			c.Get(*at).Expect(200).JSON(&one)
			return one
		}
		for _, by := range []string{"number", "rating,number", "-rating,-number", "rating,-number"} {
			start := "/api/letters/?ordering=" + by
			first := get(&start)
			second := get(first.Next)
			for _, deleted := range []struct {
				from, at listed
				link     *string
			}{{first, second, first.Next}, {second, first, second.Previous}} {
				for _, l := range deleted.at.Results {
					remove(t, db, l.ID)
				}
				empty := get(deleted.link)
				if len(empty.Results) != 0 {
					t.Fatalf("%s: the page has %v; want none", by, empty.numbers())
				}
				back := empty.Previous
				if deleted.from.Previous != nil {
					back = empty.Next
				}
				if got := get(back).numbers(); !slices.Equal(got, deleted.from.numbers()) {
					t.Errorf("%s: the empty page leads to %v; want %v", by, got, deleted.from.numbers())
				}
				for i, l := range deleted.at.Results {
					apitest.Insert(t, db, &Letter{ID: l.ID, Raw: []byte{}, Number: l.Number, Rating: new([]int64{1, 2, 2}[deleted.at.Results[i].Number%3])})
				}
			}
		}
	})
}

func remove(t *testing.T, db *sqldb.DB, id uuid.UUID) {
	t.Helper()
	if _, err := db.NewDelete().Model((*Letter)(nil)).Where("id = ?", id).Exec(context.Background()); err != nil {
		t.Fatal(err)
	}
}
