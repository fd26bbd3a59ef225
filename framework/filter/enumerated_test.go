package filter_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A light is one of three colours.
type light string

func (light) Enum() []any { return []any{"red", light("amber"), "green"} }

type lamp struct {
	bun.BaseModel `bun:"table:lamps"`

	ID    uuid.UUID `bun:",pk"`
	Light light
	Spare *light
}

type lampView struct {
	Light light  `json:"light"`
	Spare *light `json:"spare"`
}

// TestAnEnumeratedFieldHasNoOtherValue: a filter accepts only the values that the type
// lists.
func TestAnEnumeratedFieldHasNoOtherValue(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		spare := light("red")
		rows := []lamp{{ID: uuid.New(), Light: "red"}, {ID: uuid.New(), Light: "green", Spare: &spare}}
		if _, err := db.NewCreateTable().Model(&rows).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := db.NewInsert().Model(&rows).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		api := framework.New(framework.Config{DB: db, Pagination: one{}, Permission: framework.Anyone(), Log: slog.New(slog.DiscardHandler)})
		api.Register(framework.ViewSet[lamp]{
			Name: "lamps", Verbs: framework.ReadOnly[lampView](), Scope: framework.Public(),
			Filters: []framework.Filter{filter.Exact("light"), filter.Exact("spare"), filter.In("lights", "light")},
		})
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		c := frameworktest.New(t, handler)
		for query, count := range map[string]int{
			"light=red": 1, "light=amber": 0, "spare=red": 1, "lights=red,green": 2, "lights=amber,,": 0, "light=": 2,
		} {
			if got := strings.Count(c.Get("/api/lamps/?"+query).Expect(200).Body(), `"light":`); got != count {
				t.Errorf("?%s finds %d rows; want %d", query, got, count)
			}
		}
		for query, param := range map[string]string{
			"light=blue": "light", "light=Red": "light", "light=red,green": "light", "spare=null": "spare", "lights=red,blue": "lights",
		} {
			c.Get("/api/lamps/?"+query).Expect(400).Code("invalid_parameter").Fault(param, "invalid_parameter").Contains("must be one of red, amber, green")
		}
	})
}

// TestAChoiceOutsideTheValues: a choice outside the values of the type is a mistake.
func TestAChoiceOutsideTheValues(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+t.TempDir()+"/test.db", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	api := framework.New(framework.Config{DB: db, Pagination: one{}})
	api.Register(framework.ViewSet[lamp]{
		Name: "lamps", Verbs: framework.ReadOnly[lampView](), Scope: framework.Public(), Filters: []framework.Filter{filter.Choice("light", "red", "blue")},
	})
	want := `lamps: filter "light": filter.Choice("light"): the value "blue" must be one of red, amber, green`
	if err := api.Check(); err == nil || err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
}
