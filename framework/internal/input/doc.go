// Package input turns a body or a query string into a value of an input type, and reports
// every fault of it: unknown members, wrong types, broken rules. It compiles the type once,
// when the API is built.
package input
