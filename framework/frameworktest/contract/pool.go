package contract

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A pool stores values from answers, so that later requests can find rows: ids by the
// kind of row, and values of parameters, such as a slug. It does not store other texts,
// because data of one caller must not be sent by another.
type pool struct {
	finds map[string]bool // the names of parameters
	seen  map[string][]string
}

// mostSeen is the maximum number of values of a kind; the latest are kept. mostText is
// the maximum length of a value.
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

// learn stores values from an answer of an operation.
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
		p.walk(segment, value) // for the last segment, or for the row that the path names
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
				p.walk(of, one) // the rows of a page belong to the list
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
	if text == "" || slices.Contains(known, text) { // an empty text finds nothing
		return
	}
	if len(known) >= mostSeen {
		known = known[1:]
	}
	p.seen[kind] = append(known, text)
}

// values returns the values for a member of a kind of row: for "id" in "patients", or for
// "patient" in "appointments". The latter includes ids of patients without an
// appointment.
func (p *pool) values(name, in string) []string {
	ids := p.seen[kindOf("id", strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "_id"))]
	return slices.Concat(p.seen[kindOf(name, in)], ids)
}

// kindOf returns the key under which values are stored: for an id its kind of row, for
// any other member its name.
func kindOf(name, of string) string {
	if name == "id" {
		return "id of " + strings.TrimSuffix(strings.ToLower(of), "s")
	}
	return name
}
