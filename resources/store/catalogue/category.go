package catalogue

import (
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A Category is a shelf of the store. It is made with its first product and
// never deleted.
type Category struct {
	bun.BaseModel `bun:"table:categories"`

	ID           uuid.UUID `bun:",pk"`
	Slug         string    // unique, in addresses
	Name         string
	ImageURL     *string
	ProductCount int64 // published products
}

// A CategoryView is a category in the list of all.
type CategoryView struct {
	Slug         string  `json:"slug"         doc:"What ?category= of products names it by." example:"dals"`
	Name         string  `json:"name"         doc:"What customers read."                      example:"Dals"`
	ImageURL     *string `json:"imageUrl"     doc:"Where its picture lies; null for none."    example:"https://images.example.org/dals.webp"`
	ProductCount int64   `json:"productCount" doc:"How many products stand on it."            example:"12"`
}

// A CategoryRef is a category as its products show it.
type CategoryRef struct {
	Slug string `json:"slug" doc:"What ?category= of products names it by." example:"dals"`
	Name string `json:"name" doc:"What customers read."                      example:"Dals"`
}

// CategoryInput names the category of a product.
type CategoryInput struct {
	Slug Slug    `json:"slug" validate:"required"     doc:"Which category." example:"dals"`
	Name *string `json:"name" validate:"line,max=120" example:"Dals" doc:"The name of a new category. It has no effect if a category with this slug exists."`
}

// Categories serves /categories to every caller: those with published products.
var Categories = framework.ViewSet[Category]{
	Name:       "categories",
	Doc:        "The shelves of the store that have something on them, by name.",
	Verbs:      framework.Verbs{List: framework.Shows[CategoryView]()},
	Scope:      framework.Where(notEmpty),
	Ordering:   framework.Ordering{Default: "name"},
	Pagination: page.Screen{Size: 100},
	Permission: framework.Anyone(),
	Slash:      framework.WithoutSlash,
}

// notEmpty leaves out categories without a published product: the category of a draft
// is not public yet.
func notEmpty(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.product_count > 0")
}

// find returns the category that the input names. If there is none, it creates the
// category, or returns nil if the input has no name for it.
func (in CategoryInput) find(c *framework.Call) (*Category, error) {
	known, err := category(c, "slug", string(in.Slug))
	if err != nil || known != nil {
		return known, err
	}
	if rows.OrBlank(in.Name) == "" {
		return nil, nil
	}
	made := &Category{ID: rows.NewID(), Slug: string(in.Slug), Name: *in.Name}
	if stored, err := rows.InsertUnless(c, "slug", made); err != nil || stored == 1 {
		return made, err
	}
	return category(c, "slug", string(in.Slug)) // another request was faster
}

// unknownCategory is the fault of a body whose category does not exist.
func unknownCategory() framework.Fault {
	return framework.Fault{Pointer: "/category/slug", Code: framework.CodeInvalidReference, Detail: "names no category; add a name to make one"}
}

// category returns the category whose column has a value, or nil.
func category(c *framework.Call, column string, value any) (*Category, error) {
	var found []*Category
	q := c.DB.NewSelect().Model((*Category)(nil)).Where("? = ?", bun.Ident(column), sqldb.Param(value))
	if err := rows.Read(c, q, &found); err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// recount moves a published product from the count of one category to that of another;
// the zero id is that of no category, for a product that is not published. It comes
// last in a transaction, because many transactions lock the row of a category, and
// goes in the order of ids.
func recount(c *framework.Call, from, to uuid.UUID) error {
	if from == to {
		return nil
	}
	deltas := map[uuid.UUID]int64{from: -1, to: 1}
	for _, id := range slices.SortedFunc(slices.Values([]uuid.UUID{from, to}), rows.CompareIDs) {
		if id == uuid.Nil {
			continue
		}
		q := c.DB.NewUpdate().Model((*Category)(nil)).
			Set("product_count = product_count + ?", sqldb.Param(deltas[id])).Where("id = ?", sqldb.Param(id))
		if _, err := c.Session().Exec(c, q); err != nil {
			return err
		}
	}
	return nil
}
