package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// paths are the routes that anyone can read in the API root or in the OpenAPI
// document, and those of the document itself, as segments: "api", "patients", "{id}".
type paths struct {
	prefix []string
	shown  []shownPath
}

type shownPath struct {
	text     string // "/api/patients/{id}/"
	segments []string
}

// longestPath is longer, in bytes, than a mistyped path. A longer one is not compared.
const longestPath = 512

// pathsOf lists each path once, in the order of the API root, and the paths of the
// OpenAPI document and its page last. Without an OpenAPI document only the paths that the
// API root lists are shown, and none below a guard.
func pathsOf(a describe.Catalog) paths {
	all := paths{prefix: segmentsOf(a.Config.Prefix)}
	for _, e := range a.Endpoints() {
		text := a.PathOf(e)
		listed := (e.Resource.Path == "" || e.Pattern == e.Resource.ListPath()) && !isGuarded(a, text)
		known := slices.ContainsFunc(all.shown, func(p shownPath) bool { return p.text == text })
		if !known && (listed || !a.Config.Undocumented) {
			all.shown = append(all.shown, shownPath{text, segmentsOf(text)})
		}
	}
	if !a.Config.Undocumented {
		for _, path := range []string{describe.DocsPath, describe.JSONPath, describe.YamlPath} {
			all.shown = append(all.shown, shownPath{a.Config.Prefix + path, segmentsOf(a.Config.Prefix + path)})
		}
	}
	return all
}

// isGuarded reports whether a path is below a guard.
func isGuarded(a describe.Catalog, path string) bool {
	return slices.ContainsFunc(a.Config.Guards, func(g call.Guard) bool {
		return a.Origin.Guards(g.Under, &http.Request{URL: &url.URL{Path: path}})
	})
}

// segmentsOf leaves out empty segments: "/api//books" is compared as "/api/books".
func segmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// nearest is the path that a client probably meant; "" if none is near. Each
// segment is equal or as near as [nearest] demands, and the API's prefix may be
// absent. Of equally near paths the first wins.
func (p paths) nearest(mistyped string) string {
	if len(mistyped) > longestPath {
		return ""
	}
	given, best, least := segmentsOf(mistyped), "", -1
	below := slices.Concat(p.prefix, given)
	for _, one := range p.shown {
		distance, near := segmentDistance(given, one.segments)
		if !near {
			distance, near = segmentDistance(below, one.segments)
		}
		if near && (least < 0 || distance < least) {
			best, least = one.text, distance
		}
	}
	return best
}

// segmentDistance is how many letters are wrong in all segments together.
func segmentDistance(given, right []string) (distance int, near bool) {
	if len(given) != len(right) {
		return 0, false
	}
	for i, segment := range right {
		switch {
		case given[i] == segment:
		case strings.HasPrefix(segment, "{"):
			distance++ // a name that is right is nearer than any row
		case naming.Nearest(given[i], []string{segment}) == "":
			return 0, false
		default:
			distance += max(1, naming.EditDistance([]rune(given[i]), []rune(segment)))
		}
	}
	return distance, true
}

// noPath is the answer for a path at which nothing is served.
func (s *server) noPath(path string) *problem.Error {
	e := problem.NotFound()
	if near := s.paths.nearest(path); near != "" {
		e.Detail = "Nothing is at this path; did you mean " + s.api.Origin.BasePath() + near + "?"
	}
	return e
}
