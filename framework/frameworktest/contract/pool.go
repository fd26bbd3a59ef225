package contract

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A pool keeps what answers showed of rows, so that requests can be about them:
// ids by what they are of, and what a parameter finds rows by, such as a slug.
// Other texts are left where they are: what one caller was shown is not to be
// told to another.
type pool struct {
	finds map[string]bool // names of parameters
	seen  map[string][]string
}

// mostSeen is how many of a kind are kept, the latest, and mostText how long one
// is at most.
const (
	mostSeen = 40
	mostText = 64 // bytes
)

func newPool(c *Contract) *pool {
	p := &pool{map[string]bool{}, map[string][]string{}}
	for _, o := range c.operations {
		for _, one := range o.params {
			p.finds[one.name] = true
		}
	}
	return p
}

// learn takes what an answer of an operation shows.
func (p *pool) learn(o *operation, body []byte) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return
	}
	for i, segment := range o.segments {
		last, row := i == len(o.segments)-1, i+1 < len(o.segments) && isPlace(o.segments[i+1])
		if last && isPlace(segment) || !last && !row {
			continue
		}
		p.walk(segment, value) // of what the path ends with, or of the row that it names
	}
}

func (p *pool) walk(of string, value any) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			p.walk(of, one)
		}
	case map[string]any:
		for name, one := range value {
			text, plain := one.(string)
			switch {
			case !plain && (name == "results" || name == "items" && len(value) > 3 && value["total"] != nil):
				p.walk(of, one) // a page's rows are what the list is of
			case !plain:
				p.walk(name, one)
			case hasShape([]byte(text), idShape) && len(text) == len(idShape), p.finds[name] && name != "id" && len(text) <= mostText:
				p.add(kindOf(name, of), text)
			}
		}
	}
}

func (p *pool) add(kind, text string) {
	known := p.seen[kind]
	if text == "" || slices.Contains(known, text) { // nothing is found by no text
		return
	}
	if len(known) >= mostSeen {
		known = known[1:]
	}
	p.seen[kind] = append(known, text)
}

// of is what was seen for a member of a name in something of a name: "id" in
// "patients", or "patient" in "appointments", which is the id of one of the
// former: also of those that no appointment had yet.
func (p *pool) of(name, in string) []string {
	ids := p.seen[kindOf("id", strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "_id"))]
	return slices.Concat(p.seen[kindOf(name, in)], ids)
}

// kindOf is what a text is of: an id is of the thing, any other member goes by
// its own name.
func kindOf(name, of string) string {
	if name == "id" {
		return "id of " + strings.TrimSuffix(strings.ToLower(of), "s")
	}
	return name
}
