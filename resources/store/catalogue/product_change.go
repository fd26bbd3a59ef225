package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/ranked"
	"trestle.example/resources/store/internal/rows"
)

// A ProductChange logs a change of a product: who made it, when, and the values before
// and after. It is never changed, and no endpoint shows it. The changes of a product
// are in the order of their ids, which are drawn while it is locked; CreatedAt is the
// time of the request.
type ProductChange struct {
	bun.BaseModel `bun:"table:product_changes"`

	ID        uuid.UUID `bun:",pk"`
	ProductID uuid.UUID
	Actor     uuid.UUID
	RequestID uuid.UUID
	Change    string `bun:"type:jsonb"` // the members that differ, each an alteration
	CreatedAt time.Time
}

// An alteration is a member of a product before and after a change. From is absent for
// a new product.
type alteration struct {
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to"`
}

// An edition is the state of a product that a change may alter, at one time. The zero
// edition is that of a product before it is created.
type edition struct {
	members map[string]json.RawMessage // of the product as staff see it
	words   []ranked.Field
	shelf   uuid.UUID
}

func (p *Product) edition() (edition, error) {
	e := edition{words: p.words(), shelf: p.shelf()}
	text, err := json.Marshal(p.admin())
	if err != nil {
		return e, err
	}
	err = json.Unmarshal(text, &e.members)
	return e, err
}

// alterations lists the members in which a later edition differs.
func (e edition) alterations(later edition) map[string]alteration {
	altered := map[string]alteration{}
	for name, value := range later.members {
		if !bytes.Equal(e.members[name], value) {
			altered[name] = alteration{From: e.members[name], To: value}
		}
	}
	return altered
}

// record updates what is derived from a product: the words by which it is found, the
// log of changes, and the counts of categories.
func (p *Product) record(c *framework.Call, before edition) error {
	now, err := p.edition()
	if err != nil {
		return err
	}
	if !slices.Equal(before.words, now.words) {
		if err := productSearch.Put(c, c.Session(), p.ID, now.words...); err != nil {
			return err
		}
	}
	change, err := json.Marshal(before.alterations(now))
	if err != nil {
		return err
	}
	row := &ProductChange{
		ID: rows.NewID(), ProductID: p.ID, Actor: framework.IDOf[uuid.UUID](c), RequestID: c.ID, Change: string(change), CreatedAt: c.Now,
	}
	if err := rows.Insert(c, row); err != nil {
		return err
	}
	return recount(c, before.shelf, now.shelf)
}

// shelf is the category that counts the product, the zero id while it is not
// published.
func (p *Product) shelf() uuid.UUID {
	if p.Published {
		return p.CategoryID
	}
	return uuid.Nil
}
