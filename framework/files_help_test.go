package framework_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/textproto"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A Person has a photo and a letter.
type Person struct {
	bun.BaseModel `bun:"table:people"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Name      string
	Photo     files.File `bun:",type:jsonb"`
	Letter    files.File
	UpdatedAt time.Time
}

type PersonInput struct {
	Name string `json:"name" validate:"required,max=50"`
}

type PersonView struct {
	Name   string     `json:"name"`
	Photo  files.File `json:"photo"`
	Letter files.File `json:"letter"`
	ID     uuid.UUID  `json:"id"`
}

// A Pet belongs to a person, and is shown with the person's photo.
type Pet struct {
	bun.BaseModel `bun:"table:pets"`

	ID       int64 `bun:",pk"`
	PersonID *uuid.UUID
	Person   *Person `bun:"rel:belongs-to,join:person_id=id"`
}

type PetView struct {
	ID     int64      `json:"id"`
	Person *InPetView `json:"person" ref:"people"`
}

type InPetView struct {
	Photo files.File `json:"photo"`
}

var peopleSchema = sqldb.Migrations{Namespace: "people", FS: fstest.MapFS{
	"1_people.tx.up.sql": {Data: []byte(`
CREATE TABLE people (
    {{id}},
    owner_id {{uuid}} NOT NULL,
    name {{text}} NOT NULL,
    photo {{json}},
    letter {{text}},
    updated_at {{timestamp}} NOT NULL
);
CREATE TABLE pets (id {{bigint}} PRIMARY KEY, person_id {{uuid}} REFERENCES people (id));
`)},
	"1_people.tx.down.sql": {Data: []byte("DROP TABLE pets; DROP TABLE people;")},
}}

const (
	mostPhoto  = 64 << 10
	mostLetter = 1000
)

var fileKey = bytes.Repeat([]byte("k"), 32)

// peopleWith is the viewset of people, whose files are in a storage.
func peopleWith(storage files.Storage) framework.ViewSet[Person] {
	return framework.ViewSet[Person]{
		Name:  "people",
		Verbs: framework.CRUD[PersonInput, PersonView](),
		Scope: framework.Own(func(p *Person) *uuid.UUID { return &p.OwnerID }).Unless(framework.HoldsModel("people")),
		Files: []framework.FileField[Person]{
			{
				Name: "photo", Field: func(p *Person) *files.File { return &p.Photo }, Storage: storage, MaxBytes: mostPhoto,
				Types: []string{"image/png", "image/jpeg", "image/gif"}, Inline: true, SignFor: time.Hour,
			},
			{
				Name: "letter", Field: func(p *Person) *files.File { return &p.Letter }, Storage: storage, MaxBytes: mostLetter,
				Types: []string{"text/plain", "text/markdown", "application/pdf"}, Doc: "The letter of the person.",
			},
		},
	}
}

func pets() framework.ViewSet[Pet] {
	return framework.ViewSet[Pet]{
		Name: "pets", Scope: framework.Public(), Permission: framework.Anyone(),
		Verbs: framework.Verbs{List: framework.Shows[PetView](), Retrieve: framework.Shows[PetView]()},
	}
}

// peopleDatabases runs a test on both databases with the tables of people.
func peopleDatabases(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(context.Background(), nil, peopleSchema, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		test(t, db)
	})
}

// disk is a storage in a folder of the test.
func disk(tb testing.TB) *files.Disk {
	tb.Helper()
	d, err := files.OpenDisk(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

// fileConfig is the configuration of an API with signed URLs of files.
func fileConfig(db *sqldb.DB) framework.Config {
	c := config(db)
	c.FileKeys = [][]byte{fileKey}
	return c
}

// serveFiles serves resources, and compares each answer with the OpenAPI document.
func serveFiles(tb testing.TB, c framework.Config, resources ...framework.Resource) *client {
	tb.Helper()
	api, _ := promised(tb, c, resources...)
	return api
}

// keysIn lists the keys of all contents in a storage.
func keysIn(tb testing.TB, s files.Storage) (keys []string) {
	tb.Helper()
	for object, err := range s.List(context.Background(), "") {
		if err != nil {
			tb.Fatal(err)
		}
		keys = append(keys, object.Key)
	}
	return keys
}

// stores expects a storage to have this many contents, and no leftover of an upload.
func stores(tb testing.TB, s files.Storage, want int) {
	tb.Helper()
	if keys := keysIn(tb, s); len(keys) != want {
		tb.Errorf("the storage has %d contents, want %d: %q", len(keys), want, keys)
	}
	if n, err := s.DeleteUnfinished(context.Background(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		tb.Errorf("the storage has %d unfinished contents, error %v; want none", n, err)
	}
}

// pngOf is an image of a width and height.
func pngOf(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)))
	return b.Bytes()
}

func jpegOf(width, height int) []byte {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil)
	return b.Bytes()
}

func gifOf(width, height int) []byte {
	var b bytes.Buffer
	_ = gif.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil)
	return b.Bytes()
}

// padded is a content with bytes behind it, of a length in all.
func padded(content []byte, length int) []byte {
	return append(bytes.Clone(content), make([]byte, length-len(content))...)
}

// A formPart is one part of a form: its headers and its content.
type formPart struct {
	disposition, kind string
	content           []byte
}

// form writes a body of multipart/form-data, and returns its Content-Type.
func form(parts ...formPart) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", p.disposition)
		if p.kind != "" {
			h.Set("Content-Type", p.kind)
		}
		part, _ := w.CreatePart(h)
		_, _ = part.Write(p.content)
	}
	_ = w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// filePart is the part "file" with a file name.
func filePart(name string, content []byte) formPart {
	return formPart{fmt.Sprintf(`form-data; name="file"; filename="%s"`, name), "image/png", content}
}

// upload sends a body with a Content-Type; "" for none.
func (c *client) upload(path, kind string, body []byte) *answer {
	c.tb.Helper()
	return c.with("Content-Type", kind).put(path, string(body))
}

// newPerson creates a person as Ada, and returns the path.
func newPerson(c *client) string {
	c.tb.Helper()
	return "/api/people/" + c.as("ada").post("/api/people/", map[string]any{"name": "Ann"}).is(201).id() + "/"
}
