package relation

import (
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Function computes one value from the related rows of a row: count(votes), exists(votes,mine),
// sum(lines.amount), min(lines.amount) or max(lines.amount). Related rows that are deleted softly,
// or that the caller may not see, do not count.
type Function struct {
	// Type is the type of the result. It is a pointer if the result is null without related rows.
	Type reflect.Type

	name   string
	path   Path
	column *query.Field  // of sum, min and max
	sql    string        // of sum, min and max, with ? for the column
	owner  *schema.Field // with mine, the column of the last rows with the caller's id
	text   string        // as it is written: "count(votes)"
}

// functionNames are the names of the functions.
var functionNames = []string{"count", "exists", "sum", "min", "max"}

// readFunction reads a function. rest is the text after its opening parenthesis.
func (b Base) readFunction(name, rest string) (f From, err error) {
	arguments, after, closed := strings.Cut(rest, ")")
	switch {
	case !slices.Contains(functionNames, name):
		return f, naming.Sentence("no function %q; the functions are count, exists, sum, min and max%s", name, naming.DidYouMean(name, functionNames))
	case !closed:
		return f, naming.Sentence("%q has no closing parenthesis", name+"("+rest)
	case after != "":
		return f, naming.Sentence("%q follows the function; a function has no options after its parenthesis", after)
	}
	path, options, mine := strings.Cut(arguments, ",")
	if mine && options != "mine" {
		return f, naming.Sentence("no option %q in %s; the only option is mine%s", options, name, naming.DidYouMean(options, []string{"mine"}))
	}
	if f, err = b.pathTo(path); err != nil {
		return f, err
	}
	fn := &Function{name: name, path: f.Path, column: f.Column, text: name + "(" + rest}
	if err := fn.settle(path); err != nil {
		return f, err
	}
	if mine {
		if fn.owner, err = f.Path.owner(); err != nil {
			return f, err
		}
	}
	f.Function, f.Column = fn, nil
	return f, nil
}

// functionField describes a function as a field of the row.
func (b Base) functionField(text string) (query.Field, error) {
	name, rest, _ := strings.Cut(text, "(")
	f, err := b.readFunction(name, rest)
	if err != nil {
		return query.Field{}, err
	}
	return f.Function.field(b, text, text), nil
}

// field describes the function as a field of a row under a name.
func (fn *Function) field(b Base, name, text string) query.Field {
	return query.Field{
		Name: name, GoName: text, Type: naming.Indirect(fn.Type), Nullable: fn.Type.Kind() == reflect.Pointer, Alias: b.table.Alias,
		Expression: fn.SQL, Aggregate: true,
	}
}

// NameFunction gives a function the name that it has in a view, so that filters and orders find
// it. If a column, an expression or another function has the name, a use of the name is a mistake. It
// ignores a tag that is wrong, or that is not a function: the view reports the mistake.
func (s *Set) NameFunction(name, tag string, t reflect.Type) {
	if !strings.Contains(tag, "(") {
		return
	}
	f, err := s.Base().ReadFrom(tag)
	if err != nil || f.Function == nil {
		return
	}
	switch other := s.named(name); other {
	case tag: // of another view
	case "":
		if f.Function.Fits(t) {
			f.Function.Type = t
		}
		s.Expressions[name] = f.Function.field(s.Base(), name, tag)
	default:
		s.unclear[name] = naming.Sentence("%q is %s, and %s in a view; give one of them another name", name, other, tag)
	}
}

// named describes what has a name: a function by its text, an expression or a column. It is empty if
// nothing has the name.
func (s *Set) named(name string) string {
	if f, taken := s.Expressions[name]; taken && f.Aggregate {
		return f.GoName
	} else if taken {
		return "an expression"
	}
	if f, err := s.viewset.Field(name); err == nil {
		return "the column " + f.Column.Name
	}
	return ""
}

// unordered are the kinds of types that one of the databases finds no least value of.
var unordered = []reflect.Kind{reflect.Bool, reflect.Array, reflect.Slice, reflect.Map}

// settle sets the type of the result, and checks what the function is given.
func (fn *Function) settle(path string) error {
	whole := fn.name == "count" || fn.name == "exists"
	switch {
	case !fn.path.ToMany():
		return naming.Sentence("%q leads to one row; %s needs a relation to several rows", path, fn.name)
	case whole && fn.column != nil:
		return naming.Sentence("%s takes a relation without a column: %s(%s)", fn.name, fn.name, path[:strings.LastIndexByte(path, '.')])
	case !whole && fn.column == nil:
		return naming.Sentence("%s needs a column of the related rows: %s(%s.column)", fn.name, fn.name, path)
	}
	switch fn.name {
	case "count":
		fn.Type = reflect.TypeFor[int64]()
	case "exists":
		fn.Type = reflect.TypeFor[bool]()
	case "sum":
		return fn.settleSum(path)
	default:
		if t := fn.column.Type; datatype.IsJSON(t) || slices.Contains(unordered, t.Kind()) {
			return naming.Sentence("%s of %q, %s, is not supported; take a column of text, numbers or times", fn.name, path, t)
		}
		fn.Type, fn.sql = reflect.PointerTo(fn.column.Type), fn.name+"(?)"
		if _, numeric := placesOf(fn.column.Type); numeric {
			fn.sql = "CAST(" + fn.sql + " AS numeric)" // SQLite compares it with the text of a parameter
		}
	}
	return nil
}

// settleSum sets the type of a sum: int64 for integers, and otherwise that of the column. It also sets
// the SQL that makes a value of this type: PostgreSQL makes the sum of integers a number of another
// type.
func (fn *Function) settleSum(path string) error {
	t := fn.column.Type
	places, numeric := placesOf(t)
	switch kind := t.Kind(); {
	case numeric:
		fn.Type, fn.sql = t, rounded("coalesce(sum(?), 0)", places)
	case kind == reflect.Float64 || kind == reflect.Float32:
		fn.Type, fn.sql = reflect.TypeFor[float64](), "CAST(coalesce(sum(?), 0) AS double precision)"
	case kind == reflect.Int64 && storesInteger(t):
		fn.Type, fn.sql = t, "CAST(coalesce(sum(?), 0) AS bigint)" // also a decimal or a duration
	case t.PkgPath() == "" && (kind == reflect.Int || kind == reflect.Int32 || kind == reflect.Int16):
		fn.Type, fn.sql = reflect.TypeFor[int64](), "CAST(coalesce(sum(?), 0) AS bigint)"
	default:
		return naming.Sentence("sum of %q, %s, is not supported; take a column of numbers", path, t)
	}
	return nil
}

// Fits reports whether a field of a type can show the result. A sum of decimals may have more digits
// than each of them, so it also fits a decimal with other digits and the same places.
func (fn *Function) Fits(t reflect.Type) bool {
	if t == fn.Type || fn.name != "sum" || t.Kind() != reflect.Int64 {
		return t == fn.Type
	}
	unit, is := unitOf(fn.Type)
	other, also := unitOf(t)
	return is && also && unit == other && reflect.DeepEqual(stored(t), stored(fn.Type))
}

// unitOf returns the 1 of a decimal, in its smallest units.
func unitOf(t reflect.Type) (one int64, isDecimal bool) {
	bound := datatype.BoundOf(t)
	if bound == nil {
		return 0, false
	}
	one, err := bound("1")
	return one, err == nil
}

// stored is the zero of a type as the driver of a database gets it. It is the zero itself for a type
// that is no [driver.Valuer].
func stored(t reflect.Type) any {
	zero := reflect.New(t)
	if valuer, ok := reflect.TypeAssert[driver.Valuer](zero); ok {
		value, _ := valuer.Value() // a type that cannot store its zero stores no number
		return value
	}
	return zero.Elem().Interface()
}

// storesInteger reports whether a column of a type of the kind int64 has integers. A time of day does
// not: its column has a text.
func storesInteger(t reflect.Type) bool { return reflect.TypeOf(stored(t)).Kind() == reflect.Int64 }

// placesOf reports whether a type of the kind int64 is stored as a decimal number, such as 0.00, and
// how many decimal places it has.
func placesOf(t reflect.Type) (places int, numeric bool) {
	text, _ := stored(t).(string)
	if _, err := strconv.ParseFloat(text, 64); err != nil || t.Kind() != reflect.Int64 {
		return 0, false
	}
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction), true
}

// rounded is the SQL of a decimal number with the places of its type. SQLite computes with binary
// fractions, and compares the text of a parameter only with a numeric type.
func rounded(sql string, places int) string {
	return "CAST(round(CAST(" + sql + " AS numeric), " + strconv.Itoa(places) + ") AS numeric)"
}

// owner is the column of the last rows of a path that has the id of their owner.
func (p Path) owner() (*schema.Field, error) {
	last := p[len(p)-1]
	if last.Target != nil {
		if column := last.Target.Owner(); column != nil {
			return column, nil
		}
	}
	return nil, naming.Sentence("mine needs an owner of the rows of %q; let its viewset have framework.Own in Scope or Writers", last.Name)
}

// SQL is the subquery of the value for the row of a table with an alias.
func (fn *Function) SQL(c *call.Call, alias string) schema.QueryAppender {
	q, last := fn.path.rowsOf(c, alias)
	if fn.owner != nil {
		if c.Caller.Anonymous() {
			q = q.Where("1 = 0")
		} else {
			q = q.Where("?.? = ?", bun.Ident(last), bun.Ident(fn.owner.Name), sqldb.Param(c.Caller.ID))
		}
	}
	switch fn.name {
	case "count":
		return bun.SafeQuery("(?)", q.ColumnExpr("count(*)"))
	case "exists":
		return bun.SafeQuery("EXISTS (?)", q.ColumnExpr("1"))
	}
	f := *fn.column
	f.Alias = last
	return bun.SafeQuery("(?)", q.ColumnExpr(fn.sql, f.SQL(c)))
}

// rowsOf is a query of the rows at the end of a path that are related to the row of a table with
// an alias, without columns. It also returns the alias of the rows.
func (p Path) rowsOf(c *call.Call, alias string) (q *bun.SelectQuery, last string) {
	q = c.DB.NewSelect()
	for i, r := range p {
		base := alias
		alias = Alias(alias, r.Schema.Field.GoName)
		q = r.reach(c, q, i == 0, base, alias)
	}
	return q, alias
}

// reach adds the rows of a relation to a query under an alias, without those that are deleted
// softly or that the caller may not see. base is the alias of the table that has the relation. The
// first relation of a query starts its FROM.
func (r *Relation) reach(c *call.Call, q *bun.SelectQuery, first bool, base, alias string) *bun.SelectQuery {
	foreign, key := r.Schema.JoinPKs[0].Name, r.Schema.BasePKs[0].Name
	if r.Schema.Type == schema.ManyToManyRelation {
		between := alias + "__"
		q = add(q, first, r.Schema.M2MTable, between, r.Schema.M2MBasePKs[0].Name, base, key)
		base, key, first = between, r.Schema.M2MJoinPKs[0].Name, false
	}
	q = add(q, first, r.Schema.JoinTable, alias, foreign, base, key)
	if r.Narrowed(c) {
		q = q.Where("?.? IN (?)", bun.Ident(alias), bun.Ident(r.Target.PrimaryKey().Column.Name), r.Target.ScopedKeys(c))
	}
	return q
}

// add adds the rows of a table whose column equals a column of the table with the alias base.
func add(q *bun.SelectQuery, first bool, table *schema.Table, alias, column, base, key string) *bun.SelectQuery {
	if first {
		q = q.TableExpr("? AS ?", bun.Ident(table.Name), bun.Ident(alias)).Where("?.? = ?.?", bun.Ident(alias), bun.Ident(column), bun.Ident(base), bun.Ident(key))
	} else {
		q = q.Join("JOIN ? AS ?", bun.Ident(table.Name), bun.Ident(alias)).JoinOn("?.? = ?.?", bun.Ident(alias), bun.Ident(column), bun.Ident(base), bun.Ident(key))
	}
	if stays := notDeleted(table, alias); stays != nil {
		q = q.Where("?", stays)
	}
	return q
}
