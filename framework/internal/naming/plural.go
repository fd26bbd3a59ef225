package naming

import (
	"cmp"
	"sync"

	"github.com/jinzhu/inflection"
)

// singulars caches results by their nouns, because finding one tries a hundred regular expressions. The nouns are those of declarations,
// so there are few.
//
//nolint:gochecknoglobals // the results are the same for every API
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
