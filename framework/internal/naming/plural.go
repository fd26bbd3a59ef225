package naming

import (
	"cmp"
	"sync"

	"github.com/jinzhu/inflection"
)

// singulars are by their plurals. They are few: nouns are those of declarations.
//
//nolint:gochecknoglobals // it is the same for every API: a noun takes a hundred regular expressions
var singulars sync.Map

// Singular returns the singular of an English noun: "category" for "categories". It is safe for concurrent use.
func Singular(noun string) string {
	if one, known := singulars.Load(noun); known {
		return one.(string)
	}
	one := cmp.Or(inflection.Singular(noun), noun)
	singulars.Store(noun, one)
	return one
}

// Plural returns the plural of an English noun: "categories" for "category".
func Plural(noun string) string { return inflection.Plural(noun) }
