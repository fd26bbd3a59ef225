package audit

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// Place is the place of the reads in the declaration of a viewset.
const Place = "audit"

// A Report reports a mistake at a place of the declaration of a resource.
type Report func(r *table.Resource, place string, err error)

// Bind notes the tables whose reads are recorded. Reads are recorded by whichever viewset shows the rows, so one viewset of a
// table declares it.
func Bind(a *table.Registry, report Report) {
	a.Audits = map[string]string{}
	for _, r := range a.Resources {
		if r.Declaration.Audit.Permission == nil {
			continue
		}
		if first := a.Audits[r.Table.Name]; first != "" {
			report(r, Place, naming.Sentence("%s records the reads of these rows already; leave Audit out here", first))
			continue
		}
		a.Audits[r.Table.Name] = r.Path
	}
}

// RecordAll makes the endpoints record what their answers show, if reads of a table are recorded. It reports answers that caches may
// keep and show again.
func RecordAll(a *table.Registry, report Report) {
	if len(a.Audits) == 0 {
		return
	}
	for _, r := range a.Resources {
		for _, e := range r.Endpoints {
			e.Record = func(c *call.Call, req *table.Request, resp *table.Response) error {
				return Record(c, e, req, resp)
			}
			if viewset := cachedRead(e); viewset != "" {
				report(r, "cache", naming.Sentence("caches show the rows of %s without a request that is recorded; leave out Cache here, or Audit there", viewset))
			}
		}
	}
}

// cachedRead is the viewset that declares the reads of rows which an endpoint shows, if caches may keep its answers; "" for none.
func cachedRead(e *table.Endpoint) string {
	if e.Cache == nil {
		return ""
	}
	viewset := e.Resource.API.Audits[e.Resource.Table.Name]
	if shown := e.Resource.Shown[e.Out]; shown != nil && viewset == "" {
		for _, t := range table.TablesOf(shown) {
			viewset = max(viewset, e.Resource.API.Audits[t.Name])
		}
	}
	return viewset
}
