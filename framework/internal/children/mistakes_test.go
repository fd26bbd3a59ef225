package children_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Ticket has what a list cannot write: a key that is a text, and hooks.
type Ticket struct {
	bun.BaseModel `bun:"table:tickets"`

	Code      string `bun:",pk"`
	MachineID int64
}

type Hooked struct {
	bun.BaseModel `bun:"table:hooked"`

	ID        uuid.UUID `bun:",pk"`
	BenchID   int64
	Text      string
	CreatedAt time.Time
}

func (*Hooked) BeforeInsert(context.Context, *bun.InsertQuery) error { return nil }

// A Bench has relations that lists cannot set.
type Bench struct {
	bun.BaseModel `bun:"table:benches"`

	ID        int64 `bun:",pk,autoincrement"`
	Name      string
	MachineID int64
	Room      *int64

	Machine *Machine  `bun:"rel:belongs-to,join:machine_id=id"`
	Mates   []*Bench  `bun:"rel:has-many,join:room=room"`
	Tickets []*Ticket `bun:"rel:has-many,join:id=machine_id"`
	Hooked  []*Hooked `bun:"rel:has-many,join:id=bench_id"`
	Scored  []*Tag    `bun:"m2m:bench_scores,join:Bench=Tag"`

	Scores []*BenchScore `bun:"rel:has-many,join:id=bench_id"`
	Marks  []*BenchMark  `bun:"rel:has-many,join:id=bench_id"`
	Visits []*BenchVisit `bun:"rel:has-many,join:id=bench_id"`
	Levels []*BenchLevel `bun:"rel:has-many,join:id=bench_id"`
	Seats  []*BenchSeat  `bun:"rel:has-many,join:id=bench_id"`
	Codes  []*BenchCode  `bun:"rel:has-many,join:id=bench_id"`
}

type BenchMark struct {
	bun.BaseModel `bun:"table:bench_marks"`

	BenchID int64 `bun:",pk"`
	TagID   int64 `bun:",pk"`
	Year    int64 `bun:",pk"`
}

type BenchVisit struct {
	bun.BaseModel `bun:"table:bench_visits"`

	BenchID   int64     `bun:",pk"`
	Day       int64     `bun:",pk"`
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

type BenchLevel struct {
	bun.BaseModel `bun:"table:bench_levels"`

	BenchID int64 `bun:",pk"`
	Level   int64 `bun:",pk,nullzero"`
}

type BenchSeat struct {
	bun.BaseModel `bun:"table:bench_seats"`

	BenchID int64  `bun:",pk"`
	Seat    *int64 `bun:",pk"`
}

type BenchCode struct {
	bun.BaseModel `bun:"table:bench_codes"`

	BenchID int64  `bun:",pk"`
	Code    []byte `bun:",pk"`
}

type BenchScore struct {
	bun.BaseModel `bun:"table:bench_scores"`

	BenchID int64  `bun:",pk"`
	Bench   *Bench `bun:"rel:belongs-to,join:bench_id=id"`
	TagID   int64  `bun:",pk"`
	Tag     *Tag   `bun:"rel:belongs-to,join:tag_id=id"`
	Score   int64
}

type benchView struct {
	ID int64 `json:"id"`
}

// bench is the workshop with a bench whose input is In.
func bench[In any]() []framework.Resource {
	return append(others(), machines(), framework.ViewSet[Bench]{
		Name: "benches", Verbs: framework.Verbs{Create: framework.Accepts[In, benchView]()}, Scope: framework.Public(), Models: []any{(*BenchScore)(nil)},
		Relations: framework.Relations{"machine": "machines", "tickets": framework.OfRow, "hooked": framework.OfRow, "scored": "tags", "mates": "benches", "scores": framework.OfRow, "marks": framework.OfRow, "visits": framework.OfRow,
			"levels": framework.OfRow, "seats": framework.OfRow, "codes": framework.OfRow},
	})
}

// machine is the workshop with machines whose input is In.
func machine[In any](change ...func(v *framework.ViewSet[Machine])) []framework.Resource {
	v := machines()
	v.Verbs = framework.Verbs{Create: framework.Accepts[In, machineView](), Patch: framework.Accepts[In, machineView]()}
	for _, one := range change {
		one(&v)
	}
	return append(others(), v)
}

type (
	keyed   struct{ ID uuid.UUID }
	useless struct {
		Parts []struct {
			Steps []stepInput `json:"steps" to:"steps"`
			Name  string      `json:"name"`
		} `json:"parts" to:"parts"`
	}
	inside struct {
		Box struct {
			Tags []string `json:"tags" to:"tags.name"`
		} `json:"box"`
	}
	wrongPart struct {
		ID        int64     `json:"id"`
		MachineID int64     `json:"machine_id"`
		Rank      int64     `json:"rank"`
		Quantity  string    `json:"quantity"`
		CreatedAt time.Time `json:"created_at"`
		Colour    string    `json:"colour"`
		ProductID uuid.UUID `json:"product"`
	}
	unreferenced struct {
		ProductID *uuid.UUID `json:"product"`
	}
	owned struct {
		WriterID uuid.UUID `json:"writer"`
	}
	ticketInput struct {
		Code string `json:"code"`
	}
	hookedInput struct {
		Text string `json:"text"`
	}
)

// TestMistakes: each wrong tag is reported at start, in a sentence that says what to write.
func TestMistakes(t *testing.T) {
	const at = "machines: create, patch: "
	for _, test := range []struct {
		name      string
		resources []framework.Resource
		want      []string
	}{
		{"right", append(others(), machines()), nil},
		{"a relation that is misspelt", machine[struct {
			Tags []string `json:"tags" to:"tagz.name"`
		}](), []string{at + `input.Tags: no relation "tagz" in Machine; did you mean "tags"?`}},
		{"a relation that is not listed", machine[struct {
			Tags []string `json:"tags" to:"tags.name"`
		}](func(v *framework.ViewSet[Machine]) { delete(v.Relations, "tags"); v.Verbs.List = framework.Verb{} }), []string{
			`machines: create: machineView.Tags: from "tags.name,order=name": the relation "tags" is not listed; add "tags": "tags" to Relations of machines`,
			at + `input.Tags: the relation "tags" is not listed; add "tags": "tags" to Relations of machines`,
		}},
		{"a column that is misspelt", machine[struct {
			Tags []string `json:"tags" to:"tags.nmae"`
		}](), []string{at + `input.Tags: no field "nmae" in Tag; did you mean "name"?`}},
		{"an option that is misspelt", machine[struct {
			Tags []string `json:"tags" to:"tags.name,crate"`
		}](), []string{at + `input.Tags: no option "crate"; the options of to are create, limit and position; did you mean "create"?`}},
		{"an option with a value that it does not take", machine[struct {
			Tags []string `json:"tags" to:"tags.name,create=yes"`
		}](), []string{at + `input.Tags: the option create has no value; write it alone, such as "tags.name,create"`}},
		{"options that are given twice", machine[struct {
			Tags  []string    `json:"tags" to:"tags.name,create,create"`
			Parts []stepInput `json:"parts" to:"parts,limit=3,limit=4"`
			Steps []stepInput `json:"steps" to:"steps,position=rank,position=rank"`
		}](), []string{
			at + `input.Tags: the option create is given twice; leave one out`,
			at + `input.Parts: the option limit is given twice; leave one out`,
			at + `input.Steps: the option position is given twice; leave one out`,
		}},
		{"limits that are none", machine[struct {
			Tags  []string    `json:"tags" to:"tags.name,limit=many"`
			Parts []stepInput `json:"parts" to:"parts,limit=0"`
			Steps []stepInput `json:"steps" to:"steps,limit=5000"`
		}](), []string{
			at + `input.Tags: the limit "many" must be a number from 1 to 1000, such as "limit=50"`,
			at + `input.Parts: the limit "0" must be a number from 1 to 1000, such as "limit=50"`,
			at + `input.Steps: the limit "5000" must be a number from 1 to 1000, such as "limit=50"`,
		}},
		{"a limit and a rule", machine[struct {
			Steps []stepInput `json:"steps" to:"steps,limit=5" validate:"max=6"`
		}](), []string{at + `input.Steps: it has the option limit and a rule about the number of items; leave one out`}},
		{"a rule above the greatest limit", machine[struct {
			Steps []stepInput `json:"steps" to:"steps" validate:"max=1001"`
		}](), []string{at + `input.Steps: a list has at most 1000 items; lower the rule max`}},
		{"a path over two relations", machine[struct {
			Tags []string `json:"tags" to:"tags.machines.name"`
		}](), []string{at + `input.Tags: "tags.machines.name" leads over two relations; a list sets the rows of one`}},
		{"a list that is none", machine[struct {
			Tags string `json:"tags" to:"tags.name"`
		}](), []string{at + `input.Tags: the tag to is for a list, such as []string or a list of structs, not for string`}},
		{"a list with a default", machine[struct {
			Tags []string `json:"tags" to:"tags.name" default:"[\"a\"]"`
		}](), []string{at + `input.Tags: a list has no default: an absent list is empty; remove the tag default`}},
		{"items of another type than the column", machine[struct {
			Tags      []int64  `json:"tags" to:"tags.name"`
			Materials []string `json:"materials" to:"materials"`
		}](), []string{
			at + `input.Tags: the items are int64, but Name of Tag is string; give both one type`,
			at + `input.Materials: the items are string, but ID of Material is uuid.UUID; give both one type`,
		}},
		{"keys of rows that belong to the machine", machine[struct {
			Parts []uuid.UUID `json:"parts" to:"parts"`
		}](), []string{at + `input.Parts: "parts" leads to rows of Part; write a list of structs, not []uuid.UUID`}},
		{"a column of rows that belong to the machine", machine[struct {
			Parts []string `json:"parts" to:"parts.name"`
		}](), []string{at + "input.Parts: \"parts.name\" leads to rows, and a list of structs sets all of their columns; write `to:\"parts\"`"}},
		{"structs of a many-to-many relation", machine[struct {
			Tags []stepInput `json:"tags" to:"tags"`
		}](), []string{at + `input.Tags: "tags" is a many-to-many relation; write a list of keys, or declare a has-many relation to MachineTag and write a list of structs`}},
		{"options of the other kind of list", machine[struct {
			Tags      []string    `json:"tags" to:"tags.name,position=rank"`
			Materials []uuid.UUID `json:"materials" to:"materials,create"`
			Steps     []stepInput `json:"steps" to:"steps,create"`
		}](), []string{
			at + `input.Tags: the option position is for a list of structs; declare a has-many relation to MachineTag, whose rows can have a position`,
			at + `input.Materials: the option create needs a column that clients know, such as "materials.name,create"`,
			at + `input.Steps: the option create is for a many-to-many relation; items without a key are created here in any case`,
		}},
		{"positions that are none", machine[struct {
			Parts []stepInput `json:"parts" to:"parts,position=rnak"`
			Steps []stepInput `json:"steps" to:"steps,position=text"`
		}](), []string{
			at + `input.Parts: position: no field "rnak" in Part; did you mean "rank"?`,
			at + `input.Steps: position: Text is string; the place of a row is an integer`,
		}},
		{"two fields of one relation", machine[struct {
			Tags []string `json:"tags" to:"tags.name"`
			Keys []int64  `json:"keys" to:"tags"`
		}](), []string{at + `input.Keys: it sets "tags", and so does input.Tags; one field sets the rows of a relation`}},
		{"fields of items that cannot be written", machine[struct {
			Parts []wrongPart `json:"parts" to:"parts,position=rank"`
		}](), []string{
			at + `input.Parts: wrongPart.ID is int64, but Part.ID is uuid.UUID; give both one type`,
			at + `input.Parts: wrongPart.MachineID writes the key of the parent, which the framework sets; leave it out`,
			at + `input.Parts: wrongPart.Rank writes the position, which is the place in the list; leave it out`,
			at + `input.Parts: wrongPart.Quantity is string, but Part.Quantity is int64; give both one type`,
			at + `input.Parts: wrongPart.CreatedAt writes a time that the framework stamps; leave it out`,
			at + `input.Parts: wrongPart.Colour: no field "Colour" in Part`,
			at + `input.Parts: wrongPart.ProductID is uuid.UUID, but Part.ProductID is *uuid.UUID; give both one type`,
		}},
		{"a foreign key of an item without a viewset", machine[struct {
			Parts []unreferenced `json:"parts" to:"parts"`
		}](), []string{at + "input.Parts: unreferenced.ProductID refers to Product and names no viewset; tag it `ref:\"...\"` with the viewset whose rows may be used"}},
		{"the owner of an item", machine[struct {
			Remarks []owned `json:"remarks" to:"remarks"`
		}](), []string{at + `input.Remarks: owned.WriterID writes the owner, which the scope stamps; leave it out, or set it in a function of Fills`}},
		{"lists inside a list and inside a struct", append(machine[useless](), framework.ViewSet[Bench]{
			Name: "benches", Scope: framework.Public(), Relations: framework.Relations{"scored": "tags"}, Models: []any{(*BenchScore)(nil)},
			Verbs: framework.Verbs{Create: framework.Fills[benchView](func(*framework.Call, *Bench, inside) error { return nil })},
		}), []string{
			at + `useless.Parts.Steps: the tag to works in the input itself, not in a struct inside it; give the rows a viewset of their own, which sets "steps"`,
			`benches: create: inside.Box.Tags: the tag to works in the input itself, not in a struct inside it; give the rows a viewset of their own, which sets "tags.name"`,
		}},
		{"a list of a function", machine[machineInput](func(v *framework.ViewSet[Machine]) {
			v.Actions = []framework.Action[Machine]{framework.Post("tag", func(*framework.Call, *Machine, struct {
				Tags []string `json:"tags" to:"tags.name"`
			}) (framework.None, error) {
				return framework.None{}, nil
			})}
		}), []string{`machines: action "tag": input.Tags: the tag to has no effect here: only framework.Accepts and Fills set related rows; write them in the function, and remove the tag`}},
		{"a relation to one row", bench[struct {
			Machine []keyed `json:"machine" to:"machine"`
		}](), []string{"benches: create: input.Machine: \"machine\" leads to one row; take its key, MachineID, tagged `ref:\"...\"` with the viewset of the rows that may be used"}},
		{"a relation by a column that may be null", bench[struct {
			Mates []struct{ Name string } `json:"mates" to:"mates"`
		}](), []string{`benches: create: input.Mates: "mates" refers to Room, which may be null; a list needs a column that every row has, such as the primary key`}},
		{"rows whose key is not generated", bench[struct {
			Tickets []ticketInput `json:"tickets" to:"tickets"`
		}](), []string{"benches: create: input.Tickets: the key of Ticket is not generated, so items without one cannot be stored; make it a uuid.UUID or tag it `bun:\",pk,autoincrement\"`"}},
		{"hooks of rows", bench[struct {
			Hooked []hookedInput `json:"hooked" to:"hooked"`
		}](), []string{`benches: create: input.Hooked: Hooked has the hook BeforeInsert of bun, which the framework's statements do not call; fill the row in framework.Fills, or do all of it in framework.Does`}},
		{"a join table with a column of its own", bench[struct {
			Scored []int64 `json:"scored" to:"scored"`
		}](), []string{`benches: create: input.Scored: the join table bench_scores has the column score, which a list of keys cannot set; declare a has-many relation to BenchScore and write a list of structs`}},
		{"rows whose key has two columns, one of them optional in an item", bench[struct {
			Scores []struct {
				TagID int64 `json:"tag" ref:"tags"`
			} `json:"scores" to:"scores"`
		}](), []string{"benches: create: input.Scores: Item.TagID is a part of the key of BenchScore, so each item needs it; tag it `validate:\"required\"`"}},
		{"items that lack a part of the key", bench[struct {
			Scores []struct {
				Score int64 `json:"score"`
			} `json:"scores" to:"scores"`
		}](), []string{"benches: create: input.Scores: Item has no field TagID, which is a part of the key of BenchScore; add it"}},
		{"a part of the key without a viewset, and a key of three columns", bench[struct {
			Scores []struct {
				TagID int64 `json:"tag" validate:"required"`
			} `json:"scores" to:"scores"`
			Marks []struct {
				TagID int64 `json:"tag" validate:"required" ref:"tags"`
			} `json:"marks" to:"marks"`
		}](), []string{
			"benches: create: input.Scores: .TagID refers to Tag and names no viewset; tag it `ref:\"...\"` with the viewset whose rows may be used",
			"benches: create: input.Marks: BenchMark has a primary key of 3 columns, and a list takes one of two columns if one is BenchID; give the table a key of its own, such as id, and a unique index of the other columns",
		}},
		{"rows with a key of two columns that are deleted softly", bench[struct {
			Visits []struct {
				Day int64 `json:"day" validate:"required"`
			} `json:"visits" to:"visits"`
		}](), []string{"benches: create: input.Visits: BenchVisit has a primary key of two columns and is deleted softly, so the key of a deleted row could not be used again; give the table a key of its own, such as id"}},
		{"columns that cannot be chosen as a part of a key", bench[struct {
			Levels []struct {
				Level int64 `json:"level" validate:"required"`
			} `json:"levels" to:"levels"`
			Seats []struct {
				Seat *int64 `json:"seat" validate:"required"`
			} `json:"seats" to:"seats"`
			Codes []struct {
				Code []byte `json:"code" validate:"required"`
			} `json:"codes" to:"codes"`
		}](), []string{
			"benches: create: input.Levels: BenchLevel.Level is a part of the key that clients choose, and its tag stores a zero value as another; leave out autoincrement, nullzero and default",
			"benches: create: input.Seats: BenchSeat.Seat is a part of the key, which is never null; make it int64",
			"benches: create: input.Codes: BenchCode.Code is a part of the key, and values of []uint8 cannot be compared; give the table a key of its own, such as id",
		}},
		{"a chosen part of the key of another type", bench[struct {
			Scores []struct {
				TagID int32 `json:"tag" validate:"required" ref:"tags"`
			} `json:"scores" to:"scores"`
		}](), []string{
			"benches: create: input.Scores.TagID is int32, but the keys of tags are int64",
			"benches: create: input.Scores: .TagID is int32, but BenchScore.TagID is int64; give both one type",
		}},
		{"a position that is a part of the key", bench[struct {
			Scores []struct {
				Score int64 `json:"score"`
			} `json:"scores" to:"scores,position=tag_id"`
		}](), []string{"benches: create: input.Scores: position: TagID is a part of the key of BenchScore, and a row keeps its key; name another column"}},
		{"a position that is the key of the parent", machine[struct {
			Steps []stepInput `json:"steps" to:"steps,position=machine_id"`
		}](), []string{at + "input.Steps: position: MachineID is the key of the parent, which the framework sets; name another column"}},
		{"a relation without the tag", machine[struct {
			Parts []stepInput `json:"parts"`
		}](), []string{at + ".Parts is a relation of Machine; tag it `to:\"...\"` with the name of the relation in Relations to set its rows, or write them in a function of framework.FillsThen"}},
		{"a tag that is misspelt", machine[struct {
			Name string   `json:"name"`
			Tags []string `json:"tags" too:"tags.name"`
		}](), []string{
			at + `.Tags is a relation of Machine; tag it ` + "`to:\"...\"`" + ` with the name of the relation in Relations to set its rows, or write them in a function of framework.FillsThen`,
			`machines: create: struct.Tags: the tag "too" means nothing here; did you mean "to"?`,
		}},
		{"links of relations that are not many-to-many, not listed or misspelt", machine[machineInput](func(v *framework.ViewSet[Machine]) {
			v.Actions = []framework.Action[Machine]{framework.Links[Machine]("parts"), framework.Links[Machine]("tagz"), framework.Links[Machine]("tags.nmae"), framework.Links[Machine]("materials"), framework.Links[Machine]("materials.name")}
		}), []string{
			`machines: action "parts": "parts" is not a many-to-many relation; give its rows a viewset, whose endpoints create and delete them`,
			`machines: action "tagz": no relation "tagz" in Machine; did you mean "tags"?`,
			`machines: action "tags": no field "nmae" in Tag; did you mean "name"?`,
			`machines: action "materials": it is declared twice for PUT`,
		}},
		{"FillsThen without a function", machine[machineInput](func(v *framework.ViewSet[Machine]) {
			v.Verbs.Patch = framework.FillsThen[machineView, Machine, machineInput](nil, nil)
		}), []string{`machines: patch: framework.FillsThen was given no function`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			api := framework.New(config(db))
			api.Register(test.resources...)
			got := ""
			if err := api.Check(); err != nil {
				got = err.Error()
			}
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
