package catalogue

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A merge changes the variants of a product to what a body sets. All of them are
// loaded and locked.
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

// take merges the elements of a body and collects their faults.
func (m *merge) take(c *framework.Call, elements []VariantPatch) {
	for at, in := range elements {
		if !in.ID.Given {
			m.add(at, m.blank(c))
		} else if !m.find(at, in.ID.Value) {
			continue
		}
		v := m.named[len(m.named)-1].Variant
		in.onto(v)
		if in.MRPPaise.Given {
			m.faults = append(m.faults, belowPrice(pointer(at, "mrpPaise"), v.MRPPaise, v.PricePaise)...)
		} else {
			m.faults = append(m.faults, aboveListPrice(pointer(at, "pricePaise"), v.PricePaise, v.MRPPaise)...)
		}
	}
}

// blank is a new variant, after all others.
func (m *merge) blank(c *framework.Call) *Variant {
	v := &Variant{ID: rows.NewID(), ProductID: m.product.ID, CreatedAt: c.Now, UpdatedAt: c.Now}
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

// check is an error if the outcome is not allowed: the body has faults, or nothing
// would be left on sale.
func (m *merge) check() error {
	switch {
	case len(m.faults) > 0:
		return framework.Invalid(m.faults...)
	case len(m.product.Variants) > max(maxVariants, len(m.before)):
		return framework.Conflict(codeVariantLimit, fmt.Sprintf("A product has at most %d variants, those that are archived included.", maxVariants)).
			With(VariantLimitDetails{Limit: maxVariants, Variants: len(m.before)})
	case len(onSale(m.product.Variants)) == 0:
		return framework.Conflict(codeLastVariant, "This would archive the last variant on sale.")
	}
	return nil
}

// store writes the variants that are new or differ. It checks for taken codes before
// it takes any: an INSERT would wait for the transaction that changes the variant with
// the code.
func (m *merge) store(c *framework.Call) error {
	var fresh, changed, renamed []*Variant
	for _, e := range m.named {
		switch old, stored := m.before[e.ID]; {
		case !stored:
			fresh = append(fresh, e.Variant)
		case !e.equal(old):
			changed = append(changed, e.Variant)
			if e.SKUFolded != old.SKUFolded {
				renamed = append(renamed, e.Variant)
			}
		}
	}
	if len(renamed)+len(fresh) > 0 {
		if err := m.refuseTaken(c); err != nil {
			return err
		}
	}
	if len(renamed)+len(fresh) > 1 {
		if err := park(c, renamed); err != nil {
			return err
		}
	}
	return m.write(c, inOrderOfSKU(slices.Concat(changed, fresh)))
}

// write stores variants in their order. Consecutive new ones share a statement.
func (m *merge) write(c *framework.Call, variants []*Variant) error {
	stored := func(v *Variant) bool { _, was := m.before[v.ID]; return was }
	for len(variants) > 0 {
		next := slices.IndexFunc(variants, stored)
		var err error
		switch next {
		case 0:
			next, err = 1, overtaken(framework.Save(c, variants[0]))
		case -1:
			next, err = len(variants), m.insert(c, variants)
		default:
			err = m.insert(c, variants[:next])
		}
		if err != nil {
			return err
		}
		variants = variants[next:]
	}
	return nil
}

// insert stores new variants. If another request is taking one of their codes, the
// statement waits for that request. If the code is taken then, insert returns an error.
func (m *merge) insert(c *framework.Call, fresh []*Variant) error {
	stored, err := rows.InsertUnless(c, "sku_folded", fresh...)
	if err != nil || stored == int64(len(fresh)) {
		return err
	}
	if err := m.refuseTaken(c); err != nil {
		return err
	}
	return skuTaken()
}

// inOrderOfSKU sorts variants by the order in which every transaction takes codes, both
// of new and of renamed variants, so that no two transactions wait for each other.
func inOrderOfSKU(variants []*Variant) []*Variant {
	return slices.SortedFunc(slices.Values(variants), func(a, b *Variant) int {
		return slices.Compare([]byte(a.SKUFolded), []byte(b.SKUFolded))
	})
}

// park gives variants that get another code a temporary one: two may exchange their
// codes, and a new one may get the code of another. No code begins with a space.
func park(c *framework.Call, variants []*Variant) error {
	if len(variants) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(variants))
	for i, v := range variants {
		ids[i] = v.ID
	}
	_, err := c.Session().Exec(c, c.DB.NewUpdate().Table("variants").Set("sku_folded = ' ' || id").Where("id IN (?)", sqldb.List(ids)))
	return err
}

// refuseTaken is an error that lists the codes of the body that other variants keep.
func (m *merge) refuseTaken(c *framework.Call) error {
	var codes []string
	var ids []uuid.UUID
	for _, e := range m.named {
		codes, ids = append(codes, e.SKUFolded), append(ids, e.ID)
	}
	var others []*Variant
	q := c.DB.NewSelect().Model((*Variant)(nil)).Column("sku_folded").
		Where("sku_folded IN (?)", sqldb.List(codes)).Where("id NOT IN (?)", sqldb.List(ids))
	if err := rows.Read(c, q, &others); err != nil {
		return err
	}
	var taken []framework.Fault
	for _, e := range m.named {
		if m.keptByAnother(e) || slices.ContainsFunc(others, func(v *Variant) bool { return v.SKUFolded == e.SKUFolded }) {
			taken = append(taken, framework.Fault{Pointer: pointer(e.at, "sku"), Code: framework.CodeUnique, Detail: "must be unique"})
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return skuTaken(taken...)
}

// keptByAnother reports whether the code of an element is that of another
// variant of the body, which keeps it.
func (m *merge) keptByAnother(e element) bool {
	return slices.ContainsFunc(m.named, func(other element) bool {
		return other.ID != e.ID && other.SKUFolded == e.SKUFolded && m.before[other.ID].SKUFolded == other.SKUFolded
	})
}

// overtaken turns the error of a code that another request took since the check into a
// conflict. It returns other errors as they are.
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
