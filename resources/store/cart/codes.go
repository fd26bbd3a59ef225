package cart

import (
	"net/http"

	"trestle.example/framework"
)

// The codes of errors of the cart.
const (
	codeVariantNotFound   = "variant_not_found"
	codeQuantityLimit     = "quantity_limit"
	CodeInsufficientStock = "insufficient_stock"
	CodeItemUnavailable   = "item_unavailable"
)

// Codes explains the codes of errors of the cart, for [framework.Config].
var Codes = []framework.CodeInfo{
	{
		Code: codeVariantNotFound, Status: http.StatusNotFound, Title: "No such variant",
		Text: "The variant does not exist or is no longer sold. Load the product again and choose another.",
	},
	{
		Code: codeQuantityLimit, Status: http.StatusConflict, Title: "Too much for one cart",
		Details: LimitDetails{},
		Text:    "A cart takes at most 50 of one variant and at most 100 variants. Nothing was changed; details.limit is the number that would be passed.",
	},
	{
		Code: CodeInsufficientStock, Status: http.StatusConflict, Title: "Not enough in stock",
		Details: LineDetails{},
		Text:    "The stock is less than the requested quantity, and nothing was changed. details.lines names each line with the quantity that is available.",
	},
	{
		Code: CodeItemUnavailable, Status: http.StatusConflict, Title: "No longer sold",
		Details: LineDetails{},
		Text:    "Something in the cart is no longer sold, and nothing was changed. details.lines names each line that cannot be ordered; remove those that are unavailable.",
	},
}
