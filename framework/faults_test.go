package framework_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// TestFaultsOfPostgreSQL: whatever fault the database has, the client gets a Retry-After,
// no write is half done, reads go on, and everything works after the fault.
func TestFaultsOfPostgreSQL(t *testing.T) {
	db, err := sqldb.Open(postgres.Database(t), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	migrated(t, db)
	exec := func(statement string) {
		t.Helper()
		if _, err := db.DB.DB.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	counted := func() (n int) {
		t.Helper()
		if err := db.DB.DB.QueryRow("SELECT nextval('attempts')").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	exec("CREATE SEQUENCE attempts") // which is not rolled back
	ada := serve(t, config(db), countries()).as("ada")
	path := "/api/countries/" + ada.post("/api/countries/", fields{"name": "Chile"}).is(201).id() + "/"
	for _, c := range []struct {
		name, code string
		attempts   int
	}{
		{"a serialization failure", "40001", 5},
		{"a deadlock", "40P01", 5},
		{"a statement that takes too long", "57014", 1},
		{"a lock that is not to be had", "55P03", 1},
		{"a full disk", "53100", 1},
		{"no memory left", "53200", 1},
		{"too many connections", "53300", 1},
		{"a server that stops", "57P01", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			exec(`CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
					PERFORM nextval('attempts');
					RAISE EXCEPTION 'stumbled' USING ERRCODE = '` + c.code + `';
				END $$;
				CREATE TRIGGER stumble BEFORE INSERT OR UPDATE OR DELETE ON countries FOR EACH ROW EXECUTE FUNCTION stumble()`)
			for what, send := range map[string]func(*client) *answer{
				"a create":  func(a *client) *answer { return a.post("/api/countries/", fields{"name": "Peru"}) },
				"a patch":   func(a *client) *answer { return a.patch(path, fields{"name": "Peru"}) },
				"an update": func(a *client) *answer { return a.put(path, fields{"name": "Peru"}) },
				"a delete":  func(a *client) *answer { return a.delete(path) },
			} {
				before := counted()
				send(ada.in(t)).refuses(503, "unavailable").head("Retry-After", "1").lacks("stumbled")
				if n := counted() - before - 1; n != c.attempts {
					t.Errorf("%s: there were %d attempts; want %d", what, n, c.attempts)
				}
			}
			ada.in(t).get("/api/countries/").is(200).says("Chile").lacks("Peru")
			exec("DROP TRIGGER stumble ON countries; DROP FUNCTION stumble()")
			ada.in(t).patch(path, fields{"name": "Chile"}).is(200)
			if n := db.Stats().InUse; n != 0 {
				t.Errorf("%d connections are still in use", n)
			}
		})
	}
}

// TestAFullFile: a SQLite database that cannot grow rejects writes that need space, and
// nothing else.
func TestAFullFile(t *testing.T) {
	db := sqlite(t)
	db.SetMaxOpenConns(1)
	pages := func(most string) {
		t.Helper()
		if _, err := db.DB.DB.Exec("PRAGMA max_page_count = " + most); err != nil {
			t.Fatal(err)
		}
	}
	ada := serve(t, config(db), countries(), authors(), books()).as("ada")
	path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
	pages("1") // which is as few as there are now
	long := strings.Repeat("x", 900)
	stored := 0
	for ; stored < 1000; stored++ {
		if a := ada.post("/api/books/", fields{"title": fmt.Sprint("Book ", stored), "notes": long}); a.status != 201 {
			a.refuses(503, "unavailable").head("Retry-After", "1").lacks("full", "disk")
			break
		}
	}
	if stored == 1000 {
		t.Fatal("the file is never full")
	}
	ada.get(path).is(200).says("Emma")
	if n := *ada.get("/api/books/").list().Count; n != int64(stored)+1 {
		t.Errorf("there are %d books; want %d", n, stored+1)
	}
	pages("1000000")
	ada.post("/api/books/", fields{"title": "Room", "notes": long}).is(201)
	ada.patch(path, fields{"pages": 1}).is(200)
}

// TestAPanicKeepsNothing: what a function wrote before it panicked is undone, and
// its connection is there for others, however often it happens.
func TestAPanicKeepsNothing(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		db.SetMaxOpenConns(2)
		v := books()
		v.Actions = []framework.Action[Book]{framework.Post("stumble", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
			b.Title = "Spoilt"
			if err := framework.Save(c, b); err != nil {
				return framework.None{}, err
			}
			panic("secret")
		})}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		for range 10 {
			ada.post(path+"stumble/", nil).refuses(500, "internal").lacks("secret")
		}
		ada.get(path).is(200).says("Emma").lacks("Spoilt")
		ada.patch(path, fields{"pages": 1}).is(200)
		if n := db.Stats().InUse; n != 0 {
			t.Errorf("%d connections are still in use", n)
		}
	})
}

// TestAStatementThatTakesTooLong is ended by the server's own limit, long before
// the request's.
func TestAStatementThatTakesTooLong(t *testing.T) {
	db, err := sqldb.Open(postgres.Database(t), sqldb.Options{StatementTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	migrated(t, db)
	c := config(db)
	c.Timeout = time.Hour
	ada := serve(t, c, breaking()...).as("ada")
	path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
	ada.post(path+"slow/", nil).refuses(503, "unavailable").head("Retry-After", "1")
	ada.get("/api/books/slow/").refuses(503, "unavailable").head("Retry-After", "1")
	ada.patch(path, fields{"pages": 1}).is(200)
}

// TestTheLogTellsOnceThatTheDatabaseIsAway: the log has one line for the outage, and not
// one for each request.
func TestTheLogTellsOnceThatTheDatabaseIsAway(t *testing.T) {
	db, err := sqldb.Open("postgres://nobody:nothing@127.0.0.1:1/nowhere?sslmode=disable", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	logged := &lines{}
	c := config(db)
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	ada := serve(t, c, countries()).as("ada")
	for range 5 {
		ada.get("/api/countries/").refuses(503, "unavailable")
	}
	for words, want := range map[string]int{
		`level=ERROR msg="the database does not answer" error=`: 1, "level=ERROR": 1, "level=WARN msg=request": 5, "nothing": 0,
	} {
		if got := strings.Count(logged.String(), words); got != want {
			t.Errorf("the log says %d times %s; want %d:\n%s", got, words, want, logged)
		}
	}
}
