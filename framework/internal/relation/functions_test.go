package relation_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A poll is a world with votes, as one caller sees it.
type poll struct {
	world

	votes  map[int64][]*Vote // by article
	caller string
}

// vote adds random votes of two callers to the rows of a world.
func vote(r *rand.Rand, w world, rows []any) (poll, []any) {
	p := poll{world: w, votes: map[int64][]*Vote{}}
	for id := int64(1); id <= 30; id++ {
		v := &Vote{ID: id, ArticleID: 1 + r.Int64N(20), UserID: apitest.ID([]string{"una", "staff"}[r.IntN(2)]), Weight: r.Int64N(7) - 3}
		p.votes[v.ArticleID] = append(p.votes[v.ArticleID], v)
		rows = append(rows, v)
	}
	return p, rows
}

// functions are the functions of an article as the naive model computes them.
func (p poll) functions(a *Article) map[string]*int64 {
	f := map[string]*int64{"votes": new(int64(len(p.votes[a.ID]))), "mine": new(int64(0)), "weight": new(int64(0)), "tagged": new(int64(len(p.tags[a.ID])))}
	f["comments"], f["signed"], f["noted"] = new(int64(len(p.comments[a.ID]))), new(int64(0)), new(int64(min(1, len(p.comments[a.ID]))))
	for _, v := range p.votes[a.ID] {
		*f["weight"] += v.Weight
		if v.UserID == apitest.ID(p.caller) && p.caller != "" {
			*f["mine"] = 1
		}
	}
	for _, c := range p.comments[a.ID] {
		if p.author(c.WriterID) != nil {
			*f["signed"]++
		}
		if s := c.Score; s != nil {
			f["top"] = new(max(*s, *cmp.Or(f["top"], s)))
			f["least"] = new(min(*s, *cmp.Or(f["least"], s)))
			f["sum"] = new(*s + *cmp.Or(f["sum"], new(int64(0))))
		}
	}
	f["sum"] = cmp.Or(f["sum"], new(int64(0)))
	if w := p.author(a.WriterID); w != nil {
		f["writer.count(articles)"] = new(int64(0))
		for _, other := range p.articles {
			if other.WriterID != nil && *other.WriterID == w.ID {
				*f["writer.count(articles)"]++
			}
		}
	}
	return f
}

// polledView is every function that the property test compares.
type polledView struct {
	ID       int64  `json:"id"`
	Title    string `json:"title"`
	Votes    int64  `json:"votes"    from:"count(votes)"`
	Mine     bool   `json:"mine"     from:"exists(votes,mine)"`
	Weight   int64  `json:"weight"   from:"sum(votes.weight)"`
	Tagged   int64  `json:"tagged"   from:"count(tags)"`
	Comments int64  `json:"comments" from:"count(comments)"`
	Signed   int64  `json:"signed"   from:"count(comments.writer)"`
	Noted    bool   `json:"noted"    from:"exists(comments)"`
	Top      *int64 `json:"top"      from:"max(comments.score)"`
	Least    *int64 `json:"least"    from:"min(comments.score)"`
	Sum      int64  `json:"sum"      from:"sum(comments.score)"`
}

func polled() framework.ViewSet[Article] {
	v := shaped()
	v.Name, v.Verbs = "polled", framework.ReadOnly[polledView]()
	numbers := []string{"votes", "weight", "tagged", "comments", "signed", "top", "least", "sum", "writer.count(articles)"}
	v.Filters, v.Ordering = []framework.Filter{filter.Flag("mine", "mine"), filter.Not(filter.Flag("not_noted", "noted"))}, framework.Ordering{Allowed: append([]string{"title"}, numbers...)}
	for i, name := range numbers {
		v.Filters = append(v.Filters, filter.Min(fmt.Sprint("min", i), name), filter.Not(filter.Max(fmt.Sprint("above", i), name)))
	}
	return v
}

// matches makes a random query of filters by functions, and reports which rows it keeps.
func (p poll) matches(r *rand.Rand) (params []string, keeps func(*Article) bool) {
	names := polled().Ordering.Allowed[1:]
	var all []func(f map[string]*int64) bool
	for i, name := range names {
		n := r.Int64N(5) - 1
		switch r.IntN(8) {
		case 0:
			params = append(params, fmt.Sprintf("min%d=%d", i, n))
			all = append(all, func(f map[string]*int64) bool { return f[name] != nil && *f[name] >= n })
		case 1: // a row without a value does not match a filter, so it matches the opposite
			params = append(params, fmt.Sprintf("above%d=%d", i, n))
			all = append(all, func(f map[string]*int64) bool { return f[name] == nil || *f[name] > n })
		}
	}
	if r.IntN(6) == 0 {
		params = append(params, "mine=true")
		all = append(all, func(f map[string]*int64) bool { return *f["mine"] == 1 })
	}
	if r.IntN(6) == 0 {
		params = append(params, "not_noted=true")
		all = append(all, func(f map[string]*int64) bool { return *f["noted"] == 0 })
	}
	return params, func(a *Article) bool {
		f := p.functions(a)
		return !slices.ContainsFunc(all, func(one func(map[string]*int64) bool) bool { return !one(f) })
	}
}

// query makes a random query of filters and an order by functions, and the ids that the naive model
// lists.
func (p poll) query(r *rand.Rand) (query, want string) {
	params, keeps := p.matches(r)
	rows := slices.DeleteFunc(slices.Clone(p.articles), func(a *Article) bool { return !keeps(a) })
	allowed := polled().Ordering.Allowed
	name, sign := allowed[r.IntN(len(allowed))], []string{"", "-"}[r.IntN(2)]
	text := func(a *Article) *string {
		if name == "title" {
			return &a.Title
		}
		n := p.functions(a)[name]
		if n == nil {
			return nil
		}
		return new(fmt.Sprintf("%09d", *n+1000))
	}
	slices.SortFunc(rows, func(x, y *Article) int {
		return cmp.Or(compare(text(x), text(y), sign == "-"), cmp.Compare(x.ID, y.ID)*map[string]int{"": 1, "-": -1}[sign])
	})
	ids := make([]string, len(rows))
	for i, a := range rows {
		ids[i] = strconv.FormatInt(a.ID, 10)
	}
	return strings.Join(append(params, "ordering="+sign+name), "&"), fmt.Sprintf("%d: %s", len(rows), strings.Join(ids, " "))
}

// TestFunctionProperty compares what views show of functions, and filters and orders by functions,
// with a naive model: for an anonymous caller, for one who votes, and for staff, who vote too and see
// more rows.
func TestFunctionProperty(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB) {
		r := rand.New(rand.NewPCG(seed, 3))
		_, c := apitest.Serve(t, config(db), append(shapes(), polled())...)
		w, rows := imagine(r)
		p, rows := vote(r, w, rows)
		apitest.Insert(t, db, rows...)
		for _, p.caller = range []string{"", "una", "staff"} {
			p.staff = p.caller == "staff"
			client := apitest.As(c, p.caller)
			for range 80 {
				query, want := p.query(r)
				if got := idsOf(client.Get("/api/polled/?" + query)); got != want {
					t.Fatalf("seed %d, caller %q: %s\nlists %s\nwant  %s", seed, p.caller, query, got, want)
				}
			}
			var all struct{ Results []polledView }
			if err := json.Unmarshal([]byte(client.Get("/api/polled/").Expect(200).Body()), &all); err != nil {
				t.Fatal(err)
			}
			for i, a := range p.articles {
				f := p.functions(a)
				want := polledView{
					a.ID, a.Title, *f["votes"], *f["mine"] == 1, *f["weight"], *f["tagged"], *f["comments"], *f["signed"], *f["noted"] == 1, f["top"], f["least"], *f["sum"],
				}
				if got, model := fmt.Sprint(jsonOf(t, all.Results[i])), fmt.Sprint(jsonOf(t, want)); got != model {
					t.Errorf("seed %d, caller %q: article %d shows\n%s\nwant\n%s", seed, p.caller, a.ID, got, model)
				}
			}
		}
	})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
