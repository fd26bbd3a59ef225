package prove_test

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/sqldb"
)

// swaps answers a change of a box with the key of another one.
func swaps(_ *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		if one("PATCH", "/api/boxes/")(r) {
			to.text = strings.ReplaceAll(to.text, path.Base(r.URL.Path), uuid.NewString())
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// despite answers 200 to each PUT of a row that was rejected with 403, after a function has written the row with the
// key of the path.
func despite(prefix string, write func(key string, body []byte)) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			to := &captured{ResponseWriter: w}
			next.ServeHTTP(to, r)
			if one("PUT", prefix)(r) && to.code == http.StatusForbidden {
				write(path.Base(r.URL.Path), body)
				to.code, to.text = http.StatusOK, "{}"
			}
			w.WriteHeader(to.code)
			_, _ = w.Write([]byte(to.text))
		})
	}
}

// TestMovedRows: a write must not put a row where its sender does not see it.
func TestMovedRows(t *testing.T) {
	t.Parallel()
	onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		move := func(key string, body []byte) {
			var paper paperInput
			if json.Unmarshal(body, &paper) == nil {
				_, _ = db.Session().IDB().NewUpdate().Table("papers").Set("team_id = ?", paper.TeamID).Where("id = ?", key).Exec(t.Context())
			}
		}
		report := proof(t, db, despite("/api/papers/", move), tenants()...)
		wantFinding(t, report, "PUT /api/papers/{id}/", "the Where of the viewset hides from the sender")
	})
}

// TestKeptChildren: a list of a row's children must not change one that its own viewset keeps from the sender.
func TestKeptChildren(t *testing.T) {
	t.Parallel()
	onDatabases(t, studioSchema, func(t *testing.T, db *sqldb.DB) {
		storage, err := files.OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write := func(_ string, body []byte) {
			var room struct {
				Lines []struct {
					ID   uuid.UUID
					Text string
				}
			}
			if json.Unmarshal(body, &room) == nil && len(room.Lines) > 0 {
				line := room.Lines[0]
				_, _ = db.Session().IDB().NewUpdate().Table("lines").Set("text = ?", line.Text).Where("id = ?", line.ID).Exec(t.Context())
			}
		}
		all := studio(storage)
		report := prove(t, db, despite("/api/rooms/", write), all[len(all)-2:]...)
		wantFinding(t, report, "PUT /api/rooms/{id}/", "it changes a row of lines")
	})
}

func wantFinding(t *testing.T, report *framework.Proof, where, what string) {
	t.Helper()
	for _, f := range report.Findings {
		if f.Method+" "+f.Path == where && strings.Contains(f.What, what) {
			return
		}
	}
	t.Errorf("no finding is %q at %s; there are %v", what, where, report.Findings)
}
