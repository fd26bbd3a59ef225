// Package cart has the cart of each user: its lines at current prices and stocks, and
// what the checkout shows.
package cart
