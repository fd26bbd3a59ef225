// Package conditional has the versions of rows, their entity tags, and the headers of conditional
// requests (RFC 9110, section 13).
package conditional
