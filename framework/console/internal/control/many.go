package control

import (
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/input"
)

// ListsPermissions reports whether a field of an input is a list of names of permissions.
func ListsPermissions(f *input.Field) bool {
	t := TypeOf(f)
	return t.Kind() == reflect.Slice && t.Elem() == reflect.TypeFor[call.PermissionName]()
}

// Offer makes the control a list of options. A person chooses any number of them.
func (c *Control) Offer(options []Option) {
	c.Kind, c.Options, c.Find = "many", options, ""
	c.Choose()
}

// chooseMany marks the options among the lines of the value, and adds an option for each other line. It puts
// the lines in the order of the options, so that equal choices are equal values.
func (c *Control) chooseMany() {
	chosen := strings.FieldsFunc(c.Value, func(r rune) bool { return r == '\n' })
	var lines []string
	for i := range c.Options {
		o := &c.Options[i]
		if o.Chosen = slices.Contains(chosen, o.Value); o.Chosen {
			lines = append(lines, o.Value)
		}
	}
	for _, one := range chosen {
		if !slices.Contains(lines, one) {
			lines = append(lines, one)
			c.Options = append(c.Options, Option{Value: one, Text: one, Chosen: true})
		}
	}
	c.Value = strings.Join(lines, "\n")
}
