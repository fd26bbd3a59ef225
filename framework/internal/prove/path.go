package prove

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// requestOf makes the request of an endpoint for a row, nil for none. It is false if a row that
// the path names cannot be made.
func (p *Fixture) requestOf(e *endpoint, w *writer, on *row) (request, bool) {
	path, ok := p.pathOf(e, w.by, on)
	r := request{method: e.info.Method, path: path, by: w.by, header: http.Header{}}
	if up := e.spec.Upload; up != nil {
		var kind string
		r.body, kind = fileOf(up.Types)
		r.header.Set("Content-Type", kind)
		return r, ok
	}
	if r.method == http.MethodGet {
		r.query = w.query(e).Encode()
	} else {
		r.body = w.body(e)
	}
	return r, ok
}

// pathOf is the path of an endpoint for a row.
func (p *Fixture) pathOf(e *endpoint, who *person, on *row) (string, bool) {
	path := e.info.Path
	if e.spec.Key != nil {
		if on == nil {
			return "", false
		}
		path = strings.ReplaceAll(path, "{"+e.spec.Key.Name+"}", escape(on.key(e.Resource)))
	}
	if e.Resource.Above != nil {
		keys, ok := p.keysAbove(e.Resource, who, on)
		if !ok {
			return "", false
		}
		for i, key := range e.spec.Above {
			path = strings.Replace(path, "{"+key.Name+"}", escape(keys[i]), 1)
		}
	}
	if e.spec.Other != nil {
		path = strings.ReplaceAll(path, "{"+e.spec.Other.Name+"}", escape(p.otherKey(e)))
	}
	return path, true
}

// keysAbove lists the keys of the rows above a row of a nested viewset, the highest first. For no
// row, it is those of a row above that the person may see.
func (p *Fixture) keysAbove(r *table.Resource, who *person, on *row) ([]string, bool) {
	if r.Above == nil {
		return nil, true
	}
	parent := r.Above.Parent
	var above *row
	if on == nil {
		above = p.rowFor(who, parent)
	} else {
		for _, one := range p.rowsOf(parent) {
			if one.values[parent.Pk.Name] == on.values[r.Above.Column.Name] {
				above = one
			}
		}
	}
	if above == nil {
		return nil, false
	}
	keys, ok := p.keysAbove(parent, who, above)
	return append(keys, above.key(parent)), ok
}

// otherKey returns the second key of a path: that of a row of the table which is named like the
// action, or else one of no row.
func (p *Fixture) otherKey(e *endpoint) string {
	for _, one := range slices.Backward(p.made) {
		if key := one.values[e.OtherKey.Name]; key != "" && naming.Singular(one.table) == naming.Singular(e.Route.Name) {
			return key
		}
	}
	return "1"
}

func escape(key string) string { return url.PathEscape(key) }

// missingPath is the path of an endpoint with keys of no rows.
func (p *Fixture) missingPath(e *endpoint) string {
	path := e.info.Path
	for _, key := range e.spec.Above {
		path = strings.Replace(path, "{"+key.Name+"}", uuid.Must(uuid.NewV7()).String(), 1)
	}
	return path
}
