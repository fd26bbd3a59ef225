package catalogue

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Product is what the store sells, in one or more variants.
//
// CheapestVariantID, PricePaise and InStock are copies of a variant's, for lists to
// filter and sort by: the cheapest variant that is in stock, else the cheapest, ties
// by position and id. Code that changes a variant's price, stock or archiving must call
// ChooseCheapest, or CopyCheapest if it has locked all variants.
type Product struct {
	bun.BaseModel `bun:"table:products"`

	ID                uuid.UUID `bun:",pk"`
	Slug              string    // unique, in addresses; a new name does not change it
	Name              string
	Brand             *string
	Description       *string
	ImageURL          *string
	CategoryID        uuid.UUID
	Published         bool
	Version           int64 // grows with every change by staff
	CheapestVariantID uuid.UUID
	PricePaise        int64 // of the cheapest variant
	InStock           bool
	CreatedAt         time.Time
	UpdatedAt         time.Time

	Category        *Category  `bun:"rel:belongs-to,join:category_id=id"`
	CheapestVariant *Variant   `bun:"rel:belongs-to,join:cheapest_variant_id=id"`
	Variants        []*Variant `bun:"rel:has-many,join:id=product_id"`
}

// A ProductSummary is a product in lists.
type ProductSummary struct {
	ID              uuid.UUID      `json:"id"`
	Slug            string         `json:"slug"                    doc:"In addresses; a new name does not change it." example:"toor-dal"`
	Name            string         `json:"name"                    doc:"What the product is called." example:"Toor dal"`
	Brand           *string        `json:"brand"                   doc:"The brand, or null." example:"Annam"`
	ImageURL        *string        `json:"imageUrl"                doc:"The address of its picture, or null." example:"https://images.example.org/toor.webp"`
	Category        CategoryRef    `json:"category"        doc:"The category that shows it."`
	CheapestVariant VariantSummary `json:"cheapestVariant" doc:"The cheapest that is in stock, else the cheapest."`
}

// A ProductDetail is one product, with all variants that are on sale.
type ProductDetail struct {
	ProductSummary

	Description *string          `json:"description" doc:"What a customer should know of it; null for nothing."`
	Variants    []VariantSummary `json:"variants"    doc:"The sizes that are on sale, in their order."`
}

// Products serves /products to every caller, by slug. It has only published products, for
// staff too. A list shows, filters and sorts a product by its cheapest variant, so the three
// always agree.
var Products = framework.ViewSet[Product]{
	Name: "products",
	Doc:  "What the store sells. Prices and stock in lists are those of the cheapest variant, where there is any in stock of those that are.",
	Verbs: framework.Verbs{
		List:     framework.Shows[ProductSummary](),
		Retrieve: framework.Computes(detailOf, "category", "variants"),
	},
	Scope:     framework.Where(published),
	Relations: framework.Relations{"category": framework.OfRow, "cheapestVariant": framework.OfRow, "variants": framework.OfRow},
	Lookup:    "slug",
	Ranked:    productSearch,
	Ordering: framework.Ordering{
		Named: []framework.NamedOrder{
			{Name: "price_asc", By: "price_paise"},
			{Name: "price_desc", By: "-price_paise"},
			{Name: "name_asc", By: "name"},
			{Name: "newest", By: "-created_at,-id"},
			{Name: "relevance", Relevance: true},
		},
		Default: "name_asc",
		Param:   "sort",
	},
	Filters: []framework.Filter{
		filter.Func("category", "Only products of the category with this slug.", inCategory),
		filter.RangeAs("minPaise", "maxPaise", "price_paise").Doc(
			"Only products that cost at least so many paise: 100 are 1 rupee.", "Only products that cost at most so many paise."),
		filter.Flag("inStock", "in_stock").Doc("Only products that are in stock; false is no filter."),
	},
	Pagination: page.Screen{},
	Permission: framework.Anyone(),
	Slash:      framework.WithoutSlash,
}

// published has the very condition of the table's partial indexes, so that the
// databases use them.
func published(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.published")
}

// inCategory reads ?category=: an unknown slug matches no product.
func inCategory(_ *framework.Call, slug string) (framework.Narrow, error) {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("?TableAlias.category_id = (SELECT id FROM categories WHERE slug = ?)", sqldb.Param(slug))
	}, nil
}

// detailOf shows one product. It finds the cheapest variant among the variants that were
// just read, so that the answer agrees with itself. A product without a variant on
// sale counts as not published; only a program past the API can make one.
func detailOf(_ *framework.Call, p *Product) (ProductDetail, error) {
	live := onSale(p.Variants)
	if len(live) == 0 {
		return ProductDetail{}, framework.NotFound()
	}
	detail := ProductDetail{ProductSummary: p.summary(), Description: p.Description}
	for _, v := range live {
		detail.Variants = append(detail.Variants, v.Summary())
	}
	return detail, nil
}

// summary is the product as lists show it. Its category and all its variants are loaded.
func (p *Product) summary() ProductSummary {
	return ProductSummary{
		ID: p.ID, Slug: p.Slug, Name: p.Name, Brand: p.Brand, ImageURL: p.ImageURL,
		Category:        CategoryRef{Slug: p.Category.Slug, Name: p.Category.Name},
		CheapestVariant: cheapest(p.Variants).Summary(),
	}
}

// CopyCheapest sets the columns that the product copies of its cheapest variant. All
// its variants are loaded and locked.
func (p *Product) CopyCheapest() {
	v := cheapest(p.Variants)
	p.CheapestVariantID, p.PricePaise, p.InStock = v.ID, v.PricePaise, v.InStock
}
