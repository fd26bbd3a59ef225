package prove

import (
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/prove/exchange"
)

// tryOptions tries OPTIONS of every path as each caller that the access check of the viewset rejects.
func (p *prover) tryOptions() {
	tried := map[string]bool{}
	for _, e := range p.Endpoints {
		if tried[e.Info.Path] || e.Spec.Root {
			continue
		}
		tried[e.Info.Path] = true
		route := call.Route{ViewSet: e.Resource.Path, Name: "options", Method: http.MethodOptions}
		for _, who := range e.Callers {
			if e.Resource.Access.Permission.Permit(p.CallOf(who, route)) {
				continue
			}
			got := p.Send(e, exchange.Request{Method: http.MethodOptions, Path: p.MissingPath(e), By: who})
			if !got.Rejects() {
				p.Find(e, who, got.Curl(), "it is answered %d, and the access check of the viewset rejects this caller", got.Status)
			}
		}
	}
}
