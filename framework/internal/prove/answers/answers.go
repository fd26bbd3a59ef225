// Package answers reads and compares the answers that a proof gets.
package answers

import (
	"encoding/json"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/sample"
)

// Difference returns the lines of an answer that another one lacks, and those of the other one.
func Difference(one, name, other string) string {
	lacks := func(text, of string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return slices.Contains(strings.Split(of, "\n"), line)
		}), "\n")
	}
	mine, theirs := lacks(one, other), lacks(other, one)
	// Of two long lines that begin in the same way, it shows what follows.
	const before = 60
	same := 0
	for same < min(len(mine), len(theirs)) && mine[same] == theirs[same] {
		same++
	}
	if same > before && !strings.Contains(mine[:same], "\n") {
		mine, theirs = "…"+mine[same-before:], "…"+theirs[same-before:]
	}
	return sample.Clip(mine) + "\n--- and " + name + ":\n" + sample.Clip(theirs)
}

// Objects lists the rows of an answer: the objects of a list, or the object of one row.
func Objects(e *exchange.Endpoint, value any) (all []map[string]any) {
	whole, isObject := value.(map[string]any)
	inner, isInner := whole[e.AnswerIn].(map[string]any)
	single := e.Pagination == nil && (e.Bulk == nil || e.Bulk.Each) // the answer for several items one by one counts as that for the last
	switch {
	case single && isInner:
		return []map[string]any{inner}
	case single:
		return []map[string]any{whole}
	case !isObject:
		whole = map[string]any{"": value}
	}
	for _, one := range whole {
		items, _ := one.([]any)
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				all = append(all, object)
			}
		}
	}
	return all
}

// ValueIn returns the first value of a member of some objects that counts something; nil without one.
func ValueIn(objects []map[string]any, name string) any {
	for _, object := range objects {
		if value := object[name]; !slices.Contains([]any{nil, false, "", json.Number("0")}, value) {
			return value
		}
	}
	return nil
}
