package expression

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// The limits of an expression without a declaration.
const (
	defaultLength      = 1000
	defaultDepth       = 5
	defaultComparisons = 20
	defaultRelated     = 3
)

// The greatest limits that a declaration may have. A longer query string is an error 414, and a deeper statement is beyond the limits of
// SQLite.
const (
	mostLength      = 8000
	mostDepth       = 50
	mostComparisons = 200
	mostRelated     = 100
)

// A Bound is a declaration with its fields. It does not change once it is bound.
type Bound struct {
	Param  string
	Limits Limits
	Fields []Field // in the order of the declaration
	root   *level
}

// A Field is a field that an expression may use.
type Field struct {
	query.Field

	ToMany bool // a row may have several related rows with the field
}

// A level has the fields that a part of an expression may use: those of the row of the list or, in parentheses after
// a relation, of a related row.
type level struct {
	fields  map[string]query.Field
	below   map[string]*level // by the path of the relation
	related query.RelatedRows // the rows of the level, seen from the level above; nil for the row of the list
}

// Bind finds the fields of a declaration, and reports each mistake. It returns nil for a declaration without fields.
func Bind(source query.Source, d declare.FilterExpression, fault func(error)) *Bound {
	limits := limitsOf(d, fault)
	if len(d.Fields) == 0 {
		if d.MaxLength != 0 || d.MaxDepth != 0 || d.MaxComparisons != 0 || d.MaxRelated != 0 || d.Param != "" {
			fault(naming.Sentence("Fields is empty; list the fields that clients may use, or leave FilterExpression out"))
		}
		return nil
	}
	b := &Bound{Param: cmp.Or(d.Param, "filter"), Limits: limits}
	var names []string
	for i, name := range d.Fields {
		f, err := find(source, name)
		if err == nil && slices.Contains(d.Fields[:i], name) {
			err = naming.Sentence("Fields has %q twice", name)
		}
		if err != nil {
			fault(err)
			continue
		}
		names = append(names, name)
		b.Fields = append(b.Fields, Field{f, f.Related != nil && f.Related.ToMany()})
	}
	root, err := newLevel(source, names)
	if err != nil {
		fault(err)
	}
	b.root = root
	return b
}

// limitsOf reads the limits of a declaration, and reports each one that is less than 0 or beyond its greatest value.
func limitsOf(d declare.FilterExpression, fault func(error)) Limits {
	limit := func(setting string, value, usual, most int) int {
		if value < 0 || value > most {
			fault(naming.Sentence("%s is %d; it must be from 1 to %d, or left out for the default, %d", setting, value, most, usual))
		}
		return cmp.Or(value, usual)
	}
	return Limits{
		limit("MaxLength", d.MaxLength, defaultLength, mostLength), limit("MaxDepth", d.MaxDepth, defaultDepth, mostDepth),
		limit("MaxComparisons", d.MaxComparisons, defaultComparisons, mostComparisons), limit("MaxRelated", d.MaxRelated, defaultRelated, mostRelated),
	}
}

// find finds a declared field. It is a mistake if no expression can have its name or a value of its type.
func find(source query.Source, name string) (query.Field, error) {
	if strings.Contains(name, "(") {
		return query.Field{}, naming.Sentence("%q is a function of related rows, and expressions have no functions; show it in a view under a name, and list that name", name)
	}
	f, err := source.FieldAt(name)
	if err != nil {
		return f, err
	}
	words := strings.Split(strings.ToUpper(name), ".")
	reserved := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"AND", "OR", "NOT", "TRUE", "FALSE", "NULL"}, w) })
	switch {
	case !plainPath.MatchString(name):
		return f, naming.Sentence("no expression can have the name %q; a name has letters, digits and _", name)
	case reserved >= 0:
		return f, naming.Sentence("no expression can have the name %q, because %s is a word of the language", name, words[reserved])
	}
	return f, f.Readable()
}

// newLevel finds fields and the relations that lead to them.
func newLevel(source query.Source, names []string) (*level, error) {
	l := &level{fields: map[string]query.Field{}, below: map[string]*level{}}
	rests := map[string][]string{}
	for _, name := range names {
		f, err := source.FieldAt(name)
		if err != nil {
			return nil, err
		}
		l.fields[name] = f
		for at, r := range name {
			if r == '.' {
				rests[name[:at]] = append(rests[name[:at]], name[at+1:])
			}
		}
	}
	for relation, below := range rests {
		related, rows, err := source.Relation(relation)
		if err == nil {
			l.below[relation], err = newLevel(related, below)
		}
		if err != nil {
			return nil, err
		}
		l.below[relation].related = rows
	}
	return l, nil
}

// names lists what an expression may name, sorted.
func (l *level) names() []string {
	return slices.Sorted(maps.Keys(l.fields))
}

// relations lists the relations before parentheses, sorted.
func (l *level) relations() []string { return slices.Sorted(maps.Keys(l.below)) }

// Parameter describes the query parameter.
func (b *Bound) Parameter() query.Param {
	var fields []string
	for _, f := range b.Fields {
		fields = append(fields, f.Name+" ("+describe(f)+")")
	}
	doc := "Only rows for which this expression is true. A comparison is a field, an operator and a value: = and !=, or <, <=, > and >= with an order. " +
		"A text, a time, a date and an id are in double quotes with the escapes of JSON; numbers, true, false and null are not. " +
		"AND, OR and NOT join comparisons; AND beside OR needs parentheses. "
	if relations := b.root.relations(); len(relations) > 0 {
		doc += fmt.Sprintf("A field of several related rows is compared for some row; %s(...) is about one row. ", relations[0])
	}
	doc += fmt.Sprintf("At most %d comparisons, %d of them about several related rows, and parentheses %d deep. The fields are %s.",
		b.Limits.Comparisons, b.Limits.Related, b.Limits.Depth, strings.Join(fields, ", "))
	return query.Param{Name: b.Param, Doc: doc, MaxLength: b.Limits.Length}
}

// describe says in a few words which values a field has.
func describe(f Field) string {
	text := map[form]string{
		formText: "text", formTime: "time", formUUID: "UUID", formNumber: "number", formBoolean: "true or false", formOwn: "value",
	}[formOf(f.Field)]
	if len(f.Enum) > 0 {
		quoted := make([]string, len(f.Enum))
		for i, word := range f.Enum {
			quoted[i] = strconv.Quote(word)
		}
		text = strings.Join(quoted, " or ")
	}
	if f.Ordered() {
		text += ", ordered"
	}
	return text
}
