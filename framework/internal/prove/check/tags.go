package check

import (
	"net/http"
	"strings"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/prove/exchange"
)

// A tag is an ETag of the answers to one URL.
type tag struct{ url, accept, value string }

// checkTags notes the ETag of an answer. If another answer to another caller for the same URL had the same one, both callers send their
// requests again, because rows may have changed in between: different answers must have different ETags.
func (c *Checker) checkTags(e *exchange.Endpoint, got *exchange.Answer) {
	value := got.Header.Get(conditional.HeaderETag)
	if c.comparing || value == "" || got.Method != http.MethodGet || !got.OK() || got.Small || !e.HandsRows() {
		return
	}
	at := tag{got.Path + "?" + got.Query, got.Request.Header.Get("Accept"), value}
	first, known := c.tags[at]
	switch {
	case !known:
		c.tags[at] = got
	case first != nil && first.By != got.By && first.Text != got.Text:
		c.tags[at] = nil // once is enough
		c.compareTags(e, first.Request, got.Request)
	}
}

// compareTags compares the answers to two callers who send a request for one URL.
func (c *Checker) compareTags(e *exchange.Endpoint, one, other exchange.Request) {
	c.comparing = true
	defer func() { c.comparing = false }()
	first, got, last := c.Send(e, one), c.Send(e, other), c.Send(e, one)
	of := func(a *exchange.Answer) string { return strings.TrimPrefix(a.Header.Get(conditional.HeaderETag), "W/") }
	if first.OK() && got.OK() && first.Text == last.Text && first.Text != got.Text && of(first) == of(got) && of(got) != "" {
		c.Find(e, got.By, got.Curl(), "its ETag is %s, as that of another answer to another caller", of(got))
	}
}
