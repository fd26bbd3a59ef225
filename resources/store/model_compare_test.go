package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/internal/storetest"
)

// A comparison holds one answer against what the model says of it.
type comparison struct {
	sent, answered time.Time       // by the site's clock
	known          map[string]bool // ids and numbers that were given before
	differences    []string
}

// An unknown is a value that the model cannot compute. It is learned from the first answer
// that has it, and never changes.
type unknown interface {
	learn(text string, c *comparison) string // what is wrong with the text
}

// An identity is an id; no two are the same.
type identity struct{ text string }

func (i *identity) learn(text string, c *comparison) string {
	id, err := uuid.Parse(text)
	return once(&i.text, text, c, err == nil && id.Version() == 7)
}

// A number is that of an order.
type number struct{ text string }

func (n *number) learn(text string, c *comparison) string {
	return once(&n.text, text, c, storetest.Crockford.MatchString(text))
}

// once learns a text that nothing else has.
func once(learned *string, text string, c *comparison, formed bool) string {
	switch {
	case *learned != "" && *learned != text:
		return "want " + *learned
	case !formed:
		return "it is malformed"
	case *learned == "" && c.known[text]:
		return "something else has it already"
	}
	*learned, c.known[text] = text, true
	return ""
}

// A moment is when something was done: while its request was on its way.
type moment struct{ text string }

func (m *moment) learn(text string, c *comparison) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case m.text != "" && m.text != text:
		return "want " + m.text
	case err != nil || !strings.HasSuffix(text, "Z"):
		return "it is no time of UTC"
	case m.text == "" && (at.Before(c.sent.Truncate(time.Microsecond)) || at.After(c.answered)):
		return fmt.Sprintf("want one from %s to %s", c.sent, c.answered)
	}
	m.text = text
	return ""
}

// answer compares a whole answer.
func (c *comparison) answer(want verdict, got *frameworktest.Response) {
	if got.Status() != want.status {
		c.differ("status", got.Status(), fmt.Sprintf("want %d", want.status))
		return
	}
	replayed := got.Headers().Get("Idempotent-Replayed") == "true"
	if replayed != (want.repeats != nil) {
		c.differ("Idempotent-Replayed", replayed, "")
	}
	switch {
	case want.repeats != nil:
		if got.Body() != want.repeats.body {
			c.differ("the repeated body", "\n"+got.Body(), "want\n"+want.repeats.body)
		}
	case want.code != "":
		c.problem(want, decoded(got.Body()))
	default:
		c.value("", want.body, decoded(got.Body()))
	}
}

// decoded is a body with its numbers as they were written.
func decoded(body string) (value any) {
	d := json.NewDecoder(bytes.NewReader([]byte(body)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return err.Error()
	}
	return value
}

// problem compares the parts of an error that the model computes: its code, its details and
// its faults, in any order.
func (c *comparison) problem(want verdict, got any) {
	body, _ := got.(map[string]any)
	c.value("code", want.code, body["code"])
	if want.details == nil {
		c.value("details", nil, body["details"])
	} else {
		c.value("details", want.details, body["details"])
	}
	var faults []string
	list, _ := body["errors"].([]any)
	for _, one := range list {
		fault, _ := one.(map[string]any)
		place := fault["pointer"]
		if place == nil {
			place = fault["parameter"]
		}
		faults = append(faults, fmt.Sprint(place, " ", fault["code"]))
	}
	slices.Sort(faults)
	if wanted := slices.Sorted(slices.Values(want.faults)); !slices.Equal(faults, wanted) {
		c.differ("errors", fmt.Sprintf("%q", faults), fmt.Sprintf("want %q", wanted))
	}
}

// value compares a value of JSON: objects have the same members and lists the
// same elements, in order.
func (c *comparison) value(path string, want, got any) {
	switch want := want.(type) {
	case fields:
		object, ok := got.(map[string]any)
		if !ok {
			c.differ(path, got, "want an object")
			return
		}
		c.members(path, want, object)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			c.differ(path, fmt.Sprintf("%d elements", len(list)), fmt.Sprintf("want %d", len(want)))
		}
		for i := range min(len(list), len(want)) {
			c.value(fmt.Sprintf("%s[%d]", path, i), want[i], list[i])
		}
	case unknown:
		text, ok := got.(string)
		if !ok {
			c.differ(path, got, "want a text")
		} else if wrong := want.learn(text, c); wrong != "" {
			c.differ(path, text, wrong)
		}
	default:
		if written(want) != written(got) {
			c.differ(path, written(got), "want "+written(want))
		}
	}
}

func (c *comparison) members(path string, want fields, got map[string]any) {
	if path != "" {
		path += "."
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, there := got[name]
		if !there {
			c.differ(path+name, "is absent", "")
			continue
		}
		c.value(path+name, want[name], value)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			c.differ(path+name, written(got[name]), "want no such member")
		}
	}
}

// written is a value as JSON has it.
func written(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (c *comparison) differ(path string, got any, want string) {
	c.differences = append(c.differences, strings.TrimSuffix(fmt.Sprintf("%s: %v; %s", path, got, want), "; "))
}

// firstDifferences returns the first differences: one usually causes others.
func (c *comparison) firstDifferences() string {
	const most = 20
	list := c.differences
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "\n  ")
}
