package framework_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// retries returns a function that makes an error after which the database requires a retry
// of the transaction. PostgreSQL raises a serialization failure. SQLite finds its file busy
// while another handle writes to it.
func retries(t *testing.T, db *sqldb.DB) func() error {
	t.Helper()
	other, ask := db.DB.DB, "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"
	if db.Kind() == sqldb.SQLite {
		var file string
		if err := db.DB.DB.QueryRow("SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
			t.Fatal(err)
		}
		var err error
		if other, err = sql.Open("sqlite", file); err != nil { // of the driver itself, which does not wait
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Close() })
		ask = "DELETE FROM notes"
	}
	return func() error {
		_, err := other.Exec(ask)
		if fault, ok := sqldb.Classify(err); !ok || fault.Kind != sqldb.Retry {
			return fmt.Errorf("the database asks for nothing: %w", errors.Join(err, errors.New("no retry")))
		}
		return err
	}
}

type titles struct {
	Titles []string         `json:"titles"`
	Counts map[string]int64 `json:"counts"`
	Name   *string          `json:"name"`
}

// spoil changes everything that a function could change of its input.
func (in *titles) spoil() string {
	said := fmt.Sprint(in.Titles, " ", in.Counts, " ", *in.Name)
	for i := range in.Titles {
		in.Titles[i] = "spoilt"
	}
	clear(in.Counts)
	*in.Name = "spoilt"
	return said
}

// TestAFunctionThatIsRunAgain gets its input and its row as it did at first,
// whatever it made of them.
func TestAFunctionThatIsRunAgain(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		again := retries(t, db)
		var seen []string
		see := func(c *framework.Call, b *Book, in titles) error {
			what := in.spoil() + fmt.Sprint(" ", c.Has("titles"), c.Has("more"))
			if b != nil {
				what += " " + b.Notes
				b.Notes = "spoilt"
			}
			seen = append(seen, what)
			if len(seen) < 3 {
				return again()
			}
			return nil
		}
		v, fill, n := books(), books(), notes()
		v.Actions = []framework.Action[Book]{framework.Post("see", func(c *framework.Call, b *Book, in titles) (framework.None, error) {
			return framework.None{}, see(c, b, in)
		})}
		v.Verbs.Update = framework.Changes(func(c *framework.Call, b *Book, in titles) (BookView, error) { return BookView{}, see(c, b, in) })
		v.Verbs.Patch = framework.Changes(func(c *framework.Call, b *Book, in titles) (BookView, error) { return BookView{}, see(c, b, in) })
		fills := framework.Fills[BookView](func(c *framework.Call, b *Book, in titles) error { return see(c, b, in) })
		fill.Name, fill.Verbs = "fills", framework.Verbs{Create: fills, Update: fills}
		n.Verbs.Create = framework.Does(func(c *framework.Call, in titles) (framework.None, error) { return framework.None{}, see(c, nil, in) })
		ada := serve(t, config(db), countries(), authors(), v, fill, n).as("ada")
		id := ada.as("ada").post("/api/books/", fields{"title": "Emma", "notes": "as it was"}).is(201).id()
		body := fields{"titles": []string{"a", "b"}, "counts": fields{"a": 1}, "name": "Dune"}
		for _, c := range []struct {
			name, method, path string
			status             int
			want               string
		}{
			{"an action", "POST", "/api/books/" + id + "/see/", 204, "[a b] map[a:1] Dune true false as it was"},
			{"Changes, by PUT", "PUT", "/api/books/" + id + "/", 200, "[a b] map[a:1] Dune true false as it was"},
			{"Changes, by PATCH", "PATCH", "/api/books/" + id + "/", 200, "[a b] map[a:1] Dune true false as it was"},
			{"Does", "POST", "/api/notes/", 204, "[a b] map[a:1] Dune true false"},
			{"Fills, of a new row", "POST", "/api/fills/", 201, "[a b] map[a:1] Dune true false "},
			{"Fills, of a change", "PUT", "/api/fills/" + id + "/", 200, "[a b] map[a:1] Dune true false as it was"},
		} {
			t.Run(c.name, func(t *testing.T) {
				seen = nil
				ada.in(t).do(c.method, c.path, body).is(c.status)
				if len(seen) != 3 || seen[0] != c.want || seen[1] != c.want || seen[2] != c.want {
					t.Errorf("the runs saw %q, want %q three times", seen, c.want)
				}
			})
		}
	})
}

// TestWhatIsToldOnceMore: names that one run ignored are reported once, although the
// transaction runs again.
func TestWhatIsToldOnceMore(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		again, runs := retries(t, db), 0
		v := books()
		v.Verbs.Patch = framework.Fills[BookView](func(*framework.Call, *Book, BookInput) error {
			if runs++; runs < 3 {
				return again()
			}
			return nil
		})
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		ada.patch("/api/books/"+id+"/", fields{"id": missing, "pages": 3}).is(200).head("Trestle-Ignored", "/id")
		if runs != 3 {
			t.Errorf("it ran %d times", runs)
		}
	})
}

// TestSingleStatementsAreRunAgain: on PostgreSQL a write of one statement is
// no transaction of the framework's, and still outlives a deadlock.
func TestSingleStatementsAreRunAgain(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != sqldb.PostgreSQL {
			return // writers queue, so there is none
		}
		// A sequence is not rolled back: two attempts of three fail.
		if _, err := db.DB.DB.Exec(`
			CREATE SEQUENCE attempts;
			CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF nextval('attempts') % 3 <> 0 THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
				RETURN coalesce(NEW, OLD);
			END $$;
			CREATE TRIGGER stumble BEFORE INSERT OR UPDATE OR DELETE ON countries FOR EACH ROW EXECUTE FUNCTION stumble()`); err != nil {
			t.Fatal(err)
		}
		ada := serve(t, config(db), countries()).as("ada")
		path := "/api/countries/" + ada.post("/api/countries/", fields{"name": "Chile"}).is(201).id() + "/"
		ada.patch(path, fields{"name": "Peru"}).is(200).says("Peru")
		ada.put(path, fields{"name": "Cuba", "nmae": 1}).is(200).says("Cuba").head("Trestle-Ignored", "/nmae; did you mean /name?")
		ada.delete(path).is(204)
		var attempts int
		if err := db.DB.DB.QueryRow("SELECT last_value FROM attempts").Scan(&attempts); err != nil || attempts != 12 {
			t.Errorf("there were %d attempts, want 12: %v", attempts, err)
		}
	})
}
