package framework

import (
	"net/http"
	"reflect"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
)

// Toggle declares PUT and DELETE {path}/{id}/{name}/, for likes, follows and stars. PUT inserts
// the caller's own row of a relation, and DELETE deletes it. Both may be repeated: a row that
// exists, or does not exist any more, is no error.
//
//	framework.Toggle[Article, framework.None]("favorite", "favorites", "user_id")
//
// relation is a has-many or a many-to-many relation that [ViewSet.Relations] lists. owner is the
// column with the caller's id: of the related rows or, for many-to-many, of the join table. With
// Out [None] the answer is 204. With a view of the viewset it is 200 and the object after the change,
// whose members may be `from:"count(favorites)"` and `from:"exists(favorites,mine)"`.
//
// The object is one that the caller may see, whatever Writers: [Action.ByReaders] is not needed. An
// anonymous caller gets 401. The new row has the values that [Insert] sets. The scope of the
// relation's viewset applies to the row: one that the caller could not see is 403 forbidden and is
// not inserted. Its permissions do not apply. Any other column has its zero value.
//
// The foreign key and the owner need a unique index, which [API.Indexes] lists: with it,
// concurrent requests insert one row, and without it, PUT is the error 500. Rows that are deleted
// softly are a mistake. [Action.ID] names the operation of PUT.
func Toggle[M, Out any](name, relation, owner string) Action[M] {
	return Action[M]{declare.Action{
		Name: name, Method: http.MethodPut, OnObject: true, In: reflect.TypeFor[input.None](), Out: reflect.TypeFor[Out](),
		Toggle: &declare.Toggle{Relation: relation, Owner: owner},
	}}
}
