package nested_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestListOfPartsOfTheRow: articles/{}/comments has the comments of an article. A second viewset of
// articles, the drafts of their authors, has the comments in its body as parts of the row.
func TestListOfPartsOfTheRow(t *testing.T) {
	type item struct {
		ID    *int64 `json:"id"`
		Text  string `json:"text" validate:"required,max=100"`
		Score int64  `json:"score"`
	}
	type draft struct {
		Slug     string `json:"slug" validate:"required,line,max=50"`
		Comments []item `json:"comments" to:"comments"`
	}
	drafts := framework.ViewSet[Article]{
		Name: "drafts", Verbs: framework.CRUD[draft, articleView](), Scope: framework.Own((*Article).author),
		Relations: framework.Relations{"comments": framework.OfRow},
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, client := apitest.Serve(t, config(db), drafts, articles(), comments())
		ann, bob := apitest.As(client, "ann"), apitest.As(client, "bob")
		body := fields{"slug": "new", "comments": []fields{{"text": "one"}, {"text": "two"}}}
		var made struct{ Latest []struct{ ID int64 } }
		ann.Post("/api/drafts/", body).Expect(201).JSON(&made)
		bob.Get("/api/articles/new/comments/").Expect(200).Order("text", "one", "two")
		bob.Patch("/api/drafts/1/", fields{"comments": []fields{}}).Expect(404)
		ann.Patch("/api/drafts/1/", fields{"comments": []fields{{"text": ""}}}).Expect(400).Fault("/comments/0/text", "required")
		ann.Patch("/api/drafts/1/", fields{"comments": []fields{{"text": "two again", "id": made.Latest[0].ID}}}).Expect(200)
		bob.Get("/api/articles/new/comments/").Expect(200).Order("text", "two again")
		ann.Patch("/api/articles/new/comments/2/", fields{"score": 3}).Expect(200) // the rows are the caller's
	})
}
