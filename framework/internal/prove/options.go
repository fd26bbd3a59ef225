package prove

import (
	"net/http"

	"trestle.example/framework/call"
)

// tryOptions tries OPTIONS of every path as each caller that the access check of the viewset rejects.
func (p *prover) tryOptions() {
	tried := map[string]bool{}
	for _, e := range p.endpoints {
		if tried[e.info.Path] || e.spec.Root {
			continue
		}
		tried[e.info.Path] = true
		route := call.Route{ViewSet: e.Resource.Path, Name: "options", Method: http.MethodOptions}
		for _, who := range p.people {
			if e.Resource.Access.Permission.Permit(p.callOf(who, route)) {
				continue
			}
			got := p.send(e, request{method: http.MethodOptions, path: p.missingPath(e), by: who})
			if !got.rejects() {
				p.find(e, who, got.curl(), "it is answered %d, and the access check of the viewset rejects this caller", got.status)
			}
		}
	}
}
