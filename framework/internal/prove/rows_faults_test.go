package prove_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// shelvesAndBoxes are public shelves, which only holders of a permission delete, each their own, and boxes with things.
func shelvesAndBoxes() []framework.Resource {
	shelves := publicShelves()
	shelves.Verbs.Delete = shelves.Verbs.Delete.Permit(framework.Holds("shelves.delete"))
	return []framework.Resource{boxes(), things(), shelves}
}

// rowFaults is a server with a fault for rows to which others refer, for those of superusers, for callers that it rejects, and for
// rows of another table.
func rowFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		path := strings.Split(r.URL.Path, "/")
		if len(path) != 5 || path[2] != "boxes" {
			return false
		}
		owner := r.ownerOf("boxes", path[3])
		used, _ := db.NewSelect().Table("things").Where("box_id = ?", path[3]).Count(r.Context())
		switch {
		case r.Method == http.MethodDelete && used > 0: // it says that the box of another is in use
			w.WriteHeader(http.StatusConflict)
			return true
		case owner != nil && owner.Superuser: // all may do as superusers do with theirs
			r.Header.Set("Authorization", scheme+owner.IDText())
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		switch {
		case r.is(http.MethodDelete, "shelves/bulk/") && to.Code == http.StatusForbidden: // it deletes all the same
			for _, key := range r.keys {
				r.run("DELETE FROM shelves WHERE id = ?", key)
			}
		case r.Method == http.MethodDelete && strings.HasPrefix(r.URL.Path, "/api/boxes/") && to.Code == http.StatusNoContent:
			r.run("UPDATE shelves SET text = text || '!' WHERE owner_id <> ?", r.caller)
		}
	})
}

// TestRowsOfEveryKind checks that the proof tries rows to which others refer, rows of superusers, callers that the declarations
// reject, and rows of other tables. Callers who may delete only their own of the rows that they see delete one.
func TestRowsOfEveryKind(t *testing.T) {
	t.Parallel()
	for _, faulty := range []bool{false, true} {
		t.Run(map[bool]string{false: "without faults", true: "with faults"}[faulty], func(t *testing.T) {
			onDatabases(t, schema, func(t *testing.T, db *sqldb.DB) {
				if err := db.Migrate(t.Context(), nil, shelfSchema); err != nil {
					t.Fatal(err)
				}
				if !faulty {
					report := prove(t, db, nil, shelvesAndBoxes()...)
					if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
						t.Errorf("the findings are %v; want none", found)
					}
					return
				}
				report := prove(t, db, rowFaults(db), shelvesAndBoxes()...)
				for _, one := range [][2]string{
					{"DELETE /api/boxes/{id}/", "the answer differs from that for a row that does not exist"},
					{"DELETE /api/boxes/{id}/", "it changes a row of shelves that is not theirs"},
					{"GET /api/boxes/{id}/", "it is answered 200, and the row is not theirs"},
					{"PATCH /api/boxes/{id}/", "it is answered 200, and the row is not theirs"},
					{"DELETE /api/shelves/bulk/", "it changes shelves, and the row is not theirs"},
				} {
					finds(t, report, one[0], one[1])
				}
			})
		})
	}
}
