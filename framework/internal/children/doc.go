// Package children writes the related rows that a body lists: the rows of a has-many relation, and
// the links of a many-to-many relation. The tag to of an input's field names the relation.
package children
