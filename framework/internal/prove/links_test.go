package prove_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Page belongs to a user. Pages of several users may have one tag.
type Page struct {
	bun.BaseModel `bun:"table:pages"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Tags    []*Tag `bun:"m2m:page_tags,join:Page=Tag"`
}

func (p *Page) owner() *uuid.UUID { return &p.OwnerID }

// A Tag is for all to see.
type Tag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

// A PageTag links a tag to a page.
type PageTag struct {
	bun.BaseModel `bun:"table:page_tags"`

	PageID uuid.UUID `bun:",pk"`
	Page   *Page     `bun:"rel:belongs-to,join:page_id=id"`
	TagID  uuid.UUID `bun:",pk"`
	Tag    *Tag      `bun:"rel:belongs-to,join:tag_id=id"`
}

type pageInput struct {
	Tags []string `json:"tags" validate:"max=3,dive,max=20" to:"tags.name,create"`
}

type pageView struct {
	ID   uuid.UUID `json:"id"`
	Tags []string  `json:"tags" from:"tags.name"`
}

type tagView struct {
	Name string `json:"name"`
}

var pages = sqldb.Migrations{Namespace: "pages", FS: fstest.MapFS{
	"1_pages.tx.up.sql": {Data: []byte(`
CREATE TABLE pages ({{id}}, owner_id {{uuid}} NOT NULL);
CREATE TABLE tags ({{id}}, name {{text}} NOT NULL UNIQUE);
CREATE TABLE page_tags (page_id {{uuid}} NOT NULL REFERENCES pages (id) ON DELETE CASCADE, tag_id {{uuid}} NOT NULL REFERENCES tags (id), PRIMARY KEY (page_id, tag_id));
`)},
	"1_pages.tx.down.sql": {Data: []byte("DROP TABLE page_tags;\nDROP TABLE tags;\nDROP TABLE pages;\n")},
}}

// TestLinksOfOthers: a list without a tag must not remove the tag from the page of another caller.
func TestLinksOfOthers(t *testing.T) {
	t.Parallel()
	for name, removes := range map[string]bool{"the server": false, "a server that removes tags of all pages": true} {
		t.Run(name, func(t *testing.T) {
			onDatabases(t, pages, func(t *testing.T, db *sqldb.DB) {
				remove := func(_ *guests, next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						body, _ := io.ReadAll(r.Body)
						r.Body = io.NopCloser(strings.NewReader(string(body)))
						next.ServeHTTP(w, r)
						if removes && one("PUT", "/api/pages/")(r) && strings.Contains(string(body), `"tags":[]`) {
							_, _ = db.Session().IDB().NewDelete().Table("page_tags").Where("1 = 1").Exec(r.Context())
						}
					})
				}
				report := prove(t, db, remove,
					framework.ViewSet[Page]{
						Name: "pages", Verbs: framework.CRUD[pageInput, pageView](), Scope: framework.Own((*Page).owner), Permission: framework.Authenticated(),
						Relations: framework.Relations{"tags": "tags"}, Ordering: framework.Ordering{Default: "id"}, Models: []any{(*PageTag)(nil)},
					},
					framework.ViewSet[Tag]{Name: "tags", Verbs: framework.Verbs{List: framework.Shows[tagView]()}, Scope: framework.Public(), Permission: framework.Authenticated(), Ordering: framework.Ordering{Default: "name"}},
				)
				if removes {
					wantFinding(t, report, "PUT /api/pages/{id}/", "it changes a row of page_tags")
					return
				}
				for _, f := range append(report.Findings, report.Unexercised...) {
					t.Errorf("%s", f)
				}
			})
		})
	}
}

// TestLinksToRowsWithoutAViewset: the proof links rows of a table that no viewset serves.
func TestLinksToRowsWithoutAViewset(t *testing.T) {
	t.Parallel()
	onDatabases(t, pages, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, framework.ViewSet[Page]{
			Name: "pages", Verbs: framework.CRUD[pageInput, pageView](), Scope: framework.Own((*Page).owner), Permission: framework.Authenticated(),
			Relations: framework.Relations{"tags": framework.OfRow}, Ordering: framework.Ordering{Default: "id"}, Models: []any{(*PageTag)(nil)},
			Actions: []framework.Action[Page]{framework.Links[Page]("tags")},
		})
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
}
