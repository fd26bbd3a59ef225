package framework_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/sqldb"
)

// TestMistakesInFiles: each mistake in a declaration is one sentence with its place.
func TestMistakesInFiles(t *testing.T) {
	db := sqlite(t)
	storage := disk(t)
	photo := peopleWith(storage).Files[0]
	change := func(fn func(*framework.FileField[Person])) []framework.FileField[Person] {
		f := photo
		fn(&f)
		return []framework.FileField[Person]{f}
	}
	other := disk(t)
	for want, declared := range map[string][]framework.FileField[Person]{
		`people: file "photo": it has no Field; write a function`:                                                           change(func(f *framework.FileField[Person]) { f.Field = nil }),
		`people: file "photo": Field must return the address of a column of Person`:                                         change(func(f *framework.FileField[Person]) { f.Field = func(*Person) *files.File { return new(files.File) } }),
		`people: file "photo": it has no Storage; open one, such as files.OpenDisk`:                                         change(func(f *framework.FileField[Person]) { f.Storage = nil }),
		`people: file "photo": MaxBytes is 0; set the greatest length`:                                                      change(func(f *framework.FileField[Person]) { f.MaxBytes = 0 }),
		`people: file "photo": it has no Types; list the allowed media types, such as "image/png"`:                          change(func(f *framework.FileField[Person]) { f.Types = nil }),
		`people: file "photo": no content is detected as "imge/png"; did you mean "image/png"?`:                             change(func(f *framework.FileField[Person]) { f.Types = []string{"imge/png", "image/gif"} }),
		`people: file "photo": "image/PNG" must be a media type in lower case without parameters; did you mean`:             change(func(f *framework.FileField[Person]) { f.Types = []string{"image/PNG", "image/gif"} }),
		`people: file "photo": "png" must be a media type`:                                                                  change(func(f *framework.FileField[Person]) { f.Types = []string{"png", "image/gif"} }),
		`people: file "photo": Inline has no effect: browsers download all of its types`:                                    change(func(f *framework.FileField[Person]) { f.Types = []string{"application/pdf"} }),
		`people: file "photo": SignFor is 169h0m0s; it must be 1 second to 7 days`:                                          change(func(f *framework.FileField[Person]) { f.SignFor = 169 * time.Hour }),
		`people: file "photo": SignFor needs a secret key; set FileKeys in framework.Config`:                                change(func(f *framework.FileField[Person]) { f.SignFor = time.Hour }),
		`people: file "delete": it has the name of a verb`:                                                                  change(func(f *framework.FileField[Person]) { f.Name = "delete" }),
		`people: file "a/b": the name of a file is a part of its path`:                                                      change(func(f *framework.FileField[Person]) { f.Name = "a/b" }),
		`people: file "photo": it is declared twice`:                                                                        {photo, photo},
		`people: file "greet": an action on the object has this name`:                                                       change(func(f *framework.FileField[Person]) { f.Name = "greet" }),
		`people: file "photo": file "picture" of people is the same column in another storage; give both one storage`:       append(change(func(*framework.FileField[Person]) {}), change(func(f *framework.FileField[Person]) { f.Name, f.Storage = "picture", other })...),
		`people: list: PersonView.Letter is a file, and no viewset declares it; add it to Files of the viewset of its rows`: {photo},
	} {
		t.Run(want, func(t *testing.T) {
			v := peopleWith(storage)
			v.Files = declared
			v.Actions = []framework.Action[Person]{framework.Post("greet", func(*framework.Call, *Person, framework.None) (framework.None, error) { return framework.None{}, nil })}
			c := config(db)
			if !strings.Contains(want, "secret key") {
				c.FileKeys = [][]byte{fileKey}
			}
			api := framework.New(c)
			api.Register(v)
			if err := api.Check(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestFilesAreNoInput: an input cannot write a file, and a short key is a mistake that does not
// show the key.
func TestFilesAreNoInput(t *testing.T) {
	type withPhoto struct {
		Photo files.File `json:"photo"`
	}
	v := peopleWith(disk(t))
	v.Verbs.Patch = framework.Accepts[withPhoto, PersonView]()
	c := config(sqlite(t))
	c.FileKeys = [][]byte{[]byte("short")}
	api := framework.New(c)
	api.Register(v)
	err := api.Check()
	for _, want := range []string{
		"withPhoto.Photo is a file, which clients store at a path of its own",
		"framework.Config: FileKeys: the key at place 1 has 5 bytes; it needs at least 32 random bytes",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "short") {
		t.Error("the error shows the key")
	}
}

// TestFilesOfASingleResource: a single resource has no key in its path, so its files have no
// signed URLs. Its file is at the path of the resource.
func TestFilesOfASingleResource(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		v := peopleWith(disk(t))
		v.Name, v.Single, v.Scope = "me", true, framework.Own(func(p *Person) *uuid.UUID { return &p.OwnerID })
		v.Verbs.List, v.Verbs.Create = framework.Verb{}, framework.Verb{}
		api := framework.New(fileConfig(db))
		api.Register(v)
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), `me: file "photo": SignFor needs a key in the path, and a single resource has none`) {
			t.Errorf("the error is %v", err)
		}
		v.Files[0].SignFor = 0
		ada := serveFiles(t, fileConfig(db), v).as("ada")
		ada.upload("/api/me/photo/", "image/png", pngOf(1, 1)).refuses(404, "not_found")
		ada.put("/api/me/", map[string]any{"name": "Ada"}).is(201)
		ada.upload("/api/me/photo/", "image/png", pngOf(1, 1)).is(200).says(`"url":"/api/me/photo/"`)
		ada.get("/api/me/photo/").is(200)
		ada.get("/api/me/").is(200).says(`"url":"/api/me/photo/"`)
	})
}
