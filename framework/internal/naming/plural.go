package naming

import (
	"cmp"

	"github.com/jinzhu/inflection"
)

// Singular returns the singular of an English noun: "category" for "categories".
func Singular(noun string) string { return cmp.Or(inflection.Singular(noun), noun) }

// Plural returns the plural of an English noun: "categories" for "category".
func Plural(noun string) string { return inflection.Plural(noun) }
