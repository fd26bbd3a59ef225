// Package input reads the body of a request into a value of an input type. It reports every
// fault: unknown members, values of a wrong type, broken rules. The API compiles each input
// type once, when it is built. The package parses query strings too.
package input
