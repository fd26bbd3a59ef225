package relation_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A world is random rows of the magazine, as the naive model reads them.
type world struct {
	teams    map[int64]*Team
	authors  map[int64]*Author
	profiles map[int64]*Profile // by author
	articles []*Article
	tags     map[int64][]string // by article
	comments map[int64][]*Comment
	staff    bool
}

// imagine makes a world of few names, so that rows are often equal, and many gaps.
func imagine(r *rand.Rand) (w world, rows []any) {
	w = world{
		teams: map[int64]*Team{}, authors: map[int64]*Author{}, profiles: map[int64]*Profile{},
		tags: map[int64][]string{}, comments: map[int64][]*Comment{},
	}
	gone := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	word := func() string { return []string{"ann", "ben", "cid", "dot"}[r.IntN(4)] }
	maybe := func(n int64) *int64 {
		if r.IntN(4) == 0 {
			return nil
		}
		return new(1 + r.Int64N(n))
	}
	for id := int64(1); id <= 3; id++ {
		w.teams[id] = &Team{ID: id, Name: word()}
		rows = append(rows, w.teams[id])
	}
	for id := int64(1); id <= 6; id++ {
		a := &Author{ID: id, Username: word(), TeamID: maybe(4), Hidden: r.IntN(4) == 0} // team 4 does not exist
		if r.IntN(3) > 0 {
			a.City = new(word())
		}
		if r.IntN(5) == 0 {
			a.DeletedAt = gone
		}
		w.authors[id] = a
		rows = append(rows, a)
		if r.IntN(2) == 0 {
			w.profiles[id] = &Profile{ID: id, AuthorID: id}
			if r.IntN(3) > 0 {
				w.profiles[id].Motto = new(word())
			}
			rows = append(rows, w.profiles[id])
		}
	}
	for id := int64(1); id <= 4; id++ {
		rows = append(rows, &Tag{ID: id, Name: []string{"go", "sql", "go", "web"}[id-1]})
	}
	for id := int64(1); id <= 20; id++ {
		a := &Article{ID: id, Title: word(), Price: r.Int64N(4), Quantity: r.Int64N(4), WriterID: maybe(7), Reprints: maybe(20)}
		w.articles = append(w.articles, a)
		rows = append(rows, a)
		for tag := int64(1); tag <= 4; tag++ {
			if r.IntN(4) == 0 {
				w.tags[id] = append(w.tags[id], []string{"go", "sql", "go", "web"}[tag-1])
				rows = append(rows, &ArticleTag{ArticleID: id, TagID: tag})
			}
		}
	}
	for id := int64(1); id <= 40; id++ {
		c := &Comment{ID: id, ArticleID: 1 + r.Int64N(20), WriterID: maybe(7), Score: maybe(5), State: []State{"open", "closed"}[r.IntN(2)], PostedAt: gone}
		if r.IntN(5) == 0 {
			c.DeletedAt = gone
		} else {
			w.comments[c.ArticleID] = append(w.comments[c.ArticleID], c)
		}
		rows = append(rows, c)
	}
	return w, rows
}

// author is an author that the caller may see, nil without one.
func (w world) author(id *int64) *Author {
	if id == nil {
		return nil
	}
	a := w.authors[*id]
	if a == nil || !a.DeletedAt.IsZero() || a.Hidden && !w.staff {
		return nil
	}
	return a
}

func (w world) username(id *int64) *string {
	if a := w.author(id); a != nil {
		return &a.Username
	}
	return nil
}

func (w world) city(id *int64) *string {
	if a := w.author(id); a != nil {
		return a.City
	}
	return nil
}

func (w world) team(id *int64) *string {
	if a := w.author(id); a != nil && a.TeamID != nil && w.teams[*a.TeamID] != nil {
		return &w.teams[*a.TeamID].Name
	}
	return nil
}

func (w world) motto(id *int64) *string {
	if a := w.author(id); a != nil && w.profiles[a.ID] != nil {
		return w.profiles[a.ID].Motto
	}
	return nil
}

func (w world) original(a *Article) *Article {
	if a.Reprints == nil {
		return nil
	}
	return w.articles[*a.Reprints-1]
}

func is(have *string, want string) bool { return have != nil && *have == want }

func (w world) commented(a *Article, by func(c *Comment) bool) bool {
	return slices.ContainsFunc(w.comments[a.ID], by)
}

// A choice is one parameter with its meaning in the naive model.
type choice struct {
	param string
	keeps func(w world, a *Article) bool
}

func choices(r *rand.Rand) []choice {
	name, tag, n := []string{"ann", "ben", "cid", "dot"}[r.IntN(4)], []string{"go", "sql", "web"}[r.IntN(3)], r.Int64N(6)
	least := func(c *Comment) bool { return c.Score != nil && *c.Score >= n }
	return []choice{
		{"writer=" + name, func(w world, a *Article) bool { return is(w.username(a.WriterID), name) }},
		{"not_writer=" + name, func(w world, a *Article) bool { return !is(w.username(a.WriterID), name) }},
		{"not_city=" + name, func(w world, a *Article) bool { return !is(w.city(a.WriterID), name) }},
		{"cities=ann," + name, func(w world, a *Article) bool { return is(w.city(a.WriterID), "ann") || is(w.city(a.WriterID), name) }},
		{"no_city=true", func(w world, a *Article) bool { return w.city(a.WriterID) == nil }},
		{"no_city=false", func(w world, a *Article) bool { return w.city(a.WriterID) != nil }},
		{"team=" + name, func(w world, a *Article) bool { return is(w.team(a.WriterID), name) }},
		{"initial=" + name[:1], func(w world, a *Article) bool { return is(w.username(a.WriterID), name) }},
		{"tag=" + tag, func(w world, a *Article) bool { return slices.Contains(w.tags[a.ID], tag) }},
		{"without_tag=" + tag, func(w world, a *Article) bool { return !slices.Contains(w.tags[a.ID], tag) }},
		{fmt.Sprint("min_score=", n), func(w world, a *Article) bool { return w.commented(a, least) }},
		{"commented_by=" + name, func(w world, a *Article) bool {
			return w.commented(a, func(c *Comment) bool { return is(w.username(c.WriterID), name) })
		}},
		{fmt.Sprintf("by=%s&by_min_score=%d", name, n), func(w world, a *Article) bool {
			return w.commented(a, func(c *Comment) bool { return is(w.username(c.WriterID), name) && least(c) })
		}},
		{fmt.Sprintf("by_not_state=open&by_min_score=%d", n), func(w world, a *Article) bool {
			return w.commented(a, func(c *Comment) bool { return c.State != "open" && least(c) })
		}},
		{"original=" + name, func(w world, a *Article) bool { o := w.original(a); return o != nil && o.Title == name }},
		{"original_tag=" + tag, func(w world, a *Article) bool {
			o := w.original(a)
			return o != nil && slices.Contains(w.tags[o.ID], tag)
		}},
		{fmt.Sprint("min_total=", n), func(_ world, a *Article) bool { return a.Price*a.Quantity >= n }},
		{"search=" + name[:2], func(w world, a *Article) bool {
			u := w.username(a.WriterID)
			return strings.Contains(a.Title, name[:2]) || u != nil && strings.Contains(*u, name[:2])
		}},
	}
}

// orders are the terms of an order with their values in the naive model, nil for NULL.
var orders = map[string]func(w world, a *Article) *string{
	"title":                func(_ world, a *Article) *string { return &a.Title },
	"writer.username":      func(w world, a *Article) *string { return w.username(a.WriterID) },
	"writer.city":          func(w world, a *Article) *string { return w.city(a.WriterID) },
	"writer.team.name":     func(w world, a *Article) *string { return w.team(a.WriterID) },
	"writer.profile.motto": func(w world, a *Article) *string { return w.motto(a.WriterID) },
	"original.title": func(w world, a *Article) *string {
		if o := w.original(a); o != nil {
			return &o.Title
		}
		return nil
	},
	"total": func(_ world, a *Article) *string { return new(fmt.Sprintf("%09d", a.Price*a.Quantity)) },
}

// compare orders two values, NULL last in both directions.
func compare(x, y *string, descending bool) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	case descending:
		return cmp.Compare(*y, *x)
	}
	return cmp.Compare(*x, *y)
}

// ask makes a random query, and the ids that the naive model lists.
func ask(r *rand.Rand, w world) (query, want string) {
	rows := slices.Clone(w.articles)
	var params []string
	for _, c := range choices(r) {
		if r.IntN(10) == 0 {
			params = append(params, c.param)
			rows = slices.DeleteFunc(rows, func(a *Article) bool { return !c.keeps(w, a) })
		}
	}
	if clash(params) {
		return ask(r, w)
	}
	var terms []string
	var by []func(x, y *Article) int
	last := 1                         // the direction of the last term, which is that of the keys
	for name, value := range orders { // a map has a random order
		if r.IntN(4) == 0 {
			descending := r.IntN(2) == 0
			terms = append(terms, map[bool]string{true: "-"}[descending]+name)
			by = append(by, func(x, y *Article) int { return compare(value(w, x), value(w, y), descending) })
			last = map[bool]int{true: -1, false: 1}[descending]
		}
	}
	slices.SortFunc(rows, func(x, y *Article) int {
		for _, one := range by {
			if c := one(x, y); c != 0 {
				return c
			}
		}
		return last * cmp.Compare(x.ID, y.ID)
	})
	if len(terms) > 0 {
		params = append(params, "ordering="+strings.Join(terms, ","))
	}
	ids := make([]string, len(rows))
	for i, a := range rows {
		ids[i] = strconv.FormatInt(a.ID, 10)
	}
	return strings.Join(params, "&"), fmt.Sprintf("%d: %s", len(rows), strings.Join(ids, " "))
}

// clash reports whether a parameter is there twice.
func clash(params []string) bool {
	seen := map[string]bool{}
	for p := range strings.SplitSeq(strings.Join(params, "&"), "&") {
		name, _, _ := strings.Cut(p, "=")
		if seen[name] {
			return true
		}
		seen[name] = true
	}
	return false
}

// TestProperty compares filters, searches and orders over relations with the naive model: with rows
// that are missing, NULL, deleted and out of scope.
func TestProperty(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB) {
		r := rand.New(rand.NewPCG(seed, 1))
		_, c := apitest.Serve(t, config(db), resources()...)
		w, rows := imagine(r)
		apitest.Insert(t, db, rows...)
		for range 300 {
			w.staff = r.IntN(3) == 0
			query, want := ask(r, w)
			client := c
			if w.staff {
				client = apitest.As(c, "staff")
			}
			if got := idsOf(client.Get("/api/articles/?" + query)); got != want {
				t.Fatalf("seed %d, staff %t: %s\nlists %s\nwant  %s", seed, w.staff, query, got, want)
			}
		}
	})
}
