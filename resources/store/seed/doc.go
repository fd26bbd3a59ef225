// Package seed makes the demo data of the store: products, customers' orders and a
// cart. The same options always make the same rows.
package seed
