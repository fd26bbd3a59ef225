package framework_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestSaveAndInsert: a function stores rows as the verbs do.
func TestSaveAndInsert(t *testing.T) {
	type titled struct {
		Title string `json:"title" validate:"required"`
	}
	retitle := func(c *framework.Call, b *Book, in titled) (BookView, error) {
		b.Title = in.Title
		err := framework.Save(c, b)
		return BookView{ID: b.ID, BookInput: BookInput{Title: b.Title}, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt}, err
	}
	twin := func(c *framework.Call, b *Book, in titled) (BookView, error) {
		made := Book{Title: in.Title, Status: "out"}
		if c.Caller.Superuser {
			made.OwnerID = b.OwnerID
		}
		err := framework.Insert(c, &made)
		return BookView{ID: made.ID, BookInput: BookInput{Title: made.Title}, CreatedAt: made.CreatedAt, UpdatedAt: made.UpdatedAt}, err
	}
	stray := func(c *framework.Call, _ *Book, _ framework.None) (framework.None, error) {
		if framework.Save(c, &Note{ID: 1}) == nil || framework.Insert(c, &Note{}) == nil {
			return framework.None{}, errors.New("a model that no viewset serves was stored")
		}
		return framework.None{}, nil
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Actions = []framework.Action[Book]{framework.Post("retitle", retitle), framework.Post("twin", twin), framework.Post("stray", stray)}
		api := serve(t, config(db), countries(), authors(), v)
		ada := api.as("ada")
		made := ada.post("/api/books/", fields{"title": "Emma"}).is(201).object()
		path := "/api/books/" + made["id"].(string) + "/"

		after := ada.post(path+"retitle/", titled{"Persuasion"}).is(200).object()
		if after["created_at"] != made["created_at"] || after["updated_at"].(string) < made["updated_at"].(string) {
			t.Errorf("Save moves updated_at alone: %v", after)
		}
		ada.get("/api/books/?search=PERSUASION").says(`"count":1`)
		ada.get("/api/books/?search=emma").says(`"count":0`)

		other := ada.post(path+"twin/", titled{"Sanditon"}).is(200)
		if id, err := uuid.Parse(other.id()); err != nil || id.Version() != 7 || other.object()["created_at"] != other.object()["updated_at"] {
			other.failf("want a key of version 7 and both times")
		}
		ada.get("/api/books/?search=sanditon").says(`"count":1`, other.id())
		ada.get("/api/books/" + other.id() + "/").is(200)
		ada.post(path+"twin/", titled{"Sanditon"}).refuses(409, "title_taken").fault("/title", "not_unique")
		given := api.as("root").post(path+"twin/", titled{"A gift"}).is(200).id()
		ada.get("/api/books/" + given + "/").is(200).says("A gift")
		ada.post(path+"stray/", nil).is(204)
	})
}
