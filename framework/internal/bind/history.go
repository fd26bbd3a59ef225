package bind

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// bindHistories binds the histories of all viewsets. A history records the changes of a table, by whichever
// viewset they are made, so one viewset of a table declares it.
func (b *binder) bindHistories() {
	b.api.Histories = map[string]table.History{}
	declared := map[string]*table.Resource{}
	for _, r := range b.api.Resources {
		d, fault := r.Declaration.History, b.at(r, "history")
		first := declared[r.Table.Name]
		switch {
		case d.Permission == nil && len(d.Except) > 0:
			fault(naming.Sentence("Except has no effect without a Permission, which says who may read the history; set it, or leave Except out"))
		case d.Permission == nil:
		case first != nil:
			fault(naming.Sentence("%s records the changes of these rows already; leave History out here", first.Path))
		default:
			declared[r.Table.Name] = r
			b.api.Histories[r.Table.Name] = history.NewLog(r, d, fault)
		}
	}
}

// bindHistory makes the endpoint of the history of a row.
func (b *binder) bindHistory(r *table.Resource, a declare.Action, fault func(error)) {
	log, ok := b.api.Histories[r.Table.Name].(*history.Log)
	if !ok || log.Resource != r { // reported
		return
	}
	if !r.HasAddresses() {
		fault(naming.Sentence("no verb is about one row, so no row has a path; declare Retrieve, or leave History out"))
		return
	}
	e := b.newEndpoint(r, "history", a.Name, a.Method, a.Rules)
	e.OnObject, e.Asks, e.Doc, e.Out = true, true, a.Doc, reflect.TypeFor[history.Entry]()
	e.Pattern = actionPattern(r, a)
	e.Pagination = history.Pages{}
	e.Params = append(e.Pagination.Params(), restore.ShowDeleted(e)...)
	e.Settle()
	if s := r.Search; s != nil && s.StoredField != nil {
		log.NotNoted = append(log.NotNoted, s.StoredField.Column.Name)
	}
	b.later(func() { e.Permission = access.All(e.Permission, retrieves(r)) })
	e.Serve = verb.Reading((&history.Reading{Log: log, Endpoint: verb.NewHandler(e)}).Serve)
	r.Endpoints = append(r.Endpoints, e)
}

// retrieves is the permission to read a row of a viewset, or that of the viewset without such a verb.
func retrieves(r *table.Resource) call.Permission {
	if e := r.Retrieving(); e != nil {
		return e.Permission
	}
	return r.Access.Permission
}
