package console

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// A value is one value of an answer, as a page shows it.
type value struct {
	Kind   string // none, text, number, yes, no, time, rows, list or object
	Text   string
	Link   string // the page of the row that it names, or the address that it is; "" for none
	Stamp  string // of a time: the machine's form
	Items  []value
	Fields []field
	Table  *table
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
	text, kind := scalarOf(v)
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
		return value{Kind: "time", Text: at.UTC().Format("2 Jan 2006, 15:04 UTC"), Stamp: text}
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

// scalarOf returns a value of [wire.ReadOrdered] that is no object and no list: its text, and its kind. Of anything else,
// the kind is that of null.
func scalarOf(v any) (text string, kind jsontext.Kind) {
	switch v := v.(type) {
	case string:
		return v, jsontext.KindString
	case jsontext.Value:
		return string(v), v.Kind()
	}
	return "", jsontext.KindNull
}

// keyOf returns the member of an object that has its key as text, "" without one.
func keyOf(o wire.Members, name string) string {
	text, kind := scalarOf(o.Member(name))
	if kind != jsontext.KindString && kind != jsontext.KindNumber {
		return ""
	}
	return text
}

func (s shower) object(name string, o wire.Members) value {
	shown := value{Kind: "object", Text: titleOf(o)}
	if list := s.target(name); list != nil {
		if item := s.site.item(list); item != nil {
			shown.Link = s.rowPage(name, keyOf(o, item.keyName()))
		}
	}
	for _, m := range o {
		shown.Fields = append(shown.Fields, field{m.Name, labelOf(m.Name), s.show(m.Name, m.Value)})
	}
	return shown
}

func (s shower) list(name string, all []any) value {
	if len(all) == 0 {
		return value{Kind: "none", Text: "none"}
	}
	if _, rows := all[0].(wire.Members); rows {
		t := shower{s.visit, s.viewset, true}.table(all, nil)
		t.Caption = labelOf(name)
		return value{Kind: "rows", Table: t, Text: titleOf(all[0].(wire.Members))} //nolint:forcetypeassert // checked
	}
	shown := value{Kind: "list"}
	for _, one := range all {
		shown.Items = append(shown.Items, s.show(strings.TrimSuffix(name, "s"), one))
	}
	return shown
}

// target returns the list of the rows that a field names; nil if it names none.
func (s shower) target(name string) *place { return s.site.lists[s.site.refers[s.viewset][name]] }

// rowPage returns the page of the row that a field names by its key; "" if it names none, or the caller may not read it.
func (s shower) rowPage(name, key string) string {
	list := s.target(name)
	if list == nil || key == "" {
		return ""
	}
	item := s.site.item(list)
	if item == nil || !s.may(item.by[http.MethodGet]) || !fits(item.by[http.MethodGet], key) {
		return ""
	}
	return s.pageOf(item.fill(map[string]string{item.keyName(): key}))
}

// titleFor returns the title of a row of a list by its key; "" if it is not known. One read of the list has those of few rows. Of
// many, a page of one object reads the row, and a table does not.
func (s shower) titleFor(list *place, key string) string {
	if _, read := s.named[list]; !read {
		s.named[list] = map[string]string{}
		if options, whole := s.rowsOf(list, s.site.item(list).keyName(), ""); whole {
			for _, o := range options {
				s.named[list][o.Value] = o.Text
			}
		}
	}
	title, known := s.named[list][key]
	if item := s.site.item(list); !known && !s.inTable {
		o, _, _ := s.read(item.by[http.MethodGet], item.fill(map[string]string{item.keyName(): key}), "")
		title = titleOf(o)
		s.named[list][key] = title
	}
	return title
}

// fits reports whether a value may be the key of a row's page: the page of a slug has no address by the row's id.
func fits(e *spec.Endpoint, key string) bool {
	return e.Key == nil || kindOf(e.Key.Type) == "number" || (uuid.Validate(key) == nil) == (naming.Indirect(e.Key.Type) == reflect.TypeFor[uuid.UUID]())
}

// titles are the members whose value names a row to people, the best first.
var titles = []string{"title", "name", "label", "full_name", "fullName", "number", "email", "username", "slug", "sku", "id"}

// titleOf returns what names an object to people.
func titleOf(o wire.Members) string {
	for _, name := range titles {
		if text := keyOf(o, name); text != "" {
			return text
		}
	}
	for _, m := range o {
		if text, ok := m.Value.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// labelOf turns a name of JSON into words: "created_at" and "createdAt" into "Created at", and "imageURL" into "Image URL".
func labelOf(name string) string {
	runes := []rune(name)
	words := make([]rune, 0, len(runes))
	for i, r := range runes {
		switch {
		case strings.ContainsRune("_-./", r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]):
			words = append(words, ' ')
			if i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
				r = unicode.ToLower(r)
			}
		}
		words = append(words, r)
	}
	text := strings.Join(strings.Fields(string(words)), " ")
	if end := len(text) - len(" id"); end > 0 && strings.EqualFold(text[end:], " id") {
		text = text[:end]
	}
	if text == "" || text == "id" {
		return strings.ToUpper(text)
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
