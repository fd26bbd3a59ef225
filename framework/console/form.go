package console

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A form is one operation with what a person enters for it.
type form struct {
	endpoint *spec.Endpoint
	object   wire.Members // what the form began with; nil for none

	Controls []control.Control
	Title    string
	Button   string
	Doc      string
	To       string // the address that takes it
	Back     string
	Seen     string // the version of the row that the form began with; "" for none
	Once     string // the key of this form, so that sending it twice does the operation once; "" for none
	Danger   bool   // it deletes
	Said     string
	Again    bool   // it offers another form after this one
	Zone     string // of its times
	Error    string // of the whole
	Faults   []formFault
	Changed  []change // what another changed meanwhile
}

// A formFault is a fault with the control that it is about; without one, ID is "".
type formFault struct{ ID, Label, Detail string }

// A change is a field that another person changed while the form was open.
type change struct {
	Label, Before, Now, Entered string
	Differs                     bool // the person at the form changed it too
}

// operate shows the form of an operation, and runs the operation.
func (v *visit) operate(at site.Address, method string) {
	e := at.Place.By[method]
	switch method {
	case exportMethod:
		v.export(at)
		return
	case jsonMethod:
		v.json(at)
		return
	case findMethod:
		v.find(at)
		return
	}
	if e == nil || method == http.MethodGet || e.Upload != nil || e.Body != nil && e.Body.Items != nil {
		v.refuse(http.StatusNotFound, "The API has no such operation, or it has no form.")
		return
	}
	if v.r.Method != http.MethodPost && !v.may(e) { // the API answers a form that is sent, so nothing that was entered is lost
		v.refuse(http.StatusForbidden, "Your permissions do not include this operation.")
		return
	}
	f := v.newForm(at, e)
	if refused := f.begin(v, at); refused != nil {
		v.refuseWith(*refused)
		return
	}
	switch {
	case v.r.Method != http.MethodPost:
		f.Said = said(v.r.URL.Query().Get(saidParam))
		v.render(http.StatusOK, "form", page{Title: f.Title, Crumbs: v.formCrumbs(at), Data: f})
	case v.r.PostForm.Get(moreField) != "":
		f.grow(v)
		v.again(at, f, http.StatusOK)
	default:
		v.run(at, f)
	}
}

func (v *visit) newForm(at site.Address, e *spec.Endpoint) *form {
	f := &form{endpoint: e, Doc: e.Description, To: v.r.URL.EscapedPath(), Button: v.verbOf(at.Place, e), Danger: e.Method == http.MethodDelete}
	f.Title = strings.TrimSpace(f.Button + " " + v.nounOf(at))
	if f.Button == "Edit" {
		f.Button = "Save"
	}
	f.Back = v.backFrom(at)
	return f
}

// nounOf names the row or the list of an address.
func (v *visit) nounOf(at site.Address) string {
	words := v.titleOfPlace(at.Place)
	if len(at.Place.Segs) > 1 && !site.IsKey(at.Place.Segs[len(at.Place.Segs)-1]) && at.Place.By[http.MethodGet] == nil {
		return "" // the button says it
	}
	return strings.ToLower(naming.Singular(words))
}

// backFrom returns the page that a form leads back to: that of its address, or of the nearest one above that may be read.
func (v *visit) backFrom(at site.Address) string {
	if next := v.r.FormValue(nextField); next != "" {
		return v.nextPage(next)
	}
	for n := len(at.Place.Segs); n > 0; n-- {
		for _, p := range v.site.Places {
			if p.IsAbove(at.Place, n) && v.may(p.By[http.MethodGet]) && p.By[http.MethodGet].Parts == nil {
				return v.pageOf(p.Fill(at.To(p).Keys))
			}
		}
	}
	return v.Path
}

// formCrumbs are the pages above a form, the page of its own address included.
func (v *visit) formCrumbs(at site.Address) []link {
	all := v.crumbs(at)
	if v.may(at.Place.By[http.MethodGet]) {
		text := v.titleOfPlace(at.Place)
		if site.IsKey(at.Place.Segs[len(at.Place.Segs)-1]) {
			text = wording.Short(at.Keys[at.Place.KeyName()])
		}
		all = append(all, link{Text: text, To: v.pageOf(at.Path())})
	}
	return all
}

// begin reads the row that the operation changes, if it changes one, and makes the controls.
func (f *form) begin(v *visit, at site.Address) *client.Rejection {
	get := at.Place.By[http.MethodGet]
	changes := f.endpoint.Method != http.MethodPost && get != nil && get.Page == nil && get.Output != nil && get.Parts == nil
	if changes && v.may(get) {
		o, a, refused := v.read(get, at.Path(), "")
		switch {
		case refused == nil:
			f.object, f.Seen = o, versionOf(o, a)
		case refused.Status != http.StatusNotFound || !creates(f.endpoint):
			return refused
		default:
			f.Title, f.Button = "Add "+v.nounOf(at), "Add"
		}
		if title := wording.Title(o); title != "" && f.endpoint.Method == http.MethodDelete {
			f.Title = f.Button + " " + title
		}
	}
	if f.endpoint.Method == http.MethodPost {
		f.object = v.rowToCopy(at)
	}
	f.Once = onceOf(f.endpoint)
	f.prepare(v)
	f.Again = f.endpoint.Body != nil && v.verbOf(at.Place, f.endpoint) == "Add"
	return nil
}

// rowToCopy returns the row whose values a form for a new row begins with; nil for none.
func (v *visit) rowToCopy(at site.Address) wire.Members {
	item, key := v.site.Item(at.Place), v.r.URL.Query().Get(fromField)
	if item == nil || key == "" || !v.may(item.By[http.MethodGet]) {
		return nil
	}
	o, _, refused := v.read(item.By[http.MethodGet], at.Row(item, key).Path(), "")
	if refused != nil {
		return nil
	}
	return o
}

// grow adds a row to the list that the person chose, and keeps what they entered.
func (f *form) grow(v *visit) {
	f.read(v.r.PostForm)
	for i := range f.Controls {
		if c := &f.Controls[i]; c.Kind == "rows" && c.Name == v.r.PostForm.Get(moreField) {
			c.AddRow()
			v.offerInRows(c)
		}
	}
}

// creates reports whether a replacement of a row makes it if there is none.
func creates(e *spec.Endpoint) bool {
	return e != nil && e.Method == http.MethodPut && slices.Contains(e.Statuses, http.StatusCreated)
}

// versionOf identifies what a form shows: the ETag of the answer, or else a hash of the row.
func versionOf(o wire.Members, a *client.Answer) string {
	if tag := a.Header().Get("ETag"); tag != "" {
		return tag
	}
	text, err := wire.Encode(o)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// prepare makes the controls of the body.
func (f *form) prepare(v *visit) {
	if f.endpoint.Body == nil {
		return
	}
	query, zone := v.r.URL.Query(), v.zone()
	f.Zone = zone.String()
	for _, field := range f.endpoint.Body.Shape.Fields {
		c := control.New(field, zone)
		c.Known = c.Known || f.endpoint.Method == http.MethodDelete // a password that confirms a deletion
		switch {
		case c.Kind == "bool":
			c.Options = control.Choices([]string{"true", "false"}, "", "not set")
		case field.Enum != nil:
			c.Options = control.Choices(field.Enum, "", "choose one")
		case field.Ref != "":
			v.offer(&c, field.Ref)
		case control.ListsPermissions(field):
			c.Offer(v.permissions())
		}
		f.fill(&c, field, query)
		if c.Kind == "rows" && v.r.Method != http.MethodPost {
			c.AddRow()
		}
		v.offerInRows(&c)
		if v.r.Method != http.MethodPost {
			v.name(&c)
		}
		f.Controls = append(f.Controls, c)
	}
}

// fill gives a control the value of the row, that of the query, or the default. A value of the query beside a row is one that the
// person enters, such as a value of before.
func (f *form) fill(c *control.Control, field *input.Field, query url.Values) {
	switch now := f.object.Member(field.Name); {
	case f.object != nil && field.Ref != "":
		c.Refer(now)
	case f.object != nil:
		c.Fill(now)
	case field.Sent != nil && !f.endpoint.Body.Partial && !query.Has(field.Name):
		answered, _ := wire.ReadOrdered(field.Sent)
		c.Fill(answered)
	}
	if f.object != nil {
		c.Was = c.Value
	}
	if query.Has(field.Name) {
		c.Enter(query.Get(field.Name))
	}
	if f.object == nil {
		c.Was = c.Value
	}
}

// read returns the body of the operation from what a person entered. A change of some fields has only those that the
// person changed.
func (f *form) read(sent url.Values) []byte {
	body := wire.Members{}
	partial := f.endpoint.Body.Partial
	for i := range f.Controls {
		c := &f.Controls[i]
		c.Take(sent)
		if partial && c.Value == c.Was {
			continue
		}
		if sent, given := c.JSON(partial); given {
			body.Add(c.Name, sent)
		}
	}
	if f.endpoint.Body.In != "" {
		body = wire.Members{{Name: f.endpoint.Body.In, Value: body}}
	}
	text, err := wire.Encode(body)
	if err != nil {
		return []byte("{}")
	}
	return text
}

// faulty reports whether a value was entered that the form does not send, and lists those faults.
func (f *form) faulty() bool {
	for _, c := range f.Controls {
		if c.Error != "" {
			f.Error = "Nothing was done. Each fault below names its field."
			f.Faults = append(f.Faults, formFault{c.ID, c.Label, c.Error})
		}
	}
	return f.Error != ""
}

// run sends the operation to the API, and answers with the next page or with the form and its faults.
func (v *visit) run(at site.Address, f *form) {
	seen, now, once := v.r.PostForm.Get(seenField), slices.Clone(f.Controls), ""
	var body []byte
	if f.endpoint.Body != nil {
		body = f.read(v.r.PostForm)
	}
	if f.faulty() {
		v.again(at, f, http.StatusBadRequest)
		return
	}
	if seen != "" && seen != f.Seen && f.conflict(now) {
		v.again(at, f, http.StatusConflict)
		return
	}
	if f.Once != "" {
		once = v.r.PostForm.Get(onceField)
	}
	if a := f.send(v, at, body, once); a.OK() {
		v.redirect(v.after(at, f, a))
	} else {
		v.again(at, f, a.Status)
	}
}

// send sends the operation of a form, on the row that the form was made from and at most once. If the API rejects it, the form gets the reasons.
func (f *form) send(v *visit, at site.Address, body []byte, once string) *client.Answer {
	m := client.Message{Method: f.endpoint.Method, Path: at.Path(), Header: v.withToken(), Body: body}
	if strings.Contains(f.Seen, `"`) {
		m.Header.Set("If-Match", f.Seen)
	}
	if once != "" {
		m.Header.Set("Idempotency-Key", once)
	}
	a := v.client.Send(v.w, v.r, m)
	if !a.OK() {
		f.reject(client.ReadRejection(a))
	}
	if a.Status == http.StatusNotFound && f.Seen != "" && v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: at.Path()}).OK() {
		f.Error = "You may read this row, but not change or delete it."
	}
	return a
}

// again shows a form with what the person entered and why it was not accepted.
func (v *visit) again(at site.Address, f *form, status int) {
	for i := range f.Controls {
		v.offerInRows(&f.Controls[i])
		v.name(&f.Controls[i])
	}
	title := f.Title
	if f.Error != "" {
		title = "Error: " + title
	}
	v.render(status, "form", page{Title: title, Crumbs: v.formCrumbs(at), Data: f})
}

// after returns the page that follows an operation: the new row, or the page that the form leads back to.
func (v *visit) after(at site.Address, f *form, a *client.Answer) string {
	if v.r.PostForm.Get(anotherField) != "" {
		return saying(v.r.URL.EscapedPath(), "created")
	}
	if to := v.pageOf(a.Header().Get("Location")); to != "" && f.endpoint.Method == http.MethodPost {
		if found := v.site.Find(v.API.Prefix + "/" + strings.TrimPrefix(to, v.Path)); found.Place != nil && v.may(found.Place.By[http.MethodGet]) {
			return saying(to, "created")
		}
	}
	switch f.endpoint.Method {
	case http.MethodDelete:
		if back := v.crumbs(at); len(back) > 0 {
			return saying(back[len(back)-1].To, "deleted")
		}
		return saying(v.Path, "deleted")
	case http.MethodPost:
		if v.verbOf(at.Place, f.endpoint) == "Add" {
			return saying(f.Back, "created")
		}
		return saying(f.Back, "done")
	}
	return saying(f.Back, "saved")
}

// reject puts the faults of the API beside their controls.
func (f *form) reject(p client.Rejection) {
	f.Error = p.Detail
	if p.Code == problem.CodeValidationFailed && len(p.Faults) > 0 {
		f.Error = "Nothing was done. Each fault below names its field."
	}
	for _, fault := range p.Faults {
		f.Faults = append(f.Faults, f.place(fault))
	}
}

// place puts a fault beside the control that its pointer leads to.
func (f *form) place(fault problem.Fault) formFault {
	path := naming.PointerSegments(fault.Pointer)
	if f.endpoint.Body != nil && f.endpoint.Body.In != "" && len(path) > 0 {
		path = path[1:]
	}
	for i := range f.Controls {
		c := &f.Controls[i]
		if len(path) == 0 || c.Name != path[0] {
			continue
		}
		detail := fault.Detail
		if len(path) > 2 {
			if in := c.At(path[1], path[2]); in != nil {
				in.Error = strings.TrimPrefix(in.Error+"; "+detail, "; ")
				return formFault{in.ID, c.Label + ": " + in.Label, detail}
			}
		}
		if len(path) > 1 {
			detail = strings.Join(path[1:], " / ") + ": " + detail
		}
		c.Error = strings.TrimPrefix(c.Error+"; "+detail, "; ")
		return formFault{c.ID, c.Label, detail}
	}
	return formFault{Label: strings.Join(path, " / "), Detail: fault.Detail}
}

// conflict shows what another person changed since the form was made, and reports whether the form shows any of it: a view
// also has values of other rows. What is deleted must be as it was shown. now are the controls of the row as it is. The form
// keeps what the person entered, and takes the values of now for all else, so that a second attempt changes no more than
// the person did.
func (f *form) conflict(now []control.Control) bool {
	for i := range f.Controls {
		c := &f.Controls[i]
		was, entered := c.Was, c.Value
		if now[i].Value == was {
			continue
		}
		c.Was = now[i].Value
		if entered == was {
			c.Value = now[i].Value
			c.Choose()
		}
		f.Changed = append(f.Changed, change{Label: c.Label, Before: was, Now: now[i].Value, Entered: entered, Differs: entered != was})
	}
	if len(f.Changed) == 0 && !f.Danger {
		return false
	}
	f.Error = "Another person changed this meanwhile, and nothing was saved. Compare the values, and save again if yours are still right."
	if f.Danger {
		f.Error = "Another person changed this meanwhile, and nothing was deleted. Delete it again if that is still right."
	}
	return true
}

// HasRows reports whether a control is a list of objects, which has a button of its own.
func (f *form) HasRows() bool {
	return slices.ContainsFunc(f.Controls, func(c control.Control) bool { return c.Kind == "rows" })
}
