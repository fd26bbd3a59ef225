package restore_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A world is what the tables should have: folders and letters by their keys, deleted ones too.
type world struct {
	t       *testing.T
	db      *sqldb.DB
	r       *rand.Rand
	folders map[string]folder
	letters map[string]letter
	log     []string
}

type folder struct {
	owner, name, parent string
	deleted             bool
}

type letter struct {
	owner, folder string
	deleted       bool
}

// TestRandomOperations: random requests of two callers, and rows that are purged by SQL, leave what a model says, and each is answered
// as the model says.
func TestRandomOperations(t *testing.T) {
	seed := seedOf(t)
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		w := &world{t: t, db: db, r: rand.New(rand.NewPCG(seed, 0)), folders: map[string]folder{}, letters: map[string]letter{}}
		for range 500 {
			who := []string{"bob", "cat"}[w.r.IntN(2)]
			c := as(who)
			switch w.r.IntN(12) {
			case 0, 1:
				w.newFolder(c, who)
			case 2, 3:
				w.newLetter(c, who)
			case 4:
				w.changeFolder(c, who)
			case 5:
				w.changeLetter(c, who)
			case 6, 7:
				w.deleteFolder(c, who)
			case 8:
				w.deleteLetter(c, who)
			case 9:
				w.restoreFolder(c, who)
			case 10:
				w.restoreLetter(c, who)
			default:
				w.purge()
			}
			w.look(c, who)
		}
		w.compare()
	})
}

// some is a random key of a row, or the key of a row that does not exist.
func some[V any](w *world, of map[string]V, none string) string {
	keys := append(slices.Sorted(maps.Keys(of)), none)
	return keys[w.r.IntN(len(keys))]
}

func (w *world) someFolder() string { return some(w, w.folders, uuid.Nil.String()) }
func (w *world) someLetter() string { return some(w, w.letters, "987654") }

// expect checks a status, and reports whether the request succeeded.
func (w *world) expect(got *frameworktest.Response, want int, what ...any) bool {
	w.t.Helper()
	w.log = append(w.log, fmt.Sprint(append(what, " -> ", got.Status())...))
	if got.Status() != want {
		w.t.Fatalf("%s\nis answered %d %s; want %d. The folders are %v, the letters %v", strings.Join(w.log[max(0, len(w.log)-25):], "\n"), got.Status(), got.Body(), want, w.folders, w.letters)
	}
	return want < 300
}

// mayName reports whether a caller may refer to a folder.
func (w *world) mayName(who, id string) bool {
	f, known := w.folders[id]
	return known && f.owner == who && !f.deleted
}

// taken reports whether another folder has a name.
func (w *world) taken(name, but string) bool {
	for id, f := range w.folders {
		if f.name == name && !f.deleted && id != but {
			return true
		}
	}
	return false
}

func (w *world) name() string { return fmt.Sprint("n", w.r.IntN(6)) }

func (w *world) parent() (any, string) {
	if w.r.IntN(2) == 0 {
		return nil, ""
	}
	id := w.someFolder()
	return id, id
}

func (w *world) newFolder(c *frameworktest.Client, who string) {
	name := w.name()
	sent, parent := w.parent()
	want := 201
	switch {
	case parent != "" && !w.mayName(who, parent):
		want = 400
	case w.taken(name, ""):
		want = 409
	}
	got := c.Post("/api/folders/", fields{"name": name, "parent": sent})
	if w.expect(got, want, who, " new folder ", name, " in ", parent) {
		var made struct{ ID string }
		got.JSON(&made)
		w.folders[made.ID] = folder{who, name, parent, false}
	}
}

func (w *world) newLetter(c *frameworktest.Client, who string) {
	in, want := w.someFolder(), 201
	if !w.mayName(who, in) {
		want = 400
	}
	got := c.Post("/api/letters/", fields{"folder": in, "text": "x"})
	if w.expect(got, want, who, " new letter in ", in) {
		var made struct{ ID int64 }
		got.JSON(&made)
		w.letters[strconv.FormatInt(made.ID, 10)] = letter{who, in, false}
	}
}

func (w *world) changeFolder(c *frameworktest.Client, who string) {
	id, name, want := w.someFolder(), w.name(), 200
	sent, parent := w.parent()
	switch {
	case !w.mayName(who, id):
		want = 404
	case parent != "" && !w.mayName(who, parent):
		want = 400
	case w.taken(name, id):
		want = 409
	}
	if w.expect(c.Patch("/api/folders/"+id+"/", fields{"name": name, "parent": sent}), want, who, " changes folder ", id, " to ", name, " in ", parent) {
		w.folders[id] = folder{who, name, parent, false}
	}
}

func (w *world) changeLetter(c *frameworktest.Client, who string) {
	id, in, want := w.someLetter(), w.someFolder(), 200
	switch l, known := w.letters[id]; {
	case !known || l.deleted:
		want = 404
	case l.owner != who:
		want = 403
	case !w.mayName(who, in):
		want = 400
	}
	if w.expect(c.Patch("/api/letters/"+id+"/", fields{"folder": in}), want, who, " moves letter ", id, " to ", in) {
		w.letters[id] = letter{who, in, false}
	}
}

// kept reports whether a row that is not deleted refers to a folder.
func (w *world) kept(id string) bool {
	for _, l := range w.letters {
		if l.folder == id && !l.deleted {
			return true
		}
	}
	for other, f := range w.folders {
		if f.parent == id && other != id && !f.deleted {
			return true
		}
	}
	return false
}

func (w *world) deleteFolder(c *frameworktest.Client, who string) {
	id, want := w.someFolder(), 204
	switch {
	case !w.mayName(who, id):
		want = 404
	case w.kept(id):
		want = 409
	}
	if w.expect(c.Delete("/api/folders/"+id+"/"), want, who, " deletes folder ", id) {
		f := w.folders[id]
		f.deleted = true
		w.folders[id] = f
	}
}

func (w *world) deleteLetter(c *frameworktest.Client, who string) {
	id, want := w.someLetter(), 204
	switch l, known := w.letters[id]; {
	case !known || l.deleted:
		want = 404
	case l.owner != who:
		want = 403
	}
	if w.expect(c.Delete("/api/letters/"+id+"/"), want, who, " deletes letter ", id) {
		l := w.letters[id]
		l.deleted = true
		w.letters[id] = l
	}
}

func (w *world) restoreFolder(c *frameworktest.Client, who string) {
	id, want := w.someFolder(), 204
	f, known := w.folders[id]
	switch {
	case !known || f.owner != who:
		want = 404
	case !f.deleted:
	case f.parent != "" && f.parent != id && w.folders[f.parent].deleted, w.taken(f.name, id):
		want = 409
	}
	if w.expect(c.Post("/api/folders/"+id+"/restore/", nil), want, who, " restores folder ", id) {
		f.deleted = false
		w.folders[id] = f
	}
}

func (w *world) restoreLetter(c *frameworktest.Client, who string) {
	id, want := w.someLetter(), 204
	l, known := w.letters[id]
	switch {
	case !known || l.owner != who && l.deleted:
		want = 404
	case l.owner != who:
		want = 403
	case l.deleted && w.folders[l.folder].deleted:
		want = 409
	}
	if w.expect(c.Post("/api/letters/"+id+"/restore/", nil), want, who, " restores letter ", id) {
		l.deleted = false
		w.letters[id] = l
	}
}

// purge deletes a deleted row to which none refers by SQL.
func (w *world) purge() {
	exec := func(query, id string) {
		if _, err := w.db.NewRaw(query, id).Exec(w.t.Context()); err != nil {
			w.t.Fatalf("%s: %v", query, err)
		}
		w.log = append(w.log, query+id)
	}
	if id := w.someLetter(); w.letters[id].deleted {
		exec("DELETE FROM letters WHERE id = ?", id)
		delete(w.letters, id)
		return
	}
	id := w.someFolder()
	used := false
	for _, l := range w.letters {
		used = used || l.folder == id
	}
	for other, f := range w.folders {
		used = used || f.parent == id && other != id
	}
	if w.folders[id].deleted && !used {
		exec("DELETE FROM folders WHERE id = ?", id)
		delete(w.folders, id)
	}
}

// look compares what a caller reads with the model.
func (w *world) look(c *frameworktest.Client, who string) {
	for query, deleted := range map[string]bool{"": false, "?deleted=true": true} {
		var want []string
		for id, f := range w.folders {
			if f.owner == who && f.deleted == deleted {
				want = append(want, id)
			}
		}
		var got struct {
			Count   int
			Results []struct{ ID string }
		}
		c.Get("/api/folders/" + query).Expect(200).JSON(&got)
		var ids []string
		for _, row := range got.Results {
			ids = append(ids, row.ID)
		}
		slices.Sort(ids)
		slices.Sort(want)
		if !slices.Equal(ids, want) || got.Count != len(want) {
			w.t.Fatalf("%s\n%s reads %v of %d at %q; want %v", strings.Join(w.log, "\n"), who, ids, got.Count, query, want)
		}
		id, status := w.someLetter(), 404
		if l, known := w.letters[id]; known && l.deleted == deleted {
			status = 200
		}
		w.expect(c.Get("/api/letters/"+id+"/"+query), status, who, " reads letter ", id, query)
	}
}

// compare compares the tables with the model.
func (w *world) compare() {
	var stored []string
	for table, columns := range map[string]string{"folders": "name || ' ' || coalesce(CAST(parent_id AS text), '')", "letters": "CAST(folder_id AS text)"} {
		var rows []string
		query := "SELECT CAST(id AS text) || ' ' || " + columns + " || CASE WHEN deleted_at IS NULL THEN '' ELSE ' deleted' END FROM " + table
		if err := w.db.NewRaw(query).Scan(w.t.Context(), &rows); err != nil {
			w.t.Fatal(err)
		}
		stored = append(stored, rows...)
	}
	mark := map[bool]string{true: " deleted"}
	var want []string
	for id, f := range w.folders {
		want = append(want, id+" "+f.name+" "+f.parent+mark[f.deleted])
	}
	for id, l := range w.letters {
		want = append(want, id+" "+l.folder+mark[l.deleted])
	}
	slices.SortFunc(stored, cmp.Compare)
	slices.SortFunc(want, cmp.Compare)
	if !slices.Equal(stored, want) {
		w.t.Errorf("the tables have\n%s\nwant\n%s", strings.Join(stored, "\n"), strings.Join(want, "\n"))
	}
}
