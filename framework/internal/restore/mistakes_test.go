package restore_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Stamp is deleted softly by a column that cannot be NULL.
type Stamp struct {
	bun.BaseModel `bun:"table:stamps"`

	ID        int64 `bun:",pk,autoincrement"`
	Text      string
	DeletedAt time.Time `bun:",soft_delete"`
}

// TestMistakes: each mistake in a declaration is found at start.
func TestMistakes(t *testing.T) {
	type deletedInput struct {
		textInput
		DeletedAt time.Time `json:"deleted_at"`
	}
	sheets := func(change func(*framework.ViewSet[Slip])) framework.Resource {
		v := framework.ViewSet[Slip]{Name: "slips", Verbs: framework.CRUD[textInput, textView](), Scope: framework.Public(), SoftDelete: soft}
		change(&v)
		return v
	}
	for name, test := range map[string]struct {
		resource framework.Resource
		want     string
	}{
		"a model without the column": {
			framework.ViewSet[Pin]{Name: "pins", Verbs: framework.Verbs{List: framework.Shows[pinView](), Delete: framework.Deletes()}, Scope: framework.Public(), SoftDelete: soft},
			"pins: soft delete: Pin has no column that marks a row as deleted; add DeletedAt time.Time `bun:\",soft_delete,nullzero\"`",
		},
		"a column that cannot be NULL": {
			framework.ViewSet[Stamp]{Name: "stamps", Verbs: framework.CRUD[textInput, textView](), Scope: framework.Public(), SoftDelete: soft},
			"stamps: soft delete: Stamp.DeletedAt cannot be NULL, so no partial index leaves deleted rows out; tag it `bun:\",soft_delete,nullzero\"`",
		},
		"an input that writes the column": {
			sheets(func(v *framework.ViewSet[Slip]) { v.Verbs = framework.CRUD[deletedInput, textView]() }),
			"deletedInput.DeletedAt writes the time of the deletion, which DELETE and restore set; leave it out",
		},
		"no row has a path": {
			sheets(func(v *framework.ViewSet[Slip]) { v.Verbs = framework.Verbs{List: framework.Shows[textView]()} }),
			"slips: soft delete: no verb is about one row, so no row has a path; declare Delete or Retrieve, or leave Restore out",
		},
		"no row is shown": {
			sheets(func(v *framework.ViewSet[Slip]) { v.Verbs = framework.Verbs{Delete: framework.Deletes()} }),
			"slips: soft delete: no row is shown, so Deleted has no effect; declare List, Retrieve or an action of framework.Lists, or leave Deleted out",
		},
		"an action with the name": {
			sheets(func(v *framework.ViewSet[Slip]) {
				v.Actions = []framework.Action[Slip]{framework.Post("restore", func(*framework.Call, *Slip, framework.None) (framework.None, error) {
					return framework.None{}, nil
				})}
			}),
			"slips: soft delete: it is declared twice for POST",
		},
		"a filter with the name": {
			sheets(func(v *framework.ViewSet[Slip]) { v.Filters = []framework.Filter{filter.Exact("deleted", "text")} }),
			`slips: soft delete: parameter "deleted" is read by filter`,
		},
		"a permission without a name": {
			sheets(func(v *framework.ViewSet[Slip]) { v.SoftDelete.Deleted = framework.Holds("") }),
			"slips: soft delete: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			apitest.Databases(t, office, func(t *testing.T, db *sqldb.DB) { apitest.Mistake(t, config(db), test.want, test.resource) })
		})
	}
}

// TestUndeclared: a model that is deleted softly, and whose viewset does not declare SoftDelete, has no new endpoint, no parameter,
// and no statement more for a DELETE.
func TestUndeclared(t *testing.T) {
	apitest.Databases(t, office, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Drawer]{
			Name: "drawers", Verbs: framework.CRUD[drawerInput, textViewOfDrawer](), Scope: framework.Own((*Drawer).owner), Permission: framework.Authenticated(),
		})
		mod, n := apitest.As(c, "mod"), frameworktest.CountStatements(db)
		path := "/api/drawers/" + idOf(mod, "drawers", fields{"code": "d"}) + "/"
		if all := n.During(func() { mod.Delete(path).Expect(204) }); len(all) != 1 {
			t.Errorf("a DELETE sends %d statements; want 1: %v", len(all), all)
		}
		mod.Post(path+"restore/", nil).Expect(http.StatusNotFound)
		mod.Get(path + "?deleted=true").Expect(404)
		mod.Get("/api/drawers/?deleted=true").Expect(200).Contains(`"count":0`).Header("Trestle-Ignored", "deleted")
	})
}

type textViewOfDrawer struct {
	ID int64 `json:"id"`
	drawerInput
}

// TestOtherViewsets: the declaration of one viewset of a table holds for DELETE by the others.
func TestOtherViewsets(t *testing.T) {
	apitest.Databases(t, office, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(resources(disk(t)), framework.ViewSet[Folder]{
			Name: "shelf", Verbs: framework.Verbs{Retrieve: framework.Shows[shelfView](), Delete: framework.Deletes()}, Scope: framework.Public(),
		})...)
		ada := apitest.As(c, "ada")
		folder := idOf(ada, "folders", fields{"name": "a"})
		letter := idOf(ada, "letters", fields{"folder": folder, "text": "l"})
		c.Delete("/api/shelf/" + folder + "/").Expect(409).Code("still_referenced")
		ada.Delete("/api/letters/" + letter + "/").Expect(204)
		c.Delete("/api/shelf/" + folder + "/").Expect(204)
		c.Post("/api/shelf/"+folder+"/restore/", nil).Expect(404)
		ada.Post("/api/folders/"+folder+"/restore/", nil).Expect(204)
		c.Get("/api/shelf/" + folder + "/").Expect(200)
	})
}

type shelfView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}
