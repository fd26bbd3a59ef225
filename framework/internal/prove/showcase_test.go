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

// A Project has parts, and is linked to skills, which are public. The showcase has those that are published.
type Project struct {
	bun.BaseModel `bun:"table:projects"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Title     string
	Published bool
	Parts     []*ProjectPart `bun:"rel:has-many,join:id=project_id"`
	Skills    []*Skill       `bun:"m2m:project_skills,join:Project=Skill"`
}

func (p *Project) owner() *uuid.UUID { return &p.OwnerID }

type ProjectPart struct {
	bun.BaseModel `bun:"table:project_parts"`

	ID        uuid.UUID `bun:",pk"`
	ProjectID uuid.UUID
	Label     string
	Project   *Project `bun:"rel:belongs-to,join:project_id=id"`
}

type Skill struct {
	bun.BaseModel `bun:"table:skills"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type ProjectSkill struct {
	bun.BaseModel `bun:"table:project_skills"`

	ProjectID uuid.UUID `bun:",pk"`
	Project   *Project  `bun:"rel:belongs-to,join:project_id=id"`
	SkillID   uuid.UUID `bun:",pk"`
	Skill     *Skill    `bun:"rel:belongs-to,join:skill_id=id"`
}

var projectSchema = sqldb.Migrations{Namespace: "projects", FS: fstest.MapFS{
	"1_projects.tx.up.sql": {Data: []byte(`CREATE TABLE projects ({{id}}, owner_id {{uuid}} NOT NULL, title {{text}} NOT NULL, published {{bool}} NOT NULL);
CREATE TABLE project_parts ({{id}}, project_id {{uuid}} NOT NULL REFERENCES projects (id) ON DELETE CASCADE, label {{text}} NOT NULL);
CREATE TABLE skills ({{id}}, name {{text}} NOT NULL);
CREATE TABLE project_skills (project_id {{uuid}} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	skill_id {{uuid}} NOT NULL REFERENCES skills (id) ON DELETE CASCADE, PRIMARY KEY (project_id, skill_id));`)},
	"1_projects.tx.down.sql": {Data: []byte(`DROP TABLE project_skills; DROP TABLE skills; DROP TABLE project_parts; DROP TABLE projects`)},
}}

// projects serves projects with their parts and skills, and the showcase. more are further actions of a project.
func projects(more ...framework.Action[Project]) []framework.Resource {
	type input struct {
		Title  string      `json:"title"  validate:"required,max=100"`
		Skills []uuid.UUID `json:"skills" to:"skills"`
	}
	type view struct {
		ID     uuid.UUID `json:"id"`
		Title  string    `json:"title"`
		Skills []string  `json:"skills" from:"skills.name"`
	}
	type shown struct {
		ID    uuid.UUID `json:"id"`
		Title string    `json:"title"`
	}
	type label struct {
		Label string `json:"label" validate:"required,max=100"`
	}
	type named struct {
		Name string `json:"name" validate:"required,max=100"`
	}
	publish := framework.Post("publish", func(c *framework.Call, p *Project, _ framework.None) (framework.None, error) {
		p.Published = true
		return framework.None{}, framework.Save(c, p)
	})
	published := func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.Where("?TableAlias.published") }
	return []framework.Resource{
		framework.ViewSet[Skill]{
			Name: "skills", Verbs: framework.CRUD[named, struct {
				ID   uuid.UUID `json:"id"`
				Name string    `json:"name"`
			}](), Scope: framework.Public(), Permission: framework.OrReadOnly(framework.Holds("skills.edit")),
		},
		framework.ViewSet[Project]{
			Name: "projects", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Project).owner), Permission: framework.Authenticated(),
			Relations: framework.Relations{"skills": "skills"}, Models: []any{(*ProjectSkill)(nil), (*ProjectPart)(nil)},
			Actions: append([]framework.Action[Project]{publish}, more...),
		},
		framework.ViewSet[ProjectPart]{
			Name: "parts", Parent: framework.Child("project", "projects"), Verbs: framework.CRUD[label, struct {
				ID    uuid.UUID `json:"id"`
				Label string    `json:"label"`
			}](), Scope: framework.Public(),
		},
		framework.ViewSet[Project]{
			Name: "showcase", Verbs: framework.ReadOnly[shown](), Permission: framework.Anyone(), Scope: framework.Where(published),
		},
	}
}

// TestShowcase has no false alarm, and reaches the showcase although most projects with parts are not in it.
func TestShowcase(t *testing.T) {
	t.Parallel()
	onDatabases(t, projectSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, projects()...)
		if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
			t.Errorf("the findings are %v; want none", found)
		}
	})
}

// TestKeysOfLinkedRows: that a project is linked to a public skill does not show the project's key, so functions get it.
func TestKeysOfLinkedRows(t *testing.T) {
	t.Parallel()
	type copied struct {
		From uuid.UUID `json:"from"`
	}
	labels := func(c *framework.Call, _ *Project, in copied) (all []string, err error) {
		all = []string{}
		err = c.DB.NewSelect().Table("project_parts").Column("label").Where("project_id = ?", in.From).Scan(c, &all)
		return all, err
	}
	onDatabases(t, projectSchema, func(t *testing.T, db *sqldb.DB) {
		wantFinding(t, prove(t, db, nil, projects(framework.Post("labels", labels))...), "POST /api/projects/{id}/labels/", "the answer has")
	})
}

// A Memo has texts of its own, and values that many have.
type Memo struct {
	bun.BaseModel `bun:"table:memos"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Note    string
	Title   string
	Zone    string
	Colour  string
	Level   int64
}

func (m *Memo) owner() *uuid.UUID { return &m.OwnerID }

type memoInput struct {
	Note   string `json:"note"  validate:"required,max=100"`
	Title  string `json:"title" validate:"required,max=100"`
	Zone   string `json:"zone"  validate:"required,max=100"`
	Colour string `json:"colour" validate:"required,oneof=red green"`
	Level  int64  `json:"level" validate:"min=1,max=5"`
}

type memoView struct {
	ID uuid.UUID `json:"id"`
	memoInput
}

var memoSchema = sqldb.Migrations{Namespace: "memos", FS: fstest.MapFS{
	"1_memos.tx.up.sql": {Data: []byte(`CREATE TABLE memos ({{id}}, owner_id {{uuid}} NOT NULL, note {{text}} NOT NULL, title {{text}} NOT NULL, zone {{text}} NOT NULL,
		colour {{text}} NOT NULL, level {{bigint}} NOT NULL)`)},
	"1_memos.tx.down.sql": {Data: []byte(`DROP TABLE memos`)},
}}

func fillMemo(_ *framework.Call, m *Memo, in memoInput) error {
	m.Note, m.Title, m.Zone, m.Colour, m.Level = in.Note, in.Title, in.Zone, in.Colour, in.Level
	return nil
}

// TestTalkativeMemos: a function that compares one text must not answer with another text of the row that has it.
func TestTalkativeMemos(t *testing.T) {
	t.Parallel()
	texts := map[string]func(*Memo) string{"note": func(m *Memo) string { return m.Note }, "zone": func(m *Memo) string { return m.Zone }}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			onDatabases(t, memoSchema, func(t *testing.T, db *sqldb.DB) {
				fill := framework.Fills[memoView](func(c *framework.Call, m *Memo, in memoInput) error {
					var other Memo
					if db.Session().IDB().NewSelect().Model(&other).Where("title = ?", in.Title).Where("id <> ?", m.ID).Limit(1).Scan(c) == nil {
						return framework.Refuse(http.StatusConflict, "conflict", "The memo with this title has "+text(&other))
					}
					return fillMemo(c, m, in)
				})
				v := framework.ViewSet[Memo]{
					Name: "memos", Verbs: framework.CRUD[memoInput, memoView](), Scope: framework.Own((*Memo).owner), Permission: framework.Authenticated(),
				}
				v.Verbs.Create, v.Verbs.Update, v.Verbs.Patch = fill, fill, fill
				report := prove(t, db, nil, v)
				wantFinding(t, report, "POST /api/memos/", "the answer has")
				wantFinding(t, report, "PUT /api/memos/{id}/", "the answer has")
				wantFinding(t, report, "PATCH /api/memos/{id}/", "the answer has")
			})
		})
	}
}

// TestVisitorsMemos has no false alarm: a function may set the owner of a new row, and without one a visitor is answered 401.
func TestVisitorsMemos(t *testing.T) {
	t.Parallel()
	owned := framework.Own((*Memo).owner)
	then := func(*framework.Call, *Memo, memoInput) error { return nil }
	for _, v := range []framework.ViewSet[Memo]{{Scope: framework.Public(), Writers: owned}, {Scope: owned}} {
		for _, create := range []framework.Verb{framework.Fills[memoView](fillMemo), framework.FillsThen[memoView](fillMemo, then)} {
			onDatabases(t, memoSchema, func(t *testing.T, db *sqldb.DB) {
				v.Name, v.Permission, v.Verbs = "memos", framework.Anyone(), framework.CRUD[memoInput, memoView]()
				v.Verbs.Create = create
				report := prove(t, db, nil, v)
				if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		}
	}
}

// An Article is one of a kind: it leaves the catalogue when it is sold.
type Article struct {
	bun.BaseModel `bun:"table:articles"`

	ID       uuid.UUID `bun:",pk"`
	VendorID uuid.UUID
	Title    string
	Contact  string
	Sold     bool
}

func (a *Article) vendor() *uuid.UUID { return &a.VendorID }

// A Purchase keeps the title of its article in a receipt of several parts.
type Purchase struct {
	bun.BaseModel `bun:"table:purchases"`

	ID        uuid.UUID `bun:",pk"`
	BuyerID   uuid.UUID
	ArticleID uuid.UUID
	Title     string
	Receipts  []*Receipt `bun:"rel:has-many,join:id=purchase_id"`
}

func (p *Purchase) buyer() *uuid.UUID { return &p.BuyerID }

type Receipt struct {
	bun.BaseModel `bun:"table:receipts"`

	ID         uuid.UUID `bun:",pk"`
	PurchaseID uuid.UUID
	Lines      []*ReceiptLine `bun:"rel:has-many,join:id=receipt_id"`
}

type ReceiptLine struct {
	bun.BaseModel `bun:"table:receipt_lines"`

	ID        uuid.UUID `bun:",pk"`
	ReceiptID uuid.UUID
	ArticleID uuid.UUID
}

var articleSchema = sqldb.Migrations{Namespace: "articles", FS: fstest.MapFS{
	"1_articles.tx.up.sql": {Data: []byte(`CREATE TABLE articles ({{id}}, vendor_id {{uuid}} NOT NULL, title {{text}} NOT NULL, contact {{text}} NOT NULL, sold {{bool}} NOT NULL);
CREATE TABLE purchases ({{id}}, buyer_id {{uuid}} NOT NULL, article_id {{uuid}} NOT NULL REFERENCES articles (id) ON DELETE CASCADE, title {{text}} NOT NULL);
CREATE TABLE receipts ({{id}}, purchase_id {{uuid}} NOT NULL REFERENCES purchases (id) ON DELETE CASCADE);
CREATE TABLE receipt_lines ({{id}}, receipt_id {{uuid}} NOT NULL REFERENCES receipts (id) ON DELETE CASCADE, article_id {{uuid}} NOT NULL);`)},
	"1_articles.tx.down.sql": {Data: []byte(`DROP TABLE receipt_lines; DROP TABLE receipts; DROP TABLE purchases; DROP TABLE articles`)},
}}

// TestSoldArticles has no false alarm: a purchase shows the key and the title of its article, which its request hides. The
// title of an article that was sold before is a leak, and so is a field that the buyer does not see.
func TestSoldArticles(t *testing.T) {
	t.Parallel()
	for _, leak := range []string{"", "title", "contact"} {
		proveSales(t, leak)
	}
}

func proveSales(t *testing.T, leak string) {
	type titled struct {
		Title   string `json:"title"   validate:"required,max=100"`
		Contact string `json:"contact" validate:"required,max=100"`
	}
	type listed struct {
		ID      uuid.UUID `json:"id"`
		Title   string    `json:"title"`
		Contact string    `json:"contact"`
	}
	type shown struct {
		ID    uuid.UUID `json:"id"`
		Title string    `json:"title"`
	}
	type order struct {
		ArticleID uuid.UUID `json:"article" validate:"required" ref:"catalogue"`
	}
	type line struct {
		ArticleID uuid.UUID `json:"article"`
	}
	type receipt struct {
		Lines []line `json:"lines" from:"lines"`
	}
	type purchased struct {
		shown

		Receipts []receipt `json:"receipts" from:"receipts"`
	}
	fill := func(c *framework.Call, p *Purchase, in order) error {
		p.ArticleID = in.ArticleID
		if leak == "contact" {
			return c.DB.NewSelect().Table("articles").Column("contact").Where("id = ?", in.ArticleID).Scan(c, &p.Title)
		}
		if leak == "title" && c.DB.NewSelect().Table("articles").Column("title").Where("sold").Order("id").Limit(1).Scan(c, &p.Title) == nil {
			return nil
		}
		return c.DB.NewSelect().Table("articles").Column("title").Where("id = ?", in.ArticleID).Scan(c, &p.Title)
	}
	then := func(c *framework.Call, p *Purchase, in order) error {
		part := Receipt{ID: uuid.New(), PurchaseID: p.ID}
		if _, err := c.DB.NewInsert().Model(&part).Exec(c); err != nil {
			return err
		}
		if _, err := c.DB.NewInsert().Model(&ReceiptLine{ID: uuid.New(), ReceiptID: part.ID, ArticleID: in.ArticleID}).Exec(c); err != nil {
			return err
		}
		_, err := c.DB.NewUpdate().Table("articles").Set("sold = ?", true).Where("id = ?", in.ArticleID).Exec(c)
		return err
	}
	forSale := func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.Where("NOT ?TableAlias.sold") }
	onDatabases(t, articleSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil,
			framework.ViewSet[Article]{
				Name: "articles", Verbs: framework.CRUD[titled, shown](), Scope: framework.Own((*Article).vendor), Permission: framework.Authenticated(),
			},
			framework.ViewSet[Article]{
				Name: "catalogue", Verbs: framework.ReadOnly[listed](), Scope: framework.Where(forSale), Permission: framework.Anyone(),
				Fields: []framework.FieldRule{framework.Sees("contact", framework.Holds("contacts.see"))},
			},
			framework.ViewSet[Purchase]{
				Name: "purchases", Scope: framework.Own((*Purchase).buyer), Permission: framework.Authenticated(),
				Relations: framework.Relations{"receipts": framework.OfRow, "receipts.lines": framework.OfRow},
				Verbs: framework.Verbs{
					Create: framework.FillsThen[purchased](fill, then), List: framework.Shows[purchased](), Retrieve: framework.Shows[purchased](),
				},
			})
		if leak != "" {
			wantFinding(t, report, "POST /api/purchases/", "the answer has")
			return
		}
		if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
			t.Errorf("the findings are %v; want none", found)
		}
	})
}
