package store

import (
	"slices"

	"trestle.example/framework"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/order"
)

// Register adds the store's viewsets to an API.
func Register(api *framework.API) {
	api.Register(framework.Service{
		Name: "Store",
		Doc:  "An online grocery store: the catalogue, one cart per user, orders, and what staff do.",
		Resources: []framework.Resource{
			catalogue.Categories, catalogue.Products, cart.Carts, cart.CartItems, order.Orders,
			catalogue.AdminProducts, catalogue.AdminVariants, order.AdminOrders,
		},
	})
}

// Codes explains the codes of the store's errors, for [framework.Config].
func Codes() []framework.CodeInfo {
	return slices.Concat(catalogue.Codes, cart.Codes, order.Codes)
}
