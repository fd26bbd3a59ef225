package console

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// A value is one value of an answer, as a page shows it.
type value struct {
	Kind   string // none, text, number, yes, no, time, rows, list, object or changes
	Text   string
	Link   string // the page of the row that it names, or the address that it is; "" for none
	Stamp  string // of a time: the machine's form
	Items  []value
	Fields []field
	Table  *table

	Changes []valueChange
}

// A valueChange is a field of an entry of a history with its values before and after.
type valueChange struct {
	Label    string
	From, To value
}

// A field is a value with its name.
type field struct {
	Name, Label string
	Value       value
}

// A shower turns values of the answers of a viewset into those of pages.
type shower struct {
	*visit

	viewset string
	inTable bool // many rows are shown
}

// show returns a value with the name that it has in its object.
func (s shower) show(name string, v any) value {
	switch v := v.(type) {
	case wire.Members:
		return s.object(name, v)
	case []any:
		return s.list(name, v)
	}
	text, kind := wording.Scalar(v)
	if render := s.own.Renderer(s.viewset, name); render != nil && (kind == jsontext.KindNumber || kind == jsontext.KindString) {
		shown := value{Kind: "text"}
		if kind == jsontext.KindNumber {
			shown.Kind = "number"
		}
		shown.Text, shown.Link = render(text)
		return shown
	}
	switch kind {
	case jsontext.KindTrue:
		return value{Kind: "yes", Text: "Yes"}
	case jsontext.KindFalse:
		return value{Kind: "no", Text: "No"}
	case jsontext.KindNumber:
		return value{Kind: "number", Text: text, Link: s.rowPage(name, text)}
	case jsontext.KindString:
		return s.text(name, text)
	}
	return value{Kind: "none", Text: "none"}
}

// text shows a text: as a time, as a link to the row that it names or to the address that it is, or as it is.
func (s shower) text(name, text string) value {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return value{Kind: "time", Text: at.In(s.zone()).Format("2 Jan 2006, 15:04 MST"), Stamp: at.UTC().Format(time.RFC3339)}
	}
	v := value{Kind: "text", Text: text, Link: s.rowPage(name, text)}
	switch u, err := url.Parse(text); {
	case text == "":
		return value{Kind: "none", Text: "empty"}
	case v.Link != "":
		v.Text = cmp.Or(s.titleFor(s.target(name), text), text)
	case v.Link == "" && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		v.Link = text
	}
	return v
}

func (s shower) object(name string, o wire.Members) value {
	if changes := s.changes(o); changes != nil {
		return value{Kind: "changes", Changes: changes}
	}
	shown := value{Kind: "object", Text: wording.Title(o)}
	if list := s.target(name); list != nil {
		if item := s.site.Item(list); item != nil {
			shown.Link = s.rowPage(name, wording.Key(o, item.KeyName()))
		}
	}
	for _, m := range o {
		shown.Fields = append(shown.Fields, field{m.Name, wording.Label(m.Name), s.show(m.Name, m.Value)})
	}
	return shown
}

func (s shower) list(name string, all []any) value {
	if len(all) == 0 {
		return value{Kind: "none", Text: "none"}
	}
	if _, rows := all[0].(wire.Members); rows {
		t := shower{s.visit, s.viewset, true}.table(all, nil)
		t.Caption = wording.Label(name)
		return value{Kind: "rows", Table: t, Text: wording.Title(all[0].(wire.Members))} //nolint:forcetypeassert // checked
	}
	shown := value{Kind: "list"}
	for _, one := range all {
		shown.Items = append(shown.Items, s.show(strings.TrimSuffix(name, "s"), one))
	}
	return shown
}

// target returns the list of the rows that a field names; nil if it names none.
func (s shower) target(name string) *site.Place { return s.site.Lists[s.site.Refers[s.viewset][name]] }

// rowPage returns the page of the row that a field names by its key; "" if it names none, or the caller may not read it.
func (s shower) rowPage(name, key string) string {
	list := s.target(name)
	if list == nil || key == "" {
		return ""
	}
	item := s.site.Item(list)
	if item == nil || !s.may(item.By[http.MethodGet]) || !fits(item.By[http.MethodGet], key) {
		return ""
	}
	return s.pageOf(item.Fill(map[string]string{item.KeyName(): key}))
}

// titleFor returns the title of a row of a list by its key; "" if it is not known. One read of the list has those of few rows. Of
// many, a page of one object reads the row, and a table does not.
func (s shower) titleFor(list *site.Place, key string) string {
	if _, read := s.named[list]; !read {
		s.named[list] = map[string]string{}
		if options, whole := s.rowsOf(list, s.site.Item(list).KeyName(), ""); whole {
			for _, o := range options {
				s.named[list][o.Value] = o.Text
			}
		}
	}
	title, known := s.named[list][key]
	if item := s.site.Item(list); !known && !s.inTable {
		o, _, _ := s.read(item.By[http.MethodGet], item.Fill(map[string]string{item.KeyName(): key}), "")
		title = wording.Title(o)
		s.named[list][key] = title
	}
	return title
}

// fits reports whether a value may be the key of a row's page: the page of a slug has no address by the row's id.
func fits(e *spec.Endpoint, key string) bool {
	return e.Key == nil || control.KindOf(e.Key.Type) == "number" || (uuid.Validate(key) == nil) == (naming.Indirect(e.Key.Type) == reflect.TypeFor[uuid.UUID]())
}

// changes returns the changes of an entry of a history; nil for any other object.
func (s shower) changes(o wire.Members) (all []valueChange) {
	for _, m := range o {
		values, _ := m.Value.(wire.Members)
		if len(values) == 0 {
			return nil
		}
		for _, one := range values {
			if one.Name != fromMember && one.Name != toMember {
				return nil
			}
		}
		all = append(all, valueChange{wording.Label(m.Name), s.show(m.Name, values.Member(fromMember)), s.show(m.Name, values.Member(toMember))})
	}
	return all
}

// The members of an entry of a history: the changes of fields, each with its value before and after.
const (
	changesMember = "changes"
	fromMember    = "from"
	toMember      = "to"
)
