package candidates

import (
	"net/url"

	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/prove/exchange"
)

// Exports are the queries of the exports of a list, in the order of its media types.
func Exports(e *exchange.Endpoint) (queries []string) {
	if e.Exports == nil {
		return nil
	}
	for _, name := range e.Exports.Names()[1:] {
		queries = append(queries, url.Values{export.Param: {name}}.Encode())
	}
	return queries
}
