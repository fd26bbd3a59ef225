package framework

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// Lists declares GET {path}/{name}/: a list of the viewset with fewer rows, such as a feed. It has
// everything that the verb List has: scope, filters, searches, orders and pages. Out shows a row.
//
//	framework.Lists[ArticleView]("feed").Where("exists(author.followers,mine)")
//
// [CollectionAction.Where] and [CollectionAction.Narrow] say which rows it has. Filters, orders and
// pagination are those of the viewset, unless [CollectionAction.Filter],
// [CollectionAction.Order] and [CollectionAction.Paginate] set others.
func Lists[Out any](name string) CollectionAction {
	return CollectionAction{declare.Action{
		Name: name, Method: http.MethodGet, In: reflect.TypeFor[input.None](), Out: reflect.TypeFor[Out](), List: declare.List{Declared: true},
	}}
}

// Where narrows [Lists] to the rows that meet every condition. A condition is
// exists(relation.path), exists(relation.path,mine) or a boolean field:
// "exists(author.followers,mine)", "published", "author.verified". The names are those of a
// filter. mine stands for related rows whose owner is the caller; an anonymous caller has none.
func (a CollectionAction) Where(conditions ...string) CollectionAction {
	a.declared.List.Where = append(slices.Clip(a.declared.List.Where), conditions...)
	return a
}

// Narrow narrows [Lists] by a function, which adds conditions to the query as that of [Find]. It
// is called for the rows and again for their number.
func (a CollectionAction) Narrow(fn func(*call.Call, *bun.SelectQuery) *bun.SelectQuery) CollectionAction {
	a.declared.List.Narrow = append(slices.Clip(a.declared.List.Narrow), fn)
	return a
}

// Order sets the orders of [Lists].
func (a CollectionAction) Order(o Ordering) CollectionAction {
	declared := o.declare()
	a.declared.List.Ordering = &declared
	return a
}

// Filter sets the filters of [Lists]. Without arguments it has none.
func (a CollectionAction) Filter(fs ...query.Filter) CollectionAction {
	a.declared.Filters = naming.Given(fs)
	return a
}

// Paginate sets the pagination class of [Lists].
func (a CollectionAction) Paginate(p query.Pagination) CollectionAction {
	a.declared.Pagination = p
	return a
}
