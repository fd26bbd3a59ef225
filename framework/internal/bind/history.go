package bind

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/query"
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
			b.api.Histories[r.Table.Name] = b.bindLog(r, d, fault)
		}
	}
}

// bindLog finds the fields whose values a history records: those that a view of a verb shows, but for the
// primary key, the columns that change with every write, and those of Except. Columns that no view shows are left out,
// because they may be secrets, such as the hash of a password.
func (b *binder) bindLog(r *table.Resource, d declare.History, fault func(error)) *history.Log {
	l := &history.Log{Resource: r, NotNoted: []string{r.Counts()}, Insertion: history.NewInsertion()}
	for _, f := range []*schema.Field{r.Updated, r.Created} {
		if f != nil {
			l.NotNoted = append(l.NotNoted, f.Name)
		}
	}
	except := map[string]bool{}
	for _, name := range d.Except {
		f, err := r.Field(name)
		if err != nil {
			fault(err)
			continue
		}
		except[f.Column.Name] = true
	}
	for _, name := range b.shownNames(r) {
		f := r.Names[name]
		known := slices.ContainsFunc(l.Fields, func(other query.Field) bool { return other.Column == f.Column })
		if !known && f.Column != r.Pk && !except[f.Column.Name] && !slices.Contains(l.NotNoted, f.Column.Name) {
			l.Fields = append(l.Fields, f)
		}
	}
	return l
}

// shownNames lists the names of the columns that views of the verbs show as they are stored, sorted. An answer that
// a function computes may mask a column, and one that is not stored for retries has a secret.
func (b *binder) shownNames(r *table.Resource) (names []string) {
	computed := map[reflect.Type]bool{}
	for _, v := range r.Declaration.Verbs {
		computed[v.Out] = computed[v.Out] || v.Kind != declare.VerbShows && v.Kind != declare.VerbAccepts || v.Secret
	}
	for _, v := range r.Declaration.Verbs {
		if v.Out == nil || v.Out.Kind() != reflect.Struct || computed[v.Out] {
			continue
		}
		for f := range b.api.Config.Case.Fields(v.Out) {
			name := naming.JSONName(f)
			if known, ok := r.Names[name]; ok && known.Column == bunmodel.ColumnOf(r.Table, f.Name) && f.Tag.Get("from") == "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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
	e.Params = append(e.Pagination.Params(), showDeleted(e)...)
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
