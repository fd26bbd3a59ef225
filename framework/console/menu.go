package console

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/own"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
)

// A group is the lists of a service.
type group struct {
	Name, Doc string
	Links     []link
}

// menu lists what the caller may read, by service, in order of registration.
func (v *visit) menu() (all []*group) {
	if v.user == "" {
		return nil
	}
	for _, p := range v.site.Places {
		e := p.By[http.MethodGet]
		if e == nil || len(e.Above) > 0 || e.Key != nil || !v.may(e) || e.Parts != nil || e.Totals != nil || p.Path == v.sessionAt() {
			continue
		}
		if e.Page == nil && (e.Output == nil || slices.ContainsFunc(e.Params, func(q spec.Param) bool { return q.Required })) {
			continue
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.Name == e.Service.Name })
		if i < 0 {
			i, all = len(all), append(all, &group{Name: e.Service.Name, Doc: e.Service.Doc})
		}
		text := strings.TrimPrefix(p.Path, v.API.Prefix+"/")
		all[i].Links = append(all[i].Links, link{Text: wording.Label(strings.Trim(text, "/")), To: v.pageOf(p.Path)})
	}
	return v.addOwn(all)
}

// mayOpen reports whether the caller may use all endpoints that a page needs.
func (v *visit) mayOpen(p *own.Page) bool {
	return !slices.ContainsFunc(p.Endpoints, func(e *spec.Endpoint) bool { return !v.may(e) })
}

// addOwn adds links to the pages of the program's own to the groups of the menu, before the generated ones.
func (v *visit) addOwn(menu []*group) []*group {
	added := map[*group]int{}
	for _, p := range v.own.Pages {
		if p.Group == "" || !v.mayOpen(p) {
			continue
		}
		i := slices.IndexFunc(menu, func(g *group) bool { return g.Name == p.Group })
		if i < 0 {
			i, menu = len(menu), append(menu, &group{Name: p.Group})
		}
		g := menu[i]
		g.Links = slices.Insert(g.Links, added[g], Link{Text: p.Title, To: v.Path + p.Path})
		added[g]++
	}
	return menu
}
