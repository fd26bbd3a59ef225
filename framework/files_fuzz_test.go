package framework_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
)

// FuzzUploads sends bodies of any form: the answer is never an error of the server, a success has
// a clean name and an allowed type, and nothing is left of a rejected body.
func FuzzUploads(f *testing.F) {
	photo := pngOf(1, 1)
	kind, body := form(filePart("a.png", photo))
	f.Add("image/png", "", photo)
	f.Add("image/gif", `attachment; filename="a.gif"`, gifOf(2, 2))
	f.Add("image/jpeg", `attachment; filename*=UTF-8''%2e%2e%2fa`, jpegOf(2, 2))
	f.Add(kind, "", body)
	f.Add(kind, "", append(body, body...))
	f.Add("multipart/form-data; boundary=x", "", []byte("--x\r\n\r\n\r\n--x--"))
	f.Add("", "x", []byte{0})
	db := sqlitePeople(f)
	storage := disk(f)
	api := serve(f, fileConfig(db), peopleWith(storage))
	at := newPerson(api) + "photo/"
	f.Fuzz(func(t *testing.T, kind, disposition string, body []byte) {
		if strings.ContainsFunc(kind+disposition, func(ch rune) bool { return ch < ' ' || ch > '~' }) {
			t.Skip("HTTP does not send such a header")
		}
		got := api.in(t).as("ada").with("Content-Disposition", disposition).upload(at, kind, body)
		want := 0
		switch got.status {
		case http.StatusOK:
			want = 1
			var shown struct{ Name, Type string }
			got.json(&shown)
			if shown.Name == "" || len(shown.Name) > 255 || strings.ContainsAny(shown.Name, "/\\\x00\r\n") || !strings.HasPrefix(shown.Type, "image/") {
				t.Errorf("the name is %q, the type %q", shown.Name, shown.Type)
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		default:
			t.Errorf("the answer is %d %s", got.status, got.body)
		}
		stores(t, storage, want)
		if want == 1 {
			api.in(t).as("ada").delete(at).is(204)
		}
	})
}

// sqlitePeople is a SQLite file with the tables of people.
func sqlitePeople(tb testing.TB) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.Open("sqlite://"+tb.TempDir()+"/people.db", sqldb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(tb.Context(), nil, peopleSchema, framework.Migrations()); err != nil {
		tb.Fatal(err)
	}
	return db
}

// TestFilesAreAttacked sends requests that are generated from the OpenAPI document.
func TestFilesAreAttacked(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(fileConfig(db))
		api.Register(peopleWith(disk(t)), pets())
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		promised, err := contract.New(text)
		if err != nil {
			t.Fatal(err)
		}
		server := frameworktest.New(t, promised.Wrap(t, handler))
		contract.Attack{
			Contract: promised, URL: server.URL(), Seed: 1, Requests: 600,
			Callers: map[string]func(string, string) http.Header{
				"ada": func(string, string) http.Header { return http.Header{"Authorization": {"Name ada"}} },
			},
		}.Run(t)
	})
}
