package history_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// Things have columns that views show in other ways than they are stored.
type thing struct {
	bun.BaseModel `bun:"table:things"`

	ID     string `bun:",pk"`
	Owner  uuid.UUID
	Name   string
	Card   string
	Token  string
	Hidden string
	Photo  files.File `bun:",type:jsonb,nullzero"`
}

// otherThing is a second model of the table, with its columns in another order, and without some.
type otherThing struct {
	bun.BaseModel `bun:"table:things"`

	ID     string `bun:",pk"`
	Hidden string
	Name   string
	Owner  uuid.UUID
}

var thingsSchema = sqldb.Migrations{Namespace: "things", FS: fstest.MapFS{
	"1_things.tx.up.sql": {Data: []byte(`CREATE TABLE things (id {{text}} PRIMARY KEY, owner {{uuid}} NOT NULL, name {{text}} NOT NULL, card {{text}} NOT NULL DEFAULT '', token {{text}} NOT NULL DEFAULT '',
		hidden {{text}} NOT NULL DEFAULT '', photo {{json}})`)},
	"1_things.tx.down.sql": {Data: []byte(``)},
}}

type (
	thingInput struct {
		ID     string `json:"id" validate:"required,max=20"`
		Name   string `json:"name"`
		Hidden string `json:"hidden"`
	}
	thingName struct {
		Name string `json:"name"`
	}
	thingMasked struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Card string `json:"card"`
	}
	thingMade struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	thingShown struct {
		ID    string     `json:"id"`
		Name  string     `json:"name"`
		Photo files.File `json:"photo"`
	}
)

// TestWhatIsNotRecorded: values that no view shows as they are stored have no place in entries: a masked column, a secret that one answer shows, a
// column that no view shows, the signed URL of a file, and the values of an earlier row with the key.
func TestWhatIsNotRecorded(t *testing.T) {
	apitest.Databases(t, thingsSchema, func(t *testing.T, db *sqldb.DB) {
		storage, err := files.OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		config := apitest.Config(db)
		config.Authentication, config.FileKeys = []framework.Authenticator{names}, [][]byte{make([]byte, 32)}
		_, c := apitest.Serve(t, config,
			framework.ViewSet[thing]{
				Name: "things", Scope: framework.Own(func(m *thing) *uuid.UUID { return &m.Owner }), Permission: framework.Authenticated(), History: framework.History{Permission: framework.Authenticated()},
				Verbs: framework.Verbs{
					Create: framework.Fills[thingMade](func(_ *framework.Call, m *thing, _ thingInput) error {
						m.Card, m.Token = "4111-1111", "the-token"
						return nil
					}).AnswersSecret(),
					Retrieve: framework.Computes(func(_ *framework.Call, m *thing) (thingMasked, error) { return thingMasked{m.ID, m.Name, "****"}, nil }),
					List:     framework.Shows[thingShown](),
					Patch:    framework.Accepts[thingName, thingShown](),
					Delete:   framework.Deletes(),
				},
				Files: []framework.FileField[thing]{{Name: "photo", Field: func(m *thing) *files.File { return &m.Photo }, Storage: storage, MaxBytes: 1 << 20, Types: []string{"text/plain"}, SignFor: time.Hour}},
			},
			framework.ViewSet[otherThing]{
				Name: "others", Scope: framework.Own(func(m *otherThing) *uuid.UUID { return &m.Owner }), Permission: framework.Authenticated(),
				Verbs: framework.CRUD[thingInput, thingName](),
			})
		ada, bob := apitest.As(c, "ada"), apitest.As(c, "bob")
		ada.Post("/api/things/", fields{"id": "a", "name": "first", "hidden": "the-hash"}).Expect(201).Contains("the-token")
		ada.With("Content-Type", "text/plain").Put("/api/things/a/photo/", "a photo").Expect(200)
		ada.Patch("/api/things/a/", fields{"name": "second"}).Expect(200).Contains("signature=")
		ada.Patch("/api/others/a/", fields{"name": "third", "hidden": "another-hash"}).Expect(200)
		ada.Get("/api/things/a/history/").Expect(200).
			Contains(`{"name":{"from":"first","to":"second"}}`, `{"name":{"from":"second","to":"third"}}`, `"name":{"to":"first"}`, `"type":"text/plain"`).
			Lacks("signature", "expires", "4111", "the-token", "the-hash", "another-hash", "****")
		ada.Delete("/api/things/a/").Expect(204)
		bob.Post("/api/others/", fields{"id": "a", "name": "bobs"}).Expect(201)
		bob.Get("/api/things/a/history/").Expect(200).Contains(`"bobs"`).Lacks("first", "second", "third")
		if n := len(apitest.History(t, db)); n != 6 {
			t.Errorf("there are %d entries", n)
		}
	})
}

// TestRenamedFields: an entry has the name of its day, and no caller sees a field that has another one now, because the rules about
// who sees it name the new one.
func TestRenamedFields(t *testing.T) {
	type mobileView struct {
		ID    uuid.UUID `json:"id"`
		Name  string    `json:"name"`
		Phone string    `json:"mobile"`
	}
	type mobileInput struct {
		Name  string `json:"name"`
		Phone string `json:"mobile"`
	}
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		id := idOf(as("bob"), fields{"name": "Asha", "phone": "555"})
		config := apitest.Config(db)
		config.Authentication = []framework.Authenticator{names}
		_, c := apitest.Serve(t, config, framework.ViewSet[Patient]{
			Name: "patients", Verbs: framework.CRUD[mobileInput, mobileView](), Scope: framework.Own((*Patient).owner), Permission: framework.Authenticated(),
			Fields: []framework.FieldRule{framework.Sees("mobile", framework.Holds("patients.contact"))}, History: framework.History{Permission: audits},
		})
		bob := apitest.As(c, "bob")
		bob.Get("/api/patients/" + id + "/").Expect(200).Lacks("555")
		bob.Get("/api/patients/" + id + "/history/").Expect(200).Contains(`{"name":{"to":"Asha"}}`).Lacks("555")
	})
}
