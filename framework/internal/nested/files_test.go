package nested_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Sketch is a row with a file, below a notebook.
type Sketch struct {
	bun.BaseModel `bun:"table:sketches"`

	ID         uuid.UUID `bun:",pk,type:uuid"`
	NotebookID uuid.UUID `bun:"type:uuid"`
	Title      string
	Photo      files.File `bun:"type:text"`

	Notebook *Notebook `bun:"rel:belongs-to,join:notebook_id=id"`
}

type sketchView struct {
	ID uuid.UUID `json:"id"`
	titleInput
	Photo files.File `json:"photo"`
}

// TestFiles: a file of a nested row is at the path of the row, for callers who see the parent, and its
// URL has the key of the parent. A signed URL needs no credentials, and is for that path alone.
func TestFiles(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		types := map[bool]string{true: "TEXT", false: "uuid"}[db.Kind() == sqldb.SQLite]
		if _, err := db.Exec("CREATE TABLE sketches (id " + types + " PRIMARY KEY, notebook_id " + types + " NOT NULL, title TEXT NOT NULL, photo TEXT)"); err != nil {
			t.Fatal(err)
		}
		fill(t, db)
		storage, err := files.OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		photo := framework.FileField[Sketch]{
			Name: "photo", Field: func(s *Sketch) *files.File { return &s.Photo }, Storage: storage, MaxBytes: 100, Types: []string{"text/plain"},
		}
		sketches := framework.ViewSet[Sketch]{
			Name: "sketches", Parent: framework.Child("notebook", "notebooks"), Verbs: framework.CRUD[titleInput, sketchView](), Scope: framework.Public(),
			Files: []framework.FileField[Sketch]{photo},
		}
		signed := sketches
		signed.Name, signed.Files = "signed", []framework.FileField[Sketch]{photo}
		signed.Files[0].SignFor = time.Hour
		c := config(db)
		c.FileKeys = [][]byte{[]byte(strings.Repeat("k", 32))}
		_, client := apitest.Serve(t, c, notebooks(), sketches, signed)
		ann, below := apitest.As(client, "ann"), "/api/notebooks/"+first+"/"
		var row struct {
			ID    uuid.UUID
			Photo struct{ URL string }
		}
		ann.Post(below+"sketches/", pageBody).Expect(201).JSON(&row)
		at := below + "sketches/" + row.ID.String() + "/"
		ann.With("Content-Type", "text/plain").Do("PUT", at+"photo/", "hello").Expect(200).Contains(`"url":"` + at + `photo/"`)
		ann.Get(at).Expect(200).Contains(`"url":"` + at + `photo/"`)
		ann.Get(below + "sketches/").Expect(200).Contains(`"url":"` + at + `photo/"`)
		ann.Get(at + "photo/").Expect(200).Contains("hello")
		other := strings.Replace(at, first, second, 1)
		for _, r := range []struct{ caller, method, path string }{
			{"bob", "GET", at}, {"", "GET", at}, {"bob", "PUT", at}, {"bob", "DELETE", at}, {"ann", "GET", other}, {"bob", "GET", other}, {"bob", "DELETE", other},
		} {
			apitest.As(client, r.caller).With("Content-Type", "text/plain").Do(r.method, r.path+"photo/", map[bool]any{true: "other"}[r.method == "PUT"]).Expect(404)
		}
		ann.Get(strings.Replace(at, "/sketches/", "/signed/", 1)).Expect(200).JSON(&row)
		if !strings.HasPrefix(row.Photo.URL, strings.Replace(at, "/sketches/", "/signed/", 1)+"photo/?expires=") {
			t.Fatalf("the URL is %q", row.Photo.URL)
		}
		client.Get(row.Photo.URL).Expect(200).Contains("hello")
		client.Get(strings.Replace(row.Photo.URL, first, second, 1)).Expect(403).Code("invalid_signature")
		ann.Delete(at + "photo/").Expect(204)
		client.Get(row.Photo.URL).Expect(404)
	})
}
