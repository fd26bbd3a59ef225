package bind

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// auditPlace is the place of the reads in the declaration of a viewset.
const auditPlace = "audit"

// bindAudits notes the tables whose reads are recorded. Reads are recorded by whichever viewset shows the rows, so one viewset of a
// table declares it.
func (b *binder) bindAudits() {
	b.api.Audits = map[string]string{}
	for _, r := range b.api.Resources {
		if r.Declaration.Audit.Permission == nil {
			continue
		}
		if first := b.api.Audits[r.Table.Name]; first != "" {
			b.fault(r.Path, auditPlace, naming.Sentence("%s records the reads of these rows already; leave Audit out here", first))
			continue
		}
		b.api.Audits[r.Table.Name] = r.Path
	}
}

// bindReads makes the endpoint of the reads of a row.
func (b *binder) bindReads(r *table.Resource, a declare.Action, fault func(error)) {
	switch {
	case b.api.Audits[r.Table.Name] != r.Path: // reported
		return
	case !r.HasAddresses():
		fault(naming.Sentence("no verb is about one row, so no row has a path; declare Retrieve, or leave Audit out"))
		return
	}
	e := b.newEndpoint(r, auditPlace, a.Name, a.Method, a.Rules)
	e.OnObject, e.Asks, e.ShowsReads, e.Doc, e.Out = true, true, true, a.Doc, reflect.TypeFor[audit.Entry]()
	e.Pattern = actionPattern(r, a)
	e.Pagination = history.Pages{}
	e.Params = append(e.Pagination.Params(), showDeleted(e)...)
	e.Settle()
	b.later(func() { e.Permission = access.All(e.Permission, retrieves(r)) })
	e.Serve = verb.Reading(audit.Reading{Endpoint: verb.NewHandler(e)}.Serve)
	r.Endpoints = append(r.Endpoints, e)
}

// record makes the endpoints record what their answers show, if reads of a table are recorded. It reports answers that caches may
// keep and show again.
func (b *binder) record() {
	if len(b.api.Audits) == 0 {
		return
	}
	for _, r := range b.api.Resources {
		for _, e := range r.Endpoints {
			e.Record = func(c *call.Call, req *table.Request, resp *table.Response) error {
				return audit.Record(c, e, req, resp)
			}
			if viewset := b.cachedRead(e); viewset != "" {
				b.fault(r.Path, "cache", naming.Sentence("caches show the rows of %s without a request that is recorded; leave out Cache here, or Audit there", viewset))
			}
		}
	}
}

// cachedRead is the viewset that declares the reads of rows which an endpoint shows, if caches may keep its answers; "" for none.
func (b *binder) cachedRead(e *table.Endpoint) string {
	if e.Cache == nil {
		return ""
	}
	viewset := b.api.Audits[e.Resource.Table.Name]
	if shown := e.Resource.Shown[e.Out]; shown != nil && viewset == "" {
		for _, t := range table.TablesOf(shown) {
			viewset = max(viewset, b.api.Audits[t.Name])
		}
	}
	return viewset
}
