// Package report has the result of a proof: what was tried as each kind of caller, and what was found. It
// writes the result as a matrix and as a page.
package report
