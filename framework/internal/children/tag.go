package children

import (
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
)

const (
	usualLimit = 100 // items of a list without a limit of its own
	mostLimit  = 1000
)

// A tag is the tag to of a field: a relation, and how the list sets its rows.
type tag struct {
	relation string
	column   string // the natural key of many-to-many rows, "" for the primary key
	create   bool
	limit    int    // 0 without one
	position string // the column that has the place of a row, "" without one
}

// options are the options of the tag.
var options = []string{"create", "limit", "position"}

// readTag reads a tag to:
//
//	parts,limit=50,position=rank
//	tags.name,create
func readTag(text string) (t tag, err error) {
	path, rest, more := strings.Cut(text, ",")
	t.relation, t.column, _ = strings.Cut(path, ".")
	if strings.Contains(t.column, ".") {
		return t, naming.Sentence("%q leads over two relations; a list sets the rows of one", path)
	}
	if !more {
		return t, nil
	}
	for option := range strings.SplitSeq(rest, ",") {
		if err := t.set(option); err != nil {
			return t, err
		}
	}
	return t, nil
}

// set sets an option.
func (t *tag) set(option string) (err error) {
	name, value, has := strings.Cut(option, "=")
	switch {
	case !slices.Contains(options, name):
		return naming.Sentence("no option %q; the options of to are create, limit and position%s", name, naming.DidYouMean(name, options))
	case t.has(name):
		return naming.Sentence("the option %s is given twice; leave one out", name)
	case name == "create" && has:
		return naming.Sentence("the option create has no value; write it alone, such as \"tags.name,create\"")
	case name == "create":
		t.create = true
	case name == "position" && value == "":
		return naming.Sentence("the option position names a column, such as \"position=rank\"")
	case name == "position":
		t.position = value
	default:
		if t.limit, err = strconv.Atoi(value); err != nil || t.limit < 1 || t.limit > mostLimit {
			return naming.Sentence("the limit %q must be a number from 1 to %d, such as \"limit=50\"", value, mostLimit)
		}
	}
	return nil
}

// has reports whether an option is set.
func (t *tag) has(option string) bool {
	switch option {
	case "create":
		return t.create
	case "position":
		return t.position != ""
	default:
		return t.limit != 0
	}
}

// bound gives the field the rule of its limit: that of the tag, that of the rule max, or the usual
// one.
func (t *tag) bound(f *input.Field) error {
	own := rule.Rule{Name: "max", Param: strconv.Itoa(t.limit)}
	declared := rule.MaxItems(f.Rules)
	switch {
	case t.limit > 0 && declared >= 0 && !slices.Contains(f.Rules, own):
		return naming.Sentence("it has the option limit and a rule about the number of items; leave one out")
	case declared > mostLimit:
		return naming.Sentence("a list has at most %d items; lower the rule max", mostLimit)
	case declared < 0 && t.limit == 0:
		own.Param = strconv.Itoa(usualLimit)
	case declared >= 0:
		return nil
	}
	f.Add(own)
	return nil
}
