package prove_test

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// gardens are the tables of gardens, with their plants and the labels of their owners.
var gardens = sqldb.Migrations{Namespace: "gardens", FS: fstest.MapFS{
	"1_gardens.tx.up.sql": {Data: []byte(`
CREATE TABLE gardens ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL);
CREATE TABLE plants ({{id}}, garden_id {{uuid}} NOT NULL REFERENCES gardens (id), name {{text}} NOT NULL);
CREATE TABLE labels ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL);
CREATE TABLE garden_labels (garden_id {{uuid}} NOT NULL REFERENCES gardens (id), label_id {{uuid}} NOT NULL REFERENCES labels (id), PRIMARY KEY (garden_id, label_id));
`)},
	"1_gardens.tx.down.sql": {Data: []byte("DROP TABLE garden_labels;\nDROP TABLE labels;\nDROP TABLE plants;\nDROP TABLE gardens;\n")},
}}

// A Garden belongs to a user. It has plants, and labels of the user.
type Garden struct {
	bun.BaseModel `bun:"table:gardens"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Name    string
	Plants  []*Plant `bun:"rel:has-many,join:id=garden_id"`
	Labels  []*Label `bun:"m2m:garden_labels,join:Garden=Label"`
}

func (g *Garden) owner() *uuid.UUID { return &g.OwnerID }

// A Plant is a part of a garden.
type Plant struct {
	bun.BaseModel `bun:"table:plants"`

	ID       uuid.UUID `bun:",pk"`
	GardenID uuid.UUID
	Name     string
}

// A Label belongs to a user.
type Label struct {
	bun.BaseModel `bun:"table:labels"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Name    string
}

func (l *Label) owner() *uuid.UUID { return &l.OwnerID }

// A GardenLabel links a label to a garden.
type GardenLabel struct {
	bun.BaseModel `bun:"table:garden_labels"`

	GardenID uuid.UUID `bun:",pk"`
	Garden   *Garden   `bun:"rel:belongs-to,join:garden_id=id"`
	LabelID  uuid.UUID `bun:",pk"`
	Label    *Label    `bun:"rel:belongs-to,join:label_id=id"`
}

type plantInput struct {
	ID   *uuid.UUID `json:"id"`
	Name string     `json:"name" validate:"required,max=60"`
}

type gardenInput struct {
	Name   string       `json:"name" validate:"required,max=60"`
	Plants []plantInput `json:"plants" to:"plants"`
	Labels []uuid.UUID  `json:"labels" to:"labels"`
}

type plantView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type gardenView struct {
	ID     uuid.UUID   `json:"id"`
	Name   string      `json:"name"`
	Plants []plantView `json:"plants" from:"plants"`
	Labels []uuid.UUID `json:"labels" from:"labels.id"`
}

type labelInput struct {
	Name string `json:"name" validate:"required,max=60"`
}

type labelView struct {
	ID uuid.UUID `json:"id"`
	labelInput
}

func planted() []framework.Resource {
	signedIn := framework.Authenticated()
	return []framework.Resource{
		framework.ViewSet[Garden]{
			Name: "gardens", Verbs: framework.CRUD[gardenInput, gardenView](), Scope: framework.Own((*Garden).owner), Permission: signedIn,
			Models: []any{(*GardenLabel)(nil)}, Relations: framework.Relations{"plants": framework.OfRow, "labels": "labels"},
			Ordering: framework.Ordering{Default: "name"}, Actions: []framework.Action[Garden]{framework.Links[Garden]("labels")},
		},
		framework.ViewSet[Label]{
			Name: "labels", Verbs: framework.CRUD[labelInput, labelView](), Scope: framework.Own((*Label).owner), Permission: signedIn,
			Ordering: framework.Ordering{Default: "name"},
		},
	}
}

// accepts answers a request without serving it, with a status, if a pattern matches its method, path and body.
func accepts(pattern string, status int, body string) func(*guests, http.Handler) http.Handler {
	match := regexp.MustCompile(pattern)
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			if match.MatchString(r.Method + " " + r.URL.Path + " " + string(text)) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(text)))
			next.ServeHTTP(w, r)
		})
	}
}

// TestRelatedRows: bodies and paths name related rows by their keys. A row of another must be as one that does
// not exist.
func TestRelatedRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		change      func(*guests, http.Handler) http.Handler
		where, what string
	}{
		{name: "no leak"},
		{"the key of another garden's plant is accepted", accepts(`^(PATCH|PUT) /api/gardens/[^/]+/ .*"id":`, 200, "{}"), "PATCH /api/gardens/{id}/", "a reference to another's row at /plants/0/id is accepted"},
		{"a new garden takes the plant of another one", accepts(`^POST /api/gardens/ .*"id":`, 201, "{}"), "POST /api/gardens/", "a reference to another's row at /plants/0/id is accepted"},
		{"a label of another caller is accepted in a list", accepts(`^PATCH /api/gardens/[^/]+/ .*"labels":\["`, 200, "{}"), "PATCH /api/gardens/{id}/", "a reference to another's row at /labels/0 is accepted"},
		{"a label of another caller is accepted in a path", accepts(`^PUT /api/gardens/[^/]+/labels/`, 204, ""), "PUT /api/gardens/{id}/labels/{label}/", "a second key of another's row is accepted"},
		{"a label of another caller is removed without a word", accepts(`^DELETE /api/gardens/[^/]+/labels/`, 204, ""), "DELETE /api/gardens/{id}/labels/{label}/", "a second key of another's row is accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, gardens, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, c.change, planted()...)
				all := slices.Concat(report.Findings, report.Unexercised)
				if c.change == nil {
					for _, f := range all {
						t.Errorf("%s", f)
					}
					return
				}
				for _, f := range all {
					if f.Method+" "+f.Path == c.where && strings.Contains(f.What, c.what) {
						return
					}
				}
				t.Errorf("no finding is %q at %s; there are %d: %v", c.what, c.where, len(all), all)
			})
		})
	}
}
