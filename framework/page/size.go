package page

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"trestle.example/framework"
)

// farthest is the maximum offset of a query. No table is as long, and adding a page to it
// cannot overflow.
const farthest = math.MaxInt64 / 2

// sizes are the default size of a page and the maximum that a client may choose.
type sizes struct{ of, most int64 }

// newSizes fills in the defaults: 20 for a size below 1, and 100 for a maximum below 1. A
// maximum below the size counts as the size.
func newSizes(size, most int) sizes {
	s := sizes{int64(size), int64(most)}
	if s.of < 1 {
		s.of = 20
	}
	if s.most < 1 {
		s.most = 100
	}
	s.most = max(s.most, s.of)
	return s
}

func sizeDoc(s sizes) string {
	return fmt.Sprintf("How many rows a page has. More than %d counts as %d.", s.most, s.most)
}

// pageNumberParam is the parameter for the number of a page.
func pageNumberParam() framework.Param {
	return framework.Param{Name: pageParam, Type: reflect.TypeFor[int64](), Doc: "The page's number, from 1.", Minimum: 1, Default: 1}
}

// pageSizeParam is the parameter for the size of a page.
func pageSizeParam(s sizes) framework.Param {
	return framework.Param{Name: limitParam, Type: reflect.TypeFor[int64](), Doc: sizeDoc(s), Minimum: 1, Default: s.of}
}

// parseWhole reads a whole number as clients write one, without a plus sign. For a number
// beyond 64 bits it returns the nearest and [strconv.ErrRange].
func parseWhole(text string) (int64, error) {
	if strings.HasPrefix(text, "+") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}

// atLeast reads a parameter that must be a whole number of at least least. It returns absent
// for an empty text. A smaller number, a number beyond 64 bits and any other text are a 400.
func atLeast(least int64, v framework.Values, param string, absent int64) (int64, error) {
	if v[param] == "" {
		return absent, nil
	}
	n, err := parseWhole(v[param])
	switch {
	case errors.Is(err, strconv.ErrRange) && n > 0:
		return 0, framework.InvalidParameter(param, fmt.Sprintf("must be at most %d", n))
	case err != nil || n < least:
		return 0, framework.InvalidParameter(param, fmt.Sprintf("must be a whole number of at least %d", least))
	}
	return n, nil
}

// joinInvalid joins two errors of parameters into one that names both. Either may be nil. If
// both are nil, so is the result. It adds to the faults of a.
func joinInvalid(a, b error) error {
	var first, second *framework.Error
	if !errors.As(a, &first) {
		return b
	}
	if errors.As(b, &second) {
		first.Faults = append(first.Faults, second.Faults...)
	}
	return first
}
