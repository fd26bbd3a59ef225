package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A draft is a request that is being generated.
type draft struct {
	operation *operation
	method    string
	path      string // escaped
	query     []pair
	rawQuery  string // replaces query
	header    http.Header
	content   *node // the body, nil for none
	body      []byte
	sends     bool // there is a body
}

// A pair is one parameter of a query string.
type pair struct{ name, value string }

// target returns the path and query of the draft.
func (d *draft) target() string {
	query := d.rawQuery
	if query == "" {
		var all []string
		for _, p := range d.query {
			all = append(all, url.QueryEscape(p.name)+"="+url.QueryEscape(p.value))
		}
		query = strings.Join(all, "&")
	}
	if query == "" {
		return d.path
	}
	return d.path + "?" + query
}

// String returns the draft for a person, without its credentials.
func (d *draft) String() string {
	return fmt.Sprintf("%s %.500s\nContent-Type: %s\nIdempotency-Key: %.300s\n%.2000s",
		d.method, d.target(), d.header.Get("Content-Type"), d.header.Get("Idempotency-Key"), d.body)
}

// write writes the content as the body.
func (d *draft) write() {
	if d.content != nil {
		d.body, d.sends = []byte(d.content.String()), true
	}
}

// draft generates a valid request.
func (m maker) draft(o *operation) *draft {
	d := &draft{operation: o, method: o.method, path: o.path, header: http.Header{}}
	for _, p := range o.params {
		switch {
		case p.in == "path":
			d.path = strings.ReplaceAll(d.path, "{"+p.name+"}", url.PathEscape(m.key(o, p)))
		case p.in == "query" && (p.required || m.chance(4)):
			d.query = append(d.query, pair{p.name, m.text(p)})
		case p.in == "header" && (p.required || m.chance(3)):
			d.header.Set(p.name, m.headerValue(p))
		}
	}
	if o.body != "" {
		d.content = m.value(o.body, "", 0)
		d.header.Set("Content-Type", "application/json")
		d.write()
	}
	return d
}

// key returns a value for a parameter of the path: usually the key of a known row, if there
// is one.
func (m maker) key(o *operation, p param) string {
	at := slices.Index(o.segments, "{"+p.name+"}")
	if seen := m.pool.values(p.name, o.segments[max(at-1, 0)]); len(seen) > 0 && !m.chance(10) {
		return oneOf(m, seen)
	}
	return m.value(p.schema, p.name, 0).text()
}

// text returns a value of a parameter.
func (m maker) text(p param) string {
	if !p.list {
		return m.value(p.schema, p.name, 0).text()
	}
	var all []string
	for range 1 + m.dice.IntN(3) {
		all = append(all, m.value(p.schema+"/items", p.name, 0).text())
	}
	return strings.Join(all, ",")
}

// headerValue returns a value of a header, often one of a few, so that values repeat.
func (m maker) headerValue(p param) string {
	if m.chance(2) {
		return fmt.Sprintf("again-%d", m.dice.IntN(20))
	}
	return m.value(p.schema, p.name, 0).text()
}
