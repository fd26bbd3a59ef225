package totals

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/query"
)

// defaultGroups is the greatest number of groups of one answer without a declaration.
const defaultGroups = 1000

// The members of a row of totals beside the number of rows, which are also the names of the parameters.
const (
	memberGroup = "group"
	memberSum   = "sum"
	memberMin   = "min"
	memberMax   = "max"
)

// A Plan is a declaration of totals with its fields. It does not change once it is bound.
type Plan struct {
	Parts []Part // that of the groups first
	Most  int    // groups of one answer
}

// A Part is a parameter that names fields, and the member of a row of totals with a value for each of them.
type Part struct {
	Member   string
	Param    string
	ParamDoc string
	Doc      string // about the member
	Fields   []Field
}

// A Field is a field that a client may group by or compute a total of.
type Field struct {
	query.Field

	Result   reflect.Type // of the values in an answer, without a pointer
	Nullable bool         // an answer may have null
	// Unbounded: the value may be beyond the bounds that the type has for clients, as a sum.
	Unbounded bool
	measure   measure
}

// Bind finds the fields of a declaration, and reports each mistake. It returns nil for a declaration without fields.
func Bind(source query.Source, d declare.Totals, fault func(error)) *Plan {
	if d.MaxGroups < 0 {
		fault(naming.Sentence("MaxGroups is less than 0; leave it out for the default, %d", defaultGroups))
	}
	if len(d.By) == 0 && (d.MaxGroups != 0 || d.Param != "") {
		fault(naming.Sentence("Param and MaxGroups are about groups, and By is empty; list the fields that clients may group by, or leave both out"))
	}
	p := &Plan{Most: cmp.Or(d.MaxGroups, defaultGroups)}
	for _, of := range kinds(d) {
		part := of.part
		if part.Fields = of.find(source, fault); len(part.Fields) > 0 {
			p.Parts = append(p.Parts, part)
		}
	}
	return p
}

// find finds the fields that a setting names, and reports each mistake.
func (k kind) find(source query.Source, fault func(error)) (fields []Field) {
	for i, name := range k.names {
		f, err := find(source, name, k.measure)
		if err == nil && slices.Contains(k.names[:i], name) {
			err = naming.Sentence("%q is there twice", name)
		}
		if err != nil {
			fault(naming.Sentence("%s: %w", k.setting, err))
			continue
		}
		fields = append(fields, f)
	}
	return fields
}

// A kind is a setting of a declaration, and the part that it makes.
type kind struct {
	setting string
	part    Part
	names   []string
	measure func(query.Field) (Field, error)
}

// kinds lists the settings of a declaration, that of the groups first.
func kinds(d declare.Totals) []kind {
	const groups = "Fields to group by: the answer has a row of totals for each of their values. Without the parameter, there is one row."
	return []kind{
		{"By", partOf(memberGroup, cmp.Or(d.Param, memberGroup), groups, "The values of the fields that all rows of the group have."), d.By, groupBy},
		{"Sum", partOf(memberSum, memberSum, "Fields whose values are added up.", "The sums of the values, 0 without any."), d.Sum, sumOf},
		{"Min", partOf(memberMin, memberMin, "Fields whose least values the answer has.", "The least values."), d.Min, extremeOf("min")},
		{"Max", partOf(memberMax, memberMax, "Fields whose greatest values the answer has.", "The greatest values."), d.Max, extremeOf("max")},
	}
}

// partOf makes a part without fields.
func partOf(member, param, paramDoc, doc string) Part {
	return Part{Member: member, Param: param, ParamDoc: paramDoc, Doc: doc}
}

// find finds a declared field, under the alias of its row in a statement of [relation.JoinRows].
func find(source query.Source, name string, measured func(query.Field) (Field, error)) (Field, error) {
	if strings.Contains(name, "(") {
		return Field{}, naming.Sentence("%q is a function of related rows; show it in a view under a name, and list that name", name)
	}
	f, err := source.FieldAt(name)
	if err != nil {
		return Field{}, err
	}
	switch path := relation.PathOf(f); {
	case path.ToMany():
		return Field{}, naming.Sentence("%q leads to several rows, so a row would count several times; name a column of the row, or of a to-one relation", name)
	case f.Readable() != nil || datatype.IsJSON(f.Type):
		return Field{}, naming.Sentence("field %q is %s; name a field of text, numbers, booleans, times or ids", name, f.Type)
	}
	return measured(relation.Joined(f))
}

// groupBy describes the values of a field as values of groups.
func groupBy(f query.Field) (Field, error) {
	return Field{Field: f, Result: f.Type, Nullable: f.Nullable, measure: asStored(f.Type, "?")}, nil
}

// extremeOf describes the least or the greatest value of a field.
func extremeOf(function string) func(query.Field) (Field, error) {
	return func(f query.Field) (Field, error) {
		if !f.Ordered() {
			const detail = "field %q is %s, which the databases order in different ways; name a field of numbers, times, dates or decimals"
			return Field{}, naming.Sentence(detail, f.Name, f.Type)
		}
		return Field{Field: f, Result: f.Type, Nullable: true, measure: asStored(f.Type, function+"(?)")}, nil
	}
}

// Fields lists the fields of all parts. A nil Plan has no fields.
func (p *Plan) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if p == nil {
			return
		}
		for _, part := range p.Parts {
			for _, f := range part.Fields {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// Params describes the query parameters.
func (p *Plan) Params() (all []query.Param) {
	for _, part := range p.Parts {
		doc := part.ParamDoc
		if part.Member == memberGroup {
			doc += " More than " + strconv.Itoa(p.Most) + " groups are an error 400."
		}
		all = append(all, query.Param{Name: part.Param, Doc: doc, Enum: part.names(), List: true})
	}
	return all
}

// CheckBeside reports a parameter that the list reads too. own are the parameters of the totals, beginning with those of the plan, and a
// name that two of them have is reported already.
func (p *Plan) CheckBeside(own, list []query.Param, fault func(error)) {
	for _, part := range p.Parts {
		has := func(q query.Param) bool { return q.Name == part.Param }
		if slices.ContainsFunc(list, has) && !slices.ContainsFunc(own[len(p.Parts):], has) {
			fault(naming.Sentence("parameter %q is read by the verb List already, and totals would read it as %s; give one of them another name", part.Param, part.Member))
		}
	}
}

// names lists what the parameter may name, in the order of the declaration.
func (p Part) names() []string {
	names := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		names[i] = f.Name
	}
	return names
}
