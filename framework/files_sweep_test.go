package framework_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A troubled storage fails when the test wants it, and lets the test act between the steps of a
// sweep.
type troubled struct {
	*files.Disk
	folder             string
	failPut, failUnset bool   // fail after a part of the content; fail to delete
	between            func() // nil for nothing
}

var errTrouble = errors.New("the storage is in trouble")

func (s *troubled) Put(ctx context.Context, key string, body io.Reader, kind string) error {
	if s.failPut {
		return s.Disk.Put(ctx, key, io.MultiReader(io.LimitReader(body, 10), brokenReader{}), kind)
	}
	return s.Disk.Put(ctx, key, body, kind)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errTrouble }

func (s *troubled) Delete(ctx context.Context, key string) error {
	s.act()
	if s.failUnset {
		return errTrouble
	}
	return s.Disk.Delete(ctx, key)
}

func (s *troubled) List(ctx context.Context, prefix string) iter.Seq2[files.Object, error] {
	return func(yield func(files.Object, error) bool) {
		for object, err := range s.Disk.List(ctx, prefix) {
			if s.act(); !yield(object, err) {
				return
			}
		}
	}
}

// act runs between once: what it does may delete contents too.
func (s *troubled) act() {
	if fn := s.between; fn != nil {
		s.between = nil
		fn()
		s.between = fn
	}
}

// age makes every stored file older.
func (s *troubled) age(tb rapid.TB, by time.Duration) {
	err := filepath.WalkDir(s.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		at := info.ModTime().Add(-by)
		return os.Chtimes(name, at, at)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// newTroubled is a storage in a folder of the test.
func newTroubled(t *testing.T) *troubled {
	t.Helper()
	s := &troubled{folder: t.TempDir()}
	var err error
	if s.Disk, err = files.OpenDisk(s.folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// sweeping is an API with people whose storage and transactions can fail.
type sweeping struct {
	api     *framework.API
	client  *client
	storage *troubled
	db      *sqldb.DB
}

func newSweeping(t *testing.T, db *sqldb.DB) *sweeping {
	t.Helper()
	s := &sweeping{storage: newTroubled(t), db: db, api: framework.New(fileConfig(db))}
	v := peopleWith(s.storage)
	s.api.Register(v)
	handler, err := s.api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	s.client = &client{Client: frameworktest.New(t, handler), tb: t}
	return s
}

// TestSweep: contents that no row names are deleted when they are a day old. Contents of rows,
// of soft moves between rows, and young contents stay.
func TestSweep(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		s := newSweeping(t, db)
		ctx := context.Background()
		at := newPerson(s.client)
		s.client.as("ada").upload(at+"photo/", "image/png", pngOf(1, 1)).is(200)
		orphan := files.NewKey("people/photo")
		for _, key := range []string{orphan, files.NewKey("people/letter"), files.NewKey("other/column")} {
			if err := s.storage.Put(ctx, key, strings.NewReader("x"), ""); err != nil {
				t.Fatal(err)
			}
		}
		sweep := func(want int) {
			t.Helper()
			if n, err := s.api.SweepFiles(ctx); n != want || err != nil {
				t.Errorf("the sweep deleted %d contents, error %v; want %d", n, err, want)
			}
		}
		sweep(0)
		s.storage.age(t, 23*time.Hour)
		sweep(0)
		s.storage.age(t, 2*time.Hour)
		s.storage.failUnset = true
		if n, err := s.api.SweepFiles(ctx); n != 0 || !errors.Is(err, errTrouble) || !strings.Contains(err.Error(), `the files "photo" of people`) {
			t.Errorf("the sweep deleted %d contents, error %v", n, err)
		}
		s.storage.failUnset = false
		sweep(2)
		sweep(0)
		s.client.as("ada").get(at + "photo/").is(200)
		if keys := keysIn(t, s.storage); len(keys) != 2 || slices.Contains(keys, orphan) {
			t.Errorf("the storage has %q", keys)
		}
	})
}

// TestSweepOfBadColumns: a column that cannot be read deletes nothing.
func TestSweepOfBadColumns(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		s := newSweeping(t, db)
		newPerson(s.client)
		if err := s.storage.Put(context.Background(), files.NewKey("people/letter"), strings.NewReader("x"), ""); err != nil {
			t.Fatal(err)
		}
		s.storage.age(t, 48*time.Hour)
		if _, err := db.Exec("UPDATE people SET letter = ?", "not JSON"); err != nil {
			t.Fatal(err)
		}
		if n, err := s.api.SweepFiles(context.Background()); n != 0 || err == nil || !strings.Contains(err.Error(), "is not valid") {
			t.Errorf("the sweep deleted %d contents, error %v", n, err)
		}
	})
}

// TestSweepProperty: whatever the order of uploads, deletions, failures, crashes and sweeps, each
// file that a row names has its content. A last sweep, a day later, leaves no other content.
func TestSweepProperty(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		s := newSweeping(t, db)
		rapid.Check(t, func(r *rapid.T) { s.run(r) })
	})
}

// run makes random steps on empty tables.
func (s *sweeping) run(r *rapid.T) {
	s.storage.failPut, s.storage.failUnset, s.storage.between = false, false, nil
	if _, err := s.db.Exec("DELETE FROM people"); err != nil {
		r.Fatal(err)
	}
	s.storage.age(r, 48*time.Hour)
	s.sweep(r)
	if keys := s.keys(r); len(keys) > 0 {
		r.Fatalf("without rows the storage has %q", keys)
	}
	var rows []string
	for range 3 {
		rows = append(rows, s.insert(r))
	}
	for range rapid.IntRange(4, 14).Draw(r, "steps") {
		s.step(r, &rows, sweepSteps)
		s.check(r)
	}
	s.storage.failUnset = false
	s.storage.age(r, 48*time.Hour)
	s.sweep(r)
	s.check(r)
	if got, want := s.keys(r), s.named(r); !slices.Equal(got, want) {
		r.Fatalf("the storage has %q, the rows name %q", got, want)
	}
}

// sweepSteps are what step can do. What runs between the steps of a sweep does not sweep with more
// steps between: that could go on forever.
var (
	sweepStepsBetween = []string{"upload", "upload", "cut", "fail", "delete", "remove", "insert", "crash", "cascade", "move", "trouble", "age", "sweep"}
	sweepSteps        = append(slices.Clone(sweepStepsBetween), "disturbed")
)

// step does one random thing.
func (s *sweeping) step(r *rapid.T, rows *[]string, of []string) {
	one := rapid.SampledFrom(*rows).Draw(r, "row")
	switch what := rapid.SampledFrom(of).Draw(r, "what"); what {
	case "upload":
		s.put(r, one, 200, 404)
	case "cut":
		s.storage.failPut = true
		s.put(r, one, 500, 404)
		s.storage.failPut = false
	case "fail": // the transaction fails after the content is stored
		s.lock(r, true)
		defer s.lock(r, false)
		s.put(r, one, 409, 500, 404)
	case "delete":
		s.send(r, http.MethodDelete, one+"photo/", "", 204, 404)
	case "remove":
		s.send(r, http.MethodDelete, one, "", 204, 404)
	case "insert":
		*rows = append(*rows, s.insert(r))
	case "crash": // after the content was stored, before the row names it
		if err := s.storage.Disk.Put(context.Background(), files.NewKey("people/photo"), strings.NewReader("x"), ""); err != nil {
			r.Fatal(err)
		}
	case "cascade": // the row is deleted by other means
		s.exec(r, "DELETE FROM people WHERE id = ?", idIn(one))
	case "move": // a function moves a file to another row
		other := rapid.SampledFrom(*rows).Draw(r, "to")
		s.move(r, one, other)
	case "trouble":
		s.storage.failUnset = !s.storage.failUnset
	case "age":
		s.storage.age(r, 25*time.Hour)
	case "sweep":
		_, _ = s.api.SweepFiles(context.Background())
	case "disturbed": // other requests run between the steps of a sweep
		left := 20
		s.storage.between = func() {
			if left--; left >= 0 {
				s.step(r, rows, sweepStepsBetween)
			}
		}
		_, _ = s.api.SweepFiles(context.Background())
		s.storage.between = nil
	}
}

// lock makes changes of rows fail, or succeed again.
func (s *sweeping) lock(r *rapid.T, on bool) {
	if s.db.Kind() == sqldb.SQLite {
		if on {
			s.exec(r, "CREATE TRIGGER locked BEFORE UPDATE ON people BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: locked'); END")
		} else {
			s.exec(r, "DROP TRIGGER locked")
		}
		return
	}
	if on {
		s.exec(r, "ALTER TABLE people ADD CONSTRAINT locked CHECK (photo IS NULL) NOT VALID")
	} else {
		s.exec(r, "ALTER TABLE people DROP CONSTRAINT locked")
	}
}

func (s *sweeping) move(r *rapid.T, from, to string) {
	if from == to {
		return
	}
	var photo files.File
	if err := s.db.QueryRow("SELECT photo FROM people WHERE id = ?", idIn(from)).Scan(&photo); err != nil {
		return // the row is deleted
	}
	if photo.IsZero() {
		return
	}
	result, err := s.db.Exec("UPDATE people SET photo = ? WHERE id = ?", photo, idIn(to))
	if err != nil {
		r.Fatal(err)
	}
	if n, _ := result.RowsAffected(); n == 1 {
		s.exec(r, "UPDATE people SET photo = NULL WHERE id = ?", idIn(from))
	}
}

func idIn(row string) uuid.UUID {
	return uuid.MustParse(strings.Split(row, "/")[3])
}

func (s *sweeping) exec(r *rapid.T, statement string, args ...any) {
	if _, err := s.db.Exec(statement, args...); err != nil {
		r.Fatal(err)
	}
}

func (s *sweeping) insert(r *rapid.T) string {
	return "/api/people/" + uuid.MustParse(s.send(r, http.MethodPost, "/api/people/", `{"name":"Ann"}`, 201)).String() + "/"
}

// put uploads an image of a random size.
func (s *sweeping) put(r *rapid.T, row string, allowed ...int) {
	n := rapid.IntRange(1, 50).Draw(r, "size")
	s.send(r, http.MethodPut, row+"photo/", string(pngOf(n, n)), allowed...)
}

// send sends a request as Ada, expects one of some statuses, and returns the id in the answer.
func (s *sweeping) send(r *rapid.T, method, path, body string, allowed ...int) string {
	c := s.client.as("ada")
	if method == http.MethodPut {
		c = c.with("Content-Type", "image/png")
	}
	got := c.Do(method, path, body)
	if !slices.Contains(allowed, got.Status()) {
		r.Fatalf("%s %s is %d, want one of %v: %s", method, path, got.Status(), allowed, got.Body())
	}
	if method != http.MethodPost {
		return ""
	}
	return (&answer{tb: s.client.tb, body: got.Body()}).id()
}

func (s *sweeping) sweep(r *rapid.T) {
	if _, err := s.api.SweepFiles(context.Background()); err != nil {
		r.Fatal(err)
	}
}

// named lists the keys that rows name, sorted.
func (s *sweeping) named(r *rapid.T) (keys []string) {
	rows, err := s.db.Query("SELECT photo FROM people WHERE photo IS NOT NULL")
	if err != nil {
		r.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var f files.File
		if err := rows.Scan(&f); err != nil {
			r.Fatal(err)
		}
		keys = append(keys, f.Key)
	}
	slices.Sort(keys)
	return keys
}

// keys lists the keys of the storage, sorted.
func (s *sweeping) keys(r *rapid.T) (keys []string) {
	for object, err := range s.storage.Disk.List(context.Background(), "") {
		if err != nil {
			r.Fatal(err)
		}
		keys = append(keys, object.Key)
	}
	slices.Sort(keys)
	return keys
}

// check expects each named file to have its content.
func (s *sweeping) check(r *rapid.T) {
	stored := s.keys(r)
	for _, key := range s.named(r) {
		if !slices.Contains(stored, key) {
			r.Fatalf("a row names %s, which the storage lacks; it has %q", key, stored)
		}
	}
}
