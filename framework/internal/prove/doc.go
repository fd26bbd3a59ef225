// Package prove tries to reach the rows of one caller as another. It makes users and rows by the
// API itself, sends every endpoint's requests for these rows as every other caller, and reports
// each answer, count, header or change that differs between another's row and a row that does not exist.
//
// Which rows a caller may have, it decides from the declarations and from the stored rows, and
// not by the code that narrows the statements of requests.
package prove
