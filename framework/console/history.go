package console

import (
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// offerRestoring links the entries of the history of a row to the form of the row with the values of before the change. The
// person sees them before they are saved.
func (v *visit) offerRestoring(t *table, at site.Address, rows []any) {
	item := v.site.Find(strings.TrimSuffix(strings.TrimSuffix(at.Path(), "/"), "/history"))
	if !strings.HasSuffix(strings.TrimSuffix(at.Place.Path, "/"), "/history") || item.Place == nil {
		return
	}
	e := item.Place.By[http.MethodPatch]
	if !v.may(e) || e.Body == nil {
		return
	}
	for i, one := range rows {
		o, _ := one.(wire.Members)
		changes, _ := o.Member(changesMember).(wire.Members)
		if query := before(changes, e); len(query) > 0 {
			t.Rows[i].Does = append(t.Rows[i].Does, link{Text: "Restore", To: v.formAt(item, e) + "?" + query.Encode()})
			t.HasSteps = true
		}
	}
}

// before returns the values of before a change that the form of an endpoint has a field for.
func before(changes wire.Members, e *spec.Endpoint) url.Values {
	query := url.Values{}
	for _, m := range changes {
		values, _ := m.Value.(wire.Members)
		text, _ := wording.Scalar(values.Member(fromMember))
		if e.Body.Shape.ByName[m.Name] != nil && text != "" {
			query.Set(m.Name, text)
		}
	}
	return query
}
