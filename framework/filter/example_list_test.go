package filter_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A film is the model of these examples.
type film struct {
	bun.BaseModel `bun:"table:films"`

	ID       uuid.UUID `bun:",pk"`
	Title    string
	Genre    string
	Minutes  int64
	ShownAt  time.Time
	Prize    *string
	StudioID uuid.UUID
}

type filmView struct {
	Title    string    `json:"title"`
	Genre    string    `json:"genre"`
	Minutes  int64     `json:"minutes"`
	ShownAt  time.Time `json:"shown"`
	Prize    *string   `json:"prize"`
	StudioID uuid.UUID `json:"studio"`
}

type studio struct {
	bun.BaseModel `bun:"table:studios"`

	ID   uuid.UUID `bun:",pk"`
	Name string

	Films []*film `bun:"rel:has-many,join:id=studio_id"`
}

type studioView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

const (
	rajkamal = "0198f1c2-7a3b-7c4d-8e5f-00112233445a"
	prabhat  = "0198f1c2-7a3b-7c4d-8e5f-00112233445b"
)

// films lists films with one filter, and prints the titles for each query.
func films(f framework.Filter, queries ...string) {
	exampleList("films", []framework.Filter{f}, nil, queries...)
}

// exampleList lists films or studios with their filters, and prints the titles or names for each query.
func exampleList(viewset string, ofFilms, ofStudios []framework.Filter, queries ...string) {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer func() { check(os.RemoveAll(dir)) }()
	db, err := sqldb.Open("sqlite://"+filepath.Join(dir, "films.db"), sqldb.Options{})
	check(err)
	defer func() { check(db.Close()) }()
	screen(db)

	api := framework.New(framework.Config{
		DB: db, Pagination: page.Number{}, Permission: framework.Anyone(), Log: slog.New(slog.DiscardHandler),
	})
	api.Register(
		framework.ViewSet[film]{
			Name: "films", Verbs: framework.ReadOnly[filmView](), Scope: framework.Public(),
			Filters: ofFilms, Ordering: framework.Ordering{Default: "title"},
		},
		framework.ViewSet[studio]{
			Name: "studios", Verbs: framework.ReadOnly[studioView](), Scope: framework.Public(), Relations: framework.Relations{"films": "films"},
			Filters: ofStudios, Ordering: framework.Ordering{Default: "name"},
		},
	)
	handler, err := api.Handler()
	check(err)
	for _, query := range queries {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/"+viewset+"/?"+query, nil))
		var answer struct {
			Results []struct{ Title, Name string }
			Errors  []framework.Fault
		}
		check(json.Unmarshal(w.Body.Bytes(), &answer))
		titles := []string{}
		for _, r := range answer.Results {
			titles = append(titles, cmp.Or(r.Title, r.Name))
		}
		for _, fault := range answer.Errors {
			titles = append(titles, fault.Parameter+" "+fault.Detail)
		}
		fmt.Println(strings.TrimSpace(fmt.Sprintf("%s: %d: %s", query, len(titles), strings.Join(titles, ", "))))
	}
}

// screen stores three films of two studios.
func screen(db *sqldb.DB) {
	ctx := context.Background()
	prize := "Golden Lotus"
	at := func(day int) time.Time { return time.Date(2026, 11, day, 20, 0, 0, 0, time.UTC) }
	one, two := uuid.MustParse(rajkamal), uuid.MustParse(prabhat)
	rows := []film{
		{ID: uuid.New(), Title: "Navrang", Genre: "drama", Minutes: 125, ShownAt: at(1), StudioID: one},
		{ID: uuid.New(), Title: "Kunku", Genre: "drama", Minutes: 162, ShownAt: at(1), StudioID: two},
		{ID: uuid.New(), Title: "Pinjara", Genre: "musical", Minutes: 171, ShownAt: at(2), StudioID: one, Prize: &prize},
	}
	studios := []studio{{ID: one, Name: "Rajkamal"}, {ID: two, Name: "Prabhat"}}
	for _, models := range []any{&rows, &studios} {
		_, err := db.NewCreateTable().Model(models).Exec(ctx)
		check(err)
		_, err = db.NewInsert().Model(models).Exec(ctx)
		check(err)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleExact() {
	films(filter.Exact("genre"), "genre=drama", "genre=Drama", "genre=")
	// Output:
	// genre=drama: 2: Kunku, Navrang
	// genre=Drama: 0:
	// genre=: 3: Kunku, Navrang, Pinjara
}

func ExampleExact_parameter() {
	films(filter.Exact("kind", "genre"), "kind=musical")
	// Output: kind=musical: 1: Pinjara
}

func ExampleContains() {
	films(filter.Contains("title"), "title=NAV", "title=%25")
	// Output:
	// title=NAV: 1: Navrang
	// title=%25: 0:
}

func ExampleChoice() {
	films(filter.Choice("genre", "drama", "musical"), "genre=musical", "genre=western")
	// Output:
	// genre=musical: 1: Pinjara
	// genre=western: 1: genre must be one of drama, musical
}

func ExampleMin() {
	films(filter.Min("min_minutes", "minutes"), "min_minutes=162", "min_minutes=long")
	// Output:
	// min_minutes=162: 2: Kunku, Pinjara
	// min_minutes=long: 1: min_minutes must be a whole number
}

func ExampleMax() {
	films(filter.Max("max_minutes", "minutes"), "max_minutes=162")
	// Output: max_minutes=162: 2: Kunku, Navrang
}

func ExampleRange() {
	films(filter.Range("minutes"), "minutes_min=130&minutes_max=170")
	// Output: minutes_min=130&minutes_max=170: 1: Kunku
}

func ExampleIn() {
	films(filter.In("titles", "title"), "titles=Kunku,Pinjara,Sholay")
	// Output: titles=Kunku,Pinjara,Sholay: 2: Kunku, Pinjara
}

func ExampleIsNull() {
	films(filter.IsNull("no_prize", "prize"), "no_prize=true", "no_prize=0")
	// Output:
	// no_prize=true: 2: Kunku, Navrang
	// no_prize=0: 1: Pinjara
}

func ExampleDate() {
	films(filter.Date("day", "shown"), "day=2026-11-02", "day=today")
	// Output:
	// day=2026-11-02: 1: Pinjara
	// day=today: 1: day must be a day as YYYY-MM-DD, such as 2026-01-31
}

func ExampleReference() {
	films(filter.Reference("studio", "studios"), "studio="+prabhat, "studio=prabhat")
	// Output:
	// studio=0198f1c2-7a3b-7c4d-8e5f-00112233445b: 1: Kunku
	// studio=prabhat: 1: studio must be an id, a UUID
}

// ExampleTogether lists the studios that have one film which meets both filters. Separate filters
// would be met by two films.
func ExampleTogether() {
	exampleList("studios", nil, []framework.Filter{
		filter.Together("films", filter.Exact("genre"), filter.Min("min_minutes", "minutes")),
		filter.Exact("any_genre", "films.genre"), filter.Min("any_minutes", "films.minutes"),
	}, "genre=drama&min_minutes=160", "genre=drama&min_minutes=170", "any_genre=drama&any_minutes=170")
	// Output:
	// genre=drama&min_minutes=160: 1: Prabhat
	// genre=drama&min_minutes=170: 0:
	// any_genre=drama&any_minutes=170: 1: Rajkamal
}

// ExampleNot lists the films that a filter leaves out, those without a value too.
func ExampleNot() {
	films(filter.Not(filter.Exact("not_genre", "genre")), "not_genre=drama")
	films(filter.Not(filter.Exact("not_prize", "prize")), "not_prize=Golden+Lotus")
	// Output:
	// not_genre=drama: 1: Pinjara
	// not_prize=Golden+Lotus: 2: Kunku, Navrang
}
