package prove_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Leaf of a notebook belongs to its writer. A column counts its changes.
type Leaf struct {
	ID      uuid.UUID `bun:",pk,type:uuid"`
	OwnerID uuid.UUID `bun:"type:uuid"`
	Text    string
	Version int64
}

func (p *Leaf) owner() *uuid.UUID { return &p.OwnerID }

var leafSchema = sqldb.Migrations{Namespace: "leafs", FS: fstest.MapFS{
	"0001_leafs.tx.up.sql":   {Data: []byte(`CREATE TABLE leafs ({{id}}, owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL, version {{bigint}} NOT NULL);`)},
	"0001_leafs.tx.down.sql": {Data: []byte(`DROP TABLE leafs;`)},
}}

// leaves are those of their writers. No request changes one without If-Match.
func leaves(versions framework.Versions) []framework.Resource {
	type input struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	empty := framework.Post("clear", func(c *framework.Call, p *Leaf, _ framework.None) (framework.None, error) {
		p.Text = "-"
		return framework.None{}, framework.Save(c, p)
	})
	return []framework.Resource{
		framework.ViewSet[Leaf]{
			Name: "leafs", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Leaf).owner), Permission: framework.Authenticated(),
			Versions: versions, Actions: []framework.Action[Leaf]{empty},
		},
	}
}

// TestCursors: lists whose pages begin at cursors are proved, and a server must not accept the cursor of another
// caller.
func TestCursors(t *testing.T) {
	t.Parallel()
	for _, leak := range []bool{false, true} {
		apitest.Databases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
			all := leaves(framework.Versions{Column: "version"})
			list, ok := all[0].(framework.ViewSet[Leaf])
			if !ok {
				t.Fatal("the leaves are no viewset")
			}
			list.Pagination, list.Ordering = page.Cursor{}, framework.Ordering{Allowed: []string{"text"}}
			lenient := func(_ *guests, next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					cursor, answer := r.URL.Query().Get("cursor"), httptest.NewRecorder()
					answer.Header().Set("Link", `</openapi.json>; rel="service-desc"`)
					if next.ServeHTTP(answer, r); leak && cursor != "" && answer.Code == http.StatusBadRequest {
						answer.Code = http.StatusOK
					}
					maps.Copy(w.Header(), answer.Header())
					w.WriteHeader(answer.Code)
					_, _ = w.Write(answer.Body.Bytes())
				})
			}
			report := prove(t, db, lenient, list)
			if leak {
				finds(t, report, "GET /api/leafs/", "the cursor of another caller is accepted")
			} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
				t.Errorf("the findings are %v; want none", found)
			}
		})
	}
}

// TestVersions: rows that no request changes without If-Match are exercised, and a server must not show by the
// answer to a condition that a row exists.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, versions := range []framework.Versions{{Column: "version", Required: true}, {Hash: true, Required: true}} {
		for _, header := range []string{"", "If-Match", "If-None-Match"} {
			apitest.Databases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
				revealing := func(_ *guests, next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if id, err := uuid.Parse(path.Base(r.URL.Path)); err == nil && header != "" && r.Header.Get(header) != "" && r.Header.Get("Authorization") != "" {
							if has, err := db.NewSelect().Model((*Leaf)(nil)).Where("id = ?", id).Exists(r.Context()); err == nil && has {
								w.WriteHeader(http.StatusPreconditionFailed)
								return
							}
						}
						next.ServeHTTP(w, r)
					})
				}
				report := prove(t, db, revealing, leaves(versions)...)
				switch found := slices.Concat(report.Findings, report.Unexercised); {
				case header == "" && len(found) > 0:
					t.Errorf("the findings are %v; want none", found)
				case header == "If-Match":
					finds(t, report, "PATCH /api/leafs/{id}/", "the answer differs from that for a row that does not exist")
				case header == "If-None-Match":
					finds(t, report, "GET /api/leafs/{id}/", "the answer differs from that for a row that does not exist")
				}
			})
		}
	}
}
