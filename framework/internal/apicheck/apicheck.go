// Package apicheck checks what belongs to an API as a whole: its settings, its error codes, the ids of
// callers and of operations, struct tags, and the shapes of answers.
package apicheck

import (
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
)

// A Checker checks one API. Fault receives each mistake, with the path of the viewset or the name of
// the settings, and the place there.
type Checker struct {
	API      *table.Registry
	Declared []*declare.Declaration
	Fault    func(of, place string, err error)
}

// at returns a function that reports a mistake at one place of a viewset.
func (k Checker) at(r *table.Resource, place string) func(error) {
	return func(err error) { k.Fault(r.Path, place, err) }
}
