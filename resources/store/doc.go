// Package store serves an online grocery store. It registers the resources of the
// packages below it: the catalogue of products, a cart for each user, orders that
// never sell more than there is in stock, and the pages of staff.
//
// # Order of locks
//
// All writes lock rows in one order, so that no two transactions wait for each
// other: the cart or the order; products, each followed by its variants, in the
// order of their ids; then the delivery slot, or the categories in the order of
// their ids. A change of a product takes the slug, then the codes of variants in the
// order of the folded codes, both of new variants and of renamed ones.
package store
