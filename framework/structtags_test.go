package framework_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
)

type misspeltRule struct {
	Title string `json:"title" validte:"required"`
}

type misspeltInside struct {
	Title string         `json:"title"`
	Parts []misspeltPart `json:"parts"`
}

type misspeltPart struct {
	Name framework.Optional[string] `json:"name" exmaple:"a"`
}

type foreignTags struct {
	Title string `json:"title" xml:"t,attr" yaml:"t" toml:"t" db:"t" bson:"t" form:"t" gorm:"size:9" mapstructure:"t" msgpack:"t" query:"t" env:"T" binding:"required" swaggertype:"string" jsonschema:"t" valid:"-"`
}

type unreadTag struct {
	Title string `json:"title" colour:"red"`
}

type ruleTag struct {
	Title string `json:"title" required:"true"`
}

type ownTag struct {
	Title string `json:"title" house:"red"`
}

type misspeltModel struct {
	bun.BaseModel `bun:"table:countries"`

	ID   uuid.UUID `bun:",pk"`
	Name string    `bum:"name"`
}

type misspeltView struct {
	ID   uuid.UUID `json:"id" dco:"The id."`
	Name string    `json:"name"`
}

// A key that neither the framework nor a known package reads is a mistake.
func TestStructTags(t *testing.T) {
	patch := func(verb framework.Verb) []framework.Resource {
		return wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = verb })
	}
	for name, test := range map[string]struct {
		declared []framework.Resource
		want     string
	}{
		"a misspelt key": {patch(framework.Accepts[misspeltRule, BookView]()),
			`books: patch: misspeltRule.Title: the tag "validte" means nothing here; did you mean "validate"?`},
		"a misspelt key inside a list": {patch(framework.Changes(func(*framework.Call, *Book, misspeltInside) (framework.None, error) { return framework.None{}, nil })),
			`books: patch: misspeltPart.Name: the tag "exmaple" means nothing here; did you mean "example"?`},
		"keys of other packages": {patch(framework.Accepts[foreignTags, BookView]()), ``},
		"a key that nothing reads": {patch(framework.Accepts[unreadTag, BookView]()),
			`books: patch: unreadTag.Title: the tag "colour" means nothing here; remove it or, if another package reads it, list it in ForeignTags of framework.Config`},
		"a rule as a key": {patch(framework.Accepts[ruleTag, BookView]()),
			"books: patch: ruleTag.Title: the tag \"required\" means nothing here; rules are in the tag validate, such as `validate:\"required\"`"},
		"a key of the program's own package": {patch(framework.Accepts[ownTag, BookView]()), ``},
		"a model and a view": {[]framework.Resource{framework.ViewSet[misspeltModel]{Name: "lands", Verbs: framework.ReadOnly[misspeltView](), Scope: framework.Public()}}, "" +
			`lands: misspeltModel.Name: the tag "bum" means nothing here; did you mean "bun"?` + "\n" +
			`lands: list: misspeltView.ID: the tag "dco" means nothing here; did you mean "doc"?`},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(sqlite(t))
			c.ForeignTags = []string{"house"}
			api := framework.New(c)
			api.Register(test.declared...)
			said := ""
			if err := api.Check(); err != nil {
				said = err.Error()
			}
			if said != test.want {
				t.Errorf("got\n%s\nwant\n%s", said, test.want)
			}
		})
	}
}
