package stream

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// CleanRange returns a request whose header Range [http.ServeContent] reads as RFC 9110 has it.
// ServeContent answers 416 for a unit that it does not know, but the header must be ignored
// (section 14.2). It answers 206 for the range "-0", but no byte is in it (section 14.1.2).
func CleanRange(r *http.Request) *http.Request {
	sent := r.Header.Get("Range")
	if sent == "" {
		return r
	}
	clean := r.Clone(r.Context())
	unit, list, _ := strings.Cut(sent, "=")
	if !strings.EqualFold(unit, "bytes") {
		clean.Header.Del("Range")
		return clean
	}
	ranges := slices.DeleteFunc(strings.Split(list, ","), isEmptyRange)
	if len(ranges) == 0 {
		ranges = []string{strconv.FormatInt(math.MaxInt64, 10) + "-"} // no byte is in it either
	}
	clean.Header.Set("Range", "bytes="+strings.Join(ranges, ","))
	return clean
}

// isEmptyRange reports whether a range is "-0": the last 0 bytes.
func isEmptyRange(text string) bool {
	last, found := strings.CutPrefix(strings.TrimSpace(text), "-")
	return found && last != "" && strings.Trim(last, "0") == ""
}
