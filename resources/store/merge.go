package store

import (
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A merge brings the variants of a product, all of them and all held, to what a
// body says.
type merge struct {
	product *Product
	before  map[uuid.UUID]Variant // as they are stored
	named   []element             // in the order of the body
	faults  []framework.Fault
}

// An element is one of the body's variants.
type element struct {
	at int
	*Variant
}

func newMerge(p *Product) *merge {
	m := &merge{product: p, before: map[uuid.UUID]Variant{}}
	for _, v := range p.Variants {
		m.before[v.ID] = *v
	}
	return m
}

// add adds a new variant.
func (m *merge) add(at int, v *Variant) {
	m.product.Variants = append(m.product.Variants, v)
	m.named = append(m.named, element{at, v})
}

// take merges the elements of a body and notes what is wrong with them.
func (m *merge) take(c *framework.Call, elements []VariantPatch) {
	for at, in := range elements {
		if !in.ID.Given {
			m.add(at, m.blank(c))
		} else if !m.find(at, in.ID.Value) {
			continue
		}
		v := m.named[len(m.named)-1].Variant
		in.onto(v)
		place := "mrpPaise"
		if !in.MRPPaise.Given {
			place = "pricePaise"
		}
		m.faults = append(m.faults, belowPrice(pointer(at, place), v.MRPPaise, v.PricePaise)...)
	}
}

// blank is a new variant, behind all others.
func (m *merge) blank(c *framework.Call) *Variant {
	v := &Variant{ID: newID(), ProductID: m.product.ID, CreatedAt: c.Now, UpdatedAt: c.Now}
	for _, other := range m.product.Variants {
		v.Position = max(v.Position, other.Position+1)
	}
	return v
}

// find finds the variant that an element names.
func (m *merge) find(at int, id uuid.UUID) bool {
	is := func(v *Variant) bool { return v.ID == id }
	i := slices.IndexFunc(m.product.Variants, is)
	switch {
	case i < 0:
		m.faults = append(m.faults, framework.Fault{Pointer: pointer(at, "id"), Code: framework.CodeInvalidReference, Detail: "is no variant of this product"})
		return false
	case slices.ContainsFunc(m.named, func(e element) bool { return is(e.Variant) }):
		m.faults = append(m.faults, framework.Fault{Pointer: pointer(at, "id"), Code: "unique", Detail: "is named by the body already"})
		return false
	}
	m.named = append(m.named, element{at, m.product.Variants[i]})
	return true
}

// refused says why the outcome cannot be: what is wrong with the body, or that
// nothing would be left on sale.
func (m *merge) refused() error {
	switch {
	case len(m.faults) > 0:
		return framework.Invalid(m.faults...)
	case len(onSale(m.product.Variants)) == 0:
		return framework.Conflict(codeLastVariant, "This would archive the last variant on sale.")
	}
	return nil
}

// store writes the variants that are new or differ.
func (m *merge) store(c *framework.Call) error {
	var fresh, changed, renamed []*Variant
	for _, e := range m.named {
		switch old, stored := m.before[e.ID]; {
		case !stored:
			fresh = append(fresh, e.Variant)
		case *e.Variant != old:
			changed = append(changed, e.Variant)
			if e.SKUFolded != old.SKUFolded {
				renamed = append(renamed, e.Variant)
			}
		}
	}
	if len(renamed) > 0 {
		if err := m.refuseTaken(c); err != nil {
			return err
		}
	}
	if err := park(c, renamed); err != nil {
		return err
	}
	for _, v := range inOrderOfSKU(changed) {
		if err := framework.Save(c, v); err != nil {
			return overtaken(err)
		}
	}
	return m.insert(c, fresh)
}

// insert stores new variants. One whose code another request took since it was
// looked for waits for that request, and then is left out.
func (m *merge) insert(c *framework.Call, fresh []*Variant) error {
	if len(fresh) == 0 {
		return nil
	}
	stored, err := insertUnless(c, "sku_folded", inOrderOfSKU(fresh)...)
	if err != nil || stored == int64(len(fresh)) {
		return err
	}
	if err := m.refuseTaken(c); err != nil {
		return err
	}
	return skuTaken()
}

// inOrderOfSKU is the order in which all transactions take codes, so that none
// waits in a circle.
func inOrderOfSKU(variants []*Variant) []*Variant {
	return slices.SortedFunc(slices.Values(variants), func(a, b *Variant) int {
		return slices.Compare([]byte(a.SKUFolded), []byte(b.SKUFolded))
	})
}

// park takes their codes off variants that get others, for two may exchange
// theirs. No code begins with a space.
func park(c *framework.Call, variants []*Variant) error {
	if len(variants) < 2 {
		return nil
	}
	ids := make([]uuid.UUID, len(variants))
	for i, v := range variants {
		ids[i] = v.ID
	}
	_, err := c.Session().Exec(c, c.DB.NewUpdate().Table("variants").Set("sku_folded = ' ' || id").Where("id IN (?)", sqldb.List(ids)))
	return err
}

// refuseTaken refuses the codes of the body that other variants have.
func (m *merge) refuseTaken(c *framework.Call) error {
	var codes []string
	var ids []uuid.UUID
	for _, e := range m.named {
		codes, ids = append(codes, e.SKUFolded), append(ids, e.ID)
	}
	var others []*Variant
	q := c.DB.NewSelect().Model((*Variant)(nil)).Column("sku_folded").
		Where("sku_folded IN (?)", sqldb.List(codes)).Where("id NOT IN (?)", sqldb.List(ids))
	if err := read(c, q, &others); err != nil {
		return err
	}
	var taken []framework.Fault
	for _, e := range m.named {
		if slices.ContainsFunc(others, func(v *Variant) bool { return v.SKUFolded == e.SKUFolded }) {
			taken = append(taken, framework.Fault{Pointer: pointer(e.at, "sku"), Code: framework.CodeUnique, Detail: "must be unique"})
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return skuTaken(taken...)
}

// overtaken is the refusal of a code that another request took since it was
// looked for; other errors pass.
func overtaken(err error) error {
	if fault, ok := sqldb.Classify(err); ok && fault.Kind == sqldb.Unique {
		return skuTaken()
	}
	return err
}

func skuTaken(faults ...framework.Fault) error {
	refusal := framework.Conflict(codeSKUTaken, "Another variant has this sku.")
	refusal.Faults = faults
	return refusal
}
