package web

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// paths are the paths that the API root or the OpenAPI document shows to every client, the paths of
// the document itself and those of the pages of error codes, as segments: "api", "patients", "{id}".
type paths struct {
	prefix []string
	shown  []shownPath
}

type shownPath struct {
	text     string // "/api/patients/{id}/"
	segments []string
}

// longestPath is the longest path, in bytes, that is compared. A path with a typing mistake is
// shorter.
const longestPath = 512

// pathsOf lists each path once, in the order of the API root. The paths of the OpenAPI document,
// of its page and of the pages of error codes are last. For an API without an OpenAPI document, the list has only the paths of
// the API root that are not below a guard, and those of error codes.
func pathsOf(a describe.Catalog) paths {
	all := paths{prefix: segmentsOf(a.Config.Prefix)}
	for _, e := range a.Endpoints() {
		text := a.PathOf(e)
		listed := (e.Resource.Path == "" || e.Resource.Above == nil && e.Pattern == e.Resource.ListPath()) && !isGuarded(a, text)
		known := slices.ContainsFunc(all.shown, func(p shownPath) bool { return p.text == text })
		if !known && (listed || !a.Config.Undocumented) {
			all.shown = append(all.shown, shownPath{text, segmentsOf(text)})
		}
	}
	var pages []string
	if !a.Config.Undocumented {
		pages = []string{describe.DocsPath, describe.JSONPath, describe.YamlPath}
	}
	for _, code := range slices.Sorted(maps.Keys(a.Codes)) {
		pages = append(pages, problem.ErrorPages+code)
	}
	for _, path := range append(pages, problem.ErrorPages) {
		all.shown = append(all.shown, shownPath{a.Config.Prefix + path, segmentsOf(a.Config.Prefix + path)})
	}
	return all
}

// isGuarded reports whether a path is below a guard.
func isGuarded(a describe.Catalog, path string) bool {
	return slices.ContainsFunc(a.Config.Guards, func(g call.Guard) bool {
		return a.Origin.Guards(g.Under, &http.Request{URL: &url.URL{Path: path}})
	})
}

// segmentsOf splits a path into its segments, without empty ones: "/api//books" has the same
// segments as "/api/books".
func segmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// nearest returns the path that a client probably meant, or "" if no path is near or the given
// path is longer than longestPath. Each segment must be equal, near by [naming.Nearest], or at
// the position of a key. The API's prefix may be absent, and a version such as v1 may be too much.
// Of equally near paths it returns the first. more are further paths that are shown.
func (p paths) nearest(mistyped string, more ...shownPath) string {
	if len(mistyped) > longestPath {
		return ""
	}
	best, least := "", -1
	meant := p.meant(segmentsOf(mistyped))
	for _, one := range slices.Concat(p.shown, more) {
		for _, segments := range meant {
			distance, near := segmentDistance(segments, one.segments)
			if near && (least < 0 || distance < least) {
				best, least = one.text, distance
			}
			if near {
				break
			}
		}
	}
	return best
}

// meant returns the paths that a given path may mean: itself, the same below the prefix, and both
// without versions, if it has any.
func (p paths) meant(given []string) [][]string {
	all := [][]string{given, slices.Concat(p.prefix, given)}
	if plain := slices.DeleteFunc(slices.Clone(given), isVersion); len(plain) > 0 && len(plain) < len(given) {
		all = append(all, plain, slices.Concat(p.prefix, plain))
	}
	return all
}

// isVersion reports whether a segment names a version of an API: v1.
func isVersion(segment string) bool {
	digits, found := strings.CutPrefix(segment, "v")
	return found && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// segmentDistance returns the sum of the edit distances of all segments. A segment at the
// position of a key counts 1. near is false if the numbers of segments differ, or if one segment
// is not near.
func segmentDistance(given, right []string) (distance int, near bool) {
	if len(given) != len(right) {
		return 0, false
	}
	for i, segment := range right {
		switch {
		case given[i] == segment:
		case isKey(segment):
			distance++ // a path with an equal name is nearer than a path with a key
		case naming.Nearest(given[i], []string{segment}) == "":
			return 0, false
		default:
			distance += max(1, naming.EditDistance([]rune(strings.ToLower(given[i])), []rune(strings.ToLower(segment))))
		}
	}
	return distance, true
}

// noPath is the answer for a path at which nothing is served.
func (s *server) noPath(r *http.Request) *problem.Error {
	e := problem.NotFound()
	if near := s.paths.nearest(r.URL.Path, serverPaths(r)...); near != "" {
		e.Detail = "Nothing is at this path; did you mean " + s.api.Origin.BasePath() + near + "?"
	}
	return e
}

// suggest adds to an error the path that a client probably meant, if it mistyped the last segment of a path and the
// server took this segment for a key: /api/orders/quik/ for /api/orders/quick/. It changes only 404 and 405.
func (s *server) suggest(p *place, r *http.Request, err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || e.Code != problem.CodeNotFound && e.Code != problem.CodeMethodNotAllowed {
		return err
	}
	near := s.paths.besideKey(segmentsOf(p.path), segmentsOf(r.URL.Path))
	if near == "" {
		return err
	}
	c := *e
	c.Detail = strings.TrimSuffix(e.Detail, ".") + "; did you mean " + s.api.Origin.BasePath() + near + "?"
	return &c
}

// besideKey returns the path that has a fixed last segment near the given one, where the pattern has a key.
// It returns "" if there is none.
func (p paths) besideKey(pattern, given []string) string {
	last := len(pattern) - 1
	if !isKey(pattern[last]) || last >= len(given) {
		return ""
	}
	texts, names := map[string]string{}, []string{}
	for _, one := range p.shown {
		if len(one.segments) == len(pattern) && !isKey(one.segments[last]) && slices.Equal(one.segments[:last], pattern[:last]) {
			texts[one.segments[last]] = one.text
			names = append(names, one.segments[last])
		}
	}
	return texts[naming.Nearest(given[last], names)]
}

// isKey reports whether a segment of a path stands for a key: "{id}".
func isKey(segment string) bool { return strings.HasPrefix(segment, "{") }

// serverPaths returns the public paths that the HTTP server of a request answers itself, such as
// /livez, if its handler lists them.
func serverPaths(r *http.Request) (shown []shownPath) {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return nil
	}
	if h, ok := server.Handler.(interface{ OwnPaths() []string }); ok {
		for _, text := range h.OwnPaths() {
			shown = append(shown, shownPath{text, segmentsOf(text)})
		}
	}
	return shown
}
