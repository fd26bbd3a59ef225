package catalogue

import (
	"net/http"

	"trestle.example/framework"
)

// The codes of errors of changes of the catalogue.
const (
	codeSKUTaken        = "sku_taken"
	codeSlugTaken       = "slug_taken"
	codeLastVariant     = "last_variant"
	codeVariantLimit    = "variant_limit"
	codeVersionConflict = "version_conflict"
	codeStockChanged    = "stock_changed"
)

// Codes explains the codes of errors of the catalogue, for [framework.Config].
var Codes = []framework.CodeInfo{
	{
		Code: codeSKUTaken, Status: http.StatusConflict, Title: "The code is another variant's",
		Text: "A sku must be unique among the variants of all products, archived ones included, without regard to case. Nothing was changed; errors names each sku that is taken.",
	},
	{
		Code: codeSlugTaken, Status: http.StatusConflict, Title: "The slug is another product's",
		Text: "Another product, published or not, has this slug. Choose another, or leave it out of a new product and one is made of the name.",
	},
	{
		Code: codeLastVariant, Status: http.StatusConflict, Title: "The last variant cannot be archived",
		Text: "A product has at least one variant on sale. To take it off the shelf send published: false, or add a variant with the same request.",
	},
	{
		Code: codeVariantLimit, Status: http.StatusConflict, Title: "Too many variants of one product",
		Details: VariantLimitDetails{},
		Text:    "A product has at most 100 variants, those that are archived included, and nothing was changed. details.limit is the number and details.variants how many there are; use an archived one again, or make another product.",
	},
	{
		Code: codeVersionConflict, Status: http.StatusConflict, Title: "The product was changed in the meantime",
		Details: VersionDetails{},
		Text:    "The product is no longer of the version that the request names, and nothing was changed. details.currentVersion is the one it has.",
	},
	{
		Code: codeStockChanged, Status: http.StatusConflict, Title: "The stock is another by now",
		Details: StockDetails{},
		Text:    "The stock is no longer equal to expectedStock, perhaps because some was sold, and nothing was changed. details.currentStock is the present stock.",
	},
}

// VersionDetails are the details of the code version_conflict.
type VersionDetails struct {
	CurrentVersion int64 `json:"currentVersion" doc:"The version that the product has." example:"4"`
}

// VariantLimitDetails are the details of the code variant_limit.
type VariantLimitDetails struct {
	Limit    int `json:"limit"    doc:"How many a product may have." example:"100"`
	Variants int `json:"variants" doc:"How many it has, archived ones included." example:"100"`
}

// StockDetails are the details of the code stock_changed.
type StockDetails struct {
	CurrentStock int64 `json:"currentStock" doc:"How many there are." example:"118"`
}

func slugTaken() error {
	refusal := framework.Conflict(codeSlugTaken, "Another product has this slug.")
	refusal.Faults = []framework.Fault{{Pointer: "/slug", Code: framework.CodeUnique, Detail: "must be unique"}}
	return refusal
}
