// Package problem has the errors that an API answers with: a status, a code, and every
// fault of the request. Package framework has an alias of each name that a program needs.
package problem
