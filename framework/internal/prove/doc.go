// Package prove tries to reach the rows of one caller as another. It makes users and rows by the
// API itself, sends every endpoint's requests for these rows as every other caller, and reports
// each answer, count, header or change that differs between another's row and a row that does not exist.
//
// It decides from the declarations and from the stored rows which rows a caller may have. It does not
// use the code that narrows the statements of requests.
package prove
