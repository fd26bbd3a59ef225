package input

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/problem"
)

// Limits of a query string.
const (
	queryBytes  = 8 << 10
	queryValues = 100
)

// ReadQuery parses the query string; an empty one gives nil. More than 8 KiB are the error
// 414. A malformed part, a semicolon, text that is not UTF-8 or has a NUL, and more than 100
// values are the error 400.
func ReadQuery(r *http.Request) (url.Values, error) {
	raw := r.URL.RawQuery
	if raw == "" {
		return nil, nil
	}
	if len(raw) > queryBytes {
		return nil, problem.Refuse(http.StatusRequestURITooLong, problem.CodeURITooLong,
			fmt.Sprintf("The query string has %d bytes; at most %d are read.", len(raw), queryBytes))
	}
	if strings.Contains(raw, ";") {
		return nil, fault.MalformedQuery("it has a semicolon; separate parameters with & and write ; as %3B")
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fault.MalformedQuery("a % is not followed by two hexadecimal digits")
	}
	count := 0
	for name, list := range values {
		count += len(list)
		if err := checkQueryText(name); err != nil {
			return nil, err
		}
		for _, text := range list {
			if err := checkQueryText(text); err != nil {
				return nil, err
			}
		}
	}
	if count > queryValues {
		return nil, fault.MalformedQuery(fmt.Sprintf("it has %d parameters; at most %d are read", count, queryValues))
	}
	return values, nil
}

// checkQueryText returns an error for a text that is not UTF-8 or has a NUL character, because
// PostgreSQL cannot store it.
func checkQueryText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return fault.MalformedQuery("it is not UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return fault.MalformedQuery("it has a NUL character, %00")
	}
	return nil
}
