package relation_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A Quarry has loads, which refer to its number and not to its primary key.
type Quarry struct {
	bun.BaseModel `bun:"table:quarries"`

	ID      int64 `bun:",pk"`
	Number  int64
	OwnerID uuid.UUID

	Loads []*Load `bun:"rel:has-many,join:number=quarry_number"`
}

// A keyed is what several models embed.
type keyed struct {
	ID      int64 `bun:",pk,autoincrement"`
	OwnerID uuid.UUID
}

// A Cart has its key and its owner from an embedded struct. The wheels refer to its plate; only the cart has the relation.
type Cart struct {
	bun.BaseModel `bun:"table:public.carts"`
	keyed

	Plate int64

	Wheels []*Wheel `bun:"rel:has-many,join:plate=cart_plate"`
}

type Wheel struct {
	bun.BaseModel `bun:"table:wheels"`

	ID        int64 `bun:",pk"`
	CartPlate int64
}

// A Ticket has the key of its cart.
type Ticket struct {
	bun.BaseModel `bun:"table:tickets"`

	CartID  int64 `bun:",pk"`
	OwnerID uuid.UUID

	Cart *SameCart `bun:"rel:belongs-to,join:cart_id=id"`
}

// A SameCart is a cart without a schema in the name of its table.
type SameCart struct {
	bun.BaseModel `bun:"table:carts"`
	keyed
}

// A Shovel has a foreign key to the number of a quarry in a has-one relation, and one of two columns to a cart.
type Shovel struct {
	bun.BaseModel `bun:"table:shovels"`

	ID           int64 `bun:",pk"`
	QuarryNumber int64
	CartPlate    int64
	OwnerID      uuid.UUID
	SubjectID    int64
	SubjectType  string
	OwnerNumber  int64
	RestNumber   int64

	Rest   *Rest   `bun:"rel:belongs-to,join:owner_number=owner_number,join:rest_number=rest_number"`
	Quarry *Quarry `bun:"rel:has-one,join:quarry_number=number"`
	Cart   *Cart   `bun:"rel:belongs-to,join:cart_plate=plate,join:owner_id=owner_id"`
}

// A Rest has two columns of the same names as its shovels, and another key.
type Rest struct {
	bun.BaseModel `bun:"table:rests"`
	keyed

	OwnerNumber int64
	RestNumber  int64
}

// A Subject has shovels, which other models have too.
type Subject struct {
	bun.BaseModel `bun:"table:subjects"`
	keyed

	Shovels []*Shovel `bun:"rel:has-many,join:id=subject_id,join:type=subject_type,polymorphic"`
}

// An OldCart is in a table of the same name in another schema.
type OldCart struct {
	bun.BaseModel `bun:"table:old.carts"`
	keyed
}

// A Driver has the key of a user, and refers to it.
type Driver struct {
	bun.BaseModel `bun:"table:drivers"`

	ID     int64 `bun:",pk"`
	UserID int64
}

// A place is embedded in a load.
type loadPlace struct {
	QuarryNumber int64
}

type Load struct {
	bun.BaseModel `bun:"table:loads"`

	ID int64 `bun:",pk,autoincrement"`
	loadPlace
	CartID   int64
	UserID   int64
	SecondID int64

	Quarry *Quarry `bun:"rel:belongs-to,join:quarry_number=number"`
	Cart   *Cart   `bun:"rel:belongs-to,join:cart_id=id"`
	Driver *Driver `bun:"rel:belongs-to,join:user_id=user_id"`
	// Two relations over one column.
	Second *Quarry `bun:"rel:belongs-to,join:second_id=number"`
	Third  *Quarry `bun:"rel:belongs-to,join:second_id=id"`
}

type (
	ticketView struct {
		CartID int64 `json:"cart"`
	}
	wheelView struct {
		ID int64 `json:"id"`
	}
	loadView struct {
		ID int64 `json:"id"`
	}
	quarryInput struct {
		Number int64 `json:"number"`
	}
	loadInput struct {
		QuarryNumber int64 `json:"quarryNumber" ref:"quarries"`
	}
	cartLoadInput struct {
		CartID int64 `json:"cart" ref:"quarries"`
	}
	rightLoadInput struct {
		CartID   int64 `json:"cart"   ref:"carts"`
		SecondID int64 `json:"second" ref:"quarries"`
	}
	quarryOfLoads struct {
		Number int64           `json:"number"`
		Loads  []cartLoadInput `json:"loads" to:"loads"`
	}
)

// TestReferencesElsewhere: a declaration that takes a column for the primary key of a row is a mistake if the model says that the
// column leads elsewhere. The framework would compare it with the key of another row, perhaps of another caller.
func TestReferencesElsewhere(t *testing.T) {
	const (
		number = `QuarryNumber refers to Quarry.Number by a relation, and not to the key of quarries, Quarry.ID; name another viewset, or give Load a belongs-to relation that leads from QuarryNumber to that key`
		cart   = `CartID refers to Cart.ID by a relation, and not to the key of quarries, Quarry.ID`
		driver = `UserID refers to Driver.UserID by a relation, and not to the key of carts, Cart.ID`
		plate  = `CartPlate refers to Cart.Plate by a relation, and not to the key of carts, Cart.ID`
	)
	loads := func(change func(v *framework.ViewSet[Load])) []framework.Resource {
		quarries := framework.ViewSet[Quarry]{
			Name: "quarries", Scope: framework.Own(func(q *Quarry) *uuid.UUID { return &q.OwnerID }), Verbs: framework.CRUD[quarryInput, loadView](),
		}
		v := framework.ViewSet[Load]{Name: "loads", Scope: framework.Public(), Verbs: framework.ReadOnly[loadView]()}
		change(&v)
		return []framework.Resource{quarries, v, framework.ViewSet[Cart]{
			Name: "carts", Scope: framework.Own(func(c *Cart) *uuid.UUID { return &c.OwnerID }), Verbs: framework.ReadOnly[loadView](),
		}, framework.ViewSet[Ticket]{
			Name: "tickets", Scope: framework.Own(func(t *Ticket) *uuid.UUID { return &t.OwnerID }), Verbs: framework.ReadOnly[ticketView](),
		}}
	}
	related := func(field string) []framework.Resource {
		list := loads(func(*framework.ViewSet[Load]) {})
		quarries := list[0].(framework.ViewSet[Quarry])
		quarries.Actions = []framework.Action[Quarry]{framework.Related[Quarry, loadView]("out", "loads", field)}
		list[0] = quarries
		return list
	}
	shovels := func(column, viewset string) []framework.Resource {
		return append(loads(func(*framework.ViewSet[Load]) {}), framework.ViewSet[Shovel]{
			Name: "shovels", Verbs: framework.ReadOnly[loadView](), Scope: framework.Via(column, viewset),
		}, framework.ViewSet[Rest]{
			Name: "rests", Scope: framework.Own(func(r *Rest) *uuid.UUID { return &r.OwnerID }), Verbs: framework.ReadOnly[loadView](),
		}, framework.ViewSet[Subject]{
			Name: "subjects", Scope: framework.Own(func(s *Subject) *uuid.UUID { return &s.OwnerID }), Verbs: framework.ReadOnly[loadView](),
		})
	}
	items := loads(func(*framework.ViewSet[Load]) {})
	quarries := items[0].(framework.ViewSet[Quarry])
	quarries.Verbs, quarries.Relations = framework.CRUD[quarryOfLoads, loadView](), framework.Relations{"loads": "loads"}
	items[0] = quarries
	for _, test := range []struct {
		name      string
		resources []framework.Resource
		want      string // "" for no mistake
	}{
		{"a scope by the number", loads(func(v *framework.ViewSet[Load]) { v.Scope = framework.Via("quarry_number", "quarries") }), `loads: scope: Via field "quarry_number": ` + number},
		{"a scope by the key of another model", loads(func(v *framework.ViewSet[Load]) { v.Scope = framework.Via("cart_id", "quarries") }), `loads: scope: Via field "cart_id": ` + cart},
		{"writers by the number", loads(func(v *framework.ViewSet[Load]) {
			v.Verbs, v.Writers = framework.CRUD[rightLoadInput, loadView](), framework.Via("quarry_number", "quarries")
		}), `loads: writers: Via field "quarry_number": ` + number},
		{"a reference to the number", loads(func(v *framework.ViewSet[Load]) { v.Verbs = framework.CRUD[loadInput, loadView]() }), `loadInput.QuarryNumber: ref:"quarries": ` + number},
		{"a reference to another model", loads(func(v *framework.ViewSet[Load]) { v.Verbs = framework.CRUD[cartLoadInput, loadView]() }), `cartLoadInput.CartID: ref:"quarries": ` + cart},
		{"a reference to another model in an item", items, `cartLoadInput.CartID: ref:"quarries": ` + cart},
		{"a filter by the number", loads(func(v *framework.ViewSet[Load]) {
			v.Filters = []framework.Filter{filter.Reference("quarry_number", "quarries")}
		}), number},
		{"a filter by the key of another model", loads(func(v *framework.ViewSet[Load]) {
			v.Filters = []framework.Filter{filter.Reference("cart_id", "quarries")}
		}), cart},
		{"related rows by the number", related("quarry_number"), `"quarry_number" of loads: ` + number},
		{"related rows of another model", related("cart_id"), `"cart_id" of loads: ` + cart},
		{"related rows by the key, beside a relation to the number", related("second_id"), ""},
		{"the right viewsets", loads(func(v *framework.ViewSet[Load]) {
			v.Verbs, v.Scope = framework.CRUD[rightLoadInput, loadView](), framework.Via("second_id", "quarries")
			v.Filters = []framework.Filter{filter.Reference("cart_id", "carts"), filter.Reference("second_id", "quarries")}
		}), ""},
		{"the number of another model", loads(func(v *framework.ViewSet[Load]) { v.Scope = framework.Via("user_id", "carts") }), driver},
		{"a key that another row has too", loads(func(v *framework.ViewSet[Load]) { v.Scope = framework.Via("cart_id", "tickets") }), ""},
		{"a number in a has-one relation", shovels("quarry_number", "quarries"), `QuarryNumber refers to Quarry.Number by a relation`},
		{"a number of two columns", shovels("cart_plate", "carts"), `CartPlate refers to Cart.Plate by a relation`},
		{"a column of two that have the same names", shovels("owner_number", "rests"), `OwnerNumber refers to Rest.OwnerNumber by a relation`},
		{"a key of several models", shovels("subject_id", "subjects"), `SubjectID refers to rows of several models, by a type beside it`},
		{"a table of the same name in another schema", append(loads(func(v *framework.ViewSet[Load]) { v.Scope = framework.Via("cart_id", "old") }), framework.ViewSet[OldCart]{
			Name: "old", Scope: framework.Own(func(c *OldCart) *uuid.UUID { return &c.OwnerID }), Verbs: framework.ReadOnly[loadView](),
		}), `CartID refers to Cart.ID by a relation, and not to the key of old, OldCart.ID`},
		{"a number by a relation of the other row", append(loads(func(*framework.ViewSet[Load]) {}), framework.ViewSet[Wheel]{
			Name: "wheels", Verbs: framework.ReadOnly[wheelView](), Scope: framework.Via("cart_plate", "carts"),
		}), plate},
	} {
		t.Run(test.name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				api := framework.New(config(db))
				api.Register(test.resources...)
				err := api.Check()
				switch {
				case test.want == "" && err != nil:
					t.Errorf("a mistake: %v", err)
				case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
					t.Errorf("no mistake %s\nin\n%v", test.want, err)
				}
			})
		})
	}
}
