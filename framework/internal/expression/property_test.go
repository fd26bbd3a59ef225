package expression_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/internal/expression"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A world is random rows of the journal, as the naive model reads them.
type world struct {
	writers  map[int64]*Writer
	articles []*Article
	tags     map[int64][]*Tag     // by article
	comments map[int64][]*Comment // by article, without those that are deleted softly
	staff    bool
}

// A thing is a row as the naive model reads it: the values of its fields, nil for NULL, and its related rows.
type thing struct {
	values  map[string]any
	related func(name string) []thing
}

func plain[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func (w world) article(a *Article) thing {
	return thing{map[string]any{
		"title": a.Title, "note": plain(a.Note), "status": string(a.Status), "price": a.Price, "rating": plain(a.Rating), "public": a.Public,
		"double": a.Price * 2, "replies": int64(len(w.commentsOf(a))),
	}, func(name string) []thing {
		switch name {
		case "writer":
			return w.writer(a.WriterID)
		case "tags":
			return each(w.tags[a.ID], func(t *Tag) thing { return thing{map[string]any{"name": plain(t.Name)}, nil} })
		}
		return each(w.commentsOf(a), func(c *Comment) thing {
			return thing{map[string]any{"id": c.ID, "score": plain(c.Score)}, func(string) []thing { return w.writer(c.WriterID) }}
		})
	}}
}

// commentsOf lists the comments of an article that the caller may see.
func (w world) commentsOf(a *Article) []*Comment {
	return slices.DeleteFunc(slices.Clone(w.comments[a.ID]), func(c *Comment) bool { return c.Hidden && !w.staff })
}

// writer is a writer that the caller may see, as a list.
func (w world) writer(id *int64) []thing {
	if id == nil || w.writers[*id] == nil || w.writers[*id].Hidden && !w.staff {
		return nil
	}
	one := w.writers[*id]
	return []thing{{map[string]any{"name": one.Name, "city": plain(one.City)}, func(string) []thing {
		return each(slices.DeleteFunc(slices.Clone(w.articles), func(a *Article) bool { return a.WriterID == nil || *a.WriterID != one.ID }), w.article)
	}}}
}

func each[T any](rows []T, of func(T) thing) (all []thing) {
	for _, row := range rows {
		all = append(all, of(row))
	}
	return all
}

// reach lists the rows at the end of a path.
func (t thing) reach(path []string) []thing {
	rows := []thing{t}
	for _, name := range path {
		var next []thing
		for _, row := range rows {
			next = append(next, row.related(name)...)
		}
		rows = next
	}
	return rows
}

// holds evaluates an expression for a row, in memory.
func (t thing) holds(n expression.Node) bool {
	switch n := n.(type) {
	case *expression.Joined:
		if n.Word == "AND" {
			return !slices.ContainsFunc(n.Terms, func(term expression.Node) bool { return !t.holds(term) })
		}
		return slices.ContainsFunc(n.Terms, t.holds)
	case *expression.Not:
		return !t.holds(n.Of)
	case *expression.Some:
		return slices.ContainsFunc(t.reach(strings.Split(n.Relation.Text, ".")), func(row thing) bool { return row.holds(n.Of) })
	case *expression.Comparison:
		return t.compares(n)
	}
	return false
}

func (t thing) compares(n *expression.Comparison) bool {
	path := strings.Split(n.Field.Text, ".")
	name := path[len(path)-1]
	some := func(is func(v any) bool) bool {
		return slices.ContainsFunc(t.reach(path[:len(path)-1]), func(row thing) bool { v := row.values[name]; return v != nil && is(v) })
	}
	if n.Value.Kind == expression.Null {
		return some(func(any) bool { return true }) == (n.Operator == "!=")
	}
	equal := func(v any) bool { return compareTexts(v, n.Value.Text) == 0 }
	switch n.Operator {
	case "=":
		return some(equal)
	case "!=":
		return !some(equal)
	case "<":
		return some(func(v any) bool { return compareTexts(v, n.Value.Text) < 0 })
	case "<=":
		return some(func(v any) bool { return compareTexts(v, n.Value.Text) <= 0 })
	case ">":
		return some(func(v any) bool { return compareTexts(v, n.Value.Text) > 0 })
	}
	return some(func(v any) bool { return compareTexts(v, n.Value.Text) >= 0 })
}

// compareTexts compares a value with the text of another one.
func compareTexts(v any, text string) int {
	number, _ := strconv.ParseFloat(text, 64)
	switch v := v.(type) {
	case int64:
		return cmp.Compare(float64(v), number)
	case float64:
		return cmp.Compare(v, number)
	}
	return cmp.Compare(fmt.Sprint(v), text)
}

// A grammar is what random expressions about the rows of a level have.
type grammar struct {
	fields    map[string]string // the kind of each field: text, status, whole, number, boolean; a capital letter for several rows
	relations map[string]string // the level of each relation
}

var grammars = map[string]grammar{
	"article": {
		map[string]string{
			"title": "text", "note": "text", "status": "status", "price": "whole", "rating": "number", "public": "boolean", "double": "whole", "replies": "whole",
			"writer.name": "text", "writer.city": "text", "tags.name": "Text", "comments.score": "Whole", "comments.writer.name": "Text", "comments.writer.city": "Text", "writer.articles.title": "Text",
		},
		map[string]string{"writer": "writer", "tags": "tag", "comments": "comment", "comments.writer": "guest", "writer.articles": "written"},
	},
	"writer":  {map[string]string{"name": "text", "city": "text", "articles.title": "Text"}, map[string]string{"articles": "written"}},
	"guest":   {map[string]string{"name": "text", "city": "text"}, nil},
	"written": {map[string]string{"title": "text"}, nil},
	"tag":     {map[string]string{"name": "text"}, nil},
	"comment": {map[string]string{"id": "whole", "score": "whole", "writer.name": "text", "writer.city": "text"}, map[string]string{"writer": "guest"}},
}

func choose[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func sorted[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// invent makes a random expression.
func invent(r *rand.Rand, level string, depth int) expression.Node {
	g := grammars[level]
	switch kind := r.IntN(10); {
	case depth > 0 && kind < 4:
		n := &expression.Joined{Word: choose(r, []string{"AND", "OR"})}
		for range 2 + r.IntN(2) {
			n.Terms = append(n.Terms, invent(r, level, depth-1))
		}
		return n
	case depth > 0 && kind < 6:
		return &expression.Not{Of: invent(r, level, depth-1)}
	case depth > 0 && kind < 7 && len(g.relations) > 0:
		relation := choose(r, sorted(g.relations))
		return &expression.Some{Relation: expression.Name{Text: relation}, Of: invent(r, g.relations[relation], depth-1)}
	}
	name := choose(r, sorted(g.fields))
	kind := g.fields[name]
	many := kind[0] < 'a'
	kind = strings.ToLower(kind)
	operators := []string{"=", "!="}
	if many {
		operators = []string{"="}
	}
	if kind == "whole" || kind == "number" {
		operators = append(operators, "<", "<=", ">", ">=")
	}
	n := &expression.Comparison{Field: expression.Name{Text: name}, Operator: choose(r, operators), Value: valueOf(r, kind)}
	if !many && !strings.ContainsAny(n.Operator, "<>") && r.IntN(4) == 0 {
		n.Value = expression.Value{Kind: expression.Null, Text: "null"}
	}
	return n
}

func valueOf(r *rand.Rand, kind string) expression.Value {
	switch kind {
	case "status":
		return expression.Value{Text: choose(r, []string{"draft", "booked", "done"})}
	case "whole":
		return expression.Value{Kind: expression.Number, Text: strconv.Itoa(r.IntN(8) - 2)}
	case "number":
		return expression.Value{Kind: expression.Number, Text: choose(r, []string{"-0.5", "0", "1", "1.5", "2.25"})}
	case "boolean":
		return expression.Value{Kind: expression.Boolean, Text: choose(r, []string{"true", "false"})}
	}
	return expression.Value{Text: choose(r, words)}
}

var words = []string{"ann", "Ann", "", "it's \"so\" \\ %", "ångström"}

// imagine makes a world of few values, so that rows are often equal, and many gaps.
func imagine(r *rand.Rand) (w world, rows []any) {
	w = world{writers: map[int64]*Writer{}, tags: map[int64][]*Tag{}, comments: map[int64][]*Comment{}}
	word := func() string { return choose(r, words) }
	maybe := func() *string {
		if r.IntN(3) == 0 {
			return nil
		}
		return new(word())
	}
	number := func(most int64) *int64 {
		if r.IntN(4) == 0 {
			return nil
		}
		return new(1 + r.Int64N(most))
	}
	for id := range int64(5) {
		one := &Writer{ID: id + 1, Name: word(), City: maybe(), Hidden: r.IntN(3) == 0}
		w.writers[one.ID], rows = one, append(rows, one)
	}
	tags := []*Tag{{ID: 1, Name: new("ann")}, {ID: 2, Name: new("")}, {ID: 3}, {ID: 4, Name: new("ångström")}}
	for _, tag := range tags {
		rows = append(rows, tag)
	}
	for id := range int64(16) {
		a := &Article{ID: id + 1, Title: word(), Note: maybe(), Status: choose(r, []Status{"draft", "booked", "done"}), Price: r.Int64N(6) - 2, Public: r.IntN(2) == 0, PostedAt: noon, WriterID: number(6)}
		if r.IntN(3) > 0 {
			a.Rating = new(choose(r, []float64{-0.5, 0, 1, 1.5, 2.25}))
		}
		w.articles, rows = append(w.articles, a), append(rows, a)
		for _, tag := range tags {
			if r.IntN(3) == 0 {
				w.tags[a.ID], rows = append(w.tags[a.ID], tag), append(rows, &ArticleTag{ArticleID: a.ID, TagID: tag.ID})
			}
		}
	}
	for id := range int64(30) {
		c := &Comment{ID: id + 1, ArticleID: 1 + r.Int64N(16), WriterID: number(6), Score: number(5), Hidden: r.IntN(4) == 0}
		if r.IntN(5) == 0 {
			c.DeletedAt = noon
		} else {
			w.comments[c.ArticleID] = append(w.comments[c.ArticleID], c)
		}
		rows = append(rows, c)
	}
	return w, rows
}

// TestProperty compares random expressions over random rows with an evaluation in memory.
func TestProperty(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB) {
		r := rand.New(rand.NewPCG(seed, 1))
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Article]) {
			v.FilterExpression.MaxLength, v.FilterExpression.MaxDepth, v.FilterExpression.MaxComparisons, v.FilterExpression.MaxRelated = 2500, 20, 100, 100
		})...)
		w, rows := imagine(r)
		apitest.Insert(t, db, rows...)
		some := 0
		for range 400 {
			n := invent(r, "article", 3)
			text := expression.Print(n)
			if len([]rune(text)) > 2500 {
				continue
			}
			w.staff = r.IntN(2) == 0
			client := c
			if w.staff {
				client = apitest.As(c, "staff")
			}
			var ids []string
			for _, a := range w.articles {
				if w.article(a).holds(n) {
					ids = append(ids, strconv.FormatInt(a.ID, 10))
				}
			}
			if len(ids) > 0 && len(ids) < len(w.articles) {
				some++
			}
			want := fmt.Sprintf("%d: %s", len(ids), strings.Join(ids, " "))
			if got := idsOf(list(client, text)); got != want {
				t.Fatalf("seed %d, staff %t: %s\nlists %s\nwant  %s", seed, w.staff, text, got, want)
			}
		}
		if some < 100 {
			t.Errorf("seed %d: only %d of 400 expressions are true for some rows and not for others", seed, some)
		}
	})
}
