package resources_test

import (
	"encoding/json"
	"testing"

	"trestle.example/framework/sqldb"
)

// Everything that the services create has an address, so each 201 that the document
// describes has the header Location.
func TestEvery201HasALocation(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		text, err := serve(t, db, 20).api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Paths map[string]map[string]struct {
				Responses map[string]struct{ Headers map[string]any }
			}
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		creating := 0
		for path, methods := range document.Paths {
			for method, operation := range methods {
				created, creates := operation.Responses["201"]
				if !creates {
					continue
				}
				creating++
				if created.Headers["Location"] == nil {
					t.Errorf("%s %s answers 201 without Location", method, path)
				}
			}
		}
		if creating != 7 {
			t.Errorf("%d operations answer 201; want 7", creating)
		}
	})
}
