// Package listing answers lists: of the rows of a viewset, filtered, searched, ordered and in pages,
// and of the rows that refer to an object.
package listing
