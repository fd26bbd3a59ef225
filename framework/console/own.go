package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/own"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// An ownData is what a page of the program's own shows.
type ownData struct {
	Actions []Link // of the generated page that it replaces
	Said    string
	Content any
}

// showOwn answers with a page of the program's own.
func (v *visit) showOwn(p *own.Page, keys map[string]string) {
	switch {
	case v.r.Method == http.MethodPost:
		v.refuse(http.StatusMethodNotAllowed, "A page is read; an operation has an address of its own.")
		return
	case !strings.HasSuffix(v.path, "/"): // so that the addresses in the page are below it
		v.redirect(v.r.URL.EscapedPath() + "/" + strings.TrimSuffix("?"+v.r.URL.RawQuery, "?"))
		return
	case !v.mayOpen(p):
		v.refuse(http.StatusForbidden, "Your permissions do not include what this page needs.")
		return
	}
	o := &ownVisit{visit: v, keys: keys}
	content, err := p.Data(o)
	if rejected, ok := errors.AsType[*APIError](err); ok {
		v.refuseWith(rejected.rejection)
		return
	}
	if err != nil {
		v.Log.ErrorContext(v.r.Context(), "a page of the console failed", "page", p.Path, "error", err)
		v.refuse(http.StatusInternalServerError, "The page could not be made.")
		return
	}
	shown := ownData{Said: said(v.r.URL.Query().Get(saidParam)), Content: content}
	crumbs := v.ownCrumbs(p, keys)
	if at := v.site.Find(v.API.Prefix + "/" + v.path); at.Place != nil {
		shown.Actions, crumbs = v.actionsOf(at), v.crumbs(at)
	}
	v.render(http.StatusOK, "own", page{Title: cmp.Or(o.title, p.Title), Crumbs: crumbs, Data: shown, own: p})
}

// ownCrumbs are the pages of the program's own above one.
func (v *visit) ownCrumbs(p *own.Page, keys map[string]string) (all []Link) {
	for n := 1; n < len(p.Place.Segs); n++ {
		for _, above := range v.own.Pages {
			if slices.Equal(above.Place.Segs, p.Place.Segs[:n]) && v.mayOpen(above) {
				all = append(all, Link{Text: above.Title, To: v.Path + strings.TrimPrefix(above.Place.Fill(keys), "/")})
			}
		}
	}
	return all
}

// filled returns the query of an address with the values of fields.
func filled(fields []Field) url.Values {
	query := url.Values{}
	for _, f := range fields {
		query.Set(f.Name, f.Value)
	}
	return query
}

// An ownVisit is a [Visit].
type ownVisit struct {
	*visit

	keys  map[string]string
	title string
}

var _ Visit = (*ownVisit)(nil)

func (o *ownVisit) Query() url.Values      { return o.r.URL.Query() }
func (o *ownVisit) Key(name string) string { return o.keys[name] }
func (o *ownVisit) SetTitle(title string)  { o.title = title }

// An APIError is an error that the API answered to a read of a [Visit].
type APIError struct {
	Status       int
	Code, Detail string

	rejection client.Rejection
}

// Error implements error.
func (e *APIError) Error() string { return e.Detail }

// NotFound returns the error of a page of your own for a key that names nothing: the page says so with the status 404.
func NotFound(detail string) *APIError {
	p := client.Rejection{Status: http.StatusNotFound, Title: http.StatusText(http.StatusNotFound), Detail: detail}
	return &APIError{Status: p.Status, Detail: p.Detail, rejection: p}
}

// find returns what an address below the prefix of the API leads to, and its query.
func (o *ownVisit) find(address string) (at site.Address, query string) {
	path, query, _ := strings.Cut(address, "?")
	return o.site.Find(o.API.Prefix + path), query
}

// fetch reads an address below the prefix of the API.
func (o *ownVisit) fetch(address string) (*client.Answer, error) {
	path, query, _ := strings.Cut(address, "?")
	a := o.client.Send(o.w, o.r, client.Message{Method: http.MethodGet, Path: o.API.Prefix + path, Query: query})
	if !a.OK() {
		p := client.ReadRejection(a)
		return nil, &APIError{Status: p.Status, Code: p.Code, Detail: p.Detail, rejection: p}
	}
	return a, nil
}

// Read implements [Visit].
func (o *ownVisit) Read(address string, into any) error {
	a, err := o.fetch(address)
	if err != nil {
		return err
	}
	return json.Unmarshal(a.Body(), into)
}

// ReadRows implements [Visit].
func (o *ownVisit) ReadRows(address string, most int, into any) (whole bool, err error) {
	var all []any
	for address != "" && len(all) < most {
		rows, next, err := o.pageOfRows(address)
		if err != nil {
			return false, err
		}
		all, address = append(all, rows...), next
	}
	whole = address == "" && len(all) <= most
	text, err := wire.Encode(append([]any{}, all[:min(len(all), most)]...))
	if err != nil {
		return false, err
	}
	return whole, json.Unmarshal(text, into)
}

// pageOfRows reads a page of a list. It returns its rows, and the address of the next page, "" without one.
func (o *ownVisit) pageOfRows(address string) (rows []any, next string, err error) {
	at, query := o.find(address)
	e, err := listOf(at)
	if err != nil {
		return nil, "", err
	}
	a, err := o.fetch(address)
	if err != nil {
		return nil, "", err
	}
	answered, err := wire.ReadOrdered(a.Body())
	if err != nil {
		return nil, "", err
	}
	envelope, rows := takeApart(answered, e.Page)
	// The generated page of the list knows the address of the page after it.
	generated := *o.visit
	path := at.Path()
	generated.r = o.r.Clone(o.r.Context())
	generated.r.URL = &url.URL{Path: o.pageOf(path), RawQuery: query}
	var turn listPage
	turn.turn(&generated, envelope, a.Header())
	return rows, strings.TrimPrefix(turn.Next, strings.TrimSuffix(o.Console.Path, "/")), nil
}

// listOf returns the endpoint of the list at an address.
func listOf(at site.Address) (*spec.Endpoint, error) {
	if at.Place == nil || at.Place.By[http.MethodGet] == nil || at.Place.By[http.MethodGet].Page == nil {
		return nil, errors.New("the address is not that of a list")
	}
	return at.Place.By[http.MethodGet], nil
}

// Table implements [Visit].
func (o *ownVisit) Table(address string) (any, error) {
	at, _ := o.find(address)
	e, err := listOf(at)
	if err != nil {
		return nil, err
	}
	rows, _, err := o.pageOfRows(address)
	if err != nil {
		return nil, err
	}
	t := shower{o.visit, e.ViewSet, true}.table(rows, o.rowPages(at))
	o.offerSteps(t, at)
	t.Caption = o.titleOfPlace(at.Place)
	return t, nil
}

// May implements [Visit].
func (o *ownVisit) May(endpoint string) bool {
	e, err := o.own.Endpoint(endpoint)
	return err == nil && o.may(e)
}

// Link implements [Visit].
func (o *ownVisit) Link(text, address string) Link {
	at, _ := o.find(address)
	if at.Place == nil || !o.may(at.Place.By[http.MethodGet]) {
		return Link{Text: text}
	}
	return Link{Text: text, To: o.pageOf(o.API.Prefix + address)}
}

// Form implements [Visit].
func (o *ownVisit) Form(text, method, address string, fields ...Field) Link {
	at, _ := o.find(address)
	if at.Place == nil || !o.may(at.Place.By[method]) {
		return Link{Text: text}
	}
	query := filled(fields)
	query.Set(nextField, o.again())
	return Link{Text: text, To: o.formAt(at, at.Place.By[method]) + "?" + query.Encode()}
}

// Step implements [Visit].
func (o *ownVisit) Step(text, method, address string, fields ...Field) Link {
	at, _ := o.find(address)
	if at.Place == nil || !o.may(at.Place.By[method]) {
		return Link{Text: text}
	}
	e := at.Place.By[method]
	return Link{Text: text, To: o.formAt(at, e), Token: o.csrf, Next: o.again(), Once: onceOf(e), Fields: o.inZone(e, fields)}
}

// inZone returns the fields of a button with times in the form of controls, and the zone that they are in.
func (o *ownVisit) inZone(e *spec.Endpoint, fields []Field) []Field {
	if e.Body == nil {
		return fields
	}
	all := slices.Clone(fields)
	for i, f := range all {
		field := e.Body.Shape.ByName[f.Name]
		if field == nil {
			continue
		}
		if c := control.New(field, o.zone()); c.Kind == "time" {
			c.Enter(f.Value)
			all[i].Value = c.Value
			c.Enter(f.Was)
			all[i].Was = c.Value
		}
	}
	return append(all, Field{Name: zoneField, Value: o.zone().String()})
}

// again is the address of the page itself.
func (o *ownVisit) again() string {
	return o.r.URL.EscapedPath() + strings.TrimSuffix("?"+o.query(), "?")
}

// tileColumns is the number of columns of the rows in a tile.
const tileColumns = 3

// plainWord matches the names of values, such as out_for_delivery.
var plainWord = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
