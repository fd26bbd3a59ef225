// Package keyset reads pages of a list that begin at a place in its order, which a cursor has, instead
// of after a number of rows. A cursor is encrypted and belongs to one query.
package keyset
