package stream

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// cleanRange returns a request whose header Range [http.ServeContent] reads as RFC 9110 has it.
// ServeContent answers 416 for a unit that it does not know, but the header must be ignored
// (section 14.2). It answers 206 for the range "-0", but no byte is in it (section 14.1.2). The
// request for several ranges is one for the whole content, as section 14.2 permits: each of them
// would be another read of the body.
func cleanRange(r *http.Request) *http.Request {
	sent := r.Header.Get("Range")
	if sent == "" {
		return r
	}
	clean := r.Clone(r.Context())
	unit, list, _ := strings.Cut(sent, "=")
	ranges := slices.DeleteFunc(strings.Split(list, ","), isEmptyRange)
	switch {
	case !strings.EqualFold(unit, "bytes") || len(ranges) > 1:
		clean.Header.Del("Range")
	case len(ranges) == 0:
		clean.Header.Set("Range", "bytes="+strconv.FormatInt(math.MaxInt64, 10)+"-") // no byte is in it either
	default:
		clean.Header.Set("Range", "bytes="+ranges[0])
	}
	return clean
}

// isEmptyRange reports whether a range is "-0": the last 0 bytes.
func isEmptyRange(text string) bool {
	last, found := strings.CutPrefix(strings.TrimSpace(text), "-")
	return found && last != "" && strings.Trim(last, "0") == ""
}
