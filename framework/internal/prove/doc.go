// Package prove tries to reach the rows of one caller as another. It makes users and rows by the
// API itself, sends every endpoint's requests for these rows as every other caller, and reports
// each answer, count, header or change that differs between another's row and a row that does not exist.
//
// Package fixture makes the users and rows, and says which rows a caller may have. Package report has the
// result.
package prove
