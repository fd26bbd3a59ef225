// Package problem has the errors that an API answers with: a status, a code, and every
// fault of the request. Package framework has the same names for programs; packages that
// the framework itself imports use these.
package problem
