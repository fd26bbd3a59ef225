package relation

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// AddExpression adds a declared expression under a name: a SQL text with values for its
// placeholders, and the type of its result. In the text, ?TableAlias is the table of the row. A
// result of a numeric type is rounded to its places.
func (s *Set) AddExpression(name string, result reflect.Type, text string, values []any) error {
	enum, err := datatype.EnumValues(naming.Indirect(result))
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(text) == "":
		return naming.Sentence("its SQL is empty; write framework.SQL[int64](\"?TableAlias.price * ?TableAlias.quantity\")")
	case strings.Contains(name, "."):
		return naming.Sentence("a name with a dot is a path over a relation; name it with letters, digits and _")
	}
	if _, err := s.viewset.Field(name); err == nil {
		return naming.Sentence("a field has this name already; choose another")
	}
	if goName := fieldNamed(s.table, name); goName != "" {
		return naming.Sentence("the relation %s has this name already; choose another", goName)
	}
	text = "(" + text + ")"
	if places, numeric := placesOf(naming.Indirect(result)); numeric {
		text = rounded(text, places)
	}
	sql := bun.SafeQuery(text, values...)
	s.Expressions[name] = query.Field{
		Name: name, GoName: name, Type: naming.Indirect(result), Enum: datatype.ValueWords(enum), Nullable: true, Alias: s.table.Alias,
		Expression: func(_ *call.Call, alias string) schema.QueryAppender { return aliased(alias, sql) },
	}
	return nil
}

// An appended writes a part of a statement.
type appended func(gen schema.QueryGen, b []byte) ([]byte, error)

// AppendQuery implements [schema.QueryAppender].
func (a appended) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) { return a(gen, b) }

// aliased writes SQL in which ?TableAlias is an alias, whatever statement it is part of.
func aliased(alias string, sql schema.QueryAppender) schema.QueryAppender {
	return appended(func(gen schema.QueryGen, b []byte) ([]byte, error) {
		return sql.AppendQuery(gen.WithNamedArg("TableAlias", bun.Ident(alias)), b)
	})
}
