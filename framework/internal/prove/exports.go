package prove

import (
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryExports asks for all rows of a list in each of its formats, as each caller whom the declarations permit: by the
// parameter, and by the header Accept. No answer may have a row or a field that is not the caller's. Below rows of
// others, it asks for the list of each row that the caller sees.
func (p *prover) tryExports(e *fixture.Endpoint) {
	for _, who := range p.People {
		if e.Exports == nil || e.Access(who) == spec.AccessRefused {
			continue
		}
		for _, path := range p.listsOf(e, who) {
			for i, media := range e.Exports.Media() {
				byParam := fixture.Request{Method: http.MethodGet, Path: path, By: who}
				byHeader := byParam
				byParam.Query = url.Values{export.Param: {e.Exports.Names()[i+1]}}.Encode()
				byHeader.Header = http.Header{"Accept": {media}}
				p.tryExport(e, byParam, media)
				p.tryExport(e, byHeader, media)
			}
		}
	}
}

// tryExport sends one request for an export.
func (p *prover) tryExport(e *fixture.Endpoint, r fixture.Request, media string) {
	got := p.Send(e, r)
	p.checkShown(e, got, nil)
	if got.OK() && !strings.HasPrefix(got.Header.Get("Content-Type"), media) {
		p.find(e, r.By, got.Curl(), "it is answered with %s, and not with %s", got.Header.Get("Content-Type"), media)
	}
}

// listsOf lists the paths of an endpoint of no row for a person: one, or one for each row above that has rows.
func (p *prover) listsOf(e *fixture.Endpoint, who *fixture.Person) (paths []string) {
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
