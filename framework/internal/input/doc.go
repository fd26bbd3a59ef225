// Package input reads the body of a request into a value of an input type. It lists unknown
// members and up to 100 faults: values of a wrong type and the first broken rule of each value.
// The API compiles each input type once, when it is built. The package parses query strings too.
package input
