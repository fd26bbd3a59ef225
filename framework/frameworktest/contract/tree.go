package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A tree is a JSON document, read by JSON Pointers.
type tree struct{ root any }

func readTree(document []byte) (*tree, error) {
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	t := &tree{}
	return t, d.Decode(&t.root)
}

// at returns the value at a place, or nil.
func (t *tree) at(place string) any {
	value := t.root
	for _, name := range strings.Split(place, "/")[1:] {
		switch of := value.(type) {
		case map[string]any:
			value = of[strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(of) {
				return nil
			}
			value = of[i]
		default:
			return nil
		}
	}
	return value
}

func (t *tree) object(place string) map[string]any { o, _ := t.at(place).(map[string]any); return o }

func (t *tree) list(place string) []any { l, _ := t.at(place).([]any); return l }

// follow resolves the references at a place.
func (t *tree) follow(place string) string {
	for range 32 {
		to, refers := t.object(place)["$ref"].(string)
		if !refers {
			break
		}
		place = strings.TrimPrefix(to, "#")
	}
	return place
}

// pointer returns a JSON Pointer.
func pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// kindsOf returns the types of a schema.
func kindsOf(t *tree, place string) (kinds []string) {
	switch kind := t.at(t.follow(place) + "/type").(type) {
	case string:
		return []string{kind}
	case []any:
		for _, one := range kind {
			kinds = append(kinds, fmt.Sprint(one))
		}
	}
	return kinds
}
