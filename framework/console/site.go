package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/spec"
)

// A site is the paths of an API as pages. It does not change.
type site struct {
	api    *spec.API
	places []*place
	number map[*spec.Endpoint]int       // in the order of API.Endpoints
	lists  map[string]*place            // of the rows of a viewset, by its path
	refers map[string]map[string]string // the viewset whose rows a field names, by the viewset of the field and its name
}

// A place is one path of the API with its endpoints.
type place struct {
	path string // with the prefix, and names of keys in braces
	segs []string
	by   map[string]*spec.Endpoint // by method
}

// An address is a place with the keys of a request's path.
type address struct {
	place *place // nil if the API has no such path
	keys  map[string]string
}

func newSite(api *spec.API) *site {
	s := &site{api: api, number: map[*spec.Endpoint]int{}, lists: map[string]*place{}, refers: map[string]map[string]string{}}
	byPath := map[string]*place{}
	for i, e := range api.Endpoints {
		s.number[e] = i
		if e.Root {
			continue
		}
		p := byPath[e.Path]
		if p == nil {
			p = &place{path: e.Path, segs: segments(e.Path), by: map[string]*spec.Endpoint{}}
			byPath[e.Path] = p
			s.places = append(s.places, p)
		}
		p.by[e.Method] = e
		s.addReferences(e)
	}
	s.addRows()
	for _, p := range s.places {
		if e := p.by[http.MethodGet]; e != nil && e.Page != nil && s.lists[e.ViewSet] == nil && len(e.Above) == 0 && e.Key == nil {
			s.lists[e.ViewSet] = p
		}
	}
	return s
}

// segments returns the parts of a path between slashes.
func segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// isKey reports whether a segment of a place's path is a key.
func isKey(segment string) bool { return strings.HasPrefix(segment, "{") }

// find returns the place of an escaped path of the API. A segment of its own wins over a key.
func (s *site) find(path string) address {
	var found address
	given := segments(path)
	for _, p := range s.places {
		if keys := p.match(given); keys != nil && (found.place == nil || len(keys) < len(found.keys)) {
			found = address{p, keys}
		}
	}
	return found
}

// match returns the keys of a path, by name, or nil if the path is of another place.
func (p *place) match(given []string) map[string]string {
	if len(given) != len(p.segs) {
		return nil
	}
	keys := map[string]string{}
	for i, segment := range p.segs {
		if !isKey(segment) {
			if segment != given[i] {
				return nil
			}
			continue
		}
		key, err := url.PathUnescape(given[i])
		if err != nil || key == "" {
			return nil
		}
		keys[strings.Trim(segment, "{}")] = key
	}
	return keys
}

// fill returns the escaped path of a place for keys. Without all of its keys, it returns "".
func (p *place) fill(keys map[string]string) string {
	path := p.path
	for _, segment := range p.segs {
		if !isKey(segment) {
			continue
		}
		key, ok := keys[strings.Trim(segment, "{}")]
		if !ok {
			return ""
		}
		path = strings.Replace(path, segment, url.PathEscape(key), 1)
	}
	return path
}

// below returns the places one segment below a place: those of a name, or that of a key.
func (s *site) below(p *place, key bool) (all []*place) {
	for _, other := range s.places {
		n := len(p.segs)
		if len(other.segs) == n+1 && isKey(other.segs[n]) == key && slices.Equal(other.segs[:n], p.segs) {
			all = append(all, other)
		}
	}
	return all
}

// addReferences adds the fields of an input that name rows, under their names and under those that views use for the rows
// themselves: the author of author_id.
func (s *site) addReferences(e *spec.Endpoint) {
	if e.Body == nil {
		return
	}
	for _, f := range e.Body.Shape.Fields {
		if f.Ref == "" {
			continue
		}
		if s.refers[e.ViewSet] == nil {
			s.refers[e.ViewSet] = map[string]string{}
		}
		for _, end := range []string{"", "_id", "Id", "ID"} {
			if name, ok := strings.CutSuffix(f.Name, end); ok && name != "" {
				s.refers[e.ViewSet][name] = f.Ref
			}
		}
	}
}

// addRows adds the places of rows that have no endpoint of their own, but operations below them.
func (s *site) addRows() {
	known := map[string]bool{}
	for _, p := range s.places {
		known[strings.Join(p.segs, "/")] = true
	}
	for _, p := range s.places {
		for n := 1; n < len(p.segs); n++ {
			path := strings.Join(p.segs[:n], "/")
			if isKey(p.segs[n-1]) && !known[path] {
				known[path] = true
				s.places = append(s.places, &place{path: "/" + path, segs: p.segs[:n], by: map[string]*spec.Endpoint{}})
			}
		}
	}
}

// item returns the place of one row of a list; nil without one.
func (s *site) item(list *place) *place {
	if items := s.below(list, true); len(items) > 0 {
		return items[0]
	}
	return nil
}

// keyName is the name of the last key of a place.
func (p *place) keyName() string {
	for _, segment := range slices.Backward(p.segs) {
		if isKey(segment) {
			return strings.Trim(segment, "{}")
		}
	}
	return ""
}
