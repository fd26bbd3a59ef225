// Package datatype describes how the values of Go types look to clients: their form in JSON,
// its schema, the values of enumerated types, and how text becomes a value.
package datatype
