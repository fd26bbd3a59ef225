package console

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// chosenAt is the end of the address of a list at which an operation is done to the rows that a person chose.
const (
	chosenAt     = "~chosen"
	chosenMethod = "CHOSEN"
	doField      = "~do"   // the operation: its method, and the name of the action
	sureField    = "~sure" // the person has seen which rows they are
	mostChosen   = 200
)

// A chosenPage shows the rows that a person chose, before an operation and after it.
type chosenPage struct {
	Do, Verb, Back string
	Danger         bool // it deletes
	Rows           []chosenRow
	Done           bool
	Fine, Failed   int
}

// A chosenRow is one of the rows.
type chosenRow struct{ Key, Title, Page, Once, Error string }

// A step is an operation at a row without an input.
type rowStep struct {
	name, verb string
	place      *site.Place
	endpoint   *spec.Endpoint
}

// stepsOf lists the operations without an input that the caller may do at the rows of a list.
func (v *visit) stepsOf(list *site.Place) (all []rowStep) {
	item := v.site.Item(list)
	if item == nil {
		return nil
	}
	for _, p := range append([]*site.Place{item}, v.site.Below(item, false)...) {
		for _, e := range v.operations(p) {
			if e.Body == nil && (e.Method != http.MethodPut) {
				all = append(all, rowStep{strings.ToLower(e.Method) + ":" + strings.Join(p.Segs[len(item.Segs):], "/"), v.verbOf(p, e), p, e})
			}
		}
	}
	return all
}

// doChosen shows the rows that a person chose and the operation, and does it to each of them once the person is sure.
func (v *visit) doChosen(at site.Address) {
	steps := v.stepsOf(at.Place)
	i := slices.IndexFunc(steps, func(s rowStep) bool { return s.name == v.r.PostForm.Get(doField) })
	keys := v.r.PostForm["row"]
	back := v.pageOf(at.Path()) + strings.TrimSuffix("?"+v.query(), "?")
	switch {
	case v.r.Method != http.MethodPost:
		v.redirect(back)
		return
	case i < 0 || len(keys) == 0:
		v.refuse(http.StatusBadRequest, "Choose at least one row and what to do with it.")
		return
	case len(keys) > mostChosen:
		v.refuse(http.StatusBadRequest, "Choose fewer rows: the console takes 200 at once.")
		return
	}
	s := steps[i]
	shown := chosenPage{Do: s.name, Verb: s.verb, Danger: s.endpoint.Method == http.MethodDelete, Back: back, Done: v.r.PostForm.Get(sureField) != ""}
	titles, once := v.titlesOf(at), v.r.PostForm["once"]
	for i, key := range keys {
		r := chosenRow{Key: key, Title: titles[key], Once: onceOf(s.endpoint)}
		if r.Title == "" {
			r.Title = key
		}
		if len(once) == len(keys) {
			r.Once = once[i]
		}
		v.doTo(&r, s, at, &shown)
		shown.Rows = append(shown.Rows, r)
	}
	v.render(http.StatusOK, "chosen", page{Title: s.verb, Crumbs: v.formCrumbs(at), Data: shown})
}

// doTo does an operation to a row, if the person is sure.
func (v *visit) doTo(r *chosenRow, s rowStep, at site.Address, shown *chosenPage) {
	row := at.Row(v.site.Item(at.Place), r.Key)
	if row.Place.By[http.MethodGet] != nil {
		r.Page = v.pageOf(row.Path())
	}
	if !shown.Done {
		return
	}
	m := client.Message{Method: s.endpoint.Method, Path: s.place.Fill(row.Keys), Header: v.withToken()}
	if r.Once != "" {
		m.Header.Set("Idempotency-Key", r.Once)
	}
	a := v.client.Send(v.w, v.r, m)
	if !a.OK() {
		shown.Failed++
		r.Error = client.ReadRejection(a).Detail
		return
	}
	shown.Fine++
	if s.endpoint.Method == http.MethodDelete {
		r.Page = ""
	}
}

// titlesOf returns the titles of the rows of a page of a list, by key.
func (v *visit) titlesOf(at site.Address) map[string]string {
	all := map[string]string{}
	e := at.Place.By[http.MethodGet]
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: at.Path(), Query: v.query()})
	answered, err := wire.ReadOrdered(a.Body())
	if !a.OK() || err != nil {
		return all
	}
	_, rows := takeApart(answered, e.Page)
	for _, one := range rows {
		o, _ := one.(wire.Members)
		all[wording.Key(o, v.site.Item(at.Place).KeyName())] = wording.Title(o)
	}
	return all
}
