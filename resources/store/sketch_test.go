package store_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A sketch is what JSON values look like that were met in one place: which kinds
// there were, which members their objects have and what those look like.
type sketch struct {
	kinds    map[string]bool
	objects  int // were met
	members  map[string]*sketch
	met      int // as a member
	elements *sketch
}

var (
	idForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`) // UUIDv7
	timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
)

// draw adds a JSON text to the sketch.
func (k *sketch) draw(tb testing.TB, text string) {
	tb.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		tb.Fatalf("this is no JSON: %v: %s", err, text)
	}
	k.add(value)
}

func (k *sketch) add(value any) {
	if k.kinds == nil {
		k.kinds, k.members = map[string]bool{}, map[string]*sketch{}
	}
	switch value := value.(type) {
	case map[string]any:
		k.objects++
		for name, member := range value {
			if k.members[name] == nil {
				k.members[name] = &sketch{}
			}
			k.members[name].met++
			k.members[name].add(member)
		}
	case []any:
		if k.elements == nil {
			k.elements = &sketch{}
		}
		for _, element := range value {
			k.elements.add(element)
		}
	default:
		k.kinds[kindOf(value)] = true
	}
}

// kindOf is the kind of a value that has no parts.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		switch {
		case idForm.MatchString(value):
			return "id"
		case timeForm.MatchString(value):
			return "time"
		}
	}
	return "string"
}

// String is the sketch as [object] writes what is wanted.
func (k *sketch) String() string {
	kinds := slices.Collect(maps.Keys(k.kinds))
	if k.elements != nil {
		kinds = append(kinds, list(k.elements.String()))
	}
	if k.objects > 0 {
		o := object{}
		for name, member := range k.members {
			if member.met < k.objects {
				name += "?" // some do not have it
			}
			o[name] = member.String()
		}
		kinds = append(kinds, o.String())
	}
	slices.Sort(kinds)
	return strings.Join(kinds, "|")
}

// An object is what a JSON object looks like: its members and their kinds.
type object map[string]string

// String writes the members in the order of their names.
func (o object) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		all = append(all, name+": "+o[name])
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// with is the object with more members, or others.
func (o object) with(more object) object {
	all := maps.Clone(o)
	maps.Copy(all, more)
	return all
}

func list(element string) string { return "[" + element + "]" }

// either is what is one of some kinds.
func either(kinds ...string) string {
	slices.Sort(kinds)
	return strings.Join(kinds, "|")
}
