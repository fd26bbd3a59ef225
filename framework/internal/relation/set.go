package relation

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// A Set has the relations that a viewset lists. It is complete before the first request, and safe
// for concurrent use from then on.
type Set struct {
	// Expressions are the declared expressions of the viewset.
	Expressions map[string]query.Field

	viewset  Viewset
	path     string // of the viewset
	table    *schema.Table
	snake    bool // names have the form cheapest_variant, not cheapestVariant
	registry Registry
	byName   map[string]*Relation
	byField  map[string]*Relation // by the names of the Go fields: "Parts" or, below a relation, "parts.Product"
	unclear  map[string]error     // names that views give to different values
	used     []query.Field
	sealed   bool
}

// A Registry finds viewsets. Its methods are called while an API is bound.
type Registry interface {
	// Viewset finds a viewset and its model by its path. The error suggests the nearest path.
	Viewset(path string) (Viewset, reflect.Type, error)
	// Serving lists the paths of the viewsets that serve a model.
	Serving(model reflect.Type) []string
}

// NewSet makes the set of a viewset without relations. path is the viewset's path. fields are the
// names that clients use, which decide the case of suggested names.
func NewSet(registry Registry, v Viewset, path string, table *schema.Table, fields []string) *Set {
	return &Set{
		Expressions: map[string]query.Field{}, viewset: v, path: path, table: table, registry: registry,
		snake:  !slices.ContainsFunc(fields, func(name string) bool { return strings.ToLower(name) != name }),
		byName: map[string]*Relation{}, byField: map[string]*Relation{}, unclear: map[string]error{},
	}
}

// Base is the rows of the viewset.
func (s *Set) Base() Base { return Base{set: s, table: s.table} }

// All lists the relations, sorted by name.
func (s *Set) All() []*Relation {
	return slices.SortedFunc(maps.Values(s.byName), func(a, b *Relation) int { return strings.Compare(a.Name, b.Name) })
}

// Holders lists the tables whose rows show rows of a table as their parts by these relations, whatever scope the caller
// has, in no order. links reports whether the table is the join table of one of the relations.
func (s *Set) Holders(table string) (holders []string, links bool) {
	for _, r := range s.byName {
		between := r.Schema.M2MTable
		joins := between != nil && between.Name == table
		if r.Schema.JoinTable.Name == table || joins && r.Target == nil {
			holders = append(holders, r.Holder().Name)
		}
		links = links || joins
	}
	return holders, links
}

// Used lists the columns of related rows that paths of the viewset found before [Set.Seal].
func (s *Set) Used() []query.Field { return s.used }

// Seal ends the notes of [Set.Used]. Requests find paths too, several at a time.
func (s *Set) Seal() { s.sealed = true }

// use notes the column of a path.
func (s *Set) use(f query.Field) {
	if !s.sealed {
		s.used = append(s.used, f)
	}
}

// Bind adds the declared relations, by their names. It calls fault for each mistake.
func (s *Set) Bind(declared map[string]string, fault func(error)) {
	names := slices.SortedFunc(maps.Keys(declared), func(a, b string) int { // a relation before those below it
		return cmp.Or(cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")), strings.Compare(a, b))
	})
	for _, name := range names {
		if err := s.add(name, declared[name]); err != nil {
			fault(naming.Sentence("%q: %w", name, err))
		}
	}
}

func (s *Set) add(name, ref string) error {
	base, last, err := s.parent(name)
	if err != nil {
		return err
	}
	goName := fieldNamed(base.table, last)
	if goName == "" {
		return naming.Sentence("no relation %q in %s%s", last, base.table.Type.Name(), naming.DidYouMean(last, base.names()))
	}
	if other := s.byField[base.prefix+goName]; other != nil {
		return naming.Sentence("%s.%s is listed as %q too; a relation has one name", base.table.Type.Name(), goName, other.Name)
	}
	r, err := s.relate(base, name, base.table.Relations[goName], ref)
	if r != nil {
		s.byName[name], s.byField[base.prefix+goName] = r, r
	}
	return err
}

// parent finds the rows that have the relation of a name, and the last part of the name.
func (s *Set) parent(name string) (base Base, last string, err error) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return s.Base(), name, nil
	}
	above := s.byName[name[:at]]
	switch {
	case above == nil:
		return base, "", naming.Sentence("%q is not listed; list it first", name[:at])
	case above.Target != nil:
		return base, "", naming.Sentence("%q leads to another viewset, which lists its own relations; list %q there", name[:at], name[at+1:])
	}
	return above.Base(), name[at+1:], nil
}

// BelongsTo finds a belongs-to relation of the viewset's model by its name, for a viewset below
// another one. The viewset need not list it.
func (s *Set) BelongsTo(name string) (*schema.Relation, error) {
	goName := fieldNamed(s.table, name)
	described := s.table.Relations[goName]
	switch {
	case described == nil:
		return nil, naming.Sentence("no relation %q in %s%s", name, s.table.Type.Name(), naming.DidYouMean(name, s.Base().names()))
	case described.Type != schema.BelongsToRelation:
		return nil, naming.Sentence("%s.%s is no belongs-to relation; the rows must have the key of their parent", s.table.Type.Name(), goName)
	}
	if err := checkKeys(s.table, described); err != nil {
		return nil, naming.Sentence("the relation %q: %w", name, err)
	}
	return described, nil
}

// relate makes a relation of a base. ref is the path of the viewset whose scope narrows it, or
// [OfRow]. If ref is a mistake and one viewset could be meant, it returns the relation to that viewset
// beside the error, so that the uses of the relation are not reported too.
func (s *Set) relate(base Base, name string, described *schema.Relation, ref string) (*Relation, error) {
	if err := checkKeys(base.table, described); err != nil {
		return nil, err
	}
	// bun describes the relations of the related rows only if it is given their model too.
	if _, err := TableOf(described.JoinTable.Dialect().Tables(), described.JoinTable.Type); err != nil {
		return nil, err
	}
	r := &Relation{Name: name, Schema: described, base: base.table, set: s}
	if ref == OfRow {
		return r, nil
	}
	target, model, err := s.registry.Viewset(ref)
	switch {
	case ref == "":
		err = naming.Sentence("it has no viewset; write %s", s.choices(described))
	case err != nil: // it suggests a path
	case model != described.JoinTable.Type:
		err = naming.Sentence("%q serves %s, the relation leads to %s", ref, model.Name(), described.JoinTable.Type.Name())
	default:
		r.Target = target
		return r, nil
	}
	serving := s.registry.Serving(described.JoinTable.Type)
	if len(serving) != 1 {
		return nil, err
	}
	r.Target, _, _ = s.registry.Viewset(serving[0]) // it is registered
	return r, err
}

// unlisted is the error of a relation that is used and that the viewset does not list.
func (s *Set) unlisted(prefix string, r *schema.Relation) error {
	name := prefix + s.nameOf(prefix, r)
	return naming.Sentence("the relation %q is not listed; add %q: %s to Relations of %s", name, name, s.choices(r), s.path)
}

// choices lists the values that a declaration may give a relation: the viewsets of its model or,
// without one, framework.OfRow.
func (s *Set) choices(r *schema.Relation) string {
	serving := s.registry.Serving(r.JoinTable.Type)
	if len(serving) == 0 {
		return "framework.OfRow"
	}
	for i, path := range serving {
		serving[i] = strconv.Quote(path)
	}
	return strings.Join(serving, " or ")
}

// nameOf is the name of a relation below a prefix: the listed one, or the name of its Go field in
// the case of the viewset.
func (s *Set) nameOf(prefix string, r *schema.Relation) string {
	if listed := s.byField[prefix+r.Field.GoName]; listed != nil {
		return strings.TrimPrefix(listed.Name, prefix)
	}
	name := r.Field.Name
	for i := range name { // the shortest end, without the prefix of the struct that has the relation
		if naming.SameWords(r.Field.GoName, r.Field.Name[i:]) {
			name = r.Field.Name[i:]
		}
	}
	if s.snake {
		return name
	}
	words := strings.Split(name, "_")
	return naming.Camel(words[0], words[1:]...)
}

// fieldNamed is the Go field of the relation that a name means: its words, in the form
// cheapestVariant or cheapest_variant. It is empty without one.
func fieldNamed(table *schema.Table, name string) string {
	for goName := range table.Relations {
		if naming.SameWords(goName, name) {
			return goName
		}
	}
	return ""
}
