package history

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// NewLog finds the fields whose values a history records: those that a view of a verb shows, but for the
// primary key, the columns that change with every write, and those of Except. Columns that no view shows are left out,
// because they may be secrets, such as the hash of a password.
func NewLog(r *table.Resource, d declare.History, fault func(error)) *Log {
	l := &Log{Resource: r, NotNoted: []string{r.Counts()}, Insertion: NewInsertion()}
	for _, f := range []*schema.Field{r.Updated, r.Created} {
		if f != nil {
			l.NotNoted = append(l.NotNoted, f.Name)
		}
	}
	except := map[string]bool{}
	for _, name := range d.Except {
		f, err := r.Field(name)
		if err != nil {
			fault(err)
			continue
		}
		except[f.Column.Name] = true
	}
	for _, name := range shownNames(r) {
		f := r.Names[name]
		known := slices.ContainsFunc(l.Fields, func(other query.Field) bool { return other.Column == f.Column })
		if !known && f.Column != r.Pk && !except[f.Column.Name] && !slices.Contains(l.NotNoted, f.Column.Name) {
			l.Fields = append(l.Fields, f)
		}
	}
	return l
}

// shownNames lists the names of the columns that views of the verbs show as they are stored, sorted. An answer that
// a function computes may mask a column, and one that is not stored for retries has a secret.
func shownNames(r *table.Resource) (names []string) {
	computed := map[reflect.Type]bool{}
	for _, v := range r.Declaration.Verbs {
		computed[v.Out] = computed[v.Out] || v.Kind != declare.VerbShows && v.Kind != declare.VerbAccepts || v.Secret
	}
	for _, v := range r.Declaration.Verbs {
		if v.Out == nil || v.Out.Kind() != reflect.Struct || computed[v.Out] {
			continue
		}
		for f := range r.API.Config.Case.Fields(v.Out) {
			name := naming.JSONName(f)
			if known, ok := r.Names[name]; ok && known.Column == bunmodel.ColumnOf(r.Table, f.Name) && f.Tag.Get("from") == "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
