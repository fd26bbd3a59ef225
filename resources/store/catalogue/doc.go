// Package catalogue has the products of the store: categories, products, their
// variants and stocks, the lists that customers read, and the endpoints by which
// staff change them.
package catalogue
