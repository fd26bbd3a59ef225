package main

import (
	"path/filepath"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
)

func TestOfficeHours(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	handler, err := serve(filepath.Join(t.TempDir(), "articles.db"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	visitor := frameworktest.New(t, handler)
	ali := visitor.With("X-Door", "open sesame")

	visitor.Post("/api/articles/", map[string]any{"title": "Forty"}).Expect(401)
	visitor.With("X-Door", "open barley").Get("/api/articles/").Expect(401)
	var article ArticleView
	ali.Post("/api/articles/", map[string]any{"title": "Forty"}).Expect(201).JSON(&article)
	publish := "/api/articles/" + article.ID.String() + "/publish/"

	now = now.Add(8 * time.Hour)
	ali.Post(publish, nil).Expect(403)
	now = now.Add(-8 * time.Hour)
	ali.Post(publish, nil).Expect(200).Contains(`"published":true`)
	ali.Post(publish, nil).Expect(409).Code("already_published")
	visitor.Get("/api/articles/").Expect(200).Contains("Forty")
	visitor.Get("/api/openapi.json").Expect(200).Contains("`already_published`: Published already.")
}
