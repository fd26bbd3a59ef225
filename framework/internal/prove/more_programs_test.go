package prove_test

import (
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Letter has two files.
type Letter struct {
	bun.BaseModel `bun:"table:letters"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	ToAt    time.Time
	Text    files.File
	Photo   files.File
}

func (l *Letter) owner() *uuid.UUID { return &l.OwnerID }

type letterInput struct {
	SentOn time.Time `json:"sentOn" validate:"required"`
}

// Check permits letters of the past.
func (in letterInput) Check() []framework.Fault {
	if in.SentOn.After(time.Now()) {
		return []framework.Fault{{Pointer: "/sentOn", Code: "past", Detail: "It is in the future."}}
	}
	return nil
}

type letterView struct {
	ID uuid.UUID `json:"id"`
}

// letters are sent in the past, and have files. Their list has small pages.
func letters(t *testing.T) framework.Resource {
	t.Helper()
	storage, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = storage.Close() })
	fill := framework.Fills[letterView](func(_ *framework.Call, l *Letter, in letterInput) error {
		l.ToAt = in.SentOn
		return nil
	})
	field := func(name string, of func(*Letter) *files.File, kind string) framework.FileField[Letter] {
		return framework.FileField[Letter]{Name: name, Field: of, Storage: storage, MaxBytes: 10_000, Types: []string{kind}}
	}
	return framework.ViewSet[Letter]{
		Name: "letters", Scope: framework.Own((*Letter).owner), Permission: framework.Authenticated(), Ordering: framework.Ordering{Default: "id"},
		Verbs: framework.Verbs{List: framework.Shows[letterView](), Create: fill, Retrieve: framework.Shows[letterView](), Patch: fill}, Wrap: "letter",
		Pagination: page.Number{Size: 2},
		Files: []framework.FileField[Letter]{
			field("text", func(l *Letter) *files.File { return &l.Text }, "text/plain"),
			field("photo", func(l *Letter) *files.File { return &l.Photo }, "image/png"),
		},
	}
}

// clocks answer with the time, and stream events without an end.
func clocks() framework.Resource {
	type now struct {
		At time.Time `json:"at"`
	}
	read := func(*framework.Call, framework.None) (now, error) { return now{time.Now().Truncate(time.Second)}, nil }
	ticks := func(c *framework.Call, _ framework.None) (iter.Seq2[now, error], error) {
		return func(yield func(now, error) bool) {
			ticker := time.NewTicker(50 * time.Millisecond)
			defer ticker.Stop()
			for c.Err() == nil && yield(now{<-ticker.C}, nil) {
			}
		}, nil
	}
	return framework.ViewSet[Box]{
		Name: "clocks", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "now", read),
			framework.OnCollection(http.MethodGet, "ticks", ticks).As(framework.EventStream),
		},
	}
}

// A Claim is taken by the caller who claims it, and hidden from the others then.
type Claim struct {
	bun.BaseModel `bun:"table:claims"`

	ID      uuid.UUID `bun:",pk"`
	TakenBy *uuid.UUID
	Text    string
}

type claimInput struct {
	Text string `json:"text" validate:"required,max=60"`
}

type claimView struct {
	ID uuid.UUID `json:"id"`
	claimInput
}

// claims have actions that move rows out of the scope of callers.
func claims() framework.Resource {
	take := func(c *framework.Call, one *Claim, _ framework.None) (claimView, error) {
		id := c.Caller.ID.(uuid.UUID)
		one.TakenBy = &id
		return claimView{one.ID, claimInput{one.Text}}, framework.Save(c, one)
	}
	give := func(c *framework.Call, one *Claim, _ framework.None) (framework.None, error) {
		other := uuid.New()
		one.TakenBy = &other
		return framework.None{}, framework.Save(c, one)
	}
	return framework.ViewSet[Claim]{
		Name: "claims", Verbs: framework.CRUD[claimInput, claimView](), Permission: framework.Authenticated(), Ordering: framework.Ordering{Default: "id"},
		Scope: framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("taken_by IS NULL").WhereOr("taken_by = ?", c.Caller.ID)
		}),
		Actions: []framework.Action[Claim]{framework.Post("take", take), framework.Post("give", give)},
	}
}

// counted are boxes whose function counts all boxes in a public row.
func counted() framework.Resource {
	v := boxes()
	v.Name = "counted"
	v.Verbs.Create = framework.FillsThen[boxView](
		func(_ *framework.Call, b *Box, in boxInput) error {
			b.Label = in.Label
			return nil
		},
		func(c *framework.Call, _ *Box, _ boxInput) error {
			_, err := c.DB.NewUpdate().Table("countries").Set("name = name || '.'").Where("1 = 1").Exec(c)
			return err
		})
	return v
}

// slow changes the database after the answer.
func slow() framework.Resource {
	later := func(c *framework.Call, b *Box, _ framework.None) (boxView, error) {
		id := b.ID
		c.AfterCommit(func(c *framework.Call) error {
			<-time.After(20 * time.Millisecond) // the answer was sent before
			_, err := c.DB.NewUpdate().Table("boxes").Set("label = label || '.'").Where("id = ?", id).Exec(c)
			return err
		})
		return boxView{b.ID, boxInput{b.Label}}, nil
	}
	return framework.ViewSet[Box]{
		Name: "slow", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(), Actions: []framework.Action[Box]{framework.Post("later", later)},
	}
}

// TestFurtherLegitimatePrograms: no program of these is reported.
func TestFurtherLegitimatePrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		more func(*testing.T) []framework.Resource
	}{
		{"files, dates of the past, small pages and members around bodies", func(t *testing.T) []framework.Resource { t.Helper(); return []framework.Resource{letters(t)} }},
		{"the time, and a stream without an end", func(*testing.T) []framework.Resource { return []framework.Resource{clocks()} }},
		{"rows that leave a scope", func(*testing.T) []framework.Resource { return []framework.Resource{claims()} }},
		{"a function that changes a public row", func(*testing.T) []framework.Resource { return []framework.Resource{counted(), countries()} }},
		{"rows that all read, and rows below them", func(*testing.T) []framework.Resource { return shared() }},
		{"required parameters", func(*testing.T) []framework.Resource { return []framework.Resource{finder(ownLabel)} }},
		{"references to rows with a slug, and a default that few callers change", func(*testing.T) []framework.Resource { return library() }},
		{"changes after the answer", func(*testing.T) []framework.Resource { return []framework.Resource{slow()} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
				report := proof(t, db, nil, c.more(t)...)
				for _, f := range append(report.Findings, report.Unexercised...) {
					t.Errorf("%s", f)
				}
			})
		})
	}
}

// TestAClosedConnection: a handler that closes the connection ends no proof.
func TestAClosedConnection(t *testing.T) {
	t.Parallel()
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, func(_ *guests, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if at("GET", "/api/things/")(r) {
					panic(http.ErrAbortHandler)
				}
				next.ServeHTTP(w, r)
			})
		})
		if len(report.Unexercised) != 1 || report.Unexercised[0].Path != "/api/things/" {
			t.Errorf("not exercised are %v", report.Unexercised)
		}
	})
}

// TestCurl: the line of a finding repeats its request.
func TestCurl(t *testing.T) {
	t.Parallel()
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, asOwner(func(r *http.Request) bool { return r.Method == http.MethodHead }))
		for _, f := range report.Findings {
			if strings.HasPrefix(f.Curl, "curl --head ") && !strings.Contains(f.Curl, "-X") {
				return
			}
		}
		t.Errorf("no finding has a HEAD: %v", report.Findings)
	})
}

// finder serves functions that require parameters.
func finder(read func(*framework.Call, string) (string, error)) framework.Resource {
	type wanted struct {
		Kind  string    `json:"kind" validate:"required,oneof=all none"`
		Label string    `json:"label" validate:"required,max=20"`
		Size  int       `json:"size" validate:"required,min=3"`
		Box   uuid.UUID `json:"box" validate:"required" ref:"boxes"`
		After time.Time `json:"after" validate:"required"`
	}
	find := func(c *framework.Call, in wanted) (allKeys, error) {
		text, err := read(c, in.Label)
		return allKeys{text}, err
	}
	return framework.ViewSet[Box]{
		Name: "finder", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "find", find)},
	}
}

func ownLabel(_ *framework.Call, label string) (string, error) { return label, nil }

func anyLabel(c *framework.Call, _ string) (string, error) {
	keys, err := labels(c, framework.None{})
	return keys.Keys, err
}

// picky serves a function that rejects each body.
func picky() framework.Resource {
	type order struct {
		Code string `json:"code" validate:"required,max=60"`
	}
	reject := func(*framework.Call, order) (framework.None, error) {
		return framework.None{}, framework.Invalid(framework.Fault{Pointer: "/code", Code: "oneof", Detail: "There is no such code."})
	}
	return framework.ViewSet[Box]{
		Name: "picky", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "order", reject)},
	}
}

// TestNotExercised: a function that rejects each body is reported.
func TestNotExercised(t *testing.T) {
	t.Parallel()
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, nil, picky())
		if len(report.Unexercised) != 1 || report.Unexercised[0].Path != "/api/picky/order/" || len(report.Findings) > 0 {
			t.Errorf("not exercised are %v; findings are %v", report.Unexercised, report.Findings)
		}
	})
}

// shared are boxes that all callers read and only their owners change, and items that these add.
func shared() []framework.Resource {
	return []framework.Resource{
		framework.ViewSet[Box]{
			Name: "shared", Verbs: framework.CRUD[boxInput, boxView](), Scope: framework.Public(), Writers: framework.Own((*Box).owner),
			Permission: framework.OrReadOnly(framework.Authenticated()), Ordering: framework.Ordering{Default: "id"},
		},
		framework.ViewSet[Item]{
			Name: "items", Parent: framework.Child("box", "shared").ByWriters(), Verbs: framework.CRUD[itemInput, itemView](), Scope: framework.Public(),
			Permission: framework.OrReadOnly(framework.Authenticated()), Ordering: framework.Ordering{Default: "name"},
		},
	}
}

// A Shelf has a number as its key, and a slug in its path.
type Shelf struct {
	bun.BaseModel `bun:"table:shelves"`

	ID      int64     `bun:",pk,autoincrement"`
	OwnerID uuid.UUID `bun:"type:uuid"`
	Slug    string
	Title   string
}

func (s *Shelf) owner() *uuid.UUID { return &s.OwnerID }

// A Book is on a shelf.
type Book struct {
	bun.BaseModel `bun:"table:books"`

	ID      uuid.UUID `bun:",pk,type:uuid"`
	ShelfID int64
	Copies  int64
}

// library serves shelves, and books whose copies few callers count.
func library() []framework.Resource {
	type shelfInput struct {
		Title string `json:"title" validate:"required,line,max=50"`
	}
	type shelfView struct {
		Slug  string `json:"slug"`
		Title string `json:"title"`
	}
	type bookInput struct {
		ShelfID int64 `json:"shelf" validate:"required" ref:"shelves"`
		Copies  int64 `json:"copies" validate:"min=1" default:"2"`
	}
	type bookView struct {
		ID uuid.UUID `json:"id"`
		bookInput
	}
	return []framework.Resource{
		framework.ViewSet[Shelf]{
			Name: "shelves", Lookup: "slug", Slug: framework.Slug{Field: "slug", From: "title"}, Verbs: framework.CRUD[shelfInput, shelfView](),
			Scope: framework.Own((*Shelf).owner), Permission: framework.Authenticated(),
		},
		framework.ViewSet[Book]{
			Name: "books", Verbs: framework.CRUD[bookInput, bookView](), Scope: framework.Via("shelf", "shelves"), Permission: framework.Authenticated(),
			Fields: []framework.FieldRule{framework.Writes("copies", framework.Holds("books.count"))},
		},
	}
}
