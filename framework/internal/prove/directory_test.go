package prove_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Violin is its owner's; a directory shows its kind to all.
type Violin struct {
	bun.BaseModel `bun:"table:violins"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Kind    string
	Vault   string
	IBAN    string

	Tags []*ViolinTag `bun:"m2m:violin_tags,join:Violin=Tag"`
}

type ViolinTag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type ViolinTagging struct {
	bun.BaseModel `bun:"table:violin_tags"`

	ViolinID uuid.UUID  `bun:",pk"`
	Violin   *Violin    `bun:"rel:belongs-to,join:violin_id=id"`
	TagID    uuid.UUID  `bun:",pk"`
	Tag      *ViolinTag `bun:"rel:belongs-to,join:tag_id=id"`
}

func (v *Violin) owner() *uuid.UUID { return &v.OwnerID }

var violinSchema = sqldb.Migrations{Namespace: "violins", FS: fstest.MapFS{
	"1_violins.tx.up.sql": {Data: []byte(`CREATE TABLE violins ({{id}}, owner_id {{uuid}} NOT NULL, kind {{text}} NOT NULL, vault {{text}} NOT NULL, iban {{text}} NOT NULL);
CREATE TABLE tags ({{id}}, name {{text}} NOT NULL UNIQUE);
CREATE TABLE violin_tags (violin_id {{uuid}} NOT NULL REFERENCES violins (id) ON DELETE CASCADE, tag_id {{uuid}} NOT NULL REFERENCES tags (id), PRIMARY KEY (violin_id, tag_id));`)},
	"1_violins.tx.down.sql": {Data: []byte(``)},
}}

// violins serves violins to their owners and to insurers, and a directory of them to all. A leak is the name of a mistake in a function.
func violins(leak string) []framework.Resource {
	type input struct {
		Kind  string   `json:"kind"  validate:"required,max=100"`
		Vault string   `json:"vault" validate:"required,max=100"`
		IBAN  string   `json:"iban"  validate:"required,max=100"`
		Tags  []string `json:"tags"  to:"tags.name,create,limit=5"`
	}
	type view struct {
		ID    uuid.UUID `json:"id"`
		Kind  string    `json:"kind"`
		Vault string    `json:"vault"`
		IBAN  string    `json:"iban,omitempty"`
		Tags  []string  `json:"tags"           from:"tags.name"`
	}
	type entry struct {
		ID   uuid.UUID `json:"id"`
		Kind string    `json:"kind"`
	}
	type word struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	}
	type answer struct {
		Text   string `json:"text"`
		Number int64  `json:"number"`
	}
	details := framework.Get("details", func(_ *framework.Call, v *Violin, _ framework.None) (answer, error) {
		if leak == "details" {
			return answer{Text: v.Vault}, nil
		}
		return answer{Text: v.Kind}, nil
	})
	ring := framework.Post("ring", func(_ *framework.Call, v *Violin, _ framework.None) (answer, error) {
		if leak == "ring" {
			return answer{Text: v.Vault}, nil
		}
		return answer{Text: v.Kind}, nil
	}).Permit(framework.Authenticated())
	repaint := framework.OnCollection(http.MethodPost, "repaint", func(c *framework.Call, _ framework.None) (framework.None, error) {
		q := c.DB.NewUpdate().Table("violins").Set("kind = kind || '!'")
		if leak != "repaint" {
			q = q.Where("owner_id = ?", c.Caller.ID)
		}
		_, err := q.Where("1 = 1").Exec(c)
		return framework.None{}, err
	})
	purge := framework.Post("clear", func(c *framework.Call, v *Violin, _ framework.None) (framework.None, error) {
		q := c.DB.NewDelete().Table("violins").Where("id <> ?", v.ID)
		if leak != "clear" {
			q = q.Where("owner_id = ?", c.Caller.ID)
		}
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	find := framework.OnCollection(http.MethodGet, "newest", func(c *framework.Call, _ framework.None) (answer, error) {
		var v Violin
		q := c.DB.NewSelect().Model(&v).OrderExpr("id DESC").Limit(1)
		if leak != "newest" {
			q = q.Where("owner_id = ?", c.Caller.ID)
		}
		_ = q.Scan(c) // there may be none
		if leak == "header" {
			var other Violin
			_ = c.DB.NewSelect().Model(&other).OrderExpr("id DESC").Limit(1).Scan(c)
			c.Header().Set("X-Vault", other.Vault)
		}
		return answer{Text: v.Vault}, nil
	})
	count := framework.OnCollection(http.MethodGet, "number", func(c *framework.Call, _ framework.None) (answer, error) {
		q := c.DB.NewSelect().Table("violins")
		if leak != "number" {
			q = q.Where("owner_id = ?", c.Caller.ID)
		}
		n, err := q.Count(c)
		return answer{Number: n}, err
	})
	remind := framework.Post("remind", func(_ *framework.Call, v *Violin, _ framework.None) (answer, error) {
		if leak == "remind" {
			return answer{Text: v.IBAN}, nil
		}
		return answer{Text: v.Kind}, nil
	})
	return []framework.Resource{
		framework.ViewSet[Violin]{
			Name: "violins", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Violin).owner).Unless(framework.Holds("violins.insure")),
			Permission: framework.Authenticated(), Fields: []framework.FieldRule{framework.Sees("iban", framework.Holds("violins.iban"))},
			Actions: []framework.Action[Violin]{remind, purge}, Collection: []framework.CollectionAction{find, count, repaint},
			Relations: framework.Relations{"tags": "tags"}, Models: []any{(*ViolinTagging)(nil)},
		},
		framework.ViewSet[Violin]{
			Name: "directory", Verbs: framework.ReadOnly[entry](), Scope: framework.Public(), Permission: framework.Anyone(), Actions: []framework.Action[Violin]{details, ring},
		},
		framework.ViewSet[Violin]{
			Name: "audit", Verbs: framework.ReadOnly[view](), Scope: framework.Public(), Permission: framework.Holds("violins.audit"),
			Fields: []framework.FieldRule{framework.Sees("iban", framework.Holds("violins.iban"))}, Relations: framework.Relations{"tags": "tags"}, Models: []any{(*ViolinTagging)(nil)},
		},
		framework.ViewSet[ViolinTag]{Name: "tags", Verbs: framework.ReadOnly[word](), Scope: framework.Public(), Permission: framework.Anyone()},
	}
}

// TestADirectoryOfPrivateRows: a caller who sees a row in a directory does not see all of its columns, also if auditors may read all
// of them, and may not change it. A count of rows is found although each row makes a tag that all see, and a field that a rule hides is
// found in the answer of an action that writes.
func TestADirectoryOfPrivateRows(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	const text = "which is of a row or a field that is not theirs"
	const changes = "it changes a row of violins that is not theirs"
	for _, c := range []struct{ leak, endpoint, finding string }{
		{"", "", ""},
		{"details", "GET /api/directory/{id}/details/", text},
		{"repaint", "POST /api/violins/repaint/", changes},
		{"clear", "POST /api/violins/{id}/clear/", changes},
		{"newest", "GET /api/violins/newest/", text},
		{"number", "GET /api/violins/number/", "the answer changed after another caller's request POST /api/violins/"},
		{"header", "GET /api/violins/newest/", text},
		{"ring", "POST /api/directory/{id}/ring/", text},
		{"remind", "POST /api/violins/{id}/remind/", text},
	} {
		t.Run(c.leak, func(t *testing.T) {
			onDatabases(t, violinSchema, func(t *testing.T, db *sqldb.DB) {
				all := violins(c.leak)
				if c.leak == "number" { // what all may count is no secret
					all = slices.Delete(all, 1, 3)
				}
				report := prove(t, db, nil, all...)
				if c.leak != "" {
					finds(t, report, c.endpoint, c.finding)
				} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}

// TestRowsThatAuditorsSee: a viewset for auditors alone shows a row to no other caller.
func TestRowsThatAuditorsSee(t *testing.T) {
	t.Parallel()
	for _, leak := range []string{"", "newest"} {
		t.Run(leak, func(t *testing.T) {
			onDatabases(t, violinSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, nil, slices.Delete(violins(leak), 1, 2)...) // without the directory
				if leak != "" {
					finds(t, report, "GET /api/violins/newest/", "which is of a row or a field that is not theirs")
				} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}
