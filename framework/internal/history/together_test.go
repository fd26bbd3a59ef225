package history_test

import (
	"database/sql/driver"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// Before has a name, and columns with names, that a statement for the row before a change could have itself.
type Before struct {
	bun.BaseModel `bun:"table:befores"`

	ID           uuid.UUID `bun:",pk"`
	Status       string
	BeforeStatus string
	Given        string `bun:"consent_for_the_use_of_data_in_studies_of_other_hospitals_given"`
	Taken        string `bun:"consent_for_the_use_of_data_in_studies_of_other_hospitals_taken"`
	Mood         mood
}

// A mood is a value whose code panics for one of them.
type mood string

func (m mood) MarshalText() ([]byte, error) {
	if m == "bad" {
		panic("a mood that cannot be shown")
	}
	return []byte(m), nil
}

func (m mood) Value() (driver.Value, error) { return string(m), nil }

type beforeInput struct {
	Status       string `json:"status"`
	BeforeStatus string `json:"before_status"`
	Given        string `json:"given"`
	Taken        string `json:"taken"`
	Mood         mood   `json:"mood"`
}

type beforeView struct {
	ID uuid.UUID `json:"id"`
	beforeInput
}

// TestWritesTogether: the names of a model and of its columns may be any, a panic of a program's code for one row is an error of
// that request alone, and a row that a trigger does not let change is 404.
func TestWritesTogether(t *testing.T) {
	apitest.Databases(t, sqldb.Migrations{Namespace: "befores", FS: fstest.MapFS{
		"1_befores.tx.up.sql": {Data: []byte(`CREATE TABLE befores ({{id}}, status {{text}} NOT NULL, before_status {{text}} NOT NULL, mood {{text}} NOT NULL,
	consent_for_the_use_of_data_in_studies_of_other_hospitals_given {{text}} NOT NULL, consent_for_the_use_of_data_in_studies_of_other_hospitals_taken {{text}} NOT NULL)`)},
		"1_befores.tx.down.sql": {Data: []byte(``)},
	}}, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(apitest.Config(db))
		api.Register(framework.ViewSet[Before]{
			Name: "befores", Verbs: framework.CRUD[beforeInput, beforeView](), Scope: framework.Public(), Permission: framework.Anyone(),
			History: framework.History{Permission: framework.Anyone()},
		})
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		send := func(method, path, body string) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			handler.ServeHTTP(w, r)
			return w
		}
		var paths []string
		for range 9 {
			w := send(http.MethodPost, "/api/befores/", `{"status":"a","mood":"good"}`)
			if w.Code != http.StatusCreated {
				t.Fatal(w.Code, w.Body)
			}
			paths = append(paths, w.Header().Get("Location"))
		}
		bad, good := paths[0], paths[1:]
		key := strings.TrimSuffix(bad[strings.Index(bad, "befores/")+len("befores/"):], "/")
		if _, err := db.NewUpdate().Table("befores").Set("mood = 'bad'").Where("id = ?", uuid.MustParse(key)).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i, path := range good {
			all.Go(func() {
				for n := range 20 {
					if w := send(http.MethodPatch, path, fmt.Sprintf(`{"status":"%d","before_status":"x","given":"%d"}`, n, i)); w.Code != http.StatusOK {
						t.Errorf("%d %s", w.Code, w.Body)
					}
					if w := send(http.MethodPatch, bad, `{"status":"b"}`); w.Code != http.StatusInternalServerError {
						t.Errorf("%d %s; want 500", w.Code, w.Body)
					}
				}
			})
		}
		all.Wait()
		for _, sql := range ignoring[db.Kind()] {
			if _, err := db.NewRaw(sql).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if w := send(http.MethodPatch, good[0], `{"status":"ignored"}`); w.Code != http.StatusNotFound {
			t.Errorf("%d %s; want 404", w.Code, w.Body)
		}
	})
}

// ignoring is a trigger that leaves a row as it is.
var ignoring = map[sqldb.Kind][]string{
	sqldb.SQLite: {`CREATE TRIGGER ignoring BEFORE UPDATE ON befores WHEN NEW.status = 'ignored' BEGIN SELECT RAISE(IGNORE); END`},
	sqldb.PostgreSQL: {
		`CREATE FUNCTION ignoring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.status = 'ignored' THEN RETURN NULL; END IF; RETURN NEW; END $$`,
		`CREATE TRIGGER ignoring BEFORE UPDATE ON befores FOR EACH ROW EXECUTE FUNCTION ignoring()`,
	},
}
