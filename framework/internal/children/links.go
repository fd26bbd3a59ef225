package children

import (
	"iter"
	"net/http"
	"reflect"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Links add and remove single links of a many-to-many relation, at a path with two keys.
type Links struct {
	Status int // of a success

	list *keyList
	of   *table.Resource
}

// BindLinks finds the relation of an action of Links: its name, and a column of its rows after a
// dot. It reports hooks that would be skipped.
func BindLinks(r *table.Resource, path string, fault func(error)) (*Links, error) {
	name, column, _ := strings.Cut(path, ".")
	related, err := r.Relations.Base().ByName(name)
	switch {
	case err != nil:
		return nil, err
	case related.Schema.Type != schema.ManyToManyRelation:
		return nil, naming.Sentence("%q is not a many-to-many relation; give its rows a viewset, whose endpoints create and delete them", name)
	}
	if err := checkBase(related); err != nil {
		return nil, err
	}
	of := &keyList{relation: related, key: related.Schema.JoinPKs[0]}
	of.name = of.key
	if column != "" {
		f, err := related.Base().Field(column)
		if err != nil {
			return nil, err
		}
		of.name = f.Column
	}
	modelhook.OfSelect().Check(r.Model, fault)
	if f, err := r.Relations.Base().FieldAt(of.sought()); err == nil {
		r.Seeks("links "+name, false, []query.Field{f})
	}
	return &Links{list: of, of: r}, of.bindLinks(r, fault)
}

// Key is the column of the second key.
func (l *Links) Key() *schema.Field { return l.list.name }

// Doc describes a method to clients.
func (l *Links) Doc(method string) string {
	one := naming.Singular(l.list.relation.Name)
	if method == http.MethodPut {
		return "Add a " + one + ". If it is there already, nothing changes."
	}
	return "Remove a " + one + ". If it is not there, nothing changes."
}

// Methods yields the methods and the functions that serve them.
func (l *Links) Methods() iter.Seq2[string, func(*call.Call, *table.Request) (*table.Response, error)] {
	return func(yield func(string, func(*call.Call, *table.Request) (*table.Response, error)) bool) {
		if yield(http.MethodPut, l.serve(l.add)) {
			yield(http.MethodDelete, l.serve(l.remove))
		}
	}
}

// Refuses lists the error codes of a method that depend on the links.
func (l *Links) Refuses(method string) []string {
	if method == http.MethodDelete {
		return []string{problem.CodeReferenced}
	}
	return nil
}

// serve finds the row and the related row of a request and runs change, in one transaction. If that
// changes anything, it counts the changes of the row up.
func (l *Links) serve(
	change func(c *call.Call, row reflect.Value, key any) (changed bool, err error),
) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		err := c.InTx(func(c *call.Call) error {
			row, err := l.of.ModelOf(c, r)
			if err != nil {
				return err
			}
			found, err := l.list.find(c, []any{r.Other})
			if err != nil {
				return err
			}
			key, ok := found[r.Other]
			if !ok {
				return problem.NotFound()
			}
			if changed, err := change(c, row, key); err != nil || !changed {
				return err
			}
			return store.CountUp(c, l.of, row.Elem())
		})
		return &table.Response{Status: l.Status}, err
	}
}

func (l *Links) add(c *call.Call, row reflect.Value, key any) (bool, error) {
	return l.list.link(c, row, []any{key})
}

func (l *Links) remove(c *call.Call, row reflect.Value, key any) (bool, error) {
	return l.list.unlink(c, row, map[any]bool{key: true})
}
