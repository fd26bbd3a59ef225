// Package query has what a list can be asked: filters, searches with ranks, and pages.
// Programs use these names by way of package framework, which has an alias of each.
package query
