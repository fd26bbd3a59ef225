// Package store serves an online grocery store: a catalogue of products with
// variants, one cart per user, orders that never oversell, and what staff need
// to run it.
//
// # Who locks what
//
// Writes that meet lock rows in one order, so that none waits in a circle: the
// cart or the order, then products, each followed by its variants, in the order
// of their ids, then the delivery slot or the categories, in the order of theirs.
// A change of a product takes the slug and then codes of variants, in the order
// of the folded codes, whether the variant that takes one is new or renamed.
package store
