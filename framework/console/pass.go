package console

import (
	"net/http"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/site"
)

// The ends of the addresses that answer with what the API writes, and how [visit.address] reads them.
const (
	exportAt     = "~export"
	exportMethod = "EXPORT"
	jsonMethod   = "JSON"
)

// export sends all rows of a list in a format, as the API writes them.
func (v *visit) export(at site.Address) {
	e := at.Place.By[http.MethodGet]
	if e == nil || len(e.Exports) == 0 || v.r.Method == http.MethodPost {
		v.refuse(http.StatusNotFound, "This list has no export.")
		return
	}
	v.pass(at, "*/*")
}

// json sends the answer of the API that a page shows.
func (v *visit) json(at site.Address) {
	e := at.Place.By[http.MethodGet]
	if !isPage(e) || v.r.Method == http.MethodPost {
		v.refuse(http.StatusNotFound, "This page has no JSON.")
		return
	}
	v.pass(at, "application/json")
}

// pass sends the answer of the API to a read of an address. A browser that shows it runs nothing within.
func (v *visit) pass(at site.Address, accept string) {
	inner := v.client.Request(v.r, client.Message{Method: http.MethodGet, Path: at.Path(), Query: v.query()})
	inner.Header.Set("Accept", accept)
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	v.Handler.ServeHTTP(&passing{w: v.w, header: http.Header{}}, inner)
}

// passing passes an answer of the API on as it is written, without its cookies and its policies for pages.
type passing struct {
	w      http.ResponseWriter
	header http.Header
	begun  bool // the status and the header are sent
}

// Header implements [http.ResponseWriter].
func (p *passing) Header() http.Header { return p.header }

// WriteHeader implements [http.ResponseWriter].
func (p *passing) WriteHeader(status int) {
	p.begun = p.begun || status >= http.StatusOK
	for _, name := range []string{"Content-Type", "Content-Disposition", "X-Request-Id"} {
		if values := p.header.Values(name); len(values) > 0 {
			p.w.Header()[name] = values
		}
	}
	p.w.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (p *passing) Write(part []byte) (int, error) {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	return p.w.Write(part)
}

// Unwrap lets [http.ResponseController] flush.
func (p *passing) Unwrap() http.ResponseWriter { return p.w }
