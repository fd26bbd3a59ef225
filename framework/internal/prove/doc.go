// Package prove tries to reach the rows of one caller as another. It makes users and rows by the
// API itself, sends every endpoint's requests for these rows as every other caller, and reports
// each answer, count, header or change that differs between another's row and a row that does not exist.
//
// The requests are in packages of their own: reach sends those for rows of others, references has bodies that name such rows,
// lists reads before and after changes, retries repeats keys of requests, and deleted tries rows that are deleted softly. They
// use package check, which checks what a request changed and what its answer has, and package candidates, which finds the rows
// that a request can name. Package fixture makes the users and rows, and says which rows a caller may have. Package report has
// the result.
package prove
