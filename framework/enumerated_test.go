package framework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// A size is one of three.
type size string

func (size) Enum() []any { return []any{size("small"), size("large"), "huge"} }

// A level is one of two numbers.
type level int8

func (level) Enum() []any { return []any{1, level(5)} }

type (
	shoe struct {
		bun.BaseModel `bun:"table:shoes"`

		ID    uuid.UUID `bun:",pk"`
		Size  size
		Spare *size
		Level level
	}
	shoeInput struct {
		Size  size  `json:"size" default:"small"`
		Spare *size `json:"spare"`
		Level level `json:"level" validate:"required"`
	}
	shoeView struct {
		ID    uuid.UUID `json:"id"`
		Size  size      `json:"size"`
		Spare *size     `json:"spare"`
		Level level     `json:"level"`
	}
	// fitInput has sizes wherever there can be some.
	fitInput struct {
		Maybe framework.Optional[size]  `json:"maybe"`
		None  framework.Optional[*size] `json:"none"`
		All   []size                    `json:"all" validate:"max=3"`
		Parts struct {
			Sole size `json:"sole" validate:"required"`
		} `json:"parts"`
		By map[string]size `json:"by"`
	}
	fitQuery struct {
		Size size `json:"size"`
	}
)

func shoes() framework.ViewSet[shoe] {
	return framework.ViewSet[shoe]{
		Name: "shoes", Verbs: framework.CRUD[shoeInput, shoeView](), Scope: framework.Public(),
		Filters: []framework.Filter{filter.Exact("size"), filter.In("levels", "level")},
		Collection: []framework.CollectionAction{
			framework.OnCollection("POST", "fit", func(*framework.Call, fitInput) (framework.None, error) { return framework.None{}, nil }),
			framework.OnCollection("GET", "fits", func(_ *framework.Call, in fitQuery) (fitQuery, error) { return in, nil }),
		},
	}
}

// What a type lists is all that a body, a filter and a parameter may say.
func TestEnumeratedValues(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.NewCreateTable().Model((*shoe)(nil)).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada := serve(t, config(db), shoes()).as("ada")
		made := ada.post("/api/shoes/", `{"level":5}`).is(201).says(`"size":"small"`, `"spare":null`, `"level":5`)
		at := "/api/shoes/" + made.id() + "/"
		ada.patch(at, `{"size":"huge","spare":"large"}`).is(200).says(`"size":"huge","spare":"large"`)
		ada.patch(at, `{"spare":null}`).is(200).says(`"spare":null`)
		for body, fault := range map[string]string{
			`{"level":5,"size":"medium"}`:       "/size",
			`{"level":5,"size":""}`:             "/size",
			`{"level":5,"size":"SMALL"}`:        "/size",
			`{"level":5,"spare":"medium"}`:      "/spare",
			`{"level":5,"spare":""}`:            "/spare",
			`{"level":2}`:                       "/level",
			`{"level":0,"size":"large"}`:        "/level",
			`{"level":1,"spare":"\u0073mall "}`: "",
		} {
			if fault == "" {
				ada.post("/api/shoes/", body).is(201)
				continue
			}
			for _, got := range []*answer{ada.post("/api/shoes/", body), ada.put(at, body), ada.patch(at, body)} {
				if got.refuses(400, "validation_failed"); !slices.Contains(faultsOf(got), fault+" oneof") {
					got.failf("the faults are %v; want %s oneof", faultsOf(got), fault)
				}
			}
		}
		ada.post("/api/shoes/", `{"size":"lagre"}`).says("must be one of small, large, huge; did you mean large?")
		ada.post("/api/shoes/", `{"level":2}`).says("must be one of 1, 5").lacks(`"2"`)
		for query, status := range map[string]int{
			"size=huge": 200, "size=medium": 400, "size=Huge": 400, "levels=1,5": 200, "levels=1,2": 400, "levels=": 200,
		} {
			ada.get("/api/shoes/?" + query).is(status)
		}
		ada.get("/api/shoes/?size=medium").says(`must be one of small, large, huge"`)
		ada.get("/api/shoes/?size=lagre").says("must be one of small, large, huge; did you mean large?")
		ada.get("/api/shoes/fits/?size=huge").is(200).says(`"size":"huge"`)
		ada.get("/api/shoes/fits/?size=medium").refuses(400, "invalid_parameter").says("must be one of small, large, huge")
	})
}

// So it is inside of objects, lists and maps, and in an Optional.
func TestEnumeratedValuesInside(t *testing.T) {
	ada := serve(t, config(sqlite(t)), shoes()).as("ada")
	const sole = `"parts":{"sole":"huge"}`
	for body, want := range map[string]string{
		`{` + sole + `}`: "[]",
		`{` + sole + `,"maybe":"small","none":null,"all":[]}`:                     "[]",
		`{` + sole + `,"none":"large","all":["small","huge"],"by":{"a":"large"}}`: "[]",
		`{` + sole + `,"maybe":"x"}`:                                              "[/maybe oneof]",
		`{` + sole + `,"none":"x"}`:                                               "[/none oneof]",
		`{` + sole + `,"all":["small","x",""]}`:                                   "[/all/1 oneof /all/2 oneof]",
		`{` + sole + `,"by":{"a":"x"}}`:                                           "[/by/a oneof]",
		`{"parts":{"sole":"x"}}`:                                                  "[/parts/sole oneof]",
		`{"parts":{"sole":" "}}`:                                                  "[/parts/sole required]",
		`{"parts":{}}`:                                                            "[/parts/sole required]",
	} {
		got := ada.post("/api/shoes/fit/", body)
		if want == "[]" {
			got.is(204)
			continue
		}
		if got.is(400); fmt.Sprint(faultsOf(got)) != want {
			got.failf("%s: the faults are %v; want %s", body, faultsOf(got), want)
		}
	}
}

// The reference lists the values wherever there are some.
func TestEnumeratedValuesAreInTheReference(t *testing.T) {
	said := reference(t, shoes())
	for _, at := range []string{
		"/components/schemas/ShoeInput/properties/size", "/components/schemas/PatchedShoeInput/properties/size", "/components/schemas/Shoe/properties/size",
		"/components/schemas/ShoeInput/properties/spare", "/components/schemas/Shoe/properties/spare",
		"/components/schemas/FitInput/properties/maybe", "/components/schemas/FitInput/properties/none", "/components/schemas/FitInput/properties/all/items",
		"/components/schemas/FitInput/properties/by/additionalProperties",
		"/paths/~1api~1shoes~1/get/parameters/size/schema", "/paths/~1api~1shoes~1fits~1/get/parameters/size/schema",
	} {
		for _, value := range []string{"small", "large", "huge"} {
			if said[at+"/enum/"+value] == "" {
				t.Errorf("%s does not list %s", at, value)
			}
		}
	}
	if got := said["/components/schemas/Shoe/properties/level/enum/"]; got == "" {
		t.Error("numbers are not listed")
	}
}

type (
	absentInput struct {
		Size  size  `json:"size"`
		Level level `json:"level" default:"1"`
	}
	strangeInput struct {
		Size size `json:"size" validate:"required,oneof=small medium"`
	}
	wrongDefault struct {
		Size size `json:"size" default:"medium"`
	}
	misfit      string
	misfitInput struct {
		Size misfit `json:"size" validate:"required"`
	}
)

func (misfit) Enum() []any { return []any{1} }

// beyond and below list a number that their types cannot hold.
type (
	beyond      int8
	below       uint64
	beyondInput struct {
		Level beyond `json:"level" validate:"required"`
	}
	belowInput struct {
		Level below `json:"level" validate:"required"`
	}
)

func (beyond) Enum() []any { return []any{1, 257} }
func (below) Enum() []any  { return []any{1, -1} }

// What could not hold is a mistake.
func TestEnumeratedMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		verbs framework.Verbs
		want  string
	}{
		"a field that may be absent": {
			framework.CRUD[absentInput, shoeView](),
			`absentInput.Size may be absent and would be stored as "" then, which is no framework_test.size; make it required or a pointer, or give it a default`,
		},
		"a rule that names another value": {
			framework.CRUD[strangeInput, shoeView](), `strangeInput.Size: the rule oneof names "medium", which is no framework_test.size`,
		},
		"a default that is none": {framework.CRUD[wrongDefault, shoeView](), `wrongDefault.Size: default "medium" must be one of small, large, huge`},
		"a number beyond the range of the type": {
			framework.CRUD[beyondInput, shoeView](), `framework_test.beyond.Enum returns 257, which is no framework_test.beyond`,
		},
		"a number below the range of the type": {
			framework.CRUD[belowInput, shoeView](), `framework_test.below.Enum returns -1, which is no framework_test.below`,
		},
		"values of another type": {framework.CRUD[misfitInput, shoeView](), `framework_test.misfit.Enum returns 1, which is no framework_test.misfit`},
	} {
		t.Run(name, func(t *testing.T) {
			declared := shoes()
			declared.Verbs, declared.Filters = c.verbs, nil
			api := framework.New(config(sqlite(t)))
			api.Register(declared)
			if err := api.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want %s", err, c.want)
			}
		})
	}
}

// faultsOf lists the faults of an error, each as its place and its code.
func faultsOf(a *answer) (found []string) {
	a.tb.Helper()
	for _, f := range a.problem().Errors {
		found = append(found, f.Pointer+" "+f.Code)
	}
	return found
}
