// Package site finds the pages of an API: one for each of its paths.
package site

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/spec"
)

// A Site is the paths of an API as pages. It does not change.
type Site struct {
	Places []*Place
	Number map[*spec.Endpoint]int       // in the order of API.Endpoints
	Lists  map[string]*Place            // of the rows of a viewset, by its path
	Refers map[string]map[string]string // the viewset whose rows a field names, by the viewset of the field and its name
}

// A Place is one path of the API with its endpoints.
type Place struct {
	Path string // with the prefix, and names of keys in braces
	Segs []string
	By   map[string]*spec.Endpoint // by method
}

// An Address is a place with the keys of a request's path.
type Address struct {
	Place *Place // nil if the API has no such path
	Keys  map[string]string
}

// NewPlace returns a place for a path with keys in braces, without endpoints.
func NewPlace(path string) *Place {
	return &Place{Path: path, Segs: segments(path), By: map[string]*spec.Endpoint{}}
}

// Same reports whether two places have the same paths, whatever the names of their keys.
func (p *Place) Same(other *Place) bool {
	return slices.EqualFunc(p.Segs, other.Segs, func(a, b string) bool { return a == b || IsKey(a) && IsKey(b) })
}

// Match returns the keys of an escaped path, by name; nil if the path is of another place.
func (p *Place) Match(path string) map[string]string { return p.match(segments(path)) }

// New returns the site of an API.
func New(api *spec.API) *Site {
	s := &Site{Number: map[*spec.Endpoint]int{}, Lists: map[string]*Place{}, Refers: map[string]map[string]string{}}
	byPath := map[string]*Place{}
	for i, e := range api.Endpoints {
		s.Number[e] = i
		if e.Root {
			continue
		}
		p := byPath[e.Path]
		if p == nil {
			p = &Place{Path: e.Path, Segs: segments(e.Path), By: map[string]*spec.Endpoint{}}
			byPath[e.Path] = p
			s.Places = append(s.Places, p)
		}
		p.By[e.Method] = e
		s.addReferences(e)
	}
	s.addRows()
	for _, p := range s.Places {
		if e := p.By[http.MethodGet]; e != nil && e.Page != nil && s.Lists[e.ViewSet] == nil && len(e.Above) == 0 && e.Key == nil {
			s.Lists[e.ViewSet] = p
		}
	}
	return s
}

// segments returns the parts of a path between slashes.
func segments(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// IsKey reports whether a segment of a place's path is a key.
func IsKey(segment string) bool { return strings.HasPrefix(segment, "{") }

// Find returns the place of an escaped path of the API. A segment of its own wins over a key.
func (s *Site) Find(path string) Address {
	var found Address
	given := segments(path)
	for _, p := range s.Places {
		if keys := p.match(given); keys != nil && (found.Place == nil || len(keys) < len(found.Keys)) {
			found = Address{p, keys}
		}
	}
	return found
}

// match returns the keys of a path, by name, or nil if the path is of another place.
func (p *Place) match(given []string) map[string]string {
	if len(given) != len(p.Segs) {
		return nil
	}
	keys := map[string]string{}
	for i, segment := range p.Segs {
		if !IsKey(segment) {
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

// Fill returns the escaped path of a place for keys. Without all of its keys, it returns "".
func (p *Place) Fill(keys map[string]string) string {
	path := p.Path
	for _, segment := range p.Segs {
		if !IsKey(segment) {
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

// To returns the address of a place above or below another one, with its keys. The names of keys depend on the path: the key of a
// row has another name in the paths of the rows below it.
func (a Address) To(p *Place) Address {
	keys := map[string]string{}
	for i, segment := range p.Segs {
		if i < len(a.Place.Segs) && IsKey(segment) && IsKey(a.Place.Segs[i]) {
			keys[strings.Trim(segment, "{}")] = a.Keys[strings.Trim(a.Place.Segs[i], "{}")]
		}
	}
	return Address{p, keys}
}

// Row returns the address of a row of a list, by the place of its rows and its key.
func (a Address) Row(item *Place, key string) Address {
	keys := map[string]string{}
	maps.Copy(keys, a.Keys)
	keys[item.KeyName()] = key
	return Address{item, keys}
}

// Path is the escaped path of an address, "" if a key is missing.
func (a Address) Path() string { return a.Place.Fill(a.Keys) }

// IsAbove reports whether a place is that of the first n segments of another one.
func (p *Place) IsAbove(other *Place, n int) bool {
	return len(p.Segs) == n && n <= len(other.Segs) && slices.EqualFunc(p.Segs, other.Segs[:n], isSame)
}

// isSame reports whether two segments stand for the same part of a path. Keys have different names in different paths.
func isSame(a, b string) bool { return a == b || IsKey(a) && IsKey(b) }

// Below returns the places one segment below a place: those of a name, or that of a key.
func (s *Site) Below(p *Place, key bool) (all []*Place) {
	for _, other := range s.Places {
		n := len(p.Segs)
		if len(other.Segs) == n+1 && IsKey(other.Segs[n]) == key && slices.EqualFunc(other.Segs[:n], p.Segs, isSame) {
			all = append(all, other)
		}
	}
	return all
}

// addReferences adds the fields of an input that name rows, under their names and under those that views use for the rows
// themselves: the author of author_id.
func (s *Site) addReferences(e *spec.Endpoint) {
	if e.Body == nil {
		return
	}
	for _, f := range e.Body.Shape.Fields {
		if f.Ref == "" {
			continue
		}
		if s.Refers[e.ViewSet] == nil {
			s.Refers[e.ViewSet] = map[string]string{}
		}
		if f.ListsKeys() { // a page shows each key under the name in the singular
			s.Refers[e.ViewSet][strings.TrimSuffix(f.Name, "s")] = f.Ref
		}
		for _, end := range []string{"", "_id", "Id", "ID"} {
			if name, ok := strings.CutSuffix(f.Name, end); ok && name != "" {
				s.Refers[e.ViewSet][name] = f.Ref
			}
		}
	}
}

// addRows adds the places of rows that have no endpoint of their own, but operations below them.
func (s *Site) addRows() {
	known := map[string]bool{}
	for _, p := range s.Places {
		known[strings.Join(p.Segs, "/")] = true
	}
	for _, p := range s.Places {
		for n := 1; n < len(p.Segs); n++ {
			path := strings.Join(p.Segs[:n], "/")
			if IsKey(p.Segs[n-1]) && !known[path] {
				known[path] = true
				s.Places = append(s.Places, &Place{Path: "/" + path, Segs: p.Segs[:n], By: map[string]*spec.Endpoint{}})
			}
		}
	}
}

// Item returns the place of one row of a list; nil without one.
func (s *Site) Item(list *Place) *Place {
	if items := s.Below(list, true); len(items) > 0 {
		return items[0]
	}
	return nil
}

// KeyName is the name of the last key of a place.
func (p *Place) KeyName() string {
	for _, segment := range slices.Backward(p.Segs) {
		if IsKey(segment) {
			return strings.Trim(segment, "{}")
		}
	}
	return ""
}
