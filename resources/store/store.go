package store

import (
	"slices"

	"trestle.example/framework"
)

// Register adds the store's viewsets to an API.
func Register(api *framework.API) {
	api.Register(framework.Service{
		Name: "Store",
		Doc:  "An online grocery store: the catalogue, one cart per user, orders, and what staff do.",
		Resources: []framework.Resource{
			Categories, Products, Carts, CartItems, Orders, AdminProducts, AdminVariants, AdminOrders,
		},
	})
}

// Codes explains the codes of the store's errors, for [framework.Config].
func Codes() []framework.CodeInfo {
	return slices.Concat(CatalogueCodes, CartCodes, OrderCodes)
}
