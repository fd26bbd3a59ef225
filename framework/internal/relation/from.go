package relation

import (
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// A From is what the tag from of a view's field names: related rows, a column of related rows, or
// a function of them.
type From struct {
	Path Path // empty for an expression of the row itself
	End  Base // the rows at the end of the path
	// Column is a column or an expression of the rows at the end. It is nil for the rows
	// themselves.
	Column *query.Field
	// Order lists the terms by which a list is ordered, separated by commas. It may be empty.
	Order string
	// Limit is the greatest number of rows for each row of the view. 0 is no limit.
	Limit int64
	// Function is nil if the field shows the rows or the column.
	Function *Function
}

// ReadFrom reads a tag from:
//
//	comments,order=-created_at,limit=3
//	tags.name,order=name
//	author.name
//	exists(votes,mine)
//	initial
//
// The last is an expression of the viewset. Several terms of an order are separated by spaces. The
// error of an unknown name suggests the nearest one.
func (b Base) ReadFrom(tag string) (From, error) {
	if name, rest, ok := strings.Cut(tag, "("); ok && !strings.Contains(name, ",") {
		return b.readFunction(name, rest)
	}
	path, options, _ := strings.Cut(tag, ",")
	f, err := b.pathTo(path)
	if err != nil || options == "" {
		return f, err
	}
	for option := range strings.SplitSeq(options, ",") {
		if err := f.set(option); err != nil {
			return f, err
		}
	}
	if !f.Path.ToMany() {
		return f, naming.Sentence("%q leads to one row; order and limit are for a list", path)
	}
	return f, nil
}

// fromOptions are the options of a list.
var fromOptions = []string{"order", "limit"}

// set sets an option of a list.
func (f *From) set(option string) (err error) {
	name, value, _ := strings.Cut(option, "=")
	switch {
	case !slices.Contains(fromOptions, name):
		return naming.Sentence("no option %q; the options of a list are order and limit%s", name, naming.DidYouMean(name, fromOptions))
	case name == "order" && f.Order == "" && strings.TrimSpace(value) != "":
		f.Order = strings.Join(strings.Fields(value), ",")
		return nil
	case name == "order":
		return naming.Sentence("the option order is given once, with the columns to order by, separated by spaces, such as \"order=-created_at title\"")
	case f.Limit != 0:
		return naming.Sentence("the option limit is given twice; leave one out")
	}
	if f.Limit, err = strconv.ParseInt(value, 10, 32); err != nil || f.Limit < 1 {
		return naming.Sentence("the limit %q must be a number from 1, such as \"limit=3\"", value)
	}
	return nil
}

// expression finds a declared expression of the rows themselves.
func (b Base) expression(name string) (query.Field, bool) {
	if !b.whole() {
		return query.Field{}, false
	}
	f, ok := b.set.Expressions[name]
	return f, ok && !f.Aggregate
}

// pathTo finds the rows or the column that a path names.
func (b Base) pathTo(path string) (f From, err error) {
	before, last := "", path
	f.End = b
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		before, last = path[:at], path[at+1:]
		if f.Path, f.End, err = b.Walk(before); err != nil {
			return f, err
		}
	}
	r, err := f.End.ByName(last)
	if err == nil {
		f.Path, f.End = append(f.Path, r), r.Base()
		return f, nil
	}
	if own, found := b.expression(path); found {
		f.Column = &own
		return f, nil
	}
	if column, _ := bunmodel.Named(b.table, path); before == "" && column != nil && fieldNamed(b.table, path) == "" {
		const detail = "%q is a column of %s itself, and from is for related rows and expressions; leave the tag out, and name the field %s, of the type %s"
		return f, naming.Sentence(detail, path, b.table.Type.Name(), column.GoName, column.StructField.Type)
	}
	if before == "" || fieldNamed(f.End.table, last) != "" {
		if near := naming.DidYouMean(path, b.expressions()); before == "" && near != "" && fieldNamed(b.table, path) == "" {
			err = naming.Sentence("no relation or expression %q in %s%s", path, b.table.Type.Name(), near)
		}
		return f, err
	}
	column, err := b.FieldAt(path)
	if err != nil {
		return f, err
	}
	f.Column = &column
	return f, nil
}
