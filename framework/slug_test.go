package framework_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

type (
	essay struct {
		bun.BaseModel `bun:"table:essays"`

		ID      uuid.UUID `bun:",pk"`
		OwnerID uuid.UUID
		Title   string
		Slug    string `bun:",unique"`
		Words   int64
		Teaser  *string
	}
	essayInput struct {
		Title string `json:"title" validate:"required,max=200"`
		Words int64  `json:"words"`
	}
	essayView struct {
		ID    uuid.UUID `json:"id"`
		Title string    `json:"title"`
		Slug  string    `json:"slug"`
		Words int64     `json:"words"`
	}
	essayWithSlug struct {
		Title string `json:"title"`
		Slug  string `json:"slug"`
	}
)

func (e *essay) owner() *uuid.UUID { return &e.OwnerID }

// essays are found by their slugs. Each caller has essays of their own.
func essays(s framework.Slug) framework.ViewSet[essay] {
	return framework.ViewSet[essay]{
		Name: "essays", Verbs: framework.CRUD[essayInput, essayView](), Scope: framework.Own((*essay).owner), Lookup: "slug", Reserved: []string{"drafts"}, Slug: s,
		Collection: []framework.CollectionAction{
			framework.OnCollection("GET", "drafts", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }),
			framework.OnCollection("POST", "drafts", func(c *framework.Call, in essayWithSlug) (essayView, error) {
				e := essay{Title: in.Title, Slug: in.Slug}
				err := framework.Insert(c, &e)
				return essayView{ID: e.ID, Title: e.Title, Slug: e.Slug}, err
			}),
		},
		Actions: []framework.Action[essay]{
			framework.Post("retitle", func(c *framework.Call, e *essay, in essayInput) (essayView, error) {
				e.Title = in.Title
				err := framework.Save(c, e)
				return essayView{ID: e.ID, Title: e.Title, Slug: e.Slug}, err
			}),
		},
	}
}

func essaysIn(t *testing.T, db *sqldb.DB, s framework.Slug) *client {
	t.Helper()
	if _, err := db.NewCreateTable().Model((*essay)(nil)).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	return serve(t, config(db), essays(s))
}

// slugOf returns the slug in an answer.
func slugOf(a *answer) string {
	text, _ := a.object()["slug"].(string)
	return text
}

func title(text string) string { return fmt.Sprintf(`{"title":%q}`, text) }

// TestSlugsAreMade: in this order, each request creates a row with a slug that no row has.
func TestSlugsAreMade(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		client := essaysIn(t, db, framework.Slug{Field: "slug", From: "title"})
		for _, c := range []struct{ name, as, title, want string }{
			{"words and accents", "ada", "Crème Brûlée!", "creme-brulee"},
			{"the same title", "ada", "Crème Brûlée!", "creme-brulee-2"},
			{"the same slug of another title", "ada", "creme brulee", "creme-brulee-3"},
			{"the same title of another caller, who does not see the others", "bob", "Crème brûlée", "creme-brulee-4"},
			{"a title that looks numbered", "ada", "Creme Brulee 5", "creme-brulee-5"},
			{"the number that it took is left out", "ada", "Creme Brulee", "creme-brulee-6"},
			{"a reserved value", "ada", "Drafts", "drafts-2"},
			{"a long title, cut between words", "ada", strings.Repeat("word ", 12), "word-word-word-word-word-word-word-word-word-word"},
			{"the same long title, with room for the number", "ada", strings.Repeat("word ", 12), "word-word-word-word-word-word-word-word-word-wor-2"},
			{"characters of a path", "ada", "../a/b?c", "a-b-c"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada := client.in(t).as(c.as)
				made := ada.post("/api/essays/", title(c.title)).is(201)
				if got := slugOf(made); got != c.want || len(got) > 50 {
					t.Errorf("the slug of %q is %q; want %q", c.title, got, c.want)
				}
				made.head("Location", client.url+"/api/essays/"+c.want+"/")
				ada.get("/api/essays/" + c.want + "/").is(200)
			})
		}
		t.Run("a title without Latin letters gets the end of the key", func(t *testing.T) {
			made := client.in(t).as("ada").post("/api/essays/", title("Привет")).is(201)
			if id := made.id(); slugOf(made) != id[len(id)-12:] {
				t.Errorf("the slug of %s is %q", id, slugOf(made))
			}
		})
		t.Run("a number that is free again", func(t *testing.T) {
			ada := client.in(t).as("ada")
			ada.delete("/api/essays/creme-brulee-2/").is(204)
			ada.post("/api/essays/", title("Crème Brûlée")).is(201).says(`"slug":"creme-brulee-2"`)
		})
		t.Run("a slug in the body has no effect", func(t *testing.T) {
			made := client.in(t).as("ada").post("/api/essays/", `{"title":"Mine","slug":"yours"}`).is(201).says(`"slug":"mine"`)
			made.head("Trestle-Ignored", "/slug")
		})
		t.Run("a function sets it", func(t *testing.T) {
			client.in(t).as("ada").post("/api/essays/drafts/", `{"title":"Long","slug":"short"}`).is(200).says(`"slug":"short"`)
		})
		t.Run("a function leaves it out", func(t *testing.T) {
			client.in(t).as("ada").post("/api/essays/drafts/", `{"title":"Short"}`).is(200).says(`"slug":"short-2"`)
		})
		t.Run("a function sets one that a row has", func(t *testing.T) {
			got := client.in(t).as("ada").post("/api/essays/drafts/", `{"title":"x","slug":"short"}`).refuses(409, "not_unique")
			if !slices.Contains(faultsOf(got), "/slug not_unique") {
				t.Errorf("the faults are %v", faultsOf(got))
			}
		})
		t.Run("after 50 rows, the number is random", func(t *testing.T) {
			rows := []essay{{ID: uuid.New(), Title: "x", Slug: "news"}}
			for n := 2; n <= 50; n++ {
				rows = append(rows, essay{ID: uuid.New(), Title: "x", Slug: fmt.Sprintf("news-%d", n)})
			}
			if _, err := db.NewInsert().Model(&rows).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			var n int
			if got := slugOf(client.in(t).as("ada").post("/api/essays/", title("News")).is(201)); !scans(got, "news-%d", &n) || n <= 50 {
				t.Errorf("the slug is %q", got)
			}
		})
	})
}

func scans(text, format string, into ...any) bool {
	n, err := fmt.Sscanf(text, format, into...)
	return err == nil && n == len(into)
}

// TestSlugsOfAnotherViewset: a viewset of the same model without a slug sets it too, and hides no row
// from the search for a free one.
func TestSlugsOfAnotherViewset(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.NewCreateTable().Model((*essay)(nil)).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		other := essays(framework.Slug{})
		other.Under, other.Lookup, other.Reserved, other.Collection, other.Actions = "manage", "", nil, nil, nil
		client := serve(t, config(db), other, essays(framework.Slug{Field: "slug", From: "title"}))
		client.as("ada").post("/api/essays/", title("One")).is(201).says(`"slug":"one"`)
		client.as("bob").post("/api/manage/essays/", title("One")).is(201).says(`"slug":"one-2"`)
	})
}

// TestSlugsAreKept: without Renew, a new title keeps the slug.
func TestSlugsAreKept(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := essaysIn(t, db, framework.Slug{Field: "slug", From: "title"}).as("ada")
		ada.post("/api/essays/", title("First")).is(201)
		ada.patch("/api/essays/first/", title("Second")).is(200).says(`"title":"Second","slug":"first"`)
		ada.put("/api/essays/first/", title("Third")).is(200).says(`"title":"Third","slug":"first"`)
		ada.post("/api/essays/first/retitle/", title("Fourth")).is(200).says(`"title":"Fourth","slug":"first"`)
	})
}

// TestSlugsAreRenewed: with Renew, the slug follows the title, and stays if the title has the same slug.
func TestSlugsAreRenewed(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		client := essaysIn(t, db, framework.Slug{Field: "slug", From: "title", Renew: true})
		ada := client.as("ada")
		client.as("bob").post("/api/essays/", title("Taken")).is(201)
		ada.post("/api/essays/", title("First")).is(201)
		at := "first"
		for _, c := range []struct{ name, method, path, body, want string }{
			{"another title", "PATCH", "", title("Second"), "second"},
			{"another field", "PATCH", "", `{"words":3}`, "second"},
			{"a title with the same slug", "PATCH", "", title("SECOND!"), "second"},
			{"a title that another row has", "PATCH", "", title("Taken"), "taken-2"},
			{"the same title again keeps its number", "PUT", "", title("taken"), "taken-2"},
			{"a replaced title", "PUT", "", title("Third"), "third"},
			{"a title of a function", "POST", "retitle/", title("Fourth"), "fourth"},
			{"a title without Latin letters keeps the slug", "PATCH", "", title("Привет"), "fourth"},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := ada.in(t).do(c.method, "/api/essays/"+at+"/"+c.path, c.body).is(200)
				if at = slugOf(got); at != c.want {
					t.Errorf("the slug is %q; want %q", at, c.want)
				}
			})
		}
		ada.get("/api/essays/first/").refuses(404, "not_found")
	})
}

// TestSlugsOfRequestsAtTheSameTime: requests with the same title at the same time all succeed, with
// different slugs, also beside titles that look numbered.
func TestSlugsOfRequestsAtTheSameTime(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		client := essaysIn(t, db, framework.Slug{Field: "slug", From: "title", Renew: true})
		const writers = 12
		for i := range writers {
			client.as("bob").post("/api/essays/", title(fmt.Sprintf("Old %d", i))).is(201)
		}
		found := make([]string, 2*writers)
		var group sync.WaitGroup
		for i := range writers {
			made := "Same"
			if i%2 == 1 {
				made = fmt.Sprintf("Same %d", i)
			}
			group.Go(func() { found[i] = slugOf(client.as("ada").post("/api/essays/", title(made))) })
			group.Go(func() {
				found[writers+i] = slugOf(client.as("bob").patch(fmt.Sprintf("/api/essays/old-%d/", i), title("Same")))
			})
		}
		group.Wait()
		slices.Sort(found)
		if distinct := slices.Compact(slices.Clone(found)); len(distinct) != 2*writers || distinct[0] != "same" || !strings.HasPrefix(distinct[1], "same-") {
			t.Errorf("the slugs are %v", found)
		}
	})
}

// TestStatementsOfSlugs: a slug costs one statement to find a free one, and on PostgreSQL one for the lock.
func TestStatementsOfSlugs(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := essaysIn(t, db, framework.Slug{Field: "slug", From: "title"}).as("ada")
		ada.post("/api/essays/", title("Warm")).is(201)
		want := 2 // the free slug and the row
		if db.Kind() == sqldb.PostgreSQL {
			want++
		}
		sent := frameworktest.CountStatements(db).During(func() { ada.post("/api/essays/", title("One")).is(201) })
		sent = slices.DeleteFunc(sent, func(text string) bool { return text == "BEGIN" || text == "COMMIT" || text == "BEGIN IMMEDIATE" })
		if len(sent) != want {
			t.Errorf("%d statements are sent; want %d:\n%s", len(sent), want, strings.Join(sent, "\n"))
		}
		sent = frameworktest.CountStatements(db).During(func() { ada.patch("/api/essays/one/", `{"words":3}`).is(200) })
		if slices.ContainsFunc(sent, func(text string) bool { return strings.Contains(text, " IN (") || strings.Contains(text, "advisory") }) {
			t.Errorf("a change of another field looks for a slug:\n%s", strings.Join(sent, "\n"))
		}
	})
}

// TestSlugsInTheDocument: clients read the slug and do not write it.
func TestSlugsInTheDocument(t *testing.T) {
	found := schemasOf(t, config(sqlite(t)), essays(framework.Slug{Field: "slug", From: "title"}))
	if _, written := found["EssayInput"].Properties["slug"]; written || found["Essay"].Properties["slug"] == nil {
		t.Errorf("the schemas are %v", found)
	}
}

// TestSlugsNeedAnIndex: the column of a slug needs a unique index, also if it is not in the path.
func TestSlugsNeedAnIndex(t *testing.T) {
	v := essays(framework.Slug{Field: "slug", From: "title"})
	v.Lookup, v.Reserved = "", nil
	api := framework.New(config(sqlite(t)))
	api.Register(v)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	needs := api.Indexes()
	if !slices.ContainsFunc(needs, func(n framework.IndexNeed) bool {
		return n.Unique && n.Columns[0].Name == "slug" && slices.Contains(n.For, `essays: slug "slug"`)
	}) {
		t.Errorf("the indexes are %v", needs)
	}
}

// TestMistakesInSlugs: each mistake stops the program with one sentence.
func TestMistakesInSlugs(t *testing.T) {
	writes := essays(framework.Slug{Field: "slug", From: "title"})
	writes.Verbs.Patch = framework.Accepts[essayWithSlug, essayView]()
	for _, c := range []struct {
		name     string
		declared framework.ViewSet[essay]
		want     string
	}{
		{"an unknown field", essays(framework.Slug{Field: "slugg", From: "title"}), `essays: slug: no field "slugg" in essay; did you mean "slug"?`},
		{"an unknown source", essays(framework.Slug{Field: "slug", From: "titel"}), `essays: slug: no field "titel" in essay; did you mean "title"?`},
		{"no source", essays(framework.Slug{Field: "slug"}), `essays: slug: From is empty`},
		{"no field", essays(framework.Slug{From: "title", Renew: true}), `essays: slug: Field is empty`},
		{"a number as the source", essays(framework.Slug{Field: "slug", From: "words"}), `essays: slug: From: field "words" is int64; a slug is made of text`},
		{"the slug of itself", essays(framework.Slug{Field: "slug", From: "slug"}), `essays: slug: Field and From are both "slug"; a slug is made from another field`},
		{"a slug that may be absent", essays(framework.Slug{Field: "teaser", From: "title"}), `essays: slug: Field: field "teaser" is a pointer; every row has a slug, so make it a text`},
		{"a slug that is too short", essays(framework.Slug{Field: "slug", From: "title", Max: 9}), `essays: slug: Max is 9; it must be 10 to 200`},
		{"an input with the slug", writes, `essays: patch: essayWithSlug.Slug writes the slug, which the framework makes from Title; leave it out`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(c.declared)
			expectMistakes(t, api.Check(), []string{c.want})
		})
	}
}
