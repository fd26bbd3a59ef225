package lists

import (
	"net/http"
	"strings"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryExports requests all rows of a list in each of its formats, as each caller that the declarations permit: by the
// parameter, and by the header Accept. No answer may have a row or a field that is not the caller's. Below rows, it
// requests the list of each row that the caller sees.
func (p prover) tryExports(e *exchange.Endpoint) {
	for _, who := range e.Callers {
		if e.Exports == nil || e.Access(who) == spec.AccessRefused {
			continue
		}
		for _, path := range p.listsOf(e, who) {
			for i, query := range candidates.Exports(e) {
				media := e.Exports.Media()[i]
				p.tryExport(e, exchange.Request{Method: http.MethodGet, Path: path, By: who, Query: query}, media)
				p.tryExport(e, exchange.Request{Method: http.MethodGet, Path: path, By: who, Header: http.Header{"Accept": {media}}}, media)
			}
		}
	}
}

// tryExport sends one request for an export.
func (p prover) tryExport(e *exchange.Endpoint, r exchange.Request, media string) {
	got := p.Send(e, r)
	p.CheckShown(e, got, nil)
	if got.OK() && !strings.HasPrefix(got.Header.Get("Content-Type"), media) {
		p.Find(e, r.By, got.Curl(), "it is answered with %s, and not with %s", got.Header.Get("Content-Type"), media)
	}
}

// listsOf lists the paths of an endpoint of no row for a person: one, or one for each row above that has rows.
func (p prover) listsOf(e *exchange.Endpoint, who *exchange.Person) (paths []string) {
	on := []*fixture.Row{nil}
	if e.Resource.Above != nil {
		on = append(on, p.RowsOf(e.Resource)...)
	}
	tried := map[string]bool{}
	for _, one := range on {
		r, ok := p.RequestOf(e, p.WriterLike(e, who, nil, ""), one)
		if ok && !tried[r.Path] {
			tried[r.Path] = true
			paths = append(paths, r.Path)
		}
	}
	return paths
}
