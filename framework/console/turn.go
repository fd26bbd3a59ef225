package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/wire"
)

// A turning is the addresses of the pages before and after a page of a list, and the count of all rows.
type turning struct {
	Count    string
	Next     string
	Previous string
}

// turn sets the addresses of the pages before and after, and the count.
func (l *turning) turn(v *visit, envelope wire.Members, h http.Header) {
	for _, m := range envelope {
		text, kind := wording.Scalar(m.Value)
		switch name := strings.ToLower(m.Name); {
		case kind == jsontext.KindString && (name == "next" || name == "previous" || name == "prev"):
			l.set(name, v.pageOf(text))
		case kind == jsontext.KindNumber && (name == "count" || name == "total"):
			l.Count = text
		}
	}
	for part := range strings.SplitSeq(strings.Join(h.Values("Link"), ","), ",") {
		to, rel, _ := strings.Cut(part, ";")
		if _, rel, ok := strings.Cut(rel, `rel="`); ok {
			l.set(strings.TrimSuffix(strings.TrimSpace(rel), `"`), v.pageOf(strings.Trim(strings.TrimSpace(to), "<>")))
		}
	}
	l.turnByNumber(v, envelope)
	if is, ok := envelope.Member("count_is").(string); ok && l.Count != "" {
		l.Count = map[string]string{"at_least": "over ", "estimate": "about "}[is] + l.Count
	}
}

// turnByNumber sets the addresses of the pages before and after by their numbers, for envelopes without links.
func (l *turning) turnByNumber(v *visit, envelope wire.Members) {
	text, _ := wording.Scalar(envelope.Member("page"))
	number, err := strconv.Atoi(text)
	if err != nil || l.Next != "" || l.Previous != "" {
		return
	}
	to := func(n int) string {
		query, _ := url.ParseQuery(v.query())
		query.Set("page", strconv.Itoa(n))
		return v.r.URL.EscapedPath() + "?" + query.Encode()
	}
	if _, more := wording.Scalar(envelope.Member("hasNext")); more == jsontext.KindTrue {
		l.Next = to(number + 1)
	}
	if number > 1 {
		l.Previous = to(number - 1)
	}
}

func (l *turning) set(rel, to string) {
	switch {
	case to == "":
	case rel == "next":
		l.Next = to
	case rel == "previous" || rel == "prev":
		l.Previous = to
	}
}
