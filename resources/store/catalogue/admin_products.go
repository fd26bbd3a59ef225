package catalogue

import (
	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// ProductInput makes a product.
type ProductInput struct {
	Name        string         `json:"name" validate:"required,line,max=200" doc:"What the product is called." example:"Toor dal"`
	Slug        *Slug          `json:"slug"                                              doc:"Defaults to one made of the name." example:"toor-dal"`
	Brand       *string        `json:"brand" validate:"line,max=120" doc:"The brand, or null." example:"Annam"`
	Description *string        `json:"description" validate:"max=10000" doc:"What a customer should know." example:"Unpolished."`
	ImageURL    *ImageURL      `json:"imageUrl"                                          doc:"Where its picture lies: an absolute https address of a host, without a user."`
	Category    CategoryInput  `json:"category"    validate:"required"                   doc:"The category that shows it."`
	Published   bool           `json:"published"   default:"true"                        doc:"Whether customers see it."`
	Variants    []VariantInput `json:"variants"    validate:"required,max=100,dive"      doc:"The sizes in which it is sold."`
}

// Check implements [framework.Checker].
func (in ProductInput) Check() []framework.Fault {
	codes := make([]string, len(in.Variants))
	for i, v := range in.Variants {
		codes[i] = v.SKU
	}
	return repeatedSKUs(codes)
}

// ProductPatch changes a product: absent members stay, null clears. Variants are merged
// by id; variants that it does not name stay.
type ProductPatch struct {
	Name        string                        `json:"name" validate:"required,line,max=200" doc:"What the product is called." example:"Toor dal"`
	Slug        framework.Optional[Slug]      `json:"slug"        doc:"A new name does not change the slug; this does." example:"toor-dal"`
	Brand       *string                       `json:"brand" validate:"line,max=120" doc:"The brand, or null." example:"Annam"`
	Description *string                       `json:"description" validate:"max=10000" doc:"What a customer should know." example:"Unpolished."`
	ImageURL    framework.Optional[*ImageURL] `json:"imageUrl"    doc:"Where its picture lies: an absolute https address of a host, without a user."`
	Category    CategoryInput                 `json:"category"    doc:"The category that shows it."`
	Published   bool                          `json:"published"   doc:"Whether customers see it."`
	Version     int64                         `json:"version"     validate:"min=1" doc:"What the version must be, or nothing is changed."`
	Variants    []VariantPatch                `json:"variants"    validate:"max=100,dive"          doc:"Those that change, and new ones."`
}

// Check implements [framework.Checker].
func (in ProductPatch) Check() []framework.Fault {
	codes := make([]string, len(in.Variants))
	for i, v := range in.Variants {
		codes[i] = v.SKU.Value
	}
	return repeatedSKUs(codes)
}

// AdminProduct is a product with all its variants, as staff see it.
type AdminProduct struct {
	ProductSummary

	Description *string        `json:"description" doc:"What a customer should know of it."`
	Variants    []AdminVariant `json:"variants"    doc:"All of them, archived ones too, in their order."`
	Published   bool           `json:"published"   doc:"Whether customers see it."`
	Version     int64          `json:"version"     doc:"Grows with every change. A change that names another version is rejected." example:"1"`
}

// AdminProducts serves /admin/products, for staff.
var AdminProducts = framework.ViewSet[Product]{
	Name:  "products",
	Under: "admin",
	Doc:   "Makes and changes products, for staff. Both answer the whole product.",
	Verbs: framework.Verbs{
		Create: framework.Does(createProduct).Refuses(codeSKUTaken, codeSlugTaken).
			Doc("Make a product with its variants. A category that is named and not there is made with it."),
		Patch: framework.Changes(changeProduct).
			Refuses(codeSKUTaken, codeSlugTaken, codeLastVariant, codeVariantLimit, codeVersionConflict).
			Doc("Change a product. What is absent stays, null clears; variants are merged by id."),
	},
	Scope:      framework.Public(),
	Models:     []any{(*ProductChange)(nil)},
	Permission: framework.Staff(),
	Strict:     framework.Strict,
	Slash:      framework.WithoutSlash,
	Uniques: []framework.Unique{
		{Fields: []string{"slug"}, Code: codeSlugTaken, Detail: "Another product has this slug."},
	},
}

// createProduct serves POST /admin/products.
func createProduct(c *framework.Call, in ProductInput) (AdminProduct, error) {
	shelf, err := in.Category.find(c)
	switch {
	case err != nil:
		return AdminProduct{}, err
	case shelf == nil:
		return AdminProduct{}, framework.Invalid(unknownCategory())
	}
	p := &Product{
		ID: rows.NewID(), Name: in.Name, Brand: in.Brand, Description: in.Description, ImageURL: (*string)(in.ImageURL),
		CategoryID: shelf.ID, Category: shelf, Published: in.Published, Version: 1, CreatedAt: c.Now, UpdatedAt: c.Now,
	}
	fresh := merge{product: p}
	for i, v := range in.Variants {
		fresh.add(i, v.variant(c, p.ID, int64(i)))
	}
	p.CopyCheapest()
	if err := storeSlugged(c, p, in.Slug); err != nil {
		return AdminProduct{}, err
	}
	if err := fresh.store(c); err != nil {
		return AdminProduct{}, err
	}
	if err := firstStocks(c, p.Variants); err != nil {
		return AdminProduct{}, err
	}
	return p.admin(), p.record(c, edition{})
}

// changeProduct serves PATCH /admin/products/{id}. The product is locked, then
// its variants. A change that changes nothing leaves the version alone.
func changeProduct(c *framework.Call, p *Product, in ProductPatch) (AdminProduct, error) {
	if in.Version != p.Version {
		return AdminProduct{}, framework.Conflict(codeVersionConflict, "The product was changed since; details has its version.").
			With(VersionDetails{p.Version})
	}
	if err := p.open(c); err != nil {
		return AdminProduct{}, err
	}
	before, err := p.edition()
	if err != nil {
		return AdminProduct{}, err
	}
	changes, err := in.merge(c, p)
	if err != nil {
		return AdminProduct{}, err
	}
	after, err := p.edition()
	if err != nil || len(before.alterations(after)) == 0 {
		return p.admin(), err
	}
	p.Version++
	if err := framework.Save(c, p); err != nil {
		return AdminProduct{}, err
	}
	if err := changes.store(c); err != nil {
		return AdminProduct{}, err
	}
	return p.admin(), p.record(c, before)
}

// merge changes the product and its variants to what the body sets, or returns an
// error. It stores nothing but a new category.
func (in ProductPatch) merge(c *framework.Call, p *Product) (*merge, error) {
	m := newMerge(p)
	m.take(c, in.Variants)
	if err := in.onto(c, m); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	p.CopyCheapest()
	return m, nil
}

// onto copies all members but the variants to the product. Absent members have the
// product's own values, or are not given.
func (in ProductPatch) onto(c *framework.Call, m *merge) error {
	p := m.product
	p.Name, p.Brand, p.Description, p.Published = in.Name, in.Brand, in.Description, in.Published
	p.Slug = string(in.Slug.Or(Slug(p.Slug)))
	p.ImageURL = (*string)(in.ImageURL.Or((*ImageURL)(p.ImageURL)))
	if !c.Has("category") {
		return nil
	}
	shelf, err := in.Category.find(c)
	if err != nil {
		return err
	}
	if shelf == nil {
		m.faults = append(m.faults, unknownCategory())
		return nil
	}
	p.Category, p.CategoryID = shelf, shelf.ID
	return nil
}

// open reads the category and all variants of a product that is locked, and locks the
// variants too.
func (p *Product) open(c *framework.Call) (err error) {
	if p.Category, err = category(c, "id", p.CategoryID); err != nil {
		return err
	}
	q := c.DB.NewSelect().Model((*Variant)(nil)).Where("product_id = ?", sqldb.Param(p.ID)).OrderExpr("id")
	return rows.Read(c, c.Session().DB().Kind().ForUpdate(q), &p.Variants)
}

// admin is the product as staff see it. Its category and all its variants are loaded.
func (p *Product) admin() AdminProduct {
	view := AdminProduct{ProductSummary: p.summary(), Description: p.Description, Published: p.Published, Version: p.Version}
	for _, v := range inOrder(p.Variants) {
		view.Variants = append(view.Variants, AdminVariant{VariantSummary: v.Summary(), Stock: v.Stock, Archived: v.Archived})
	}
	return view
}

// firstStocks stores a movement for the first stock of each new variant.
func firstStocks(c *framework.Call, variants []*Variant) error {
	var movements []*StockMovement
	for _, v := range variants {
		if v.Stock > 0 {
			movements = append(movements, &StockMovement{
				ID: rows.NewID(), VariantID: v.ID, Kind: StockSet, Delta: v.Stock, StockAfter: v.Stock,
				Actor: framework.IDOf[uuid.UUID](c), RequestID: c.ID, CreatedAt: c.Now,
			})
		}
	}
	if len(movements) == 0 {
		return nil
	}
	return rows.Insert(c, movements...)
}
