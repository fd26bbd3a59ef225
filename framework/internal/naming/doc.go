// Package naming reads and writes names: of struct fields, of JSON members and pointers, in
// error texts, and the nearest known name to a mistyped one.
package naming
