package relation

import (
	"cmp"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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
// result of a numeric type is rounded to its places, and one of a type of fractions is a fraction.
func (s *Set) AddExpression(name string, result reflect.Type, text string, values []any) error {
	if result == nil {
		return naming.Sentence("it has no SQL; make it by framework.SQL")
	}
	enum, err := datatype.EnumValues(naming.Indirect(result))
	if err := cmp.Or(err, checkText(text, values), s.checkName(name)); err != nil {
		return err
	}
	sql := bun.SafeQuery(typed("("+text+")", naming.Indirect(result)), withPoints(values)...)
	s.Expressions[name] = query.Field{
		Name: name, GoName: name, Type: naming.Indirect(result), Enum: datatype.ValueWords(enum), Nullable: true, Alias: s.table.Alias,
		Expression: func(_ *call.Call, alias string) schema.QueryAppender { return aliased(alias, sql) },
	}
	return nil
}

// typed is SQL whose result the databases return as a type. Without it, a whole number would not be
// read as a float64, and PostgreSQL would compare it with whole numbers only.
func typed(sql string, result reflect.Type) string {
	if places, numeric := placesOf(result); numeric {
		return rounded(sql, places)
	}
	switch stored(result).(type) {
	case float32:
		return "CAST(" + sql + " AS real)"
	case float64:
		return "CAST(" + sql + " AS double precision)"
	}
	return sql
}

// withPoints returns the values of an expression. bun writes the fraction 100.0 as the whole number 100,
// and a division of whole numbers loses its fraction; the point keeps it a fraction.
func withPoints(values []any) []any {
	all := slices.Clone(values)
	for i, v := range all {
		var f float64
		switch v := v.(type) {
		case float32:
			f = float64(v)
		case float64:
			f = v
		default:
			continue
		}
		if f == math.Trunc(f) && !math.IsInf(f, 0) {
			all[i] = bun.SafeQuery("?.0", v)
		}
	}
	return all
}

// placeholder is a placeholder of bun, and the character before it.
var placeholder = regexp.MustCompile(`.?\?[\w(]*`)

// checkText checks the SQL of an expression: there must be a value for each placeholder. It does not
// count if a placeholder has a number or a name of its own.
func checkText(text string, values []any) error {
	if strings.TrimSpace(text) == "" {
		return naming.Sentence("its SQL is empty; write framework.SQL[int64](\"?TableAlias.price * ?TableAlias.quantity\")")
	}
	if strings.HasSuffix(strings.TrimSpace(text), ";") {
		return naming.Sentence("its SQL ends with a semicolon, and it is a part of a statement; leave out the semicolon")
	}
	count, named := 0, false
	for _, found := range placeholder.FindAllString(text, -1) {
		switch name := found[strings.LastIndexByte(found, '?')+1:]; {
		case strings.HasPrefix(found, `\`), name == "TableAlias":
		case name == "":
			count++
		default:
			named = true
			if err := checkPlaceholder(name, values); err != nil {
				return err
			}
		}
	}
	if !named && count != len(values) {
		return naming.Sentence("the number of placeholders is %d, and the number of values %d; give one value for each ?, and write an operator ? as \\?", count, len(values))
	}
	return nil
}

// modelPlaceholders are the names that bun replaces by parts of the model.
var modelPlaceholders = []string{"?TableAlias", "?TableName", "?TableColumns", "?TablePKs", "?Columns", "?PKs"}

// checkPlaceholder checks the name of a placeholder. bun writes an unknown name as it is, and the
// statement fails, or takes another value on SQLite. A struct that is the only value has names of its
// own, those of its exported fields.
func checkPlaceholder(name string, values []any) error {
	if number, err := strconv.Atoi(name); err == nil && number >= len(values) {
		return naming.Sentence("no value for the placeholder %q; the number of values is %d, and the first is ?0", "?"+name, len(values))
	}
	if strings.Trim(name[:1], "0123456789(") == "" || slices.Contains(modelPlaceholders, "?"+name) {
		return nil
	}
	if len(values) == 1 {
		_, named := values[0].(schema.NamedArgAppender)
		if t := reflect.TypeOf(values[0]); named || t != nil && hasNames(naming.Indirect(t)) {
			return nil
		}
	}
	return naming.Sentence("no placeholder %q; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \\?%s", "?"+name, naming.DidYouMean("?"+name, modelPlaceholders))
}

// hasNames reports whether a value has names for placeholders. A time has none.
func hasNames(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), reflect.StructField.IsExported)
}

// plainName is a name that no other part of a declaration or a request reads otherwise, as -name or count(names).
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkName checks that a name can be that of an expression, and is free.
func (s *Set) checkName(name string) error {
	if strings.Contains(name, ".") {
		return naming.Sentence("a name with a dot is a path over a relation; name it with letters, digits and _")
	}
	if !plainName.MatchString(name) {
		return naming.Sentence("it is no name for a filter or an order; name it with letters, digits and _")
	}
	if _, err := s.viewset.Field(name); err == nil {
		return naming.Sentence("a field has this name already; choose another")
	}
	if goName := fieldNamed(s.table, name); goName != "" {
		return naming.Sentence("the relation %s has this name already; choose another", goName)
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
